// Applied forces over ranks. A force that names its bodies is evaluated by all ranks, which are told of these bodies
// where they lie at q*: what it does to one body is the same number everywhere, and so is what it remembers. One that
// acts on all bodies does so one by one. ũ of forces that depend on velocities (AppliedForces) needs the impulses of
// contacts on other ranks: the owner of a body foresees it and tells the others.

#include <algorithm>
#include <iterator>
#include <utility>

#include <locdyn/distributed/distributed_stepper.hpp>
#include <locdyn/distributed/stepper_parts.hpp>

namespace locdyn::distributed {

// Moving bodies that forces and joints name, ascending.
void DistributedStepper::find_linked_bodies() {
  linked_.clear();
  for (const ForceId id : system_.forces().ids()) {
    for (const BodyId body : std::as_const(system_).forces()[id].bodies()) {
      if (system_.bodies()[body].freedoms() > 0) linked_.push_back(body);
    }
  }
  for (const ConstraintId id : system_.constraints()) {
    for (const BodyId body : system_.assembly().constraint(id).bodies()) {
      if (system_.bodies()[body].freedoms() > 0) linked_.push_back(body);
    }
  }
  std::sort(linked_.begin(), linked_.end());
  linked_.erase(std::unique(linked_.begin(), linked_.end()), linked_.end());
}

void DistributedStepper::share_linked_bodies() {
  if (linked_.empty()) return;
  Writer own;
  for (const BodyId id : linked_) {
    if (std::binary_search(own_.begin(), own_.end(), id)) put_body(own, id);
  }
  const std::vector<Bytes> from = share_with_all(comm_, own.bytes());
  for (std::size_t r = 0; r < from.size(); ++r) {
    if (r == static_cast<std::size_t>(rank_of(comm_))) continue;
    for (Reader reader(from[r]); !reader.done();) owner_[get_body(reader)] = static_cast<std::int32_t>(r);
  }
}

// What acts on `moving`, this rank's bodies and its ghosts, and on those that are told to all, and their free
// velocities.
void DistributedStepper::apply_forces(std::span<const BodyId> moving) {
  const double h = options_.stepping.step;
  BodySet& bodies = system_.bodies();
  const bool loaded = !system_.loads().empty() || system_.forces().size() > 0;
  const auto act = [&] {  // on all bodies: what acts on one that is elsewhere goes with the next step
    if (loaded) applied_.load(time_, h, std::vector<BodyId>(bodies.ids().begin(), bodies.ids().end()));
    system_.forces().add_to(bodies);
  };
  share_linked_bodies();
  std::vector<BodyId> known;
  std::set_union(moving.begin(), moving.end(), linked_.begin(), linked_.end(), std::back_inserter(known));
  agree_on(comm_, [&] {
    act();
    bodies.predict(h, system_.gravity, known);
  });
  if (!system_.forces().depends_on_velocity()) return;

  // The velocity of every body that this rank knows, to be put back.
  std::vector<Eigen::VectorXd> before;
  for (const BodyId id : known) before.push_back(bodies[id].velocity());
  const auto put_back = [&] {
    for (std::size_t k = 0; k < known.size(); ++k) bodies[known[k]].set_velocity(before[k]);
  };
  try {
    agree_on(comm_, [&] { system_.assembly().update(h); });  // H at q*
    foresee();
    agree_on(comm_, act);
  } catch (...) {
    put_back();
    throw;
  }
  put_back();
  agree_on(comm_, [&] { bodies.predict(h, system_.gravity, known); });
}

// ũ = ½ (u + u_free + A⁻¹ h Σ Hᵀ R) of this rank's bodies, told to whom it concerns.
void DistributedStepper::foresee() {
  BodySet& bodies = system_.bodies();
  std::vector<Eigen::VectorXd> before;
  for (const BodyId id : own_) before.push_back(bodies[id].velocity());
  hand_out_impulses();
  for (std::size_t k = 0; k < own_.size(); ++k) {
    bodies[own_[k]].set_velocity(0.5 * (before[k] + bodies[own_[k]].velocity()));
  }
  std::vector<Writer> to(static_cast<std::size_t>(size_of(comm_)));
  for (const auto& [rank, id] : sent_) put_body(to[rank], id);
  for (const BodyId id : linked_) {
    if (!std::binary_search(own_.begin(), own_.end(), id)) continue;
    for (std::size_t r = 0; r < to.size(); ++r) {
      if (r != static_cast<std::size_t>(rank_of(comm_))) put_body(to[r], id);
    }
  }
  for (const Bytes& bytes : exchange_bytes(comm_, to)) {
    for (Reader reader(bytes); !reader.done();) (void)get_body(reader);
  }
}

}  // namespace locdyn::distributed
