#include <locdyn/solver/local/bounded_block.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <locdyn/solver/least_norm.hpp>

namespace locdyn::detail {
namespace {

constexpr double kHeldAlready = 1e-13;  // of the largest response: a row that no reaction moves
constexpr int kBracketings = 100;       // of regula falsi; a dozen are usual

// Of a response, or of a load, the share that is rounding beside the hard rows, by their condition.
template <class Matrix>
double rounding_of(const Matrix& W, const Matrix& inverse) {
  constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
  return std::max(kHeldAlready, kRounding * W.norm() * inverse.norm());
}

// f = −W'⁺ b of least norm, W' of any rank, by proximal refinement: each turn leaves (s/(σ + s)) of the error along an
// eigenvector of W' with the eigenvalue σ.
template <class Matrix, class Vector>
Vector stick_of(const Matrix& W, const Vector& b) {
  constexpr double kShift = 1e-9;  // of the mean of W': its square root of rounding stays in the null space
  constexpr int kRefinements = 3;
  const double shift = kShift * W.trace() / static_cast<double>(W.rows());
  Vector f = Vector::Zero(W.rows());
  if (!(shift > 0)) return f;
  Matrix A = W;
  A.diagonal().array() += shift;
  const Matrix inverse = A.inverse();
  for (int i = 0; i <= kRefinements; ++i) f -= inverse * Vector(b + W * f);
  return f;
}

}  // namespace

BoundedBlock::BoundedBlock(const BoundedLaw& law, const Eigen::Ref<const Eigen::MatrixXd>& W) : law_(law) {
  const int size = 3 * law.blocks();
  if (W.rows() != size || W.cols() != size) {
    throw std::invalid_argument("W of bounded reactions of " + std::to_string(law.blocks()) + " blocks: expected " +
                                std::to_string(size) + "x" + std::to_string(size) + ", found " +
                                std::to_string(W.rows()) + "x" + std::to_string(W.cols()));
  }
  Eigen::VectorXd C(size);
  for (int i = 0; i < size; ++i) {
    const int k = i / 3, axis = i % 3;
    C[i] = law.compliance(k)[axis];
    if (!uses(law.rows(k), axis)) continue;
    uses(law.bounded_rows(k), axis) ? bounded_at_[bounded_++] = i : hard_at_[hard_++] = i;
  }
  const auto part = [&W](const std::array<int, 6>& rows, int m, const std::array<int, 6>& columns, int n) {
    Matrix block(m, n);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) block(i, j) = W(rows[i], columns[j]);
    }
    return block;
  };
  hard_W_ = part(hard_at_, hard_, hard_at_, hard_);
  coupling_ = part(hard_at_, hard_, bounded_at_, bounded_);
  back_ = part(bounded_at_, bounded_, hard_at_, hard_);
  W_ = part(bounded_at_, bounded_, bounded_at_, bounded_);
  weight_.resize(hard_);
  for (int i = 0; i < hard_; ++i) {
    hard_W_(i, i) += C[hard_at_[i]];
    weight_[i] = law.load[hard_at_[i] / 3];
  }
  for (int i = 0; i < bounded_; ++i) W_(i, i) += C[bounded_at_[i]];
  const double own = W_.trace();
  hard_inverse_ = Matrix::Zero(hard_, hard_);
  if (hard_ > 0) hard_inverse_ = LeastNorm(hard_W_, kHeldAlready).pseudo_inverse();
  carried_ = -hard_inverse_ * coupling_;
  W_ += back_ * carried_;
  // What is left where the hard rows hold it, too, is rounding.
  const double held = rounding_of(hard_W_, hard_inverse_);
  for (int i = 0; i < bounded_; ++i) {
    if (W_(i, i) > held * own) continue;
    W_.row(i).setZero();
    W_.col(i).setZero();
  }
}

double BoundedBlock::load(const Vector& hard) const noexcept {
  return weight_.cwiseProduct(hard).norm();
}

// Beyond the bound at `end` = upper or −lower (then all with the opposite sign): t ≥ 0 with t = ‖p + q t‖, t = f − end.
double BoundedBlock::slide_on_line(double stick, const Vector& at_rest) const noexcept {
  const double sign = stick > law_.upper ? 1 : -1;
  const double end = sign > 0 ? law_.upper : law_.lower;
  const Vector slope = sign * weight_.cwiseProduct(carried_.col(0));
  const Vector first = weight_.cwiseProduct(at_rest + carried_.col(0) * end);
  const double a = 1 - slope.squaredNorm(), b = first.dot(slope), c = first.squaredNorm();
  if (c == 0) return end;
  const double root = std::sqrt(std::max(0.0, b * b + a * c));
  const double t = b > 0 ? (a > 0 ? (b + root) / a : root) : c / (root - b);
  return std::isfinite(t) ? end + sign * t : end;
}

BoundedBlock::Vector BoundedBlock::slide_on_ball(const Vector& b, const Vector& at_rest) const noexcept {
  const Matrix none = Matrix::Identity(bounded_, bounded_);
  const auto f_of = [&](double lambda) -> Vector {
    const Matrix A = W_ + lambda * none;
    return -A.inverse() * b;
  };
  const auto bound_of = [&](const Vector& f) { return law_.upper + load(at_rest + carried_ * f); };
  const auto excess = [&](double lambda) {
    const Vector f = f_of(lambda);
    return f.norm() - bound_of(f);
  };
  // From a λ at which f is too long to one at which it is not.
  double low = 0, high = std::max(W_.trace() / bounded_, std::numeric_limits<double>::min());
  double at_low = std::numeric_limits<double>::infinity(), at_high = excess(high);
  for (int i = 0; i < kBracketings && at_high > 0; ++i) {
    low = high;
    at_low = at_high;
    high *= 8;
    at_high = excess(high);
  }
  if (!(at_high <= 0)) return Vector::Zero(bounded_);  // no bound at all
  // Illinois; the first interval has no value at λ = 0 where W' is singular.
  int side = 0;
  for (int i = 0; i < kBracketings && high - low > 1e-16 * high; ++i) {
    double next = std::isfinite(at_low) ? (low * at_high - high * at_low) / (at_high - at_low) : 0.5 * (low + high);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double value = excess(next);
    if (value == 0) low = high = next;
    if (value > 0) {
      low = next;
      at_low = value;
      if (side == 1) at_high *= 0.5;
      side = 1;
    } else {
      high = next;
      at_high = value;
      if (side == -1) at_low *= 0.5;
      side = -1;
    }
  }
  Vector f = f_of(high);
  const double length = f.norm();
  if (length > 0) f *= bound_of(f) / length;
  return f;
}

void BoundedBlock::solve(std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) const noexcept {
  Vector hard(hard_), load_f(bounded_);
  for (int i = 0; i < hard_; ++i) hard[i] = b[hard_at_[i] / 3][hard_at_[i] % 3];
  for (int i = 0; i < bounded_; ++i) load_f[i] = b[bounded_at_[i] / 3][bounded_at_[i] % 3];
  Vector at_rest = -hard_inverse_ * hard;  // of the hard rows where f = 0
  at_rest -= hard_inverse_ * Vector(hard + hard_W_ * at_rest);
  for (int i = 0; i < bounded_; ++i) {
    const double own = load_f[i], pulled = back_.row(i).dot(at_rest);
    load_f[i] += pulled;
    const bool held = W_(i, i) == 0;
    if (held && std::abs(load_f[i]) <= rounding_of(hard_W_, hard_inverse_) * (std::abs(own) + std::abs(pulled))) {
      load_f[i] = 0;
    }
  }

  Vector f(bounded_);
  if (bounded_ == 1) {
    const double W = W_(0, 0);
    const double stick = W > 0            ? -load_f[0] / W
                         : load_f[0] == 0 ? std::clamp(0.0, law_.lower, law_.upper)
                                          : std::copysign(std::numeric_limits<double>::max(), -load_f[0]);
    f[0] = stick;
    const double g = std::abs(stick) < std::numeric_limits<double>::max() ? load(at_rest + carried_ * f) : 0;
    if (!(stick >= law_.lower - g && stick <= law_.upper + g)) f[0] = slide_on_line(stick, at_rest);
  } else {
    f = stick_of(W_, load_f);
    const bool solved = (load_f + W_ * f).norm() <= 1e-10 * load_f.norm();
    if (!solved || f.norm() > law_.upper + load(at_rest + carried_ * f)) f = slide_on_ball(load_f, at_rest);
  }

  hard += coupling_ * f;
  Vector R_h = -hard_inverse_ * hard;
  R_h -= hard_inverse_ * Vector(hard + hard_W_ * R_h);
  for (std::size_t k = 0; k < b.size(); ++k) R[k].setZero();
  for (int i = 0; i < hard_; ++i) R[hard_at_[i] / 3][hard_at_[i] % 3] = R_h[i];
  for (int i = 0; i < bounded_; ++i) R[bounded_at_[i] / 3][bounded_at_[i] % 3] = f[i];
  project(R);
}

}  // namespace locdyn::detail
