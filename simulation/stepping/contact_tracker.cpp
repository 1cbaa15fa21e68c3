#include <locdyn/simulation/stepping/contact_tracker.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include <locdyn/base/fetch.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/simulation/stepping/contact_material.hpp>
#include <locdyn/simulation/stepping/contact_reaction.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

constexpr std::size_t kDisused = 4, kFewIds = 1000;  // ids of the graph, in use and not, before contacts get new ones
// Pairs and contacts that a thread takes at a time: some 50 µs.
constexpr std::size_t kPairsAtOnce = 64;
constexpr std::int64_t kContactsAtOnce = 256;
// So far ahead what a pair or a contact works with is fetched: a step of 2000 bodies with ten sweeps takes 0.94 of the
// time.
constexpr std::size_t kPairsAhead = 3, kContactsAhead = 4;

// The pairs of contacts that are in their order; `shapes_at(i)` are those of the i-th.
template <class ShapesAt>
void list_pairs(std::size_t contacts, const ShapesAt& shapes_at, std::vector<PairContacts>& pairs) {
  pairs.clear();
  for (std::size_t at = 0; at < contacts; ++at) {
    const ShapePair shapes = shapes_at(at);
    if (pairs.empty() || pairs.back().shapes != shapes) pairs.push_back({shapes, at, 0});
    ++pairs.back().count;
  }
}

// What a pair to come works with lies where it was made.
void fetch_ahead(const System& system, const DetectedContact& found, std::span<const TrackedContact* const> known) {
  for (const ColliderId id : {found.master, found.slave}) {
    fetch(&system.bodies()[system.colliders()[id].body], sizeof(RigidBody));
  }
  for (const TrackedContact* contact : known) fetch(contact, sizeof(TrackedContact));
}

// A contact to come, and its row.
void fetch_row_ahead(const LocalDynamics& graph, const TrackedContact* contact, ConstraintId id) {
  fetch(contact, sizeof(TrackedContact));
  if (id == kNone) return;
  fetch(&graph.row(id), sizeof(DiagonalBlock));
  fetch(&graph.law(id), sizeof(Law));
}

}  // namespace

ContactTracker::~ContactTracker() {
  for (TrackedContact* contact : contacts_) take_out(*contact);
}

// An obstacle's pairs come one after the other, and ask for the same motion.
const BodyMotion& ContactTracker::Workspace::drive_of(const Body& obstacle) {
  if (driven != &obstacle) {
    drive = motion_of(obstacle);
    driven = &obstacle;
  }
  return drive;
}

// By the velocities that hold now.
bool ContactTracker::comes_fast(const TrackedContact& contact) const {
  const auto velocity = [&](BodyId id) { return system_.bodies()[id].velocity_at(contact.point.point); };
  return contact.normal.dot(velocity(contact.point.slave) - velocity(contact.point.master)) < -impact_speed_;
}

// Its material, and what becomes of it in the graph, which reads its point where it lies.
ContactTracker::InGraph ContactTracker::renew(TrackedContact& contact) const {
  SurfaceMaterial now = contact.pair.of_contact(contact.slips);
  if (!contact.hits) now.restitution = 0;
  // A change of material while the contact lasts may add or take away its moments, its give or its direction.
  const SurfaceMaterial& before = contact.point.material;
  const bool other_kind = now.rolls() != before.rolls() || now.compliant() != before.compliant() ||
                          now.gives_tangentially() != before.gives_tangentially() ||
                          now.cross_friction.has_value() != before.cross_friction.has_value();
  contact.point.material = now;
  if (!contact.point.material.gives_tangentially()) {
    contact.point.past.stretch.setZero();
    contact.point.past.stretching.setZero();
  }
  if (contact.off || !Contact::acts(contact.point)) {
    contact.reaction.setZero();
    contact.moment.setZero();
    contact.point.past = {};
    return InGraph::out;
  }
  return other_kind || contact.constraint == kNone ? InGraph::in : InGraph::as_it_is;
}

// Where no body has moved only what is new in the graph is evaluated.
ContactTracker::InGraph ContactTracker::settle(TrackedContact& contact, bool still, double time) const {
  const bool other = choose_material(system_, contact, time);
  contact.hits = hits(contact);
  const InGraph change = renew(contact);
  return still && other && change == InGraph::as_it_is ? InGraph::in : change;
}

void ContactTracker::put_into_graph(TrackedContact& contact, InGraph change) {
  if (change == InGraph::as_it_is) return;
  take_out(contact);
  if (change == InGraph::in) insert(contact);
}

void ContactTracker::insert(TrackedContact& contact) {
  contact.constraint = system_.assembly().emplace<Contact>(std::cref(contact.point));
  system_.graph().row(contact.constraint).R = contact.reaction;
  if (contact.point.material.rolls()) system_.graph().row(contact.constraint, 1).R = contact.moment;
}

void ContactTracker::take_out(TrackedContact& contact) {
  if (contact.constraint != kNone) system_.assembly().remove(contact.constraint);
  contact.constraint = ConstraintId{kNone};
}

void ContactTracker::end_one(TrackedContact* contact) {
  take_out(*contact);
  kept_.give_back(contact);
}

// The pairs found, and which of the contacts of before are theirs.
void ContactTracker::find_pairs(std::span<const DetectedContact> detected) {
  before_pairs_.swap(found_pairs_);
  if (std::exchange(other_contacts_, false)) {
    list_pairs(
        before_.size(), [&](std::size_t i) { return pair_of(*before_[i]); }, before_pairs_);
  }
  list_pairs(
      detected.size(), [&](std::size_t i) { return pair_of(detected[i]); }, found_pairs_);
  pairs_.clear();
  std::size_t old = 0, next = 0;  // the pair of before to come, and its first contact
  for (const PairContacts& found : found_pairs_) {
    while (old < before_pairs_.size() && before_pairs_[old].shapes < found.shapes) next += before_pairs_[old++].count;
    const bool again = old < before_pairs_.size() && before_pairs_[old].shapes == found.shapes;
    const std::size_t count = again ? before_pairs_[old++].count : 0;
    pairs_.push_back({found.first, found.count, next, count});
    next += count;
  }
}

// What goes on leaves the list of before. A modifier's say comes later.
void ContactTracker::follow(TrackedPair& pair, std::span<const DetectedContact> detected,
                            std::span<const std::uint8_t> moved, std::span<const double> extent,
                            const TrackingOptions& options, Workspace& work) {
  const auto found = detected.subspan(pair.first, pair.count);
  const auto known = std::span(before_).subspan(pair.first_before, pair.count_before);
  TwoShapes shapes(system_, found[0], extent);
  const Body& master = system_.bodies()[shapes.master.body];
  if (master.freedoms() == 0) shapes.drive = &work.drive_of(master);
  pair.still = moved[shapes.master.body] == 0 && moved[shapes.slave.body] == 0 && same_points(found, known);
  std::span<const Match> matches;
  if (!pair.still) matches = work.matching.match(found, known, shapes.bodies);
  const bool modified = system_.contact_modifier() != nullptr;
  bool changes = modified;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t at = pair.first + i;
    const int from = pair.still ? static_cast<int>(i) : matches[i].from;
    TrackedContact& contact = *(from >= 0 ? std::exchange(known[from], nullptr) : kept_.take());
    contacts_[at] = &contact;
    if (!pair.still) place(contact, found[i], matches[i], shapes, options);
    const bool same =
        modified || (pair.still ? made_of(contact, shapes, hits(contact)) : goes_on(contact, shapes, hits(contact)));
    change_[at] = same ? InGraph::as_it_is : settle(contact, pair.still, options.time);
    constraint_[at] = contact.constraint;
    changes = changes || contact.identity == 0 || change_[at] != InGraph::as_it_is;
  }
  pair.changes = changes || std::ranges::any_of(known, [](const TrackedContact* gone) { return gone != nullptr; });
}

void ContactTracker::update(std::span<const DetectedContact> detected, std::span<const std::uint8_t> moved,
                            std::span<const double> extent, const TrackingOptions& options) try {
  step_ = options.h;
  impact_speed_ = options.h * system_.gravity.norm();
  if (system_.graph().id_bound() > kDisused * system_.graph().constraint_count() + kFewIds) renew_ids();
  before_.swap(contacts_);
  contacts_.assign(detected.size(), nullptr);
  change_.resize(detected.size());
  constraint_.resize(detected.size());
  find_pairs(detected);
  const std::size_t runs = (pairs_.size() + kPairsAtOnce - 1) / kPairsAtOnce;
  if (work_.size() < runs) work_.resize(runs);
  in_parallel(static_cast<std::int64_t>(runs), options.threads, 1, [&](std::int64_t run) {
    const std::size_t first = static_cast<std::size_t>(run) * kPairsAtOnce;
    const std::size_t end = std::min(first + kPairsAtOnce, pairs_.size());  // others write behind it
    work_[run].driven = nullptr;                                            // it may move otherwise by now
    for (std::size_t at = first; at < end; ++at) {
      if (at + kPairsAhead < end) {
        const TrackedPair& ahead = pairs_[at + kPairsAhead];
        fetch_ahead(system_, detected[ahead.first], std::span(before_).subspan(ahead.first_before, ahead.count_before));
      }
      follow(pairs_[at], detected, moved, extent, options, work_[run]);
    }
  });

  // Pair by pair what ends goes, and what is new comes: ids are given in order.
  std::size_t old = 0;
  for (const TrackedPair& pair : pairs_) {
    if (!pair.changes && old == pair.first_before) {
      old += pair.count_before;
      continue;
    }
    end_those_before(old, pair.first_before + pair.count_before);
    for (std::size_t i = pair.first; i < pair.first + pair.count; ++i) {
      TrackedContact& contact = *contacts_[i];
      if (contact.identity == 0) contact.identity = next_identity_++;
      if (system_.contact_modifier()) change_[i] = settle(contact, pair.still, options.time);
      put_into_graph(contact, change_[i]);
      constraint_[i] = contact.constraint;
    }
  }
  end_those_before(old, before_.size());
  before_.clear();
} catch (...) {
  // A modifier has thrown half-way, or memory has run out: whoever goes on from a saved state finds none of them in the
  // graph. None of this takes memory.
  end_all();
  throw;
}

// What a pair of before has left.
void ContactTracker::end_those_before(std::size_t& at, std::size_t end) {
  for (; at < end; ++at) {
    if (before_[at] != nullptr) end_one(before_[at]);
  }
}

void ContactTracker::end_all() noexcept {
  kept_.for_each([this](TrackedContact& contact) { take_out(contact); });
  kept_.clear();
  before_.clear();
  contacts_.clear();
  other_contacts_ = true;
}

void ContactTracker::read_reactions(double slip_speed, int threads) {
  change_.resize(contacts_.size());
  if (contacts_.empty()) return;
  const Kinematics& kinematics = system_.assembly().kinematics();
  in_parallel(std::ssize(contacts_), threads, kContactsAtOnce, [&](std::int64_t i) {
    const auto ahead = static_cast<std::size_t>(i) + kContactsAhead;
    if (ahead < contacts_.size()) fetch_row_ahead(system_.graph(), contacts_[ahead], constraint_[ahead]);
    const bool other = constraint_[i] != kNone && take_reaction(system_, kinematics, step_, slip_speed, *contacts_[i]);
    change_[i] = other ? renew(*contacts_[i]) : InGraph::as_it_is;
  });
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (change_[i] != InGraph::as_it_is) put_into_graph(*contacts_[i], change_[i]);
  }
}

std::vector<TrackedContact> ContactTracker::release(std::span<const std::uint8_t> asleep) {
  const auto of_sleeper = [&](BodyId body) { return body < asleep.size() && asleep[body]; };
  const auto sleeps = [&](const TrackedContact& c) { return of_sleeper(c.point.master) || of_sleeper(c.point.slave); };
  std::vector<TrackedContact> released;
  std::erase_if(contacts_, [&](TrackedContact* contact) {
    if (!sleeps(*contact)) return false;
    take_out(*contact);
    released.push_back(*contact);
    kept_.give_back(contact);
    return true;
  });
  other_contacts_ = true;
  return released;
}

void ContactTracker::forget_removed() {
  const auto removed = [&](const TrackedContact& c) {
    return !system_.contains(c.master) || !system_.contains(c.slave);
  };
  std::erase_if(contacts_, [&](TrackedContact* contact) {
    if (!removed(*contact)) return false;
    end_one(contact);
    return true;
  });
  other_contacts_ = true;
}

void ContactTracker::renew_ids() {
  std::vector<TrackedContact*> held;
  std::ranges::copy_if(contacts_, std::back_inserter(held),
                       [](const TrackedContact* contact) { return contact->constraint != kNone; });
  for (TrackedContact* contact : held) take_out(*contact);
  system_.graph().drop_free_ids();
  for (TrackedContact* contact : held) insert(*contact);
}

void ContactTracker::take_back(std::span<const TrackedContact> woken) {
  const auto at = static_cast<std::ptrdiff_t>(contacts_.size());
  for (const TrackedContact& contact : woken) contacts_.push_back(kept_.take(contact));
  std::inplace_merge(contacts_.begin(), contacts_.begin() + at, contacts_.end(),
                     [](const TrackedContact* a, const TrackedContact* b) { return pair_of(*a) < pair_of(*b); });
  other_contacts_ = true;
}

void ContactTracker::restore(std::span<const TrackedContact> contacts, std::uint64_t next_identity) {
  end_all();
  for (const TrackedContact& contact : contacts) {
    contacts_.push_back(kept_.take(contact));
    contacts_.back()->constraint = ConstraintId{kNone};
  }
  next_identity_ = next_identity;
}

}  // namespace locdyn::detail
