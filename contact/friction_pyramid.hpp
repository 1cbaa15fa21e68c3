#pragma once
// The friction pyramid of k facets, inscribed in the Coulomb cone. Its generators lie on the cone,
//
//   K_k = cone{(μ d_j, 1)},  d_j = (cos 2πj/k, sin 2πj/k),  j = 0 … k−1,   K_k* = {U : U_n + μ min_j d_j·U_t ≥ 0},
//
// so facet j, between d_j and d_j+1, is a_j·R_t ≤ μ cos(π/k) R_n with a_j = (cos (2j+1)π/k, sin (2j+1)π/k). K_k ⊂ K,
// and the largest gap between them is μ R_n (1 − cos(π/k)) = O(1/k²): distances, dissipation and the shift tend to the
// cone's at that rate, but a projected point that snaps to a generator only at the rate 1/k, in direction. Even k has
// both ±t1, so that its cut with the plane (t1, n) is the exact cone of 2D.
//
// Source: Stewart & Trinkle, IJNME 39 (1996) 2673–2691 (the pyramid); the projection is by reflection symmetry.

#include <Eigen/Core>

namespace locdyn::detail {

/// The pyramid's directions; one serves contacts of any friction μ ≥ 0 (finite), which every function takes.
class FrictionPyramid {
 public:
  /// k = `facets` ≥ 3, else std::invalid_argument.
  explicit FrictionPyramid(int facets);

  [[nodiscard]] int facets() const noexcept { return static_cast<int>(directions_.cols()); }
  /// d_j (2), a unit vector in (t1, t2), 0 ≤ j < k.
  [[nodiscard]] Eigen::Vector2d direction(int j) const { return directions_.col(j); }
  /// (μ d_j, 1) (3).
  [[nodiscard]] Eigen::Vector3d generator(int j, double friction) const;

  /// How far R lies outside [N]: max(0, max_j a_j·R_t − μ cos(π/k) R_n, −R_n). Cost: O(1), as all below.
  [[nodiscard]] double violation(const Eigen::Vector3d& R, double friction) const noexcept;
  /// Whether R ∈ K_k, up to `tolerance` [N] in `violation`.
  [[nodiscard]] bool contains(const Eigen::Vector3d& R, double friction, double tolerance = 0) const noexcept;

  /// P_K_k(z): the nearest point of K_k to z in the Euclidean norm, in closed form.
  [[nodiscard]] Eigen::Vector3d project(const Eigen::Vector3d& z, double friction) const noexcept;
  /// P_K_k*(z) = z + P_K_k(−z), by Moreau's decomposition.
  [[nodiscard]] Eigen::Vector3d project_on_dual(const Eigen::Vector3d& z, double friction) const noexcept;

  /// The De Saxcé shift of the pyramid, Û = U + μ max_j(−d_j·U_t) n: K_k ∋ R ⟂ Û ∈ K_k* is then Signorini with
  /// friction of maximal dissipation over the polygon of radius μ R_n. It tends to U + μ‖U_t‖ n.
  [[nodiscard]] Eigen::Vector3d shift(const Eigen::Vector3d& U, double friction) const noexcept;

 private:
  // The facet whose sector holds z_t, and z_t in its axes.
  struct Sector {
    double a0, a1;         // a, the facet's normal; b = (−a1, a0) runs along it
    double across, along;  // a·z_t ≥ 0 and b·z_t
  };
  [[nodiscard]] Sector sector(double t1, double t2) const noexcept;

  Eigen::Matrix2Xd directions_;
  Eigen::Matrix2Xd normals_;
  double apothem_, half_side_;  // cos(π/k), sin(π/k): of the polygon of radius 1
};

}  // namespace locdyn::detail
