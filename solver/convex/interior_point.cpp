#include <locdyn/solver/convex/interior_point.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace locdyn::detail {
namespace {

constexpr int kMostSteps = 80;
constexpr int kShortSteps = 4;  // of less than kShort one after the other: no progress
constexpr double kShort = 1e-3;
constexpr double kToBoundary = 0.995;    // share of the way to it
constexpr double kNeighbourhood = 1e-3;  // √(det x det z) of every contact, over the mean of xᵀz
constexpr double kNoComplementarity = 1e-26;

}  // namespace

InteriorPoint::InteriorPoint(const ConeProgram& program) : program_(program), system_(program) {
  const std::size_t rows = program.rows().size();
  for (Vectors* vectors : {&R_, &x_, &z_, &V_, &r_, &lambda_, &rho_, &q_, &dR_, &affine_.dx, &affine_.dz,
                           &corrected_.dx, &corrected_.dz, &plain_.dx, &plain_.dz}) {
    vectors->assign(rows, Eigen::Vector3d::Zero());
  }
  scaling_.resize(rows);
  for (const ConeProgram::Row& row : program.rows()) {
    T_.push_back(row.contact ? cone_scale(row.friction) : Eigen::Vector3d::Ones());
    if (row.contact) ++contacts_;
  }
}

// R_n = Û_n = 1, where x ∘ z = e. What is left of the solution before is a start from which steps are short.
void InteriorPoint::start() {
  R_ = program_.centre();
  for (std::size_t i = 0; i < R_.size(); ++i) {
    if (!program_.rows()[i].contact) continue;
    R_[i] = Eigen::Vector3d::UnitZ();
    x_[i] = T_[i].cwiseProduct(R_[i]);
    z_[i] = R_[i].cwiseQuotient(T_[i]);
  }
  last_length_ = 1;
}

// V, r, the residual and the gap at R, x and z.
void InteriorPoint::evaluate(double weight) {
  program_.multiply(R_, V_);
  gap_ = 0;
  for (std::size_t i = 0; i < R_.size(); ++i) {
    const ConeProgram::Row& row = program_.rows()[i];
    V_[i] += program_.load()[i] + weight * (R_[i] - program_.centre()[i]);
    r_[i] =
        row.contact ? Eigen::Vector3d(T_[i].cwiseProduct(z_[i])) : Eigen::Vector3d(-row.stiffness.cwiseProduct(R_[i]));
    r_[i] -= V_[i];
    if (row.contact) gap_ += x_[i].dot(z_[i]);
  }
  if (contacts_ > 0) gap_ /= static_cast<double>(contacts_);
  residual_ = program_.residual(R_, V_);
}

bool InteriorPoint::scale() {
  for (std::size_t i = 0; i < R_.size(); ++i) {
    if (!program_.rows()[i].contact) continue;
    if (!(lorentz_determinant(x_[i]) > 0) || !(lorentz_determinant(z_[i]) > 0)) return false;
    scaling_[i] = NesterovTodd(x_[i], z_[i]);
    lambda_[i] = scaling_[i].apply(z_[i]);
  }
  return true;
}

// dR from r and P⁻¹ρ, then dx = T dR and dz = P⁻¹ρ − P⁻² dx.
void InteriorPoint::direction(const Vectors& rho, Step& step) {
  for (std::size_t i = 0; i < R_.size(); ++i) {
    if (program_.rows()[i].contact) q_[i] = scaling_[i].apply_inverse(rho[i]);
  }
  system_.solve(r_, q_, dR_);
  for (std::size_t i = 0; i < R_.size(); ++i) {
    if (program_.rows()[i].contact) {
      step.dx[i] = T_[i].cwiseProduct(dR_[i]);
      step.dz[i] = scaling_[i].apply_inverse(rho[i] - scaling_[i].apply_inverse(step.dx[i]));
    } else {
      step.dx[i] = dR_[i];
    }
  }
}

// The step to `centring` times the gap, with that share of the second-order term.
void InteriorPoint::combined(double centring, double share, Step& step) {
  for (std::size_t i = 0; i < R_.size(); ++i) {
    if (!program_.rows()[i].contact) continue;
    Eigen::Vector3d right = -jordan_product(lambda_[i], lambda_[i]);
    right[2] += centring * gap_;
    if (share > 0) {
      right -= share * jordan_product(scaling_[i].apply_inverse(affine_.dx[i]), scaling_[i].apply(affine_.dz[i]));
    }
    rho_[i] = jordan_quotient(right, lambda_[i]);
  }
  direction(rho_, step);
}

double InteriorPoint::longest(const Step& step) const {
  double length = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < R_.size(); ++i) {
    if (!program_.rows()[i].contact) continue;
    length = std::min({length, step_to_boundary(x_[i], step.dx[i]), step_to_boundary(z_[i], step.dz[i])});
  }
  return length;
}

// Mean of xᵀz after a step of that length.
double InteriorPoint::complementarity(const Step& step, double length) const {
  double sum = 0;
  for (std::size_t i = 0; i < R_.size(); ++i) {
    if (program_.rows()[i].contact) sum += (x_[i] + length * step.dx[i]).dot(z_[i] + length * step.dz[i]);
  }
  return sum / static_cast<double>(std::max<std::size_t>(contacts_, 1));
}

// The length, shortened until no contact is far behind the others.
double InteriorPoint::kept_central(const Step& step, double length) const {
  constexpr double kShortest = 1e-6;
  while (length > kShortest) {
    const double least = kNeighbourhood * complementarity(step, length);
    bool central = true;
    for (std::size_t i = 0; i < R_.size() && central; ++i) {
      if (!program_.rows()[i].contact) continue;
      const double det_x = lorentz_determinant(x_[i] + length * step.dx[i]);
      const double det_z = lorentz_determinant(z_[i] + length * step.dz[i]);
      central = det_x > 0 && det_z > 0 && det_x * det_z > least * least;
    }
    if (central) break;
    length *= 0.8;
  }
  return length;
}

void InteriorPoint::advance(const Step& step, double length) {
  for (std::size_t i = 0; i < R_.size(); ++i) {
    if (!program_.rows()[i].contact) {
      R_[i] += length * step.dx[i];
      continue;
    }
    x_[i] += length * step.dx[i];
    z_[i] += length * step.dz[i];
    R_[i] = x_[i].cwiseQuotient(T_[i]);
  }
  last_length_ = length;
}

InteriorPoint::End InteriorPoint::solve(double weight, double target, const std::function<bool(double)>& may_step) {
  start();
  int short_steps = 0;
  for (int count = 0;; ++count) {
    evaluate(weight);
    if (residual_ <= target) return End::reached;
    if (count == kMostSteps || short_steps == kShortSteps || (contacts_ > 0 && gap_ < kNoComplementarity)) {
      return End::no_progress;
    }
    if (!may_step(system_.expected_seconds())) return End::limit;
    if (!scale()) return End::no_progress;
    ++factorisations_;
    const bool definite = system_.factorise(scaling_, weight);
    flops_ += system_.flops();
    if (!definite) return End::not_definite;

    // Predictor: how far does the gap fall without centring?
    combined(0, 0, affine_);
    const double reach = std::min(1.0, longest(affine_));
    double centring = 0;
    if (contacts_ > 0) {
      const double affine_gap = complementarity(affine_, reach);
      constexpr double kLeast = 1e-3, kMost = 0.9, kAfterShort = 0.8;
      centring = reach > 0.1 ? std::max(std::pow(std::max(affine_gap, 0.0) / gap_, 3), kLeast) : 1;
      centring = std::min(centring, kMost);
      if (last_length_ < 0.2) centring = std::max(centring, kAfterShort);
    }

    // Corrector; without its second-order term where that stands in the way.
    const auto length_of = [this](const Step& step) { return std::min(1.0, kToBoundary * longest(step)); };
    combined(centring, reach * reach, corrected_);
    double length = length_of(corrected_);
    const Step* chosen = &corrected_;
    if (length < 0.3) {
      combined(centring, 0, plain_);
      const double other = length_of(plain_);
      if (other > length) {
        chosen = &plain_;
        length = other;
      }
    }
    length = kept_central(*chosen, length);
    advance(*chosen, length);
    short_steps = length < kShort ? short_steps + 1 : 0;
  }
}

}  // namespace locdyn::detail
