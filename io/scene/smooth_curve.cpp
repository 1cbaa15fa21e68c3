#include <locdyn/io/scene/smooth_curve.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn::scene_format {
using namespace locdyn::detail;

SmoothCurve::SmoothCurve(std::vector<Eigen::Vector2d> points) : points_(std::move(points)) {
  if (points_.size() < 2) {
    throw std::invalid_argument("points: expected at least 2, found " + std::to_string(points_.size()));
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    require_finite(points_[i], "point");
    if (i > 0 && !(points_[i].x() > points_[i - 1].x())) {
      throw std::invalid_argument("points: expected x ascending, found " + spelled(points_[i].x()) + " after " +
                                  spelled(points_[i - 1].x()));
    }
  }
  // A weighted harmonic mean of the slopes to either side where both rise or both fall, else level; at an end that of
  // its piece.
  const auto slope_after = [this](std::size_t i) {
    const Eigen::Vector2d piece = points_[i + 1] - points_[i];
    return piece.y() / piece.x();
  };
  slopes_.assign(points_.size(), 0.0);
  slopes_.front() = slope_after(0);
  slopes_.back() = slope_after(points_.size() - 2);
  for (std::size_t i = 1; i + 1 < points_.size(); ++i) {
    const double left = slope_after(i - 1), right = slope_after(i);
    if (!(left * right > 0)) continue;
    const double before = points_[i].x() - points_[i - 1].x(), after = points_[i + 1].x() - points_[i].x();
    const double share = (before + 2 * after) / (3 * (before + after));
    slopes_[i] = left * right / (share * right + (1 - share) * left);
  }
}

SmoothCurve::Value SmoothCurve::at(double x) const {
  const Eigen::Vector2d &first = points_.front(), &last = points_.back();
  if (!(x > first.x())) return {first.y() + (x - first.x()) * slopes_.front(), slopes_.front()};
  if (!(x < last.x())) return {last.y() + (x - last.x()) * slopes_.back(), slopes_.back()};
  const auto right = std::upper_bound(points_.begin(), points_.end(), x,
                                      [](double place, const Eigen::Vector2d& point) { return place < point.x(); });
  const auto i = static_cast<std::size_t>(right - points_.begin());
  // Hermite's cubic on [x₀, x₀ + w], s = (x − x₀)/w.
  const double w = points_[i].x() - points_[i - 1].x(), s = (x - points_[i - 1].x()) / w, rest = 1 - s;
  const double y0 = points_[i - 1].y(), y1 = points_[i].y(), m0 = slopes_[i - 1], m1 = slopes_[i];
  Value found{};
  found.value = rest * rest * ((1 + 2 * s) * y0 + s * w * m0) + s * s * ((1 + 2 * rest) * y1 - rest * w * m1);
  found.slope = 6 * s * rest * (y1 - y0) / w + rest * (1 - 3 * s) * m0 + s * (3 * s - 2) * m1;
  return found;
}

}  // namespace locdyn::scene_format
