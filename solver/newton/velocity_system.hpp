#pragma once
// A Newton step in the space of velocities. With W = h H A⁻¹ Hᵀ and y = h A⁻¹ Hᵀ dR the change of velocities, each
// pressed row has dR = −G (F + E H y), G = (w E + C)⁻¹ (3×3), and what is left is
//
//   (A/h + Hᵀ G E H) y = −Hᵀ G F + Σ_open Hᵀ dR
//
// in as many unknowns as there are velocities, with the pattern of the bodies' contact graph whatever the active set:
// one symbolic analysis. Moments follow the force of their contact, dR_m = −G_m (F_m + E_m H_m y + E_n (H y)_n +
// (w E_n + C_n) dR_n), and add the block between the two; bounded rows follow the hard rows of their joint in the same
// way. The weight w > 0 keeps G finite; what rounding takes from dR is ε/w of it, and Newton's next step gives it back.
//
// Source: the Woodbury identity; the primal form of Todorov, ICRA (2014) and Castro et al., IEEE T-RO (2022), for the
// linearisation of the exact cone.

#include <vector>

#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/newton/velocity_matrix.hpp>

namespace locdyn::detail {

class VelocitySystem final : public NewtonSystem {
 public:
  /// The graph knows its factor (`ldy.factor()`).
  explicit VelocitySystem(const LocalDynamics& ldy);

  /// Cost: some 300 multiplications a row and pair of its groups, and a sparse LU with one unknown a velocity.
  [[nodiscard]] bool solve(std::span<const LinearisedRow> rows, std::span<Eigen::Vector3d> step) override;
  [[nodiscard]] double flops() const noexcept override { return matrix_.flops(); }
  [[nodiscard]] double step_cost() const override;

 private:
  // What a pressed row makes of its velocity: dR = −G F − K H y.
  struct Response {
    Eigen::Matrix3d G, K;  // K = G E
    Eigen::Vector3d pull;  // −G F
  };

  bool add_row(const LinearisedRow& row, Index place, const Eigen::Vector3d& open_step);
  void add_dependence(std::span<const LinearisedRow> rows, Index place);

  const LocalDynamics& ldy_;
  VelocityMatrix matrix_;
  std::vector<Response> response_;     // by place
  std::vector<double> pull_, change_;  // Hᵀ of what acts on the velocities, y
};

}  // namespace locdyn::detail
