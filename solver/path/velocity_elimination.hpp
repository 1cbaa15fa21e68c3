#pragma once
// The linear system of `path_system` in the space of velocities, for graphs that know their factor. With
// W = h H A⁻¹ Hᵀ, dR = Q dv and y = h A⁻¹ Hᵀ dR each row has M dv = r − H y, M = V + a Q (3×3), and what is left is
//
//   (A/h + Hᵀ K H) y = Hᵀ K r,   K = Q M⁻¹,
//
// in as many unknowns as there are velocities. det(V + a Q + W Q) = Π det M · det(A/h + Hᵀ K H) / det(A/h), so that its
// sign is known, too. Where contacts stick M is about a: what rounding takes is ε/a, and refinement gives it back.
//
// Source: the Woodbury identity, as in `velocity_system`; the matrix determinant lemma.

#include <Eigen/Core>
#include <span>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/newton/velocity_matrix.hpp>

namespace locdyn::detail {

class VelocityElimination {
 public:
  /// The graph knows its factor; it and `program` outlive this. Cost: as `VelocityMatrix`.
  VelocityElimination(const LocalDynamics& ldy, const ConeProgram& program);

  /// Takes M and Q of each row of the program, scaled; of components that are no unknowns nothing is read. False where
  /// some M is singular.
  [[nodiscard]] bool set_row(std::size_t row, const Eigen::Matrix3d& M, const Eigen::Matrix3d& Q);
  /// dv of all rows for these right-hand sides; the first time after a `set_row` it factors. False where the system is
  /// singular, memory ran out or refinement does not get there.
  [[nodiscard]] bool solve(std::span<const Eigen::Vector3d> right, std::span<Eigen::Vector3d> dv);
  /// Of the last factor.
  [[nodiscard]] int determinant_sign() const;

  [[nodiscard]] double flops() const noexcept { return matrix_.flops(); }
  /// Of a factorisation, in operations at a sweep's speed, from counts alone.
  [[nodiscard]] double cost() const { return matrix_.symbolic_cost(); }

 private:
  struct Row {
    Eigen::Matrix3d inverse = Eigen::Matrix3d::Zero(), K = Eigen::Matrix3d::Zero();
    bool turns = false;  // det M < 0
  };

  void fill();

  const ConeProgram& program_;
  VelocityMatrix matrix_;
  std::vector<Row> rows_;
  std::vector<double> pull_, y_;
  bool filled_ = false;
};

}  // namespace locdyn::detail
