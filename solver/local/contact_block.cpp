#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <locdyn/solver/local/contact_block.hpp>
#include <locdyn/solver/local/sliding_newton.hpp>
#include <locdyn/solver/local/sliding_quartic.hpp>

namespace locdyn::detail {

const char* to_string(ContactPath path) noexcept {
  constexpr std::array<const char*, kContactPaths> names = {
      "open", "frictionless", "stick", "warm angle", "newton", "quartic", "angle scan", "fixed point", "warm start"};
  return names[static_cast<std::size_t>(path)];
}

ContactBlock::ContactBlock(const Eigen::Matrix3d& W, double friction) noexcept : W_(W), friction_(friction) {
  const double trace = W.trace();
  rho_ = trace > 0 ? 3 / trace : 1;
  span_ = W(2, 2) + friction * (std::abs(W(2, 0)) + std::abs(W(2, 1)));
  regular_ = frame_.set(W);
}

/// The candidates for one b, judged by the natural map: one that is a solution to rounding beats one that is not, and
/// then the smaller residual wins. Rounding is not granted more than a tenth of ‖b‖: where W is singular to rounding
/// and b outside its range, a reaction without measure would pass else.
struct ContactBlock::Candidates {
  const ContactBlock& block;
  const Eigen::Vector3d& b;
  ContactSolution best;
  double residual;
  double bound;

  Candidates(const ContactBlock& contact, const Eigen::Vector3d& load, const Eigen::Vector3d& warm) noexcept
      : block(contact), b(load), best{Eigen::Vector3d::Zero(), ContactPath::warm_start} {
    residual = natural_map(block.W_, block.friction_, block.rho_, b, best.R);
    bound = granted(best.R);
    offer(project_on_cone(warm, block.friction_), ContactPath::warm_start);
  }

  [[nodiscard]] double granted(const Eigen::Vector3d& R) const noexcept {
    return std::min(natural_map_bound(block.W_, b, R), 0.1 * b.norm());
  }
  void offer(const Eigen::Vector3d& R, ContactPath path) noexcept {
    if (!R.allFinite()) return;
    const double r = natural_map(block.W_, block.friction_, block.rho_, b, R);
    const double limit = granted(R);
    if ((r <= limit) == (residual <= bound) ? r < residual : r <= limit) {
      best = {R, path};
      residual = r;
      bound = limit;
    }
  }
  [[nodiscard]] bool done(double share) const noexcept { return residual <= share * bound; }

  void stick() noexcept;
  void polish(Eigen::Vector3d R, double lambda, ContactPath path) noexcept;
  [[nodiscard]] double speed_ratio(const Eigen::Vector3d& R) const noexcept;
  void slide(double x, double y, ContactPath path) noexcept;
  void slide_by_newton() noexcept;
  void slide_by_quartic() noexcept;
  void scan_angles() noexcept;
  void iterate() noexcept;
};

/// R = −W⁻¹ b with iterative refinement, R ← R − W̃⁻¹ (W R + b): by the tangent frame, and where W is not regular by
/// elimination with full pivoting.
void ContactBlock::Candidates::stick() noexcept {
  constexpr int kRefinements = 6;
  Eigen::Vector3d R = Eigen::Vector3d::Zero();
  for (int k = 0; k < kRefinements && !done(0.5) && block.frame_.inverse_normal > 0; ++k) {
    R += TangentLoad(block.frame_, b + block.W_ * R).sticking(block.frame_);
    offer(R, ContactPath::stick);
  }
  if (block.regular_ || done(0.5)) return;
  const Eigen::FullPivLU<Eigen::Matrix3d> lu(block.W_);
  R.setZero();
  for (int k = 0; k < kRefinements && !done(0.5); ++k) {
    R -= lu.solve(b + block.W_ * R);
    offer(R, ContactPath::stick);
  }
}

/// Newton on (R, λ) from a near solution: W R + b + λ R_t = 0 and ‖R_t‖ = μ R_n. R carries its own rounding alone, so
/// that this holds where D is a difference of large numbers and the direction says little about R_n.
void ContactBlock::Candidates::polish(Eigen::Vector3d R, double lambda, ContactPath path) noexcept {
  constexpr int kSteps = 8;
  const double mu = block.friction_;
  for (int step = 0; step < kSteps; ++step) {
    const double tangent = std::hypot(R[0], R[1]);
    if (!(tangent > 0 && std::isfinite(tangent))) return;
    R[2] = tangent / mu;
    offer(R, path);
    if (done(0.5)) return;

    const Eigen::Vector3d pull(R[0], R[1], 0);
    const Eigen::Vector3d across(R[0] / tangent, R[1] / tangent, -mu);  // normal to the cone at R
    Eigen::Matrix3d M = block.W_;
    M(0, 0) += lambda;
    M(1, 1) += lambda;
    const Eigen::FullPivLU<Eigen::Matrix3d> lu(M);
    const Eigen::Vector3d x = lu.solve(b + block.W_ * R + lambda * pull);
    const Eigen::Vector3d y = lu.solve(pull);
    const double change = -across.dot(x) / across.dot(y);
    R -= x + change * y;
    lambda = std::max(lambda + change, 0.0);
  }
}

/// The reaction of a direction: R_n from U_n = 0, λ from U_t.
void ContactBlock::Candidates::slide(double x, double y, ContactPath path) noexcept {
  const double mu = block.friction_;
  const double normal = -b[2] / (block.W_(2, 2) + mu * (block.W_(2, 0) * x + block.W_(2, 1) * y));
  if (!(normal > 0)) return;
  const Eigen::Vector3d R(mu * normal * x, mu * normal * y, normal);
  polish(R, speed_ratio(R), path);
}

/// λ of a reaction that slides: −U_t·R_t / ‖R_t‖², at least 0.
double ContactBlock::Candidates::speed_ratio(const Eigen::Vector3d& R) const noexcept {
  const Eigen::Vector3d U = b + block.W_ * R;
  return std::max(0.0, -(U[0] * R[0] + U[1] * R[1]) / (R[0] * R[0] + R[1] * R[1]));
}

void ContactBlock::Candidates::slide_by_newton() noexcept {
  const TangentLoad load(block.frame_, b);
  if (load.sticks(block.friction_)) return;
  const SlidingRoot root = sliding_newton(block.frame_, load, block.friction_);
  const double p = (block.frame_.sigma[0] + root.lambda) * (block.frame_.sigma[1] + root.lambda) +
                   block.frame_.tau * block.frame_.tau;
  const double tangent = root.size / p;
  polish({tangent * root.x, tangent * root.y, tangent / block.friction_}, root.lambda, ContactPath::newton);
}

void ContactBlock::Candidates::slide_by_quartic() noexcept {
  std::array<double, 4> lambdas{};
  const int count = sliding_quartic(block.W_, block.friction_, b, lambdas);
  for (int i = 0; i < count && !done(0.5); ++i) {
    Eigen::Matrix3d M = block.W_;
    M(0, 0) += lambdas[i];
    M(1, 1) += lambdas[i];
    polish(-M.fullPivLu().solve(b), lambdas[i], ContactPath::quartic);
  }
}

/// Every change of sign and every least |g| of g(θ) on the circle, brought to rounding by bisection.
void ContactBlock::Candidates::scan_angles() noexcept {
  constexpr int kSamples = 96;
  constexpr double kTurn = 6.283185307179586;
  const SlidingAngle angle(block.W_, block.friction_, b);
  const auto g = [&](double theta) { return angle.at(std::cos(theta), std::sin(theta)).g; };
  double before = g(-kTurn / kSamples), here = g(0), at = 0;
  for (int k = 1; k <= kSamples + 1 && !done(0.5); ++k) {
    const double right = kTurn * k / kSamples;
    const double next = g(right);
    if ((here < 0) != (next < 0)) {
      double low = at, high = right;
      for (int halving = 0; halving < 60; ++halving) {
        const double middle = 0.5 * (low + high);
        ((g(middle) < 0) == (here < 0) ? low : high) = middle;
      }
      slide(std::cos(low), std::sin(low), ContactPath::angle_scan);
    } else if (std::abs(here) < std::abs(before) && std::abs(here) < std::abs(next)) {
      // A parabola through the three puts a double root where it touches.
      const double bend = before - 2 * here + next;
      const double theta = at + (bend != 0 ? 0.5 * (before - next) / bend : 0) * (right - at);
      slide(std::cos(theta), std::sin(theta), ContactPath::angle_scan);
    }
    before = here;
    here = next;
    at = right;
  }
}

/// R ← P_K(R − ω ρ Û), ω halved where the residual grows: each step keeps the best.
void ContactBlock::Candidates::iterate() noexcept {
  constexpr int kIterations = 200;
  double omega = 1;
  for (int k = 0; k < kIterations && omega > 1e-6 && !done(1); ++k) {
    const double before = residual;
    const Eigen::Vector3d U_hat = de_saxce_shift(b + block.W_ * best.R, block.friction_);
    offer(project_on_cone(best.R - omega * block.rho_ * U_hat, block.friction_), ContactPath::fixed_point);
    if (!(residual < before)) omega *= 0.5;
  }
}

ContactSolution ContactBlock::solve_cold(const Eigen::Vector3d& b, const Eigen::Vector3d& warm) const noexcept {
  if (regular_) {
    const TangentLoad load(frame_, b);
    if (!load.sticks(friction_)) {
      const SlidingRoot root = sliding_newton(frame_, load, friction_);
      Eigen::Vector3d R;
      if (slide_from(root.x, root.y, b, R)) return {R, ContactPath::newton};
    }
  }
  return solve_with_care(b, warm);
}

ContactSolution ContactBlock::solve_with_care(const Eigen::Vector3d& b, const Eigen::Vector3d& warm) const noexcept {
  Candidates candidates(*this, b, warm);
  if (friction_ == 0) {
    candidates.offer({0, 0, -b[2] / W_(2, 2)}, ContactPath::frictionless);
    return candidates.best;
  }
  const double limit = friction_ * warm[2];
  if (limit > 0 && std::hypot(warm[0], warm[1]) >= (1 - kOnCone) * limit) {
    candidates.polish(warm, candidates.speed_ratio(warm), ContactPath::warm_angle);
  }
  if (!candidates.done(0.5)) candidates.stick();
  if (!candidates.done(0.5) && frame_.inverse_normal > 0) candidates.slide_by_newton();
  if (!candidates.done(1)) candidates.slide_by_quartic();
  if (!candidates.done(1)) candidates.scan_angles();
  if (!candidates.done(1)) candidates.iterate();
  return candidates.best;
}

}  // namespace locdyn::detail
