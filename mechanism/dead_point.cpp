#include <locdyn/mechanism/dead_point.hpp>

#include <algorithm>
#include <cmath>

#include <locdyn/mechanism/rates.hpp>

namespace locdyn::detail {
namespace {

constexpr int kMostSteps = 200;
constexpr int kMostRefinements = 100;
constexpr double kShortestStep = 1e-10;  // of the first step
constexpr double kBranch = 0.25;         // of a step, that the corrector may add
constexpr double kStraight = 0.9;        // cosine between tangents
constexpr double kZero = 1e-14;          // of ds along the curve, over what it was

// The curve with the drive released; its unit tangent t and ds along it.
class Curve {
 public:
  Curve(Mechanism& mechanism, DriveId drive, double direction, const CloseOptions& options)
      : mechanism_(mechanism), drive_(drive), direction_(direction), options_(options) {}

  struct Place {
    MechanismState state;
    Eigen::VectorXd t;
    double slope = 0;  // direction · ds/dσ
  };

  [[nodiscard]] Place here(const Eigen::VectorXd& near) const {
    mechanism_.factorise();
    const RateReport along = nearest_rates(mechanism_, Eigen::VectorXd::Zero(mechanism_.G().rows()), near);
    Place place{.state = mechanism_.state(), .t = along.value / mechanism_.length(along.value)};
    place.slope = direction_ * mechanism_.drive_gradient(drive_).dot(place.t);
    return place;
  }

  // σ further on, or none where that leaves the curve.
  [[nodiscard]] std::optional<Place> on(const Place& from, double sigma) const {
    mechanism_.restore(from.state);
    mechanism_.displace(sigma * from.t);
    const CloseReport closing = close(mechanism_, options_);
    const double step = mechanism_.largest_displacement(sigma * from.t);
    if (!closing.closed() || closing.moved > kBranch * step + 10 * options_.tolerance) return std::nullopt;
    Place place = here(from.t);
    if (!(from.t.dot(mechanism_.metric() * place.t) > kStraight)) return std::nullopt;
    return place;
  }

  // slope = 0 between σ = 0 and `sigma`, by the Illinois variant of regula falsi.
  [[nodiscard]] Place extreme(const Place& from, Place beyond, double sigma) const {
    double low = 0, high = sigma, at_low = from.slope, at_high = beyond.slope;
    int side = 0;
    for (int i = 0; i < kMostRefinements; ++i) {
      const double middle = (low * at_high - high * at_low) / (at_high - at_low);
      const std::optional<Place> place = on(from, middle);
      if (!place) break;
      beyond = *place;
      if (std::abs(place->slope) <= kZero * from.slope || high - low <= kZero * sigma) break;
      if (place->slope > 0) {
        low = middle;
        at_low = place->slope;
        if (side == 1) at_high /= 2;
        side = 1;
      } else {
        high = middle;
        at_high = place->slope;
        if (side == -1) at_low /= 2;
        side = -1;
      }
    }
    return beyond;
  }

 private:
  Mechanism& mechanism_;
  DriveId drive_;
  double direction_;
  const CloseOptions& options_;
};

std::optional<double> search(Mechanism& mechanism, DriveId drive, const Eigen::VectorXd& tangent, double direction,
                             double bound, double length, const CloseOptions& options) {
  const Curve curve(mechanism, drive, direction, options);
  Curve::Place base = curve.here(direction * tangent);
  double sigma = length;
  for (int i = 0; i < kMostSteps && sigma > kShortestStep * length; ++i) {
    const std::optional<Curve::Place> next = curve.on(base, sigma);
    if (!next) {
      sigma /= 2;
      continue;
    }
    if (next->slope <= 0) {
      mechanism.restore(curve.extreme(base, *next, sigma).state);
      return mechanism.drive_value(drive);
    }
    mechanism.restore(next->state);
    if (direction * (mechanism.drive_value(drive) - bound) > 0) return std::nullopt;
    base = *next;
    sigma = std::min(1.5 * sigma, length);
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> find_dead_point(Mechanism& mechanism, DriveId drive, const Eigen::VectorXd& tangent,
                                      double direction, double bound, double length, const CloseOptions& options) {
  const MechanismState start = mechanism.state();
  mechanism.release(drive);
  std::optional<double> found;
  try {
    found = search(mechanism, drive, tangent, direction, bound, length, options);
  } catch (...) {
    mechanism.hold(drive);
    mechanism.restore(start);
    throw;
  }
  mechanism.hold(drive);
  if (found) {
    mechanism.set_drive(drive, {.value = *found});
  } else {
    mechanism.restore(start);
  }
  return found;
}

}  // namespace locdyn::detail
