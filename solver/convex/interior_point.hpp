#pragma once
// The inner loop: a primal-dual interior point method on the convex problem of `cone_program`. Contacts hold x = T R
// and z = T⁻¹ Û inside L, with x ∘ z → 0; each step is Mehrotra's predictor and corrector under the scaling of Nesterov
// and Todd, from one factorisation:
//
//   Û + dÛ = V + (W + a I) dR,   P⁻¹dx + P dz = λ \ (σ c e − λ∘λ − P⁻¹dx_a ∘ P dz_a),   λ = P z = P⁻¹ x.
//
// Source: Mehrotra, SIAM J. Optim. 2 (1992) 575–601; Nesterov & Todd, SIAM J. Optim. 8 (1998) 324–364; Vandenberghe,
// The CVXOPT linear and quadratic cone program solvers (2010) §5–7.

#include <functional>
#include <vector>

#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/convex/lorentz_cone.hpp>
#include <locdyn/solver/convex/scaled_system.hpp>

namespace locdyn::detail {

class InteriorPoint {
 public:
  enum class End { reached, limit, no_progress, not_definite };

  /// Lays out the linear system. `program` outlives it.
  explicit InteriorPoint(const ConeProgram& program);

  /// Solves the program, as it is centred, with the weight a > 0, to its scaled residual ≤ `target`. `may_step` is
  /// asked before each factorisation, with the seconds that it will about take. R holds the last iterate.
  End solve(double weight, double target, const std::function<bool(double)>& may_step);

  [[nodiscard]] const std::vector<Eigen::Vector3d>& reaction() const noexcept { return R_; }
  /// Of all solves so far.
  [[nodiscard]] long factorisations() const noexcept { return factorisations_; }
  [[nodiscard]] double flops() const noexcept { return flops_; }

 private:
  using Vectors = std::vector<Eigen::Vector3d>;
  struct Step {
    Vectors dx, dz;
  };

  void start();
  void evaluate(double weight);
  [[nodiscard]] bool scale();
  void direction(const Vectors& rho, Step& step);
  void combined(double centring, double share, Step& step);
  [[nodiscard]] double longest(const Step& step) const;
  [[nodiscard]] double complementarity(const Step& step, double length) const;
  [[nodiscard]] double kept_central(const Step& step, double length) const;
  void advance(const Step& step, double length);

  const ConeProgram& program_;
  ScaledSystem system_;
  Vectors T_;          // of each contact
  Vectors R_, x_, z_;  // R of bilateral rows; of contacts R = T⁻¹ x
  Vectors V_, r_;      // V = W R + b + a (R − R̄), r = Û − V
  std::vector<NesterovTodd> scaling_;
  Vectors lambda_, rho_, q_, dR_;
  Step affine_, corrected_, plain_;
  double gap_ = 0;       // mean of xᵀz over contacts
  double residual_ = 0;  // of R and the program
  double last_length_ = 1;
  std::size_t contacts_ = 0;
  long factorisations_ = 0;
  double flops_ = 0;
};

}  // namespace locdyn::detail
