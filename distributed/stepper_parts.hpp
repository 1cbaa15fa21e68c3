#pragma once
// What the sources of DistributedStepper have in common.

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include <locdyn/bodies/body.hpp>
#include <locdyn/distributed/exchange.hpp>
#include <locdyn/simulation/stepping/contact_tracker.hpp>

namespace locdyn::distributed {

[[nodiscard]] inline Eigen::Vector3d centre_of(const Body& body) {
  return body.to_space(Eigen::Vector3d::Zero());
}

[[nodiscard]] inline std::uint64_t sum_over_ranks(MPI_Comm comm, std::uint64_t value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, comm);
  return value;
}

/// The sum over the ranks before this one.
[[nodiscard]] inline std::uint64_t first_of_rank(MPI_Comm comm, std::uint64_t value) {
  std::uint64_t before = 0;
  MPI_Exscan(&value, &before, 1, MPI_UINT64_T, MPI_SUM, comm);
  return rank_of(comm) == 0 ? 0 : before;  // where MPI leaves anything
}

/// By pairs of shapes; those of one pair, which come from one rank, as they are.
inline void sort_by_pairs(std::vector<detail::TrackedContact>& contacts) {
  std::stable_sort(contacts.begin(), contacts.end(), [](const auto& a, const auto& b) {
    return std::tie(a.master, a.slave) < std::tie(b.master, b.slave);
  });
}

}  // namespace locdyn::distributed
