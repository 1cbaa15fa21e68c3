// A run as files have it, each rank a share: frames for output, the state of a checkpoint, and back.

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/base/slices.hpp>
#include <locdyn/distributed/distributed_stepper.hpp>
#include <locdyn/distributed/stepper_parts.hpp>
#include <locdyn/simulation/stepping/stepper_state.hpp>

namespace locdyn::distributed {

// Bodies to the rank that writes their state and to those that draw their shapes; contacts to the rank that writes
// them. Returns those that this one writes, numbered as all are in order.
std::vector<detail::TrackedContact> DistributedStepper::send_to_writers() {
  const auto ranks = static_cast<std::size_t>(size_of(comm_)), rank = static_cast<std::size_t>(rank_of(comm_));
  const std::size_t ids = system_.bodies().id_bound();
  const std::vector<Collider>& colliders = system_.colliders();
  std::vector<Writer> bodies(ranks), contacts(ranks);
  std::vector<std::size_t> last_sent(ids, rank);  // by body
  const auto send = [&](BodyId id, std::size_t to) {
    if (to == rank || last_sent[id] == to) return;
    last_sent[id] = to;
    put_body(bodies[to], id);
  };
  for (const BodyId id : own_) send(id, detail::slice_with(id, ids, ranks));
  for (std::size_t k = 0; k < colliders.size(); ++k) {
    const BodyId body = colliders[k].body;
    if (body == kNoBody || owner_[body] != static_cast<std::int32_t>(rank)) continue;
    send(body, detail::slice_with(k, colliders.size(), ranks));
  }
  for (const TrackedContact* contact : tracker_->contacts()) {
    contacts[detail::slice_with(contact->master, colliders.size(), ranks)].put(*contact);
  }
  for (const Bytes& bytes : exchange_bytes(comm_, bodies)) {
    for (Reader reader(bytes); !reader.done();) (void)get_body(reader);
  }
  std::vector<TrackedContact> mine;
  for (const Bytes& bytes : exchange_bytes(comm_, contacts)) {
    for (Reader reader(bytes); !reader.done();) mine.push_back(reader.get<TrackedContact>());
  }
  sort_by_pairs(mine);
  std::uint64_t identity = first_of_rank(comm_, mine.size());
  for (TrackedContact& contact : mine) contact.identity = ++identity;
  return mine;
}

std::vector<ActiveContact> DistributedStepper::frame_part() {
  std::vector<ActiveContact> frame;
  for (const TrackedContact& c : send_to_writers()) {
    if (c.off || !Contact::acts(c.point)) continue;
    frame.push_back({.identity = c.identity,
                     .master = c.master,
                     .slave = c.slave,
                     .point = c.point,
                     .reaction = c.reaction,
                     .moment = c.moment_length * c.moment,
                     .shift = Eigen::Vector3d::Zero(),
                     .slips = c.slips,
                     .velocity_before = c.velocity_before,
                     .velocity = c.point.past.velocity,
                     .constraint = ConstraintId{kNone}});
  }
  return frame;
}

StepperState DistributedStepper::state_part() {
  const int rank = rank_of(comm_), ranks = size_of(comm_);
  const std::vector<TrackedContact> contacts = send_to_writers();
  const std::uint64_t all = sum_over_ranks(comm_, contacts.size());
  const detail::Slice own =
      detail::slice_of(system_.bodies().id_bound(), static_cast<std::size_t>(rank), static_cast<std::size_t>(ranks));
  StepperState state;
  state.time = time_;
  state.step = steps_;
  state.bodies = detail::save_bodies(system_.bodies(), own);
  detail::save_contacts(contacts, all + 1, state);
  if (rank != ranks - 1) state.identities.pop_back();
  if (rank == 0) {
    state.reactions = detail::save_reactions(system_);
    state.forces = system_.forces().memory();
  }
  return state;
}

void DistributedStepper::restore(const StepperState& state) {
  std::vector<TrackedContact> contacts;
  agree_on(comm_, [&] {
    const std::size_t numbers = detail::save_bodies(system_.bodies()).size();
    if (state.bodies.size() != numbers || !std::isfinite(state.time) || state.step < 0) {
      throw std::invalid_argument("state: bodies: expected " + std::to_string(numbers) +
                                  " numbers and a finite time, " + "found " + std::to_string(state.bodies.size()) +
                                  " and " + std::to_string(state.time));
    }
    if (state.forces.size() != system_.forces().memory_size()) {
      throw std::invalid_argument("state: forces: expected " + std::to_string(system_.forces().memory_size()) +
                                  " numbers, found " + std::to_string(state.forces.size()));
    }
    detail::restore_bodies(state.bodies, system_.bodies());
    system_.forces().set_memory(state.forces);
    restore_joints(state.reactions);
    contacts = detail::contacts_of(state, system_);
  });
  time_ = state.time;
  steps_ = static_cast<long>(state.step);
  system_.bodies().set_time(time_);
  // Rank 0 owns all again, and bodies are spread from there.
  for (const BodyId id : own_) owner_[id] = -1;
  for (const BodyId id : ghosts_) owner_[id] = -1;
  own_.clear();
  ghosts_.clear();
  looked_ = false;
  if (rank_of(comm_) == 0) {
    for (const BodyId id : system_.bodies().ids()) {
      if (system_.bodies()[id].freedoms() > 0) own_.push_back(id);
    }
    for (const BodyId id : own_) owner_[id] = 0;
  } else {
    contacts.clear();
  }
  tracker_->restore(contacts, 1);
  DistributedStepReport unused;
  spread(true, unused);
}

}  // namespace locdyn::distributed
