#include <locdyn/bodies/momentum_update.hpp>

#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/rotation.hpp>
#include <locdyn/bodies/small_change.hpp>

namespace locdyn::detail {
namespace {

constexpr int kIterations = 50;
constexpr int kHalvings = 12;
constexpr int kStarts = 200;
// Of the momentum, from where on the step in extended precision, which squares what is left, ends it.
constexpr double kNear = 1e-10;

// J Ω − exp(−τ Ω) π and its slope; exp(−τ(Ω + δ)) π = exp(−τ T(τΩ) δ) exp(−τΩ) π to first order in δ.
struct MomentumEquation {
  const Eigen::Matrix3d& J;
  Eigen::Vector3d momentum;  // π
  double tau;                // τ = a h

  [[nodiscard]] Eigen::Vector3d residual(const Eigen::Vector3d& omega) const {
    return J * omega - exponential_matrix(-tau * omega) * momentum;
  }
  // The inverse slope times r.
  [[nodiscard]] Eigen::Vector3d step(const Eigen::Vector3d& omega, const Eigen::Vector3d& r) const {
    const Eigen::Vector3d turned = J * omega - r;  // exp(−τ Ω) π
    const Eigen::Matrix3d slope = J - tau * skew(turned) * exponential_derivative(tau * omega);
    return slope.inverse() * r;
  }
};

// Newton from one start, each step halved until the residual falls; empty where it stays above rounding.
std::optional<Eigen::Vector3d> newton(const MomentumEquation& equation, Eigen::Vector3d omega) {
  const double near = kNear * equation.momentum.norm();
  Eigen::Vector3d residual = equation.residual(omega);
  double norm = residual.norm();
  for (int iteration = 0; iteration < kIterations && norm > near; ++iteration) {
    Eigen::Vector3d step = equation.step(omega, residual);
    bool fell = false;
    for (int halving = 0; halving < kHalvings && !fell; ++halving, step *= 0.5) {
      const Eigen::Vector3d trial = omega - step;
      const Eigen::Vector3d trial_residual = equation.residual(trial);
      const double trial_norm = trial_residual.norm();
      fell = trial_norm < norm;  // false for a step that is not finite
      if (fell) {
        omega = trial;
        residual = trial_residual;
        norm = trial_norm;
      }
    }
    if (!fell) return std::nullopt;
  }
  if (norm <= near) return omega;
  return std::nullopt;
}

std::optional<Eigen::Vector3d> solution(const MomentumEquation& equation, const Eigen::Vector3d& omega) {
  if (auto found = newton(equation, omega)) return found;
  const Eigen::Matrix3d inverse = equation.J.inverse();
  if (auto found = newton(equation, inverse * equation.momentum)) return found;

  // Beyond about a radian a step: points spread evenly over the sphere ‖J Ω‖ = ‖π‖ (a golden spiral).
  for (int k = 0; k < kStarts; ++k) {
    const double z = 1 - (2 * k + 1.0) / kStarts;
    const double angle = 2 * std::numbers::pi * std::numbers::phi * k;
    const double radius = std::sqrt(1 - z * z);
    const Eigen::Vector3d point(radius * std::cos(angle), radius * std::sin(angle), z);
    if (auto found = newton(equation, inverse * (equation.momentum.norm() * point))) return found;
  }
  return std::nullopt;
}

// Empty where more changes.
std::optional<Eigen::Vector3d> solution_near(const Eigen::Matrix3d& J, const Eigen::Vector3d& omega,
                                             const Eigen::Vector3d& impulse, double before, double tau) {
  SmallChange<double> change{{J(0, 0), J(0, 1), J(0, 2), J(1, 1), J(1, 2), J(2, 2)},
                             {omega[0], omega[1], omega[2]},
                             {impulse[0], impulse[1], impulse[2]}};
  bool found = false;
  change.solve(before, tau, found);
  if (!found) return std::nullopt;
  return Eigen::Vector3d(change.omega[0], change.omega[1], change.omega[2]);
}

}  // namespace

Eigen::Vector3d momentum_keeping_velocity(const Eigen::Matrix3d& J, const Eigen::Vector3d& omega,
                                          const Eigen::Vector3d& impulse, double before, double after) {
  // All axes alike: π lies along Ω and keeps its direction as it turns.
  if (J == Eigen::Matrix3d(J(0, 0) * Eigen::Matrix3d::Identity())) return omega + impulse / J(0, 0);
  if (const auto found = solution_near(J, omega, impulse, before, after)) return *found;

  const auto extended_J = J.cast<Extended>();
  const ExtendedVector extended_omega = omega.cast<Extended>();
  const ExtendedVector momentum =
      rotated(-before * extended_omega, extended_J * extended_omega) + impulse.cast<Extended>();
  const MomentumEquation equation{J, momentum.cast<double>(), after};
  if (equation.momentum == Eigen::Vector3d::Zero()) return Eigen::Vector3d::Zero();

  const auto found = solution(equation, omega);
  if (!found) {
    throw std::runtime_error("rotation: expected a step that turns the body by about a radian, found " +
                             spelled((before + after) * omega.norm()) +
                             " rad, where the momentum equation was not solved");
  }
  const ExtendedVector near = found->cast<Extended>();
  const ExtendedVector residual = extended_J * near - rotated(-after * near, momentum);
  return *found - equation.step(*found, residual.cast<double>());
}

}  // namespace locdyn::detail
