#pragma once
// A law at a solution as a smooth equation, where its state is strict: F(R, U, σ, C, μ) = 0 with
//
//   open:   R = 0                                   stick:  U' = 0
//   slip:   U'_n = 0,  R_t + R_n d(U'_t) = 0         joint:  U' = 0 in the rows in use, R = 0 in the others
//
// U' = U + σ + C R, and d = E² U'_t/‖E U'_t‖, E = diag(μ_1, μ_2): of a circle d = μ U'_t/‖U'_t‖. The De Saxcé shift is
// in it: U'_n = 0 where a contact presses is Û_n = μ ‖U'_t‖. Moments have discs of their own under the same R_n. Then
//
//   dF = E dU' + C_0 dR + F_μ dμ,   C_0 + E diag(C) = ∂F/∂R at fixed σ.
//
// A state on an edge has no derivative: R_n and U'_n both near 0, or a reaction on the cone's edge that does not slip.
//
// Source: Christensen et al., IJSS 35 (1998) (the pieces of the frictional map); Facchinei & Pang, Finite-Dimensional
// Variational Inequalities (2003) ch. 5 (derivatives of solutions where they are strictly complementary).

#include <Eigen/Core>
#include <string>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

/// What a constraint does at a solution.
enum class StrictState {
  open,  ///< R = 0
  stick,
  slip,
  joint  ///< bilateral
};

}  // namespace locdyn

namespace locdyn::detail {

/// Of the blocks of one law, rows one after the other (3 or 6 in use).
struct LawLinearisation {
  using Square = Eigen::Matrix<double, 6, 6>;
  using Column = Eigen::Matrix<double, 6, 1>;

  int size = 3;  ///< 3 × blocks
  StrictState state = StrictState::joint;
  bool strict = true;
  std::string edge;                           ///< which edge it is on, where it is not strict
  Square E = Square::Zero();                  ///< ∂F/∂U
  Square C = Square::Zero();                  ///< ∂F/∂R, what the law gives by C included
  Column by_friction = Column::Zero();        ///< ∂F/∂μ, of a circle; along t1 of an ellipse
  Column by_cross_friction = Column::Zero();  ///< ∂F/∂μ_2 of an ellipse
  Column by_rolling = Column::Zero();         ///< ∂F/∂μ_r [1/m]
  Column by_torsional = Column::Zero();       ///< ∂F/∂μ_τ
};

/// At the R and U in the graph. What is slower than `slow` [m/s] does not move, and reactions that change a velocity by
/// less than that are none.
[[nodiscard]] LawLinearisation linearise_law(const LocalDynamics& ldy, ConstraintId id, double slow);

}  // namespace locdyn::detail
