#pragma once
// The linear system of a Newton step, F + E dU + C dR = 0 with dU = W dR + w dR row by row (w the proximal weight). Two
// ways to solve it: in the space of rows, from the blocks of W, and in the space of velocities, from its factors.

#include <Eigen/Core>
#include <memory>
#include <span>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/newton/friction_map.hpp>

namespace locdyn::detail {

/// A row of the graph, linearised.
struct LinearisedRow {
  Eigen::Vector3d F = Eigen::Vector3d::Zero();
  MapDerivative d = {};
  double weight = 0;     ///< w [velocity/force]
  bool pressed = false;  ///< an open row steps to R = 0 and has no equation
  bool follows = false;  ///< depends on U and R of the row before it in the arena: d.E_n, d.C_n, d.C_before
};

class RowResponses;

class NewtonSystem {
 public:
  virtual ~NewtonSystem() = default;

  /// dR (3 a row) of the pressed rows into `step`, which holds −R for the open ones; all by place in the arena. False
  /// where the system is singular or memory ran out.
  [[nodiscard]] virtual bool solve(std::span<const LinearisedRow> rows, std::span<Eigen::Vector3d> step) = 0;
  /// W dR of the last step by place, where the solve found it on the way, to about the rounding of U; else empty.
  [[nodiscard]] virtual std::span<const Eigen::Vector3d> velocity_change() const noexcept { return {}; }
  /// How rows answer to few of them in the last step; null where the system cannot tell at a small part of its cost.
  [[nodiscard]] virtual RowResponses* responses() noexcept { return nullptr; }
  /// Floating point operations of all factorisations so far.
  [[nodiscard]] virtual double flops() const noexcept = 0;
  /// What a step will cost beside its maps, from counts alone, in operations at the speed of a sweep.
  [[nodiscard]] virtual double step_cost() const = 0;
};

/// Does a Newton step on this graph work in the space of velocities: the graph knows its factor? Also where it has more
/// velocities than rows: a body's block meets those of the bodies that it touches alone, a contact's all contacts of
/// both. Piles of 2000 and a hopper while they fall take 0.85 to 0.95 of the time of a system in rows where those are
/// fewer.
[[nodiscard]] bool works_in_velocities(const LocalDynamics& ldy);

/// About what a Newton step on this graph costs in Gauss–Seidel sweeps, from counts alone: by the symbolic factor of
/// the pattern of groups, in the space of velocities, or of the rows that press (of all where R = 0). Cost: one minimum
/// degree ordering of the groups or rows.
[[nodiscard]] long sweeps_per_newton_step(const LocalDynamics& ldy);
/// The same where its system is there.
[[nodiscard]] long sweeps_per_newton_step(const LocalDynamics& ldy, const NewtonSystem& system);
/// It is so many at least, ≥ 1, without an ordering: what the rows alone cost where it works in velocities. 11 where
/// all are rigid contacts.
[[nodiscard]] long least_sweeps_per_newton_step(const LocalDynamics& ldy);

/// About what a sparse LU of all rows costs, in floating point operations at the speed of a Gauss–Seidel sweep, from
/// counts alone. Cost: one minimum degree ordering of the rows.
[[nodiscard]] double cost_of_all_rows(const LocalDynamics& ldy);

/// The one with fewer unknowns: in the space of velocities where the graph knows its factor and has fewer velocities
/// than rows times three. The graph outlives it and does not change.
[[nodiscard]] std::unique_ptr<NewtonSystem> make_newton_system(const LocalDynamics& ldy);

}  // namespace locdyn::detail
