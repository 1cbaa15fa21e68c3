#pragma once
// A graph of constraints that came in messages, and the arrays that its factor views.

#include <memory>
#include <span>
#include <vector>

#include <locdyn/distributed/problem_part.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::distributed {

/// Y = h A⁻¹ Hᵀ beside H: what solvers of one machine read, and sweeps over ranks do not.
enum class Responses { none, all };

class PartGraph {
 public:
  /// Constraint ids of the graph are places in `constraints`, groups of its factor places in `bodies` (ascending),
  /// which hold all bodies of the constraints and have `inertias`. R of the constraints is the warm start. Throws
  /// std::invalid_argument naming a constraint whose freedoms are not those of its body. Cost: one pass; with responses
  /// a Cholesky factor of each inertia.
  PartGraph(std::span<const PartConstraint> constraints, std::span<const GlobalId> bodies,
            std::span<const Eigen::MatrixXd> inertias, double h, Responses responses);

  [[nodiscard]] LocalDynamics& ldy() noexcept { return *ldy_; }
  [[nodiscard]] const LocalDynamics& ldy() const noexcept { return *ldy_; }

 private:
  void add_couplings(const PartConstraint& constraint, std::span<const GlobalId> bodies);
  void add_responses(std::span<const Eigen::MatrixXd> inertias, double h);

  std::unique_ptr<LocalDynamics> ldy_ = std::make_unique<LocalDynamics>();
  // What the graph's factor views.
  std::vector<std::uint32_t> first_;
  std::vector<Coupling> coupling_;
  std::vector<double> H_, Y_, inertia_;
  std::vector<std::uint64_t> first_inertia_;
};

}  // namespace locdyn::distributed
