#pragma once
// Work done by the first n ranks of the world, for n = 1, 2, …, and what every number of them found, on rank 0.

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <locdyn/distributed/distributed_graph.hpp>
#include <locdyn/distributed/exchange.hpp>

namespace locdyn::distributed {

/// Calls `work(comm)` on the first n ranks, each n up to all; the others wait.
template <class Work>
void for_each_rank_count(const Work& work) {
  const int rank = rank_of(MPI_COMM_WORLD), all = size_of(MPI_COMM_WORLD);
  for (int n = 1; n <= all; ++n) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm != MPI_COMM_NULL) {
      work(comm);
      MPI_Comm_free(&comm);
    }
    // The others sleep while they wait: there may be fewer cores than ranks.
    MPI_Request barrier;
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    for (int done = 0; done == 0;) {
      MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
      if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

/// R (three numbers a row, the rows of one constraint together) of all ranks by constraint, on rank 0; nothing
/// elsewhere.
[[nodiscard]] inline std::map<GlobalId, std::vector<double>> gather_reactions(const DistributedGraph& graph) {
  Writer own;
  const LocalDynamics& ldy = graph.ldy();
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    const int blocks = block_count(ldy.law(id));
    own.put(graph.constraints()[id]);
    own.put(blocks);
    for (int k = 0; k < blocks; ++k) own.put(ldy.row(id, k).R);
  }
  std::map<GlobalId, std::vector<double>> all;
  for (const Bytes& bytes : gather(graph.comm(), own.bytes())) {
    for (Reader reader(bytes); !reader.done();) {
      std::vector<double>& R = all[reader.get<GlobalId>()];
      R.resize(3 * static_cast<std::size_t>(reader.get<int>()));
      reader.get_all(std::span(R));
    }
  }
  return all;
}

/// U of the first block of all constraints, on rank 0.
[[nodiscard]] inline std::map<GlobalId, Eigen::Vector3d> gather_velocities(const DistributedGraph& graph) {
  Writer own;
  for (ConstraintId id{0}; id < graph.ldy().id_bound(); ++id) {
    own.put(graph.constraints()[id]);
    own.put(graph.ldy().row(id).U);
  }
  std::map<GlobalId, Eigen::Vector3d> all;
  for (const Bytes& bytes : gather(graph.comm(), own.bytes())) {
    for (Reader reader(bytes); !reader.done();) {
      const auto id = reader.get<GlobalId>();
      all[id] = reader.get<Eigen::Vector3d>();
    }
  }
  return all;
}

/// Of a component of U, beside a graph that has them all.
[[nodiscard]] inline double largest_difference(const std::map<GlobalId, Eigen::Vector3d>& U,
                                               const LocalDynamics& whole) {
  double largest = 0;
  for (const auto& [id, one] : U) {
    largest = std::max(largest, (one - whole.row(ConstraintId{id}).U).cwiseAbs().maxCoeff());
  }
  return largest;
}

}  // namespace locdyn::distributed
