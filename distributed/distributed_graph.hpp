#pragma once
// The graph of local dynamics over the ranks of a communicator, and the order in which all of them sweep it.
//
//   constraints → homes → batches → ranks (batches.hpp) → colours (batch_colours.hpp) → one graph a rank
//
// Every rank holds the constraints of its batches as a `LocalDynamics` that knows the factors of W for the bodies that
// they act on. Batches, their inner order and their colours come from the problem alone: `BatchSchedule` of any number
// of ranks is the same, cut into parts.

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <locdyn/distributed/batches.hpp>
#include <locdyn/distributed/part_graph.hpp>
#include <locdyn/distributed/problem_part.hpp>
#include <locdyn/ldy/delassus_factor.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/nsgs/sweep_schedule.hpp>

namespace locdyn::distributed {

class DistributedGraph {
 public:
  /// Takes the parts of all ranks together. Collective. All ranks throw std::invalid_argument, with the line of the
  /// lowest rank at fault: a body given twice or by nobody, a constraint without bodies, with numbers of the wrong size
  /// or that are not finite, a law that sweeps through velocities do not know, options out of range. Cost: a sort of
  /// ids over all ranks, every constraint sent once, some ten exchanges of messages.
  DistributedGraph(MPI_Comm comm, ProblemPart part, const BatchOptions& options = {});

  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  /// This rank's rows, with R of the parts as warm start.
  [[nodiscard]] LocalDynamics& ldy() noexcept { return graph_->ldy(); }
  [[nodiscard]] const LocalDynamics& ldy() const noexcept { return graph_->ldy(); }
  /// By ConstraintId of `ldy`, and by group of its factor.
  [[nodiscard]] std::span<const GlobalId> constraints() const noexcept { return constraint_ids_; }
  [[nodiscard]] std::span<const GlobalId> bodies() const noexcept { return body_ids_; }
  /// Over all ranks.
  [[nodiscard]] std::uint64_t constraint_count() const noexcept { return constraint_count_; }
  [[nodiscard]] int colour_count() const noexcept { return static_cast<int>(schedule_.colour.size()) - 1; }

  /// This rank's batches, colour by colour: the colours are those of all ranks, in some of which it may have none.
  [[nodiscard]] const detail::SweepSchedule& schedule() const noexcept { return schedule_; }
  /// By batch of `schedule`: its name, the same on any number of ranks.
  [[nodiscard]] std::span<const std::uint64_t> batch_names() const noexcept { return batch_names_; }
  /// R and U of the constraints that this rank gave, in that order. Collective.
  struct Solution {
    std::array<Eigen::Vector3d, kMaxLawBlocks> R, U;
  };
  [[nodiscard]] std::vector<Solution> solutions() const;
  [[nodiscard]] BodyRegistry& registry() noexcept { return registry_; }

 private:
  void give_bodies(const ProblemPart& part);
  void send_constraints(std::vector<PartConstraint>& own, std::span<const BatchPlace> places);
  void fill(double h);
  void make_schedule(std::uint64_t group_length);
  [[nodiscard]] std::span<const Coupling> couplings_of(ConstraintId id) const;

  MPI_Comm comm_;
  BodyRegistry registry_;
  std::unique_ptr<PartGraph> graph_;
  struct Source {
    std::int32_t rank = 0;
    std::uint64_t number = 0;  // among the constraints that the rank gave
  };
  std::vector<Source> source_;  // by constraint of this rank
  std::size_t given_ = 0;
  std::vector<PartConstraint> received_;     // in order of batches, until `fill`
  std::vector<BatchPlace> received_places_;  // the same
  std::vector<GlobalId> constraint_ids_, body_ids_;
  std::vector<std::uint64_t> batch_of_;  // by constraint of this rank
  std::uint64_t constraint_count_ = 0;
  detail::SweepSchedule schedule_;
  std::vector<std::uint64_t> batch_names_;
};

}  // namespace locdyn::distributed
