#include <locdyn/simulation/stepping/sleeping.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace locdyn::detail {
namespace {

constexpr std::size_t kNumbersBefore = 4;  // of what is saved: energy and gravity

}  // namespace

Sleeping::Sleeping(System& system, ContactTracker& tracker, ReferenceGeometry& references, Mode mode)
    : system_(system), tracker_(tracker), references_(references), mode_(mode) {
  reset();
}

double Sleeping::penetration() const noexcept {
  return penetrations_.empty() ? 0 : std::max(*penetrations_.rbegin(), 0.0);
}

std::vector<TrackedContact> Sleeping::contacts() const {
  std::vector<TrackedContact> all;
  for (const auto& [label, island] : islands_) all.insert(all.end(), island.contacts.begin(), island.contacts.end());
  std::ranges::stable_sort(all, {}, pair_of<TrackedContact>);
  return all;
}

// --- waking ----------------------------------------------------------------------------------------------------------

void Sleeping::begin_step() {
  take_in_new_bodies();
  if (mode_ == Mode::off) {
    forget_removed();
    seen_ = system_.changes();
    return;
  }
  const bool changed = system_.gravity != gravity_ || !(system_.materials == materials_);
  if (count_ > 0 && changed) wake_all();
  if (changed) materials_ = system_.materials;
  gravity_ = system_.gravity;
  wake_written();
  forget_removed();
  find_held();
}

// Bodies and contacts that were removed since the last step; what slept with them is awake.
void Sleeping::forget_removed() {
  if (seen_ == system_.changes()) return;
  tracker_.forget_removed();
  const auto removed = [&](BodyId id) { return !system_.bodies().contains(id); };
  std::erase_if(active_, removed);
  std::erase_if(woken_, removed);
  for (BodyId id{0}; id < is_active_.size(); ++id) {
    if (!system_.bodies().contains(id)) is_active_[id] = 0;
  }
}

void Sleeping::take_in_new_bodies() {
  const std::size_t known = is_active_.size(), size = system_.bodies().id_bound();
  if (known == size) return;
  is_active_.resize(size, 1);
  asleep_.resize(size, 0);
  quiet_.resize(size, 0);
  island_of_.resize(size, BodyId{kNone});
  held_.resize(size, 0);
  for (auto id = static_cast<BodyId>(known); id < size; ++id) active_.push_back(id);
}

// What constraints for life, forces and drives act on, where there are others than at the last step.
void Sleeping::find_held() {
  if (seen_ == system_.changes()) return;
  seen_ = system_.changes();
  std::ranges::fill(held_, 0);
  all_held_ = static_cast<bool>(system_.contact_modifier());
  for (const ConstraintId id : system_.constraints()) {
    for (const BodyId body : system_.assembly().constraint(id).bodies()) hold(body);
  }
  for (const ForceId id : system_.forces().ids()) {
    all_held_ = all_held_ || system_.forces()[id].bodies().empty();
    for (const BodyId body : system_.forces()[id].bodies()) hold(body);
  }
  for (const auto& [body, drive] : system_.drives()) held_[body] = 1;
  if (all_held_) wake_all();
  merge_woken();
}

// A body that moves; an obstacle is held by its drive alone, which has woken it.
void Sleeping::hold(BodyId id) {
  if (system_.bodies()[id].freedoms() == 0) return;
  held_[id] = 1;
  if (asleep_[id]) wake_island(island_of_[id]);
}

void Sleeping::wake_all() {
  while (!islands_.empty()) wake_island(islands_.begin()->first);
  merge_woken();
}

void Sleeping::wake_written() {
  woken_.clear();
  const std::span<const BodyId> written = system_.bodies().written();
  if (written.empty()) return;
  for (const BodyId label : disturbed()) wake_island(label);
  for (const BodyId id : written) {
    if (!is_active_[id]) activate(id);
  }
  system_.bodies().forget_written();
  merge_woken();
}

void Sleeping::ignore_written() {
  const std::vector<BodyId> written(system_.bodies().written().begin(), system_.bodies().written().end());
  for (const BodyId id : written) {
    if (!is_active_[id]) system_.bodies().watch(id);  // others have been woken since
  }
  system_.bodies().forget_written();
}

// The islands that what was written to belongs to or carries.
std::set<BodyId> Sleeping::disturbed() const {
  std::set<BodyId> labels;
  for (const BodyId id : system_.bodies().written()) {
    if (asleep_[id]) labels.insert(island_of_[id]);
    if (asleep_[id] || is_active_[id]) continue;
    const std::vector<BodyId> on_it = labels_on(id);
    labels.insert(on_it.begin(), on_it.end());
  }
  return labels;
}

std::span<const BodyId> Sleeping::wake_touched(std::span<const DetectedContact> found) {
  woken_.clear();
  if (count_ == 0) return woken_;
  for (const DetectedContact& contact : found) {
    for (const ColliderId side : {contact.master, contact.slave}) {
      const BodyId body = system_.colliders()[side].body;
      if (asleep_[body]) wake_island(island_of_[body]);
    }
  }
  merge_woken();
  return woken_;
}

std::vector<BodyId> Sleeping::labels_on(BodyId obstacle) const {
  std::vector<BodyId> labels;
  for (const auto& [label, island] : islands_) {
    const bool on_it = std::ranges::any_of(island.contacts, [&](const TrackedContact& contact) {
      return contact.point.master == obstacle || contact.point.slave == obstacle;
    });
    if (on_it) labels.push_back(label);
  }
  return labels;
}

void Sleeping::wake_island(BodyId label) {
  auto node = islands_.extract(label);
  Island& island = node.mapped();
  for (const BodyId id : island.bodies) {
    asleep_[id] = 0;
    quiet_[id] = 0;
    activate(id);
  }
  woken_contacts_.insert(woken_contacts_.end(), island.contacts.begin(), island.contacts.end());
  penetrations_.erase(penetrations_.find(island.penetration));
  count_ -= island.bodies.size();
  energy_ = islands_.empty() ? 0 : energy_ - island.potential_energy;
}

void Sleeping::activate(BodyId id) {
  is_active_[id] = 1;
  if (system_.bodies().contains(id)) system_.bodies().unwatch(id);
  references_.rouse(id);
  woken_.push_back(id);
}

// Those that were woken join the active ones, their contacts those of the tracker. Each pair is of one island.
void Sleeping::merge_woken() {
  if (woken_.empty()) return;
  std::sort(woken_.begin(), woken_.end());
  const auto at = static_cast<std::ptrdiff_t>(active_.size());
  active_.insert(active_.end(), woken_.begin(), woken_.end());
  std::inplace_merge(active_.begin(), active_.begin() + at, active_.end());
  active_.erase(std::unique(active_.begin(), active_.end()), active_.end());
  std::ranges::stable_sort(woken_contacts_, {}, pair_of<TrackedContact>);
  tracker_.take_back(woken_contacts_);
  woken_contacts_.clear();
}

// --- as numbers ------------------------------------------------------------------------------------------------------

std::vector<double> Sleeping::save() const {
  if (mode_ == Mode::off) return {};
  // What was written to since the last step wakes with the next: it is saved as awake.
  const std::set<BodyId> waking = disturbed();
  double energy = energy_;
  for (const BodyId label : waking) energy -= islands_.at(label).potential_energy;
  std::vector<double> saved{waking.size() == islands_.size() ? 0 : energy, gravity_.x(), gravity_.y(), gravity_.z()};
  for (BodyId id{0}; id < asleep_.size(); ++id) {
    const bool sleeps = asleep_[id] && !waking.contains(island_of_[id]);
    const double quiet = asleep_[id] || !system_.bodies().contains(id) ? 0 : quiet_[id];
    saved.push_back(sleeps ? -1 - static_cast<double>(island_of_[id]) : quiet);
  }
  return saved;
}

void Sleeping::check(std::span<const double> saved, const System& system) {
  if (saved.empty()) return;
  const BodySet& bodies = system.bodies();
  if (saved.size() < kNumbersBefore || saved.size() > kNumbersBefore + bodies.id_bound()) {
    throw std::invalid_argument("state: sleep: expected 4 numbers and one a body, found " +
                                std::to_string(saved.size()));
  }
  const std::span<const double> of_body = saved.subspan(kNumbersBefore);
  for (BodyId id{0}; id < of_body.size(); ++id) {
    const double number = of_body[id];
    const bool whole = number == std::floor(number);
    if (whole && number >= 0 && number <= kQuietSteps) continue;
    const bool least = whole && number < 0 && number >= -1 - static_cast<double>(id) &&
                       of_body[static_cast<std::size_t>(-1 - number)] == number;
    if (least && bodies.contains(id) && bodies[id].freedoms() > 0 && bodies[id].tells_of_changes()) continue;
    throw std::invalid_argument("state: sleep: expected up to " + std::to_string(kQuietSteps) +
                                " quiet steps or the least body of an island, found " + std::to_string(number) +
                                " for body " + std::to_string(id));
  }
}

void Sleeping::reset() {
  for (const BodyId id : system_.bodies().ids()) system_.bodies().unwatch(id);
  system_.bodies().forget_written();
  for (auto* of_body : {&is_active_, &asleep_, &held_}) of_body->clear();
  active_.clear();
  quiet_.clear();
  island_of_.clear();
  islands_.clear();
  penetrations_.clear();
  woken_.clear();
  woken_contacts_.clear();
  count_ = 0;
  energy_ = 0;
  seen_ = 0;
  all_held_ = false;
}

void Sleeping::restore(std::span<const double> saved) {
  if (mode_ == Mode::off || saved.empty()) return;
  gravity_ = Eigen::Vector3d(saved[1], saved[2], saved[3]);
  materials_ = system_.materials;
  const std::span<const double> of_body = saved.subspan(kNumbersBefore);
  const auto known = static_cast<BodyId>(of_body.size());
  is_active_.assign(known, 1);
  asleep_.assign(known, 0);
  quiet_.assign(known, 0);
  island_of_.assign(known, BodyId{kNone});
  held_.assign(known, 0);
  for (const auto& [body, drive] : system_.drives()) {
    if (body < known) held_[body] = 1;
  }
  std::map<BodyId, std::vector<BodyId>> members;
  for (BodyId id{0}; id < known; ++id) {
    if (!system_.bodies().contains(id)) {
      is_active_[id] = 0;
      continue;
    }
    active_.push_back(id);
    if (of_body[id] < 0) {
      members[BodyId{static_cast<std::uint32_t>(-1 - of_body[id])}].push_back(id);
    } else {
      quiet_[id] = static_cast<std::uint32_t>(of_body[id]);
    }
  }
  rest_obstacles();
  std::vector<std::vector<BodyId>> islands;
  for (auto& [label, bodies] : members) islands.push_back(std::move(bodies));
  put_to_sleep(islands);
  energy_ = saved[0];
}

}  // namespace locdyn::detail
