#include <locdyn/bodies/momentum_update.hpp>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/rotation.hpp>

namespace locdyn {
namespace {

constexpr int kIterations = 60;
constexpr int kHalvings = 12;
constexpr int kStarts = 200;

// Newton from one start; empty where the residual does not get down to rounding.
std::optional<Eigen::Vector3d> newton(const Eigen::Matrix3d& J, const Eigen::Vector3d& momentum, double tau,
                                      Eigen::Vector3d omega) {
  const double size = momentum.norm();
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * size;
  const auto back_turned = [&](const Eigen::Vector3d& w) -> Eigen::Vector3d {
    return exponential_matrix(-tau * w) * momentum;
  };
  Eigen::Vector3d turned = back_turned(omega);
  Eigen::Vector3d residual = J * omega - turned;
  double norm = residual.norm();
  for (int iteration = 0; iteration < kIterations && norm > 0; ++iteration) {
    // exp(−τ(Ω + δ)) π = exp(−τ T(τΩ) δ) exp(−τΩ) π, hence −∂(exp(−τΩ) π)/∂Ω = −τ [exp(−τΩ) π]× T(τΩ).
    const Eigen::Matrix3d slope = J - tau * skew(turned) * exponential_derivative(tau * omega);
    const Eigen::Vector3d step = slope.inverse() * residual;
    if (!step.allFinite()) return std::nullopt;

    double share = 1;
    bool fell = false;
    for (int halving = 0; halving < kHalvings && !fell; ++halving, share *= 0.5) {
      const Eigen::Vector3d trial = omega - share * step;
      const Eigen::Vector3d trial_turned = back_turned(trial);
      const Eigen::Vector3d trial_residual = J * trial - trial_turned;
      const double trial_norm = trial_residual.norm();
      fell = trial_norm < norm;
      if (fell) {
        omega = trial;
        turned = trial_turned;
        residual = trial_residual;
        norm = trial_norm;
      } else if (norm <= rounding) {
        return omega;
      }
    }
    if (!fell) break;
  }
  if (norm <= rounding) return omega;
  return std::nullopt;
}

}  // namespace

Eigen::Vector3d solve_momentum(const Eigen::Matrix3d& J, const Eigen::Vector3d& momentum, double tau,
                               const Eigen::Vector3d& start) {
  const double size = momentum.norm();
  if (size == 0) return Eigen::Vector3d::Zero();
  if (const auto omega = newton(J, momentum, tau, start)) return *omega;
  const Eigen::Matrix3d inverse = J.inverse();
  if (const auto omega = newton(J, momentum, tau, inverse * momentum)) return *omega;

  // Beyond about a radian a step: points spread evenly over the sphere ‖J Ω‖ = ‖π‖ (a golden spiral).
  for (int k = 0; k < kStarts; ++k) {
    const double z = 1 - (2 * k + 1.0) / kStarts;
    const double angle = 2 * std::numbers::pi * std::numbers::phi * k;
    const double radius = std::sqrt(1 - z * z);
    const Eigen::Vector3d point(radius * std::cos(angle), radius * std::sin(angle), z);
    if (const auto omega = newton(J, momentum, tau, inverse * (size * point))) return *omega;
  }
  throw std::runtime_error("rotation: expected a step that turns the body by about a radian at most, found " +
                           spelled(tau * (inverse * momentum).norm()) +
                           " rad between two evaluations, where the momentum equation found no solution");
}

}  // namespace locdyn
