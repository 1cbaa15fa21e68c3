#include <locdyn/solver/path/central_path.hpp>

#include <algorithm>
#include <cmath>

namespace locdyn::detail {
namespace {

constexpr double kStartSmoothing = 10;  // √σ there
constexpr double kMostSmoothing = 100;  // a path that leads back to where it came from does not end in a solution
constexpr int kMostStartSteps = 60;

// Lengths are those of `PairMetric`: about 1 where a contact changes from stick to slip or opens.
constexpr double kFirstLength = 0.5, kMostLength = 4, kLeastLength = 1e-8;
constexpr double kMostFall = 2;       // of τ in a step
constexpr double kEasyGrowth = 1.7;   // of the length after an easy step
constexpr double kSlowGrowth = 1.2;   // after two factorisations
constexpr double kMissCut = 0.5;      // after a miss
constexpr double kFarOff = 0.7;       // a first correction by more is a miss
constexpr double kContraction = 0.5;  // so must simplified corrections fall
constexpr double kOnPath = 0.01;      // a correction by less is the last
constexpr int kMostFactorisations = 3;

// Below this length the path turns sharply, and a step is given time.
constexpr double kSharp = 0.02;
constexpr int kMostInTurn = 10;
constexpr double kLeastDamping = 0.02;

constexpr double kShareOfTau = 0.1;

}  // namespace

CentralPath::CentralPath(const LocalDynamics& ldy, const ConeProgram& program)
    : program_(program), system_(ldy, program), length_(kFirstLength) {
  at_.v.assign(program.rows().size(), Eigen::Vector3d::Zero());
  at_.tau = 2 * std::log(kStartSmoothing);
  metric_.resize(at_.v.size());
  weight_ = kShareOfTau * static_cast<double>(std::max<std::size_t>(at_.v.size(), 1));
}

double CentralPath::smoothing() const {
  return std::exp(0.5 * at_.tau);
}

bool CentralPath::factorise(const Permission& may_factorise) {
  out_of_time_ = !may_factorise(system_.expected_seconds());
  if (out_of_time_) return false;
  ++factorisations_;
  return system_.factorise();
}

void CentralPath::measure() {
  const double sigma = std::exp(at_.tau);
  for (std::size_t i = 0; i < metric_.size(); ++i) {
    if (program_.rows()[i].contact) {
      metric_[i] = pair_metric(at_.v[i], sigma);
    } else {
      // A bilateral force bends nothing: it counts by its share of the forces alone.
      metric_[i] = {Eigen::Matrix3d::Identity(), Eigen::Vector3d::Constant(1 / (at_.v[i].squaredNorm() + 1))};
    }
  }
}

double CentralPath::inner(const Vectors& a, double a_tau, const Vectors& b, double b_tau) const {
  double sum = weight_ * a_tau * b_tau;
  for (std::size_t i = 0; i < metric_.size(); ++i) sum += metric_[i].inner(a[i], b[i]);
  return sum;
}

CentralPath::Size CentralPath::size(const Vectors& dv, double dtau) const {
  double most = dtau * dtau, sum = weight_ * dtau * dtau;
  for (std::size_t i = 0; i < metric_.size(); ++i) {
    const double own = metric_[i].inner(dv[i], dv[i]);
    sum += own;
    if (program_.rows()[i].contact) most = std::max(most, own);
  }
  return {std::sqrt(most), std::sqrt(sum)};
}

CentralPath::End CentralPath::start(const Permission& may_factorise) {
  system_.evaluate(at_.v, at_.tau);
  Vectors step;
  for (int count = 0; count < kMostStartSteps; ++count) {
    if (!factorise(may_factorise)) return out_of_time_ ? End::limit : End::stuck;
    measure();
    if (!system_.solve(system_.G(), step)) return End::stuck;
    const double most = size(step, 0).most;
    if (most < kOnPath) {
      start_orientation_ = system_.orientation();
      return End::on_path;
    }
    const auto squares = [&] {
      double sum = 0;
      for (const Eigen::Vector3d& G : system_.G()) sum += G.squaredNorm();
      return sum;
    };
    const double before = squares();
    const Vectors from = at_.v;
    double share = std::min(1.0, 1 / most);
    for (;; share *= 0.5) {
      for (std::size_t i = 0; i < from.size(); ++i) at_.v[i] = from[i] + share * step[i];
      system_.evaluate(at_.v, at_.tau);
      if (squares() < before) break;
      if (share < kLeastDamping) return End::stuck;
    }
  }
  return End::stuck;
}

// The tangent at the point just found, towards where the path has not been: σ falls first, and turns with the sign of
// the determinant.
void CentralPath::find_tangent() {
  const double sign = -system_.orientation() * start_orientation_;
  measure();
  const Vectors& slope = system_.slope();
  const double norm = std::sqrt(inner(slope, 1, slope, 1));
  tangent_.resize(slope.size());
  for (std::size_t i = 0; i < slope.size(); ++i) tangent_[i] = sign / norm * slope[i];
  tangent_tau_ = sign / norm;
}

// The Newton step from the last evaluation, with the last factor, in the plane across the tangent.
bool CentralPath::orthogonal_step(Vectors& dv, double& dtau) {
  if (!system_.solve(system_.G(), dv)) return false;
  const Vectors& slope = system_.slope();
  dtau = -inner(tangent_, tangent_tau_, dv, 0) / inner(tangent_, tangent_tau_, slope, 1);
  for (std::size_t i = 0; i < dv.size(); ++i) dv[i] += dtau * slope[i];
  return std::isfinite(dtau);
}

void CentralPath::move(const Vectors& dv, double dtau, double length) {
  for (std::size_t i = 0; i < dv.size(); ++i) at_.v[i] += length * dv[i];
  at_.tau += length * dtau;
  system_.evaluate(at_.v, at_.tau);
}

// Newton back to the path. What a simplified correction, with the factor in hand, leaves of a correction tells whether
// it is worth another factorisation.
CentralPath::Correction CentralPath::correct(const Permission& may_factorise) {
  const bool sharp = length_ <= kSharp;
  Vectors step, next;
  double step_tau = 0, next_tau = 0;
  for (int count = 0; count < (sharp ? kMostInTurn : kMostFactorisations); ++count) {
    if (!factorise(may_factorise)) return out_of_time_ ? Correction::limit : Correction::missed;
    if (!orthogonal_step(step, step_tau)) return Correction::missed;
    Size before = size(step, step_tau);
    if (!(before.most <= kFarOff)) return Correction::missed;
    const Point from = at_;
    move(step, step_tau, 1);
    if (!orthogonal_step(next, next_tau)) return Correction::missed;
    Size after = size(next, next_tau);
    double share = 1;
    if (!(after.norm <= kContraction * before.norm) && !(after.most <= kOnPath)) {
      if (!sharp) return Correction::missed;
      while (!(after.norm < (1 - 0.25 * share) * before.norm)) {
        share *= kMissCut;
        if (share < kLeastDamping) return Correction::missed;
        at_ = from;
        move(step, step_tau, share);
        if (!orthogonal_step(next, next_tau)) return Correction::missed;
        after = size(next, next_tau);
      }
    }
    if (share < 1) continue;
    while (after.most <= kOnPath || after.norm <= kContraction * before.norm) {
      move(next, next_tau, 1);
      if (after.most <= kOnPath) return Correction::done;
      before = after;
      if (!orthogonal_step(next, next_tau)) return Correction::missed;
      after = size(next, next_tau);
    }
  }
  return Correction::missed;
}

// A turn at the point where the path is, from a factor of it; the one in hand is of where the last correction began.
bool CentralPath::find_tangent_here(const Permission& may_factorise) {
  system_.evaluate(at_.v, at_.tau);
  stale_ = true;
  if (!factorise(may_factorise)) return false;
  stale_ = false;
  find_tangent();
  return true;
}

CentralPath::End CentralPath::step(const Permission& may_factorise) {
  const double before = tangent_tau_;
  const Vectors last = tangent_;
  bool here = stale_;
  if (!stale_) find_tangent();
  // A turn by more than a right angle may be one that the factor in hand is too far off to tell.
  here = here || (before != 0 && inner(last, before, tangent_, tangent_tau_) < 0);
  if (here && !find_tangent_here(may_factorise)) return out_of_time_ ? End::limit : End::stuck;
  const Point base = at_;
  bool missed = false;
  for (;;) {
    const double most = size(tangent_, 0).most;
    const double ahead = std::min(length_ / most, kMostFall / std::abs(tangent_tau_));
    for (std::size_t i = 0; i < base.v.size(); ++i) {
      const Eigen::Vector3d along = ahead * tangent_[i];
      at_.v[i] = program_.rows()[i].contact ? extrapolated(base.v[i], std::exp(base.tau), along, ahead * tangent_tau_)
                                            : Eigen::Vector3d(base.v[i] + along);
    }
    at_.tau = base.tau + ahead * tangent_tau_;
    system_.evaluate(at_.v, at_.tau);
    const long count = factorisations_;
    const Correction correction = correct(may_factorise);
    if (correction == Correction::done) {
      stale_ = false;
      const double growth = factorisations_ - count > 1 || missed ? kSlowGrowth : kEasyGrowth;
      length_ = std::min(growth * length_, kMostLength);
      return smoothing() <= kMostSmoothing ? End::on_path : End::stuck;
    }
    at_ = base;
    stale_ = true;
    if (correction == Correction::limit) return End::limit;
    if (length_ < kLeastLength) return End::stuck;
    length_ *= kMissCut;
    missed = true;
    if (length_ <= kSharp && !here) {
      here = true;
      if (!find_tangent_here(may_factorise)) return out_of_time_ ? End::limit : End::stuck;
    }
  }
}

}  // namespace locdyn::detail
