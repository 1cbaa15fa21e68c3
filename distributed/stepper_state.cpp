// A run as one rank has it: frames for output, the state of a checkpoint, and back.

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/distributed/distributed_stepper.hpp>
#include <locdyn/distributed/stepper_parts.hpp>
#include <locdyn/simulation/stepping/stepper_state.hpp>

namespace locdyn::distributed {

std::vector<ActiveContact> DistributedStepper::gather_frame() {
  Writer bodies, contacts;
  for (const BodyId id : own_) put_body(bodies, id);
  for (const TrackedContact& contact : tracker_->contacts()) contacts.put(contact);
  for (const Bytes& bytes : gather(comm_, bodies.bytes())) {
    for (Reader reader(bytes); !reader.done();) (void)get_body(reader);
  }
  std::vector<TrackedContact> all;
  for (const Bytes& bytes : gather(comm_, contacts.bytes())) {
    for (Reader reader(bytes); !reader.done();) all.push_back(reader.get<TrackedContact>());
  }
  sort_by_pairs(all);
  std::vector<ActiveContact> frame;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TrackedContact& c = all[i];
    if (c.constraint == kNone) continue;
    frame.push_back({.identity = i + 1,
                     .master = c.master,
                     .slave = c.slave,
                     .point = c.point,
                     .reaction = c.reaction,
                     .moment = Eigen::Vector3d::Zero(),
                     .shift = Eigen::Vector3d::Zero(),
                     .slips = c.slips,
                     .velocity_before = c.velocity_before,
                     .velocity = c.point.past.velocity,
                     .constraint = ConstraintId{kNone}});
  }
  return frame;
}

StepperState DistributedStepper::gather_state() {
  Writer contacts;
  for (const TrackedContact& contact : tracker_->contacts()) contacts.put(contact);
  (void)gather_frame();  // rank 0's system holds all bodies
  std::vector<TrackedContact> all;
  for (const Bytes& bytes : gather(comm_, contacts.bytes())) {
    for (Reader reader(bytes); !reader.done();) all.push_back(reader.get<TrackedContact>());
  }
  StepperState state;
  if (rank_of(comm_) != 0) return state;
  sort_by_pairs(all);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].identity = i + 1;
  state.time = time_;
  state.step = steps_;
  state.bodies = detail::save_bodies(system_.bodies());
  state.references = state.bodies;
  state.reactions = detail::save_reactions(system_);
  state.forces = system_.forces().memory();
  detail::save_contacts(all, all.size() + 1, state);
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
  tracker_->restore(std::move(contacts), 1);
  DistributedStepReport unused;
  spread(true, unused);
}

}  // namespace locdyn::distributed
