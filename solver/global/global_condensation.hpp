#pragma once
// A global problem condensed to its contacts: with the bilateral rows held exactly,
//
//   U = B + W R,   W = Hᵀ K H,   B = Hᵀ v₀ + w,
//
// where K is what a load does to the velocities and v₀ what f and b do by themselves. Components of M and G are
// factored apart, so that W has a block where two contacts share one, and rigid bodies condense in a time that grows
// with the blocks. The velocities and bilateral forces that go with a solution follow from one solve a component.
//
// Source: Acary, Brémond & Huber, On solving contact problems with Coulomb friction (2018), §2.3.

#include <optional>
#include <vector>

#include <locdyn/ldy/global_problem.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

namespace detail {
class GlobalComponent;
}

/// What goes with the contact forces R of a graph, in the problem's own units.
struct GlobalSolution {
  Eigen::VectorXd v, l;  ///< velocities (n), bilateral forces (p)
  Eigen::VectorXd u, r;  ///< relative velocities and forces of contacts (3B), rows as the columns of H
};

/// The problem's own equations at a solution, none of them taken from W.
struct GlobalResidual {
  double scaled = 0;     ///< as `Residual::scaled`, with u = Hᵀ v + w
  double dynamics = 0;   ///< ‖M v − H r − G l − f‖ / (‖M v‖ + ‖H r‖ + ‖G l‖ + ‖f‖)
  double bilateral = 0;  ///< ‖Gᵀ v + b‖ / ‖B‖
};

class GlobalCondensation {
 public:
  /// Takes a problem and condenses it. Throws std::invalid_argument where GlobalProblem::validate does, M is singular,
  /// or bilateral rows contradict each other. Cost: a factorisation of M, a solve for each contact row of each
  /// component.
  explicit GlobalCondensation(GlobalProblem problem);
  ~GlobalCondensation();
  GlobalCondensation(const GlobalCondensation&) = delete;
  GlobalCondensation& operator=(const GlobalCondensation&) = delete;

  /// As it was given.
  [[nodiscard]] const GlobalProblem& problem() const noexcept { return problem_; }

  /// The contacts, ids as they are numbered in the problem, packed by id, moments over ℓ: to be moved to where it is
  /// solved. Contacts on one mesh or mechanism are all coupled.
  [[nodiscard]] LocalDynamics& graph() noexcept { return graph_; }

  /// W = H A⁻¹ Hᵀ as its factors, where every component that a contact acts on is a small body; a view of this, for the
  /// graph that was taken, not packed anew.
  [[nodiscard]] std::optional<DelassusFactor> factor() const;

  /// Hᵀ K H r (3B), r (3B) in the problem's own units. Throws std::invalid_argument for a wrong size. Cost: a solve for
  /// each component.
  [[nodiscard]] Eigen::VectorXd response(const Eigen::Ref<const Eigen::VectorXd>& r) const;

  /// v, l, u and r for the R of the graph that was taken.
  [[nodiscard]] GlobalSolution recover(const LocalDynamics& ldy) const;

  /// Leaves U of the solution in the graph.
  [[nodiscard]] GlobalResidual judge(LocalDynamics& ldy, const GlobalSolution& solution) const;

  /// Of M and G that are condensed by themselves.
  [[nodiscard]] std::size_t components() const noexcept;

 private:
  void factorise();
  void insert_contacts();
  void couple();
  void fill();
  void find_factor();
  [[nodiscard]] GlobalSolution solution_for(const Eigen::VectorXd& r) const;

  GlobalProblem problem_;
  std::vector<detail::GlobalComponent> components_;
  std::vector<std::vector<int>> of_;  // by block: the components it acts on, ascending
  LocalDynamics graph_;

  // The factor's arrays, as ldy/delassus_factor.hpp has them.
  std::vector<std::uint32_t> first_;
  std::vector<Coupling> coupling_;
  std::vector<double> jacobian_, inertia_;
  std::vector<std::uint64_t> first_inertia_;
};

}  // namespace locdyn
