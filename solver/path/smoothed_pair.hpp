#pragma once
// Complementarity on the Lorentz cone L, smoothed: for every v and σ > 0 there is one pair x, z inside L with
//
//   x − z = v,   x ∘ z = σ e,   x = φ(v), z = φ(−v),   φ(l) = (l + √(l² + 4σ))/2 on the eigenvalues v_n ± ‖v_t‖,
//
// and for σ → 0 they are the projections of v and −v on L. In the contact's frame (t1, t2, n); with v_t2 = 0 or v_t = 0
// everything stays in that subspace.
//
// Source: Chen & Mangasarian, Comput. Optim. Appl. 5 (1996) 97–138 (the function); Fukushima, Luo & Tseng, SIAM J.
// Optim. 12 (2001) 436–460 (on second-order cones).

#include <Eigen/Core>

namespace locdyn::detail {

struct SmoothedPair {
  Eigen::Vector3d x, z;
  Eigen::Matrix3d dx;     ///< ∂x/∂v, symmetric, between 0 and I
  Eigen::Matrix3d dz;     ///< −∂z/∂v = I − ∂x/∂v, without its cancellation
  Eigen::Vector3d drift;  ///< ∂x/∂τ = ∂z/∂τ at fixed v, τ = log σ
};

[[nodiscard]] SmoothedPair smoothed_pair(const Eigen::Vector3d& v, double sigma) noexcept;

/// How far x and z turn with a step of v, against their size: a length is √Σ weight (axisᵀ step)². One is about what
/// brings an eigenvalue from one side of 0 to the other.
struct PairMetric {
  Eigen::Matrix3d axes;     ///< columns: the directions of the two eigenvalues, and normal to both
  Eigen::Vector3d weights;  ///< > 0

  [[nodiscard]] double inner(const Eigen::Vector3d& a, const Eigen::Vector3d& b) const noexcept {
    return weights.dot((axes.transpose() * a).cwiseProduct(axes.transpose() * b));
  }
};

[[nodiscard]] PairMetric pair_metric(const Eigen::Vector3d& v, double sigma) noexcept;

/// v after a step along a line of (v, τ): what is large of x and z goes straight on, what is about √σ keeps its share
/// of √σ. Equal to v + step to first order.
[[nodiscard]] Eigen::Vector3d extrapolated(const Eigen::Vector3d& v, double sigma, const Eigen::Vector3d& step,
                                           double tau_step) noexcept;

}  // namespace locdyn::detail
