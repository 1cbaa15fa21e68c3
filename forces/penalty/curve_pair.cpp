#include <locdyn/forces/penalty/curve_pair.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/forces/penalty/least_place.hpp>

namespace locdyn {
using namespace detail;
namespace {

void check(const PlanarCurve& curve, const char* which) {
  const std::string what = which;
  if (!curve.point || !curve.tangent) {
    throw std::invalid_argument(what + ": expected functions of point and tangent, found " +
                                (curve.point ? "no tangent" : "no point"));
  }
  if (!(curve.low < curve.high && std::isfinite(curve.high - curve.low))) {
    throw std::invalid_argument(what + ": expected a range from low to high, found " + spelled(curve.low) + " to " +
                                spelled(curve.high));
  }
  if (curve.samples < 4) {
    throw std::invalid_argument(what + ": samples: expected at least 4, found " + std::to_string(curve.samples));
  }
}

// To the right of travel, out of the body.
Eigen::Vector2d normal_of(const PlanarCurve& curve, double s) {
  const Eigen::Vector2d t = curve.tangent(s);
  const double length = t.norm();
  if (!(length > 0 && std::isfinite(length))) {
    throw std::invalid_argument("tangent: expected a finite vector of length > 0, found length " + spelled(length) +
                                " at " + spelled(s));
  }
  return Eigen::Vector2d(t.y(), -t.x()) / length;
}

SearchRange range_of(const PlanarCurve& curve) {
  return {curve.low, curve.high, curve.samples, curve.closed};
}

bool ends_at(const PlanarCurve& curve, double s) {
  return !curve.closed && (s == curve.low || s == curve.high);
}

}  // namespace

PlanarCurve ellipse_curve(const Eigen::Vector2d& center, const Eigen::Vector2d& half_axes) {
  require_finite(center, "center");
  require_positive(half_axes.x(), "half-axis along x");
  require_positive(half_axes.y(), "half-axis along y");
  PlanarCurve curve;
  curve.point = [=](double s) {
    return Eigen::Vector2d(center.x() + half_axes.x() * std::cos(s), center.y() + half_axes.y() * std::sin(s));
  };
  curve.tangent = [=](double s) { return Eigen::Vector2d(-half_axes.x() * std::sin(s), half_axes.y() * std::cos(s)); };
  curve.high = 2 * std::numbers::pi;
  return curve;
}

CurvePair::CurvePair(PlanarCurve master, std::optional<BodyId> master_body, PlanarCurve slave, BodyId slave_body)
    : master_(std::move(master)), slave_(std::move(slave)), master_plane_(master_body), slave_plane_(slave_body) {
  check(master_, "master curve");
  check(slave_, "slave curve");
  if (master_body == slave_body) {
    throw std::invalid_argument("curves: expected those of two bodies, found both on body " +
                                std::to_string(slave_body));
  }
}

std::vector<BodyId> CurvePair::bodies() const {
  std::vector<BodyId> ids = {*slave_plane_.body()};
  if (master_plane_.body()) ids.push_back(*master_plane_.body());
  return ids;
}

// Wide enough for what lies between the samples of a curve without spikes.
CurvePair::Circle CurvePair::circle_about(const PlanarCurve& curve) {
  std::vector<Eigen::Vector2d> points;
  Eigen::Vector2d center = Eigen::Vector2d::Zero();
  for (int i = 0; i <= curve.samples; ++i) {
    points.push_back(curve.point(curve.low + i * (curve.high - curve.low) / curve.samples));
    require_finite(points.back(), "point of a curve");
    center += points.back() / (curve.samples + 1);
  }
  Circle circle;
  circle.center.head<2>() = center;
  double apart = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    circle.radius = std::max(circle.radius, (points[i] - center).norm());
    if (i > 0) apart = std::max(apart, (points[i] - points[i - 1]).norm());
  }
  circle.radius += apart;
  return circle;
}

void CurvePair::attach(const BodySet& bodies) {
  master_plane_.attach(bodies, "master curve");
  slave_plane_.attach(bodies, "slave curve");
  master_circle_ = circle_about(master_);
  slave_circle_ = circle_about(slave_);
  const SearchRange range = range_of(master_);
  master_samples_.clear();
  for (int k = 0; k < sample_count(range); ++k) master_samples_.push_back(master_.point(sample_place(range, k)));
}

// s₁ of the closest point of the master to x, in its coordinates.
double CurvePair::closest_place(const Eigen::Vector2d& x) const {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < master_samples_.size(); ++k) {
    const double square = (master_samples_[k] - x).squaredNorm();
    if (square < least) {
      least = square;
      best = static_cast<int>(k);
    }
  }
  const auto half_square = [&](double s) {
    const Eigen::Vector2d from_x = master_.point(s) - x;
    return Slope{0.5 * from_x.squaredNorm(), from_x.dot(master_.tangent(s))};
  };
  return least_place_near(half_square, range_of(master_), best, "master curve");
}

std::optional<ClosestPoints> CurvePair::find(const BodySet& bodies) const {
  const CarriedPlane::Pose master = master_plane_.pose(bodies), slave = slave_plane_.pose(bodies);
  const double between = (slave.to_space(slave_circle_.center) - master.to_space(master_circle_.center)).norm();
  if (between > master_circle_.radius + slave_circle_.radius) return std::nullopt;

  // Points and tangents of the slave in the master's coordinates.
  const Eigen::Matrix2d turn = (master.axes.transpose() * slave.axes).topLeftCorner<2, 2>();
  const Eigen::Vector2d shift = master.to_plane(slave.origin).head<2>();
  const auto on_slave = [&](double s) -> Eigen::Vector2d { return shift + turn * slave_.point(s); };
  const double deepest = least_place(
      [&](double s) {
        const Eigen::Vector2d x = on_slave(s);
        const double foot = closest_place(x);
        const Eigen::Vector2d from_foot = x - master_.point(foot);
        // Beyond an end of the master: how far from it, never inside.
        const Eigen::Vector2d n = ends_at(master_, foot) ? from_foot.normalized() : normal_of(master_, foot);
        return Slope{n.dot(from_foot), n.dot(turn * slave_.tangent(s))};
      },
      range_of(slave_), "slave curve");

  const Eigen::Vector2d x = on_slave(deepest);
  const double foot = closest_place(x);
  if (ends_at(master_, foot)) return std::nullopt;
  const Eigen::Vector2d n = normal_of(master_, foot), p = master_.point(foot);
  const auto in_space = [&](const Eigen::Vector2d& X) { return master.to_space({X.x(), X.y(), 0}); };
  ClosestPoints points;
  points.on_master = in_space(p);
  points.on_slave = in_space(x);
  points.normal = master.axes.leftCols<2>() * n;
  points.gap = n.dot(x - p);
  return points;
}

}  // namespace locdyn
