#include <locdyn/simulation/stepping/sleeping.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/simulation/stepping/body_motion.hpp>

namespace locdyn::detail {
namespace {

// So long that what turns back, a ball at the top of its bounce or a block that rocks, does not pass for rest, and that
// little falls asleep to be woken at once: in scenes/moving/pile.json at 1e-3 (200 bodies, still falling on each other)
// 66 of 960 steps change what sleeps.
constexpr std::uint32_t kQuietSteps = 32;
// Of h |g|, where a loose tolerance would ask for more: 0.4 mm/s at h = 1/240 s. What stands creeps 20 times slower.
constexpr double kMostShare = 1e-2;
constexpr std::size_t kNumbersBefore = 4;  // of what is saved: energy and gravity

bool same_pair_order(const TrackedContact& a, const TrackedContact& b) {
  return std::pair(a.master, a.slave) < std::pair(b.master, b.slave);
}

bool stands_still(const Body& obstacle) {
  const BodyMotion motion = motion_of(obstacle);
  return motion.velocity.isZero(0) && motion.angular_velocity.isZero(0);
}

double rest_speed(const RestOptions& options, const Eigen::Vector3d& gravity) {
  return std::min(kQuietSteps * options.tolerance, kMostShare) * options.h * gravity.norm();
}

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
  std::stable_sort(all.begin(), all.end(), same_pair_order);
  return all;
}

// --- waking ----------------------------------------------------------------------------------------------------------

void Sleeping::begin_step() {
  take_in_new_bodies();
  if (mode_ == Mode::off) return;
  const bool changed = system_.gravity != gravity_ || !(system_.materials == materials_);
  if (count_ > 0 && changed) wake_all();
  if (changed) materials_ = system_.materials;
  gravity_ = system_.gravity;
  wake_written();
  find_held();
}

void Sleeping::take_in_new_bodies() {
  const std::size_t known = is_active_.size(), size = system_.bodies().size();
  if (known == size) return;
  is_active_.resize(size, 1);
  asleep_.resize(size, 0);
  quiet_.resize(size, 0);
  island_of_.resize(size, kNone);
  held_.resize(size, 0);
  for (auto id = static_cast<BodyId>(known); id < size; ++id) active_.push_back(id);
}

// What constraints for life, forces and drives act on, where there are others than at the last step.
void Sleeping::find_held() {
  if (constraints_ == system_.constraints().size() && forces_ == system_.forces().size() &&
      drives_ == system_.drives().size())
    return;
  constraints_ = system_.constraints().size();
  forces_ = system_.forces().size();
  drives_ = system_.drives().size();
  for (const ConstraintId id : system_.constraints()) {
    for (const BodyId body : system_.assembly().constraint(id).bodies()) hold(body);
  }
  for (ForceId id = 0; id < forces_; ++id) {
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
  system_.bodies().unwatch(id);
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
  std::stable_sort(woken_contacts_.begin(), woken_contacts_.end(), same_pair_order);
  tracker_.take_back(woken_contacts_);
  woken_contacts_.clear();
}

// --- falling asleep --------------------------------------------------------------------------------------------------

void Sleeping::end_step(const Islands& islands, const RestOptions& options) {
  if (mode_ == Mode::off) return;
  woken_.clear();
  rest_obstacles();
  if (!count_quiet(options)) return;
  Candidates candidates = find_candidates(islands);
  if (candidates.bodies.empty()) return;
  refuse_deep(islands, options.slop, candidates);
  refuse_unheld(options.tolerance, candidates);
  refuse_neighbours_of_awake(candidates);
  std::vector<std::vector<BodyId>> at_rest;
  for (std::size_t i = 0; i < candidates.bodies.size(); ++i) {
    if (candidates.good[i]) at_rest.push_back(std::move(candidates.bodies[i]));
  }
  if (!at_rest.empty()) put_to_sleep(at_rest);
}

bool Sleeping::may_rest_on(BodyId obstacle) const {
  return !held_[obstacle] && system_.bodies()[obstacle].tells_of_changes() && stands_still(system_.bodies()[obstacle]);
}

void Sleeping::rest_obstacles() {
  const auto rests = [&](BodyId id) { return system_.bodies()[id].freedoms() == 0 && may_rest_on(id); };
  const auto resting = std::stable_partition(active_.begin(), active_.end(), [&](BodyId id) { return !rests(id); });
  for (auto id = resting; id != active_.end(); ++id) lay_down(*id);
  active_.erase(resting, active_.end());
}

// Nobody looks at it any more, until it is written to.
void Sleeping::lay_down(BodyId id) {
  is_active_[id] = 0;
  system_.bodies().watch(id);
  references_.rest(id);
}

// True where some body has been quiet for long.
bool Sleeping::count_quiet(const RestOptions& options) {
  const double speed = rest_speed(options, system_.gravity);
  const bool loads = !system_.loads().empty();
  bool due = false;
  for (const BodyId id : active_) {
    const Body& body = system_.bodies()[id];
    if (body.freedoms() == 0) continue;
    const bool free = !all_held_ && !held_[id] && body.tells_of_changes() && !(loads && !body.added_force().isZero(0));
    const bool quiet = free && 2 * body.kinetic_energy() <= speed * speed * body.mass();
    quiet_[id] = quiet ? std::min(quiet_[id] + 1, kQuietSteps) : 0;
    due = due || quiet_[id] >= kQuietSteps;
  }
  return due;
}

// Islands of the graph of which every body has been quiet for long and no support moves; then bodies without contact.
Sleeping::Candidates Sleeping::find_candidates(const Islands& islands) const {
  const BodySet& bodies = system_.bodies();
  const auto at_rest = [&](BodyId id) {
    return bodies[id].freedoms() > 0 ? quiet_[id] >= kQuietSteps : is_active_[id] == 0;
  };
  Candidates found;
  for (Index i = 0; i < islands.count; ++i) {
    const std::span<const ConstraintId> rows = islands.island(i);
    const bool all_rest = std::ranges::all_of(rows, [&](ConstraintId id) {
      return std::ranges::all_of(system_.assembly().constraint(id).bodies(), at_rest);
    });
    if (!all_rest) continue;
    found.rows.emplace_back(rows.begin(), rows.end());
    std::vector<BodyId>& members = found.bodies.emplace_back();
    for (const ConstraintId id : rows) {
      for (const BodyId body : system_.assembly().constraint(id).bodies()) {
        if (bodies[body].freedoms() > 0) members.push_back(body);
      }
    }
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
  }
  for (const BodyId id : active_) {
    if (quiet_[id] < kQuietSteps || !system_.assembly().constraints_of(id).empty()) continue;
    found.rows.emplace_back();
    found.bodies.push_back({id});
  }
  found.good.assign(found.bodies.size(), 1);
  return found;
}

// What the correction of positions is still to take back.
void Sleeping::refuse_deep(const Islands& islands, double slop, Candidates& candidates) const {
  std::vector<std::uint8_t> deep(islands.count, 0);
  for (const TrackedContact& contact : tracker_.contacts()) {
    if (contact.constraint != kNone && -contact.point.gap > slop) deep[islands.label[contact.constraint]] = 1;
  }
  for (std::size_t i = 0; i < candidates.rows.size(); ++i) {
    if (!candidates.rows[i].empty() && deep[islands.label[candidates.rows[i][0]]]) candidates.good[i] = 0;
  }
}

// R of an island that sleeps must hold it as it is, at u = 0: then b = B − V. One that it does not is given time.
void Sleeping::refuse_unheld(double tolerance, Candidates& candidates) {
  std::vector<std::size_t> asked;
  std::vector<std::span<const ConstraintId>> parts;
  for (std::size_t i = 0; i < candidates.rows.size(); ++i) {
    if (!candidates.good[i] || candidates.rows[i].empty()) continue;
    asked.push_back(i);
    parts.emplace_back(candidates.rows[i]);
  }
  const LocalDynamics& graph = system_.graph();
  const Kinematics& kinematics = system_.assembly().kinematics();
  std::vector<LocalDynamics> graphs = graph.extract(parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t row = 0; row < parts[i].size(); ++row) {
      const auto id = static_cast<ConstraintId>(row);
      for (int k = 0; k < block_count(graphs[i].law(id)); ++k) {
        const auto place = static_cast<Index>(&graph.row(parts[i][row], k) - graph.diagonal_arena().data());
        graphs[i].row(id, k).B -= kinematics.velocity_before(place);
      }
    }
    if (evaluate_residual(graphs[i]).scaled <= tolerance) continue;
    candidates.good[asked[i]] = 0;
    for (const BodyId id : candidates.bodies[asked[i]]) quiet_[id] = 0;
  }
}

// Points that are near and not in the graph (they bounce, so that they do not act before they touch) tie islands, too:
// else the one that is awake would wake the other at once.
void Sleeping::refuse_neighbours_of_awake(Candidates& candidates) const {
  std::vector<std::pair<BodyId, BodyId>> near;
  for (const TrackedContact& contact : tracker_.contacts()) {
    const BodyId a = contact.point.master, b = contact.point.slave;
    if (contact.constraint == kNone && is_active_[a] && is_active_[b]) near.emplace_back(a, b);
  }
  if (near.empty()) return;
  std::map<BodyId, std::size_t> candidate_of;
  for (std::size_t i = 0; i < candidates.bodies.size(); ++i) {
    for (const BodyId id : candidates.bodies[i]) candidate_of[id] = i;
  }
  const auto sleeps = [&](BodyId id) {
    const auto at = candidate_of.find(id);
    return at != candidate_of.end() && candidates.good[at->second];
  };
  for (bool again = true; again;) {
    again = false;
    for (const auto& [a, b] : near) {
      if (sleeps(a) == sleeps(b)) continue;
      candidates.good[candidate_of[sleeps(a) ? a : b]] = 0;
      again = true;
    }
  }
}

void Sleeping::put_to_sleep(const std::vector<std::vector<BodyId>>& islands) {
  BodySet& bodies = system_.bodies();
  for (const std::vector<BodyId>& members : islands) {
    Island& island = islands_[members.front()];
    island.bodies = members;
    for (const BodyId id : members) {
      bodies[id].set_velocity(Eigen::VectorXd::Zero(bodies[id].freedoms()));
      lay_down(id);
      asleep_[id] = 1;
      island_of_[id] = members.front();
      island.potential_energy += bodies[id].potential_energy(gravity_);
    }
    count_ += members.size();
    energy_ += island.potential_energy;
  }
  std::erase_if(active_, [&](BodyId id) { return !is_active_[id]; });
  for (const TrackedContact& contact : tracker_.release(asleep_)) {
    const BodyId one = asleep_[contact.point.slave] ? contact.point.slave : contact.point.master;
    Island& island = islands_[island_of_[one]];
    island.contacts.push_back(contact);
    island.penetration = std::max(island.penetration, -contact.point.gap);
  }
  for (const std::vector<BodyId>& members : islands) penetrations_.insert(islands_[members.front()].penetration);
}

// --- as numbers ------------------------------------------------------------------------------------------------------

std::vector<double> Sleeping::save() const {
  if (mode_ == Mode::off) return {};
  // What was written to since the last step wakes with the next: it is saved as awake.
  const std::set<BodyId> waking = disturbed();
  double energy = energy_;
  for (const BodyId label : waking) energy -= islands_.at(label).potential_energy;
  std::vector<double> saved{waking.size() == islands_.size() ? 0 : energy, gravity_.x(), gravity_.y(), gravity_.z()};
  for (BodyId id = 0; id < asleep_.size(); ++id) {
    const bool sleeps = asleep_[id] && !waking.contains(island_of_[id]);
    const double quiet = asleep_[id] ? 0 : quiet_[id];
    saved.push_back(sleeps ? -1 - static_cast<double>(island_of_[id]) : quiet);
  }
  return saved;
}

void Sleeping::check(std::span<const double> saved, const System& system) {
  if (saved.empty()) return;
  const BodySet& bodies = system.bodies();
  if (saved.size() < kNumbersBefore || saved.size() > kNumbersBefore + bodies.size()) {
    throw std::invalid_argument("state: sleep: expected 4 numbers and one a body, found " +
                                std::to_string(saved.size()));
  }
  const std::span<const double> of_body = saved.subspan(kNumbersBefore);
  for (BodyId id = 0; id < of_body.size(); ++id) {
    const double number = of_body[id];
    const bool whole = number == std::floor(number);
    if (whole && number >= 0 && number <= kQuietSteps) continue;
    const bool least = whole && number < 0 && number >= -1 - static_cast<double>(id) &&
                       of_body[static_cast<std::size_t>(-1 - number)] == number;
    if (least && bodies[id].freedoms() > 0 && bodies[id].tells_of_changes()) continue;
    throw std::invalid_argument("state: sleep: expected up to " + std::to_string(kQuietSteps) +
                                " quiet steps or the least body of an island, found " + std::to_string(number) +
                                " for body " + std::to_string(id));
  }
}

void Sleeping::reset() {
  for (BodyId id = 0; id < system_.bodies().size(); ++id) system_.bodies().unwatch(id);
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
  constraints_ = forces_ = drives_ = 0;
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
  island_of_.assign(known, kNone);
  held_.assign(known, 0);
  for (const auto& [body, drive] : system_.drives()) {
    if (body < known) held_[body] = 1;
  }
  std::map<BodyId, std::vector<BodyId>> members;
  for (BodyId id = 0; id < known; ++id) {
    active_.push_back(id);
    if (of_body[id] < 0) {
      members[static_cast<BodyId>(-1 - of_body[id])].push_back(id);
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
