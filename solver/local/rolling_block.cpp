#include <locdyn/solver/local/rolling_block.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/local/disc_friction.hpp>

namespace locdyn::detail {
namespace {

constexpr int kNewtonSteps = 30;
constexpr int kHalvings = 8;
constexpr int kMemory = 3;  // residuals that a step may be compared with
constexpr int kRounds = 3;
constexpr int kSweeps = 12;  // in the first round, more in each that follows
constexpr int kDiscSweeps = 40;
constexpr int kDoublings = 60;
constexpr int kBracketings = 48;
constexpr int kBracketingsBeforeNewton = 4;

// What a step of each kind takes, in products of 3×3 blocks, counted by flops.
constexpr int kMapProducts = 4;  // W and a vector of 6
constexpr int kNewtonStepProducts = 48;
constexpr int kFactorisationProducts = 160;  // orthogonal, of 6 rows: of a Jacobian that is singular
constexpr int kSweepProducts = 24;
constexpr int kDiscProducts = 4;

// First row and number of rows of each disc.
constexpr int kFirst[3] = {0, 3, 5};
constexpr int kRows[3] = {2, 2, 1};

using Vector6 = RollingBlock::Vector6;

}  // namespace

// The best candidate so far, and what has been spent on it.
struct RollingBlock::Search {
  Vector6 R = Vector6::Zero();
  double residual = std::numeric_limits<double>::infinity();
  int products = 0;

  [[nodiscard]] bool may_go_on() const { return products < kMostProducts; }

  void offer(const Vector6& candidate, double its_residual) {
    if (!(its_residual < residual) || !candidate.allFinite()) return;
    R = candidate;
    residual = its_residual;
  }
};

RollingBlock::RollingBlock(const RollingLaw& law, const Eigen::Ref<const Eigen::MatrixXd>& W) noexcept
    : cone_(law.cone()) {
  double largest = 0;
  for (int k = 0; k < 6; ++k) used_[k] = uses(law.rows(k / 3), k % 3);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      if (used_[i] && used_[j]) W_(i, j) = W(i, j);
    }
    largest = std::max(largest, std::abs(W_(i, i)));
  }
  if (!(largest > 0)) largest = 1;
  norm_ = std::sqrt(W_.colwise().squaredNorm().maxCoeff());
  rho_ = row_scale(W_.topLeftCorner<3, 3>(), law.rows(0));
  const auto inverse = [&](double w) { return 1 / (w > 1e-12 * largest ? w : largest); };
  scale_[0] = inverse(W_(2, 2));
  for (int disc = 0; disc < 3; ++disc) {
    double mean = 0;
    int rows = 0;
    for (int k = kFirst[disc]; k < kFirst[disc] + kRows[disc]; ++k) {
      mean += used_[k] ? W_(k, k) : 0;
      rows += used_[k] ? 1 : 0;
    }
    scale_[disc + 1] = inverse(rows > 0 ? mean / rows : 0);
  }
  for (int k = 0; k < 6; ++k) {
    if (!used_[k]) W_(k, k) = largest;
  }
  force_ = ContactBlock(W_.topLeftCorner<3, 3>(), law.friction);
}

double RollingBlock::natural_map(const Vector6& b, const Vector6& R) const noexcept {
  const Vector6 U = b + W_ * R;
  std::array<Eigen::Vector3d, 2> z = {R.head<3>() - rho_ * U.head<3>(), R.tail<3>() - rho_ * U.tail<3>()};
  z[0][2] -= rho_ * rolling_shift(U.head<3>(), U.tail<3>(), cone_);
  project_on_rolling_cone(z, cone_);
  return std::sqrt((R.head<3>() - z[0]).squaredNorm() + (R.tail<3>() - z[1]).squaredNorm()) / rho_;
}

double RollingBlock::bound(const Vector6& b, const Vector6& R) const noexcept {
  return 1e-12 * b.norm() + 8 * std::numeric_limits<double>::epsilon() * norm_ * R.norm();
}

// True where R meets the bound; what it met on the way is offered to `search`.
bool RollingBlock::newton(const Vector6& b, Vector6 R, Search& search) const noexcept {
  const auto radii = cone_.radii();
  double residual = natural_map(b, R);
  std::array<double, kMemory> recent;
  recent.fill(residual);
  search.products += kMapProducts;
  for (int step = 0; step < kNewtonSteps && search.may_go_on(); ++step) {
    search.offer(R, residual);
    if (residual <= bound(b, R)) return true;
    search.products += kNewtonStepProducts;

    // The map and its derivative J = E W + C.
    const Vector6 U = b + W_ * R;
    const double x = R[2] - scale_[0] * U[2];
    Matrix6 J = Matrix6::Zero();
    Vector6 F;
    F[2] = x > 0 ? U[2] : R[2] / scale_[0];
    if (x > 0) {
      J.row(2) = W_.row(2);
    } else {
      J(2, 2) = 1 / scale_[0];
    }
    for (int disc = 0; disc < 3; ++disc) {
      const int first = kFirst[disc];
      const int rows = kRows[disc];
      Eigen::Vector2d U_t(U[first], rows == 2 ? U[first + 1] : 0), R_t(R[first], rows == 2 ? R[first + 1] : 0);
      const DiscFriction d = disc_friction(U_t, R_t, scale_[disc + 1], radii[disc] * std::max(x, 0.0));
      for (int k = 0; k < rows; ++k) {
        F[first + k] = d.F[k];
        for (int l = 0; l < rows; ++l) {
          J.row(first + k) += d.E(k, l) * W_.row(first + l);
          J(first + k, first + l) += d.C(k, l);
        }
        if (!(x > 0)) continue;
        const double slope = radii[disc] * d.by_radius[k];  // x = R_n − ρ_n U_n
        J.row(first + k) -= slope * scale_[0] * W_.row(2);
        J(first + k, 2) += slope;
      }
    }
    Vector6 change = -J.partialPivLu().solve(F);
    if (!change.allFinite() || (J * change + F).norm() > 1e-6 * F.norm()) {
      search.products += kFactorisationProducts;
      change = -J.completeOrthogonalDecomposition().solve(F);
      if (!change.allFinite()) return false;
    }

    // The longest step that does not raise the natural map above the last few.
    const double reference = *std::max_element(recent.begin(), recent.end());
    double t = 1;
    Vector6 next = R + change;
    double next_residual = natural_map(b, next);
    for (int halving = 0; halving < kHalvings && !(next_residual <= (1 - 1e-4 * t) * reference); ++halving) {
      search.products += kMapProducts;
      t /= 2;
      next = R + t * change;
      next_residual = natural_map(b, next);
    }
    if (!(next_residual <= reference)) return false;
    R = next;
    residual = next_residual;
    recent[step % kMemory] = residual;
  }
  search.offer(R, residual);
  return residual <= bound(b, R);
}

// R = −W⁺ b: the least reaction that stops everything.
RollingBlock::Vector6 RollingBlock::stick(const Vector6& b) const noexcept {
  return -(W_.completeOrthogonalDecomposition().solve(b));
}

// Friction of one disc under the R_n that there is, all else held.
void RollingBlock::update_disc(int disc, const Vector6& b, Vector6& R) const noexcept {
  const int first = kFirst[disc];
  const double radius = cone_.radii()[disc] * std::max(R[2], 0.0);  // a force without a solution keeps its start
  if (kRows[disc] == 1) {
    const double c = b[first] + W_.row(first).dot(R) - W_(first, first) * R[first];
    if (W_(first, first) > 0) R[first] = std::clamp(-c / W_(first, first), -radius, radius);
    return;
  }
  const Eigen::Matrix2d W = W_.block<2, 2>(first, first);
  const Eigen::Vector2d c = b.segment<2>(first) + W_.middleRows<2>(first) * R - W * R.segment<2>(first);
  R.segment<2>(first) = solve_in_disc(W, c, radius);
}

// The force for the moments that there are, then each moment for that force.
void RollingBlock::sweep(const Vector6& b, Vector6& R) const noexcept {
  const Eigen::Vector3d load = b.head<3>() + W_.topRightCorner<3, 3>() * R.tail<3>();
  R.head<3>() = force_.solve(load, R.head<3>()).R;
  update_disc(1, b, R);
  update_disc(2, b, R);
}

// U_n where R_n is held and friction follows: three convex discs, swept until they stand still.
double RollingBlock::normal_velocity(double normal, const Vector6& b, Vector6& R, Search& search) const noexcept {
  if (R[2] > 0) R *= normal / R[2];
  R[2] = normal;
  for (int k = 0; k < kDiscSweeps; ++k) {
    const Vector6 before = R;
    for (int disc = 0; disc < 3; ++disc) update_disc(disc, b, R);
    search.products += 3 * kDiscProducts;
    if (!((R - before).lpNorm<Eigen::Infinity>() > 1e-14 * R.lpNorm<Eigen::Infinity>())) break;
  }
  return b[2] + W_.row(2).dot(R);
}

// Has W a sign, but for a hundredth of its size? Without one friction under a held R_n is no convex problem.
bool RollingBlock::has_sign() const noexcept {
  const Matrix6 lifted = 0.5 * (W_ + W_.transpose()) + 0.01 * norm_ * Matrix6::Identity();
  return Eigen::LLT<Matrix6>(lifted).info() == Eigen::Success;
}

// U_n(R_n) runs from b_n < 0 at R_n = 0 to above 0 where there is a solution: bracketed by false position, halved at
// every third step, with Newton from the brackets.
bool RollingBlock::bracket(const Vector6& b, Search& search) const noexcept {
  Vector6 R = Vector6::Zero();
  double low = 0, high = -b[2] * scale_[0];
  double below = b[2], above = normal_velocity(high, b, R, search);
  for (int doubling = 0; doubling < kDoublings && !(above >= 0) && search.may_go_on(); ++doubling) {
    low = high;
    below = above;
    high *= 2;
    above = normal_velocity(high, b, R, search);
    if (!R.allFinite()) return false;
  }
  if (newton(b, R, search)) return true;
  for (int step = 1; step <= kBracketings && search.may_go_on(); ++step) {
    double normal = low - below * (high - low) / (above - below);
    if (step % 3 == 0 || !(normal > low && normal < high)) normal = 0.5 * (low + high);
    const double U_n = normal_velocity(normal, b, R, search);
    if (!R.allFinite()) return false;
    (U_n < 0 ? low : high) = normal;
    (U_n < 0 ? below : above) = U_n;
    if (step % kBracketingsBeforeNewton == 0 && newton(b, R, search)) return true;
  }
  return false;
}

int RollingBlock::solve(std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) const noexcept {
  if (b[0][2] >= 0) {
    R[0].setZero();
    R[1].setZero();
    return 0;
  }
  Vector6 load, warm;
  for (int k = 0; k < 6; ++k) {
    load[k] = used_[k] ? b[k / 3][k % 3] : 0;
    warm[k] = used_[k] ? R[k / 3][k % 3] : 0;
  }
  Search search;
  const auto finish = [&] {
    R[0] = search.R.head<3>();
    R[1] = search.R.tail<3>();
    return search.products;
  };

  // 0 and the projected warm start are candidates in any case.
  search.offer(Vector6::Zero(), natural_map(load, Vector6::Zero()));
  std::array<Eigen::Vector3d, 2> z = {warm.head<3>(), warm.tail<3>()};
  project_on_rolling_cone(z, cone_);
  warm << z[0], z[1];
  if (warm[2] > 0 && newton(load, warm, search)) return finish();

  const Vector6 sticking = stick(load);
  if (sticking.allFinite() && sticking[2] > 0 && newton(load, sticking, search)) return finish();
  Vector6 normal = Vector6::Zero();
  normal[2] = -load[2] * scale_[0];
  if (newton(load, normal, search)) return finish();

  // Sweeps between force and moment, and Newton again from where they lead.
  Vector6 from = normal;
  for (int round = 1; round <= kRounds; ++round) {
    for (int k = 0; k < kSweeps * round && from.allFinite(); ++k) sweep(load, from);
    search.products += kSweeps * round * kSweepProducts;
    if (!from.allFinite()) break;
    if (newton(load, from, search)) return finish();
  }
  if (has_sign()) bracket(load, search);
  return finish();
}

}  // namespace locdyn::detail
