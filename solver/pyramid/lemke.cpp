#include <locdyn/solver/pyramid/lemke.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include <locdyn/solver/pyramid/lemke_basis.hpp>

namespace locdyn::detail {
namespace {

constexpr double kPivot = 1e-9;      // a smaller step of a variable, over the largest, counts as none
constexpr double kFeasible = 1e-10;  // Harris's slack on variables of order one
constexpr double kDrift = 1e-9;      // of the basic equations before the inverse is made afresh
constexpr double kLost = 1e-5;       // drift that a fresh inverse does not mend: the basis is singular to rounding
constexpr double kSolved = 1e-6;     // natural map of a solution, over the largest of q and z
constexpr int kArtificial = LemkeBasis::kArtificial;

// 1 ≤ d_i ≤ 2 by the generator SplitMix64 (Steele, Lea & Flood 2014).
Eigen::VectorXd covering_vector(int size, std::uint64_t seed) {
  Eigen::VectorXd cover(size);
  for (int i = 0; i < size; ++i) {
    seed += 0x9e3779b97f4a7c15u;
    std::uint64_t bits = seed;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    cover[i] = 1 + static_cast<double>(bits >> 11) * 0x1p-53;
  }
  return cover;
}

double natural_map(const Eigen::VectorXd& z, const Eigen::VectorXd& w) {
  return z.size() == 0 ? 0 : z.cwiseMin(w).cwiseAbs().maxCoeff();
}

/// A variable of the method: z_i, w_i, or z₀ as {z, kArtificial}.
struct Name {
  bool is_z;
  int index;
};

class Pivoting {
 public:
  Pivoting(PyramidProblem& problem, const Eigen::VectorXd& cover, int first)
      : problem_(problem), cover_(cover), basis_(problem, cover, first), entering_{true, first} {
    z_.setZero(problem.size());
    z0_ = -problem.q()[first] / cover[first];
    w_ = problem.q() + z0_ * cover;
    w_[first] = 0;
  }

  enum class Step { done, solved, ray, singular };

  /// One pivot.
  Step pivot() {
    if (since_factor_ > std::max<std::size_t>(50, basis_.rows().size()) && !refresh()) return Step::singular;
    if (find_direction() > kDrift && !(refresh() && find_direction() <= kLost)) return Step::singular;
    Name leaving{};
    double length = 0;
    if (!ratio_test(leaving, length)) return Step::ray;
    z_ += length * dz_;
    z0_ += length * dz0_;
    w_ += length * dw_;
    if (leaving.is_z && leaving.index == kArtificial) return Step::solved;
    (leaving.is_z ? z_ : w_)[leaving.index] = 0;
    if (!change_basis(leaving)) return Step::singular;
    entering_ = {!leaving.is_z, leaving.index};
    ++since_factor_;
    return Step::done;
  }

  /// The basis has lost z₀: z_α = −M_αα⁻¹ q_α by a factor of its own, refined; or what the pivots left, if nearer.
  Eigen::VectorXd solution() {
    Eigen::VectorXd best = z_.cwiseMax(0.0);
    std::vector<int> alpha;
    for (int i : basis_.columns()) {
      if (i != kArtificial) alpha.push_back(i);
    }
    if (entering_.is_z) alpha.push_back(entering_.index);
    std::sort(alpha.begin(), alpha.end());
    const auto m = static_cast<Eigen::Index>(alpha.size());
    Eigen::MatrixXd M(m, m);
    for (Eigen::Index j = 0; j < m; ++j) {
      for (Eigen::Index i = 0; i < m; ++i) M(i, j) = problem_.entry(alpha[i], alpha[j]);
    }
    const Eigen::PartialPivLU<Eigen::MatrixXd> factor(M);
    Eigen::VectorXd z_alpha = factor.solve(-problem_.q()(alpha));
    for (int pass = 0; pass < 2; ++pass) z_alpha -= factor.solve(problem_.q()(alpha) + M * z_alpha);
    Eigen::VectorXd z = Eigen::VectorXd::Zero(problem_.size());
    z(alpha) = z_alpha.cwiseMax(0.0);
    return natural(z) <= natural(best) ? z : best;
  }

  double natural(const Eigen::VectorXd& z) {
    Eigen::VectorXd w;
    problem_.multiply(z, w);
    const double value = natural_map(z, w + problem_.q());
    return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] const Eigen::VectorXd& iterate() const noexcept { return z_; }
  [[nodiscard]] double flops() const noexcept { return basis_.flops(); }

 private:
  // How all variables move for a unit of the entering one; returns by how much the non-basic w fail to stay at zero.
  double find_direction() {
    const auto& columns = basis_.columns();
    const auto m = static_cast<Eigen::Index>(columns.size());
    if (entering_.is_z) {
      basis_.entering_column(entering_.index, right_);
      basis_.solve(right_, y_);
    } else {
      right_.setZero(m);
      right_[basis_.row_place(entering_.index)] = 1;
      basis_.solve(right_, y_);
    }
    const double sign = entering_.is_z ? -1 : 1;
    dz_.setZero(problem_.size());
    for (Eigen::Index j = 0; j < m; ++j) (columns[j] == kArtificial ? dz0_ : dz_[columns[j]]) = sign * y_[j];
    if (entering_.is_z) dz_[entering_.index] = 1;
    problem_.multiply(dz_, dw_);
    dw_ += dz0_ * cover_;

    double drift = 0;
    for (int i : basis_.rows()) {
      const double exact = !entering_.is_z && i == entering_.index ? 1 : 0;
      drift = std::max(drift, std::abs(dw_[i] - exact));
      dw_[i] = exact;
    }
    return drift / std::max(1.0, dz_.cwiseAbs().maxCoeff());
  }

  // Harris: the longest step under a slack, then among those that block before it the largest pivot; z₀ first.
  bool ratio_test(Name& leaving, double& length) const {
    const double largest = std::max({1.0, dz_.cwiseAbs().maxCoeff(), std::abs(dz0_)});
    const double least = kPivot * largest;
    double longest = std::numeric_limits<double>::infinity();
    const auto bound = [&](double value, double step) {
      if (step < -least) longest = std::min(longest, (std::max(value, 0.0) + kFeasible) / -step);
    };
    for (int j : basis_.columns()) bound(j == kArtificial ? z0_ : z_[j], j == kArtificial ? dz0_ : dz_[j]);
    for (int i = 0; i < problem_.size(); ++i) {
      if (basis_.row_place(i) < 0) bound(w_[i], dw_[i]);
    }
    if (!std::isfinite(longest)) return false;

    double best = 0;
    const auto consider = [&](Name name, double value, double step, double weight) {
      if (step >= -least || std::max(value, 0.0) / -step > longest || weight * -step <= best) return;
      best = weight * -step;
      leaving = name;
      length = std::max(value, 0.0) / -step;
    };
    for (int j : basis_.columns()) {
      if (j == kArtificial) {
        consider({true, j}, z0_, dz0_, std::numeric_limits<double>::infinity());
      } else {
        consider({true, j}, z_[j], dz_[j], 1);
      }
    }
    for (int i = 0; i < problem_.size(); ++i) {
      if (basis_.row_place(i) < 0) consider({false, i}, w_[i], dw_[i], 1);
    }
    return best > 0;
  }

  bool change_basis(const Name& leaving) {
    if (entering_.is_z && leaving.is_z) return basis_.replace_column(leaving.index, entering_.index, y_);
    if (entering_.is_z) return basis_.border(entering_.index, leaving.index, y_);
    if (leaving.is_z) return basis_.shrink(entering_.index, leaving.index);
    return basis_.replace_row(entering_.index, leaving.index);
  }

  // The inverse, and with it all basic variables, afresh.
  bool refresh() {
    if (!basis_.factor()) return false;
    since_factor_ = 0;
    const auto& columns = basis_.columns();
    Eigen::VectorXd x;
    basis_.solve(-problem_.q()(basis_.rows()), x);
    z_.setZero();
    for (std::size_t j = 0; j < columns.size(); ++j) {
      (columns[j] == kArtificial ? z0_ : z_[columns[j]]) = x[static_cast<Eigen::Index>(j)];
    }
    problem_.multiply(z_, w_);
    w_ += problem_.q() + z0_ * cover_;
    for (int i : basis_.rows()) w_[i] = 0;
    return true;
  }

  PyramidProblem& problem_;
  const Eigen::VectorXd& cover_;
  LemkeBasis basis_;
  Name entering_;
  Eigen::VectorXd z_, w_, dz_, dw_, right_, y_;
  double z0_ = 0, dz0_ = 0;
  std::size_t since_factor_ = 0;
};

}  // namespace

LemkeResult lemke(PyramidProblem& problem, std::uint64_t seed, const std::function<bool(long)>& stop) {
  LemkeResult result;
  result.z.setZero(problem.size());
  const Eigen::VectorXd cover = covering_vector(problem.size(), seed);
  Eigen::Index first = 0;
  if (problem.size() == 0 || problem.q().cwiseQuotient(cover).minCoeff(&first) >= 0) {
    result.end = LemkeEnd::solved;
    return result;
  }
  Pivoting pivoting(problem, cover, static_cast<int>(first));
  auto step = Pivoting::Step::done;
  while (step == Pivoting::Step::done && !stop(result.pivots)) {
    step = pivoting.pivot();
    ++result.pivots;
  }
  result.end = step == Pivoting::Step::solved     ? LemkeEnd::solved
               : step == Pivoting::Step::ray      ? LemkeEnd::ray
               : step == Pivoting::Step::singular ? LemkeEnd::singular
                                                  : LemkeEnd::limit;
  result.z = step == Pivoting::Step::solved ? pivoting.solution() : pivoting.iterate().cwiseMax(0.0);
  result.natural = pivoting.natural(result.z);
  const double size = std::max(1.0, result.z.size() > 0 ? result.z.maxCoeff() : 0.0);
  if (result.end == LemkeEnd::solved && !(result.natural <= kSolved * size)) result.end = LemkeEnd::singular;
  result.flops = pivoting.flops();
  return result;
}

}  // namespace locdyn::detail
