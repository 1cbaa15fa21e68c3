// How islands fall asleep (sleeping.hpp).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/simulation/stepping/body_motion.hpp>
#include <locdyn/simulation/stepping/sleeping.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

// Of h |g|, where a loose tolerance would ask for more: 0.4 mm/s at h = 1/240 s. What stands creeps 20 times slower.
constexpr double kMostShare = 1e-2;
constexpr double kSurely = 1 + 1e-12;         // rounding does not turn what is larger by so much
constexpr std::int64_t kCountedAtOnce = 256;  // bodies, for one thread

bool stands_still(const Body& obstacle) {
  const BodyMotion motion = motion_of(obstacle);
  return motion.velocity.isZero(0) && motion.angular_velocity.isZero(0);
}

// Is the mass centre alone too fast, as it is of nearly all bodies that are awake? Then nobody need ask for 2T/m.
bool is_fast(const Body& body, double speed) {
  const RigidBody* rigid = body.rigid();
  return rigid != nullptr && rigid->velocity().tail<3>().squaredNorm() > kSurely * speed * speed;
}

double rest_speed(const RestOptions& options, const Eigen::Vector3d& gravity) {
  return std::min(Sleeping::kQuietSteps * options.tolerance, kMostShare) * options.h * gravity.norm();
}

}  // namespace

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
  in_parallel(std::ssize(active_), options.threads, kCountedAtOnce, [&](std::int64_t i) {
    const BodyId id = active_[i];
    const Body& body = system_.bodies()[id];
    if (body.freedoms() == 0) return;
    const auto is_free = [&] {
      return !all_held_ && !held_[id] && body.tells_of_changes() && !(loads && !body.added_force().isZero(0));
    };
    const bool quiet = !is_fast(body, speed) && is_free() && 2 * body.kinetic_energy() <= speed * speed * body.mass();
    quiet_[id] = quiet ? std::min(quiet_[id] + 1, kQuietSteps) : 0;
  });
  return std::ranges::any_of(
      active_, [&](BodyId id) { return quiet_[id] >= kQuietSteps && system_.bodies()[id].freedoms() > 0; });
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
  for (const TrackedContact* contact : tracker_.contacts()) {
    if (contact->constraint != kNone && -contact->point.gap > slop) deep[islands.label[contact->constraint]] = 1;
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
  for (const TrackedContact* contact : tracker_.contacts()) {
    const BodyId a = contact->point.master, b = contact->point.slave;
    if (contact->constraint == kNone && is_active_[a] && is_active_[b]) near.emplace_back(a, b);
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

}  // namespace locdyn::detail
