// Which rank owns which body, and what ranks send each other of them: ghosts in every step, bodies and their contacts
// when they are spread anew.

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <locdyn/distributed/distributed_stepper.hpp>
#include <locdyn/distributed/hilbert_curve.hpp>
#include <locdyn/distributed/stepper_parts.hpp>

namespace locdyn::distributed {
namespace {

// The place of each of this rank's bodies on the curve through all bodies of all ranks.
std::vector<std::uint64_t> curve_places(MPI_Comm comm, const BodySet& bodies, std::span<const BodyId> own) {
  Eigen::Vector3d low = Eigen::Vector3d::Constant(std::numeric_limits<double>::max()), high = -low;
  for (const BodyId id : own) {
    low = low.cwiseMin(centre_of(bodies[id]));
    high = high.cwiseMax(centre_of(bodies[id]));
  }
  MPI_Allreduce(MPI_IN_PLACE, low.data(), 3, MPI_DOUBLE, MPI_MIN, comm);
  MPI_Allreduce(MPI_IN_PLACE, high.data(), 3, MPI_DOUBLE, MPI_MAX, comm);
  const CurveCube cube = low[0] <= high[0] ? cube_around(low, high) : CurveCube{};
  std::vector<std::uint64_t> places;
  for (const BodyId id : own) places.push_back(hilbert_place(cube, centre_of(bodies[id])));
  return places;
}

}  // namespace

// Bodies of others that may touch this rank's within the step: those whose box meets the box around all of these.
void DistributedStepper::send_ghosts(DistributedStepReport& report) {
  using Box = std::array<double, 6>;  // low, high
  const BodySet& bodies = system_.bodies();
  const auto box_of = [&](BodyId id) {
    const double reach = extent_[id] + horizon_.reach()[id];
    const Eigen::Vector3d centre = centre_of(bodies[id]);
    return Box{centre[0] - reach, centre[1] - reach, centre[2] - reach,
               centre[0] + reach, centre[1] + reach, centre[2] + reach};
  };
  horizon_.look(system_, own_, extent_, options_.stepping.step);
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Box around = {kFar, kFar, kFar, -kFar, -kFar, -kFar};
  for (const BodyId id : own_) {
    const Box box = box_of(id);
    for (std::size_t i = 0; i < 3; ++i) {
      around[i] = std::min(around[i], box[i]);
      around[i + 3] = std::max(around[i + 3], box[i + 3]);
    }
  }
  const auto ranks = static_cast<std::size_t>(size_of(comm_)), own_rank = static_cast<std::size_t>(rank_of(comm_));
  std::vector<Box> boxes(ranks);
  MPI_Allgather(around.data(), 6, MPI_DOUBLE, boxes.data(), 6, MPI_DOUBLE, comm_);

  std::vector<Writer> to(ranks);
  sent_.clear();
  for (const BodyId id : own_) {
    const Box box = box_of(id);
    for (std::size_t r = 0; r < ranks; ++r) {
      bool meets = r != own_rank;
      for (std::size_t i = 0; i < 3; ++i) meets = meets && box[i] <= boxes[r][i + 3] && box[i + 3] >= boxes[r][i];
      if (!meets) continue;
      put_body(to[r], id);
      sent_.emplace_back(r, id);
    }
  }
  for (const BodyId id : ghosts_) owner_[id] = -1;
  ghosts_.clear();
  const std::vector<Bytes> from = exchange_bytes(comm_, to);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (Reader reader(from[r]); !reader.done();) {
      ghosts_.push_back(get_body(reader));
      owner_[ghosts_.back()] = static_cast<std::int32_t>(r);
    }
  }
  std::sort(ghosts_.begin(), ghosts_.end());
  report.ghosts = sum_over_ranks(comm_, ghosts_.size());
}

void DistributedStepper::put_body(Writer& to, BodyId id) const {
  const Body& body = system_.bodies()[id];
  const Eigen::VectorXd q = body.configuration();
  to.put(id.value());
  to.put(static_cast<std::uint32_t>(q.size()));
  to.put_all(std::span(q.data(), static_cast<std::size_t>(q.size())));
  to.put_all(std::span(body.velocity().data(), static_cast<std::size_t>(body.velocity().size())));
}

BodyId DistributedStepper::get_body(Reader& from) {
  const BodyId id{from.get<std::uint32_t>()};
  Body& body = system_.bodies()[id];
  Eigen::VectorXd q(from.get<std::uint32_t>()), u(body.velocity().size());
  from.get_all(std::span(q.data(), static_cast<std::size_t>(q.size())));
  from.get_all(std::span(u.data(), static_cast<std::size_t>(u.size())));
  body.set_configuration(q);
  body.set_velocity(u);
  return id;
}

void DistributedStepper::spread(bool wanted, DistributedStepReport& report) {
  // A body weighs one, its contacts and its joints.
  std::vector<std::uint64_t> weight(system_.bodies().id_bound(), 1);
  for (const TrackedContact* contact : tracker_->contacts()) ++weight[home(*contact)];
  for (const BodyId joint_home : joint_homes_) ++weight[joint_home];
  std::uint64_t own = 0;
  std::vector<std::uint64_t> weights;
  std::vector<GlobalId> ids;
  for (const BodyId id : own_) {
    weights.push_back(weight[id]);
    ids.push_back(id.value());
    own += weight[id];
  }
  std::uint64_t most = own;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, comm_);
  const double mean = static_cast<double>(sum_over_ranks(comm_, own)) / size_of(comm_);
  report.imbalance = mean > 0 ? static_cast<double>(most) / mean : 1;
  if (!wanted && report.imbalance <= options_.largest_imbalance) return;
  move_bodies(spread_bodies(comm_, curve_places(comm_, system_.bodies(), own_), ids, weights), report);
}

// Bodies to their new owners, with the contacts of which they are the home.
void DistributedStepper::move_bodies(std::span<const std::int32_t> to, DistributedStepReport& report) {
  const auto rank = static_cast<std::int32_t>(rank_of(comm_));
  const auto ranks = static_cast<std::size_t>(size_of(comm_));
  std::vector<Writer> bodies(ranks), contacts(ranks);
  std::vector<BodyId> kept;
  for (const BodyId id : ghosts_) owner_[id] = -1;
  ghosts_.clear();
  for (std::size_t i = 0; i < own_.size(); ++i) {
    owner_[own_[i]] = to[i];
    if (to[i] == rank) {
      kept.push_back(own_[i]);
    } else {
      put_body(bodies[static_cast<std::size_t>(to[i])], own_[i]);
    }
  }
  report.crossed = sum_over_ranks(comm_, own_.size() - kept.size());
  std::vector<TrackedContact> stay;
  for (const TrackedContact* contact : tracker_->contacts()) {
    const std::int32_t owner = owner_[home(*contact)];
    if (owner == rank) {
      stay.push_back(*contact);
    } else {
      contacts[static_cast<std::size_t>(owner)].put(*contact);
    }
  }
  for (const BodyId id : own_) owner_[id] = owner_[id] == rank ? rank : -1;
  own_ = std::move(kept);
  for (const Bytes& bytes : exchange_bytes(comm_, bodies)) {
    for (Reader reader(bytes); !reader.done();) own_.push_back(get_body(reader));
  }
  for (const Bytes& bytes : exchange_bytes(comm_, contacts)) {
    for (Reader reader(bytes); !reader.done();) stay.push_back(reader.get<TrackedContact>());
  }
  std::sort(own_.begin(), own_.end());
  for (const BodyId id : own_) owner_[id] = rank;
  sort_by_pairs(stay);
  tracker_->restore(stay, 1);
}

}  // namespace locdyn::distributed
