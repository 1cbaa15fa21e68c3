#pragma once
// The one-contact law: given the 3×3 block W, the load b and μ, find R with
//
//   K ∋ R ⟂ Û ∈ K*,   Û = U + μ ‖U_t‖ n,   U = W R + b.
//
// Open (b_n ≥ 0: R = 0) and stick (R = −W⁻¹ b ∈ K) are closed forms; sliding turns the direction of a warm start
// (sliding_angle.hpp), else takes a bracketed Newton on U_t = −λ R_t (sliding_newton.hpp), each accepted only on its
// own residual. What these leave is solved with care out of line: refinement, the exact quartic (sliding_quartic.hpp),
// every direction in turn, a damped projected fixed point, and the best candidate is kept.
//
// A solution exists for every b where the symmetric part of W is positive definite. It need not be unique for large
// μ ‖W_nt‖/W_nn (Painlevé): then the open one comes first, the state of the warm start where it slid, the stick, the
// sliding one with the largest λ. Where W has no such sign there may be none: the best candidate is returned.
//
// Source: Daviet, Bertails-Descoubes & Boissieux, ACM TOG 30 (2011); Bonnefon & Daviet, Quartic formulation of Coulomb
// 3D frictional contact, INRIA RT-0400 (2011); existence: Acary, Cadoux, Lemaréchal & Malick, ZAMM 91 (2011) 155–175.

#include <cmath>
#include <cstdint>
#include <locdyn/solver/local/natural_map.hpp>
#include <locdyn/solver/local/sliding_angle.hpp>
#include <locdyn/solver/local/tangent_frame.hpp>
#include <span>

namespace locdyn::detail {

/// A warm start slid where ‖R_t‖² is at least (1 − this) (μ R_n)²: on the surface of the cone to rounding, or beyond.
inline constexpr double kOnCone = 1e-9;

/// Which method gave the reaction.
enum class ContactPath : std::uint8_t {
  open,          ///< closed form, b_n ≥ 0
  frictionless,  ///< closed form, μ = 0
  stick,         ///< closed form, refined where its residual asks for it
  warm_angle,    ///< the direction of the warm start, turned
  newton,        ///< bracketed Newton on λ
  quartic,       ///< a root of the exact quartic
  angle_scan,    ///< a direction found by bracketing on the whole circle
  fixed_point,   ///< damped projected fixed point
  warm_start     ///< 0 or the warm start projected on K: within the bound already, or nothing was better
};
inline constexpr int kContactPaths = 9;
[[nodiscard]] const char* to_string(ContactPath path) noexcept;

struct ContactSolution {
  Eigen::Vector3d R;
  ContactPath path;
};

/// A contact's block W and μ, prepared for solves with many b; 200 bytes, kept by a sweep in its own order.
/// Threads may share one: solving changes nothing, allocates nothing and throws nothing.
class ContactBlock {
 public:
  ContactBlock() = default;

  /// W (3×3) [velocity/force] in (t1, t2, n), unsymmetric or singular as it comes; μ ≥ 0. Cost: about 20 block
  /// products.
  ContactBlock(const Eigen::Matrix3d& W, double friction) noexcept;

  /// R (3) from b (3), the shift σ included, and `warm` (3), the reaction that the contact had last (or 0, or
  /// anything finite). The natural map of the result is at most 1e-12 ‖b‖ + 8 ε ‖W‖ ‖R‖ where the symmetric part of W
  /// is positive definite beyond rounding, or semidefinite and b has a solution; else at most that of `warm` projected
  /// on K. Cost in block products of an array (throughput): open or stick about 6; a slide 10 to 25 from a warm start
  /// that is near, 60 without. No threshold is absolute: the same for b and W in any units.
  [[nodiscard]] ContactSolution solve(const Eigen::Vector3d& b, const Eigen::Vector3d& warm) const noexcept;
  void solve(std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) const noexcept {
    R[0] = solve(b[0], R[0]).R;
  }

  [[nodiscard]] const Eigen::Matrix3d& W() const noexcept { return W_; }
  [[nodiscard]] double friction() const noexcept { return friction_; }
  /// ρ = 3 / tr W of the natural map; 1 where the trace is not positive.
  [[nodiscard]] double rho() const noexcept { return rho_; }
  /// W_nn > 0 and the symmetric part of W is positive semidefinite to rounding.
  [[nodiscard]] bool regular() const noexcept { return regular_; }

 private:
  struct Candidates;

  static constexpr double kAngleTolerance = 1e-13;  // on the part of U_t across d, against ‖b‖
  static constexpr double kStickTolerance = 3e-13;  // on (1 + μ) ‖U‖, against ‖b‖
  static constexpr double kLargestReaction = 200;   // tr W ‖R‖ / ‖b‖ up to which rounding is far below both
  static constexpr int kAngleSteps = 5;

  [[nodiscard]] bool slide_from(double x, double y, const Eigen::Vector3d& b, Eigen::Vector3d& R) const noexcept;
  [[nodiscard]] bool small_at_stick(const Eigen::Vector3d& b, const Eigen::Vector3d& R) const noexcept;
  [[nodiscard]] ContactSolution solve_cold(const Eigen::Vector3d& b, const Eigen::Vector3d& warm) const noexcept;
  [[nodiscard]] ContactSolution solve_with_care(const Eigen::Vector3d& b, const Eigen::Vector3d& warm) const noexcept;

  Eigen::Matrix3d W_ = Eigen::Matrix3d::Zero();
  double friction_ = 0;
  double rho_ = 1;
  double span_ = 0;  // W_nn + μ ‖W_nt‖₁: D below a hundredth of it is a difference of large numbers
  TangentFrame frame_;
  bool regular_ = false;
};

/// Steps on the direction from (x, y), ‖(x, y)‖ = 1. True where R, on the cone with U_n = 0, has the residual asked for
/// by the bound of the last step.
inline bool ContactBlock::slide_from(double x, double y, const Eigen::Vector3d& b, Eigen::Vector3d& R) const noexcept {
  const SlidingAngle angle(W_, friction_, b);
  const double size = std::abs(b[0]) + std::abs(b[1]) - b[2];
  for (int step = 0; step < kAngleSteps; ++step) {
    const SlidingAngle::Value value = angle.at(x, y);
    if (!(value.along >= 0 && value.slope > 0)) return false;
    const double inverse = 1 / value.slope;
    const double newton = -value.g * inverse;
    const double curvature = 0.5 * value.bend * inverse;
    const bool near = std::abs(curvature * newton) <= 0.1;
    const double c = near ? curvature : 0.0;
    const double t = newton - c * newton * newton;
    turn(x, y, t);

    const double D = angle.D(x, y);
    const double cube = std::abs(newton * newton * newton);
    const double left = cube * ((2.4 * c * c + 0.45) * value.slope + 0.25 * angle.bound);
    if (near && (1 + friction_) * left <= kAngleTolerance * size * D &&
        value.along + t * value.drift >= angle.bound * t * t) {
      const double normal = -b[2] / D;
      const double tangent = friction_ * normal;
      R = {tangent * x, tangent * y, normal};
      return 100 * D > span_ && (normal + tangent) * 3 <= kLargestReaction * size * rho_;
    }
  }
  return false;
}

inline bool ContactBlock::small_at_stick(const Eigen::Vector3d& b, const Eigen::Vector3d& R) const noexcept {
  const double U0 = b[0] + (W_(0, 0) * R[0] + W_(0, 1) * R[1] + W_(0, 2) * R[2]);
  const double U1 = b[1] + (W_(1, 0) * R[0] + W_(1, 1) * R[1] + W_(1, 2) * R[2]);
  const double U2 = b[2] + (W_(2, 0) * R[0] + W_(2, 1) * R[1] + W_(2, 2) * R[2]);
  return (1 + friction_) * (std::abs(U0) + std::abs(U1) + std::abs(U2)) <=
         kStickTolerance * (std::abs(b[0]) + std::abs(b[1]) - b[2]);
}

inline ContactSolution ContactBlock::solve(const Eigen::Vector3d& b, const Eigen::Vector3d& warm) const noexcept {
  if (b[2] >= 0) return {Eigen::Vector3d::Zero(), ContactPath::open};
  if (friction_ == 0 && regular_) return {{0, 0, -b[2] * frame_.inverse_normal}, ContactPath::frictionless};

  // A warm start on the surface of the cone slid: turn its direction.
  const double tangent2 = warm[0] * warm[0] + warm[1] * warm[1];
  const double limit = friction_ * warm[2];
  if (limit > 0 && tangent2 >= (1 - kOnCone) * limit * limit) {
    // What a slide left behind has this length to rounding: a quotient is sooner there than a root.
    const bool exact = tangent2 <= (1 + 2e-15) * limit * limit && tangent2 >= (1 - 2e-15) * limit * limit;
    const double inverse = 1 / (exact ? limit : std::sqrt(tangent2));
    Eigen::Vector3d R;
    if (slide_from(warm[0] * inverse, warm[1] * inverse, b, R)) return {R, ContactPath::warm_angle};
  }

  // λ = 0.
  if (regular_) {
    const TangentLoad load(frame_, b);
    if (load.sticks(friction_)) {
      const Eigen::Vector3d R = load.sticking(frame_);
      if (small_at_stick(b, R)) return {R, ContactPath::stick};
    }
  }
  return solve_cold(b, warm);
}

}  // namespace locdyn::detail
