#pragma once
// The maps whose zeros are the solutions of a row's law, and their generalised derivatives. For a contact, with
// augmented x = R_n − ρ_n U_n and y = R_t − ρ_t U_t,
//
//   F_n = R_n − max(0, x),   F_t = R_t − P_D(r)(y),   D(r) the disc of radius r = μ max(0, s),
//   s = x (Alart–Curnier) or s = R_n (Jean–Moreau),
//
// each divided by its ρ, so that F is a velocity. dF = E dU + C dR; a row that gives way has U + C R in place of U. Where
// a contact in space slides E and C are those of ‖y‖ R_t = r y, divided by ρ_t ‖y‖, in place of F_t's: Newton's steps are
// better for it, and at zeros of F they are the same.
// Elliptic friction is that of a circle in the axes R_i = S_i R'_i, U'_i = S_i U_i (solver/local/elliptic_block.hpp),
// F_i = F'_i/S_i. Rolling and torsional friction have discs of radius μ_r max(0, s)/ℓ and μ_τ max(0, s)/ℓ with the s of
// their contact's force, so that their rows also depend on U_n and R_n of the block before. Bounded rows of joints
// (`bounded_map`) have the bound that the hard rows of their block and of the one before allow.
//
// Source: Alart & Curnier, CMAME 92 (1991) 353–375; Jean & Moreau (1987); Christensen et al., IJSS 35 (1998); for the
// balance and its damping: Hüeber, Stadler & Wohlmuth, SIAM J. Sci. Comput. 30 (2008) 572–596.

#include <Eigen/Core>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/newton/newton.hpp>

namespace locdyn::detail {

/// One row as Newton sees it.
struct NewtonRow {
  bool contact = true;
  bool planar = false;
  bool plain = false;  ///< a hard contact in space with a round cone, and its force: most are
  RowMask rows = kRowsAll;
  double friction = 0;
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();       ///< σ, added to U
  Eigen::Vector3d compliance = Eigen::Vector3d::Zero();  ///< C
  double normal_scale = 1;   ///< 1/W_nn [force/velocity], times the augmentation the ρ_n of the map
  double tangent_scale = 1;  ///< 2/tr W_tt
  Eigen::Vector2d stretch = Eigen::Vector2d::Ones();  ///< S of elliptic friction; 0 along a direction without friction
  bool moment = false;  ///< the moments of a rolling contact, whose force is the row before
  double rolling = 0;   ///< μ_r/ℓ and μ_τ/ℓ of moments; `normal_scale` and σ_n are then the force's
  double torsional = 0;
  double twist_scale = 1;           ///< 1/W_nn of moments; `tangent_scale` is that of the rolling disc
  const BoundedLaw* law = nullptr;  ///< of a joint with bounded rows, in this block those of `bounded`; in the graph
  RowMask bounded = 0;              ///< `tangent_scale` is theirs
  int block = 0;                    ///< of the law; the one before is its block 0

  /// Does its map depend on the block before?
  [[nodiscard]] bool follows() const noexcept { return moment || (bounded != 0 && block > 0 && law->load[0] > 0); }
};

/// Leaves of v (3) what the row has equations for.
inline void clear_unused(RowMask rows, Eigen::Vector3d& v) {
  for (int k = 0; k < 3; ++k) {
    if (!uses(rows, k)) v[k] = 0;
  }
}

/// What the law and W_αα (3×3) of one of its blocks make of a row. `block` counts the law's blocks; moments take the
/// W_αα of their force too, as `first`.
[[nodiscard]] NewtonRow newton_row(const Law& law, int block, const Eigen::Matrix3d& W, const Eigen::Matrix3d& first);
[[nodiscard]] inline NewtonRow newton_row(const Law& law, int block, const Eigen::Matrix3d& W) {
  return newton_row(law, block, W, W);
}
/// Of all rows of a graph, by place in its arena.
[[nodiscard]] std::vector<NewtonRow> newton_rows(const LocalDynamics& ldy);

struct MapDerivative {
  bool holds = false;                             ///< F = U + σ: E = I and C = 0, as of a contact that sticks
  Eigen::Matrix3d E;                              ///< ∂F/∂U
  Eigen::Matrix3d C;                              ///< ∂F/∂R
  Eigen::Vector3d E_n = Eigen::Vector3d::Zero();  ///< ∂F/∂U_n of the force block, for moments
  Eigen::Vector3d C_n = Eigen::Vector3d::Zero();  ///< ∂F/∂R_n of the force block, for moments
  /// ∂F/∂R of the block before, for bounded rows; `dependence` is all of ∂F/∂R of it.
  Eigen::Matrix3d C_before = Eigen::Matrix3d::Zero();
};

/// F (3) of one row as it lies in the arena, with its U (without σ) and R: `friction_map` of it, or for moments the map
/// of their discs under the force of the row before.
[[nodiscard]] Eigen::Vector3d row_map(const NewtonRow& row, FrictionMap map, double augmentation,
                                      const DiagonalBlock& block, bool& pressed, MapDerivative* derivative);

/// F (3) [velocity] for U (3, without σ) and R (3); ρ = augmentation times the row's scales. Where `derivative` is
/// given, it receives E and C. `pressed` tells whether x > 0: an open contact has E = 0 and F = R/ρ.
[[nodiscard]] Eigen::Vector3d friction_map(const NewtonRow& row, FrictionMap map, double augmentation,
                                           const Eigen::Vector3d& U, const Eigen::Vector3d& R, bool& pressed,
                                           MapDerivative* derivative);

}  // namespace locdyn::detail
