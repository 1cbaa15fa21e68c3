#pragma once
// Two curves in the plane, each carried by a body: the point of the slave that lies deepest in the master, or nearest
// to it, and the point of the master closest to that. There both normals lie along one line:
//
//   gap = min over s₂ of d(P₂(s₂)),   d(x) = (x − P₁(s₁))·n₁(s₁),   s₁ the closest point of the master to x
//
// a function of the configuration alone, found anew each time. It is smooth while overlaps are small against the radii
// of curvature; where two places are equally deep, only one is felt.

#include <functional>

#include <locdyn/forces/penalty/carried_plane.hpp>
#include <locdyn/forces/penalty/closest_points.hpp>

namespace locdyn {

/// P(s) and P′(s) for s in [low, high], in coordinates that are those of space (x, y) when the contact is added. The
/// body is on the left of travel: closed curves run anticlockwise about it.
struct PlanarCurve {
  std::function<Eigen::Vector2d(double)> point;    ///< [m]
  std::function<Eigen::Vector2d(double)> tangent;  ///< P′, not 0
  double low = 0, high = 1;                        ///< of s; low < high
  bool closed = true;                              ///< P(high) = P(low), and both go on beyond as before: periodic
  int samples = 64;                                ///< ≥ 4; a bend sharper than their distance may be missed
};
/// An ellipse with half-axes along x and y; a circle where they are equal. Throws std::invalid_argument.
[[nodiscard]] PlanarCurve ellipse_curve(const Eigen::Vector2d& center, const Eigen::Vector2d& half_axes);

class CurvePair final : public ClosestPointFinder {
 public:
  /// A curve and who carries it; the master may be space. Throws std::invalid_argument for functions that are missing
  /// or return what is not finite, a range or samples without meaning, one body for both, a body that deforms.
  CurvePair(PlanarCurve master, std::optional<BodyId> master_body, PlanarCurve slave, BodyId slave_body);

  [[nodiscard]] std::vector<BodyId> bodies() const override;
  void attach(const BodySet& bodies) override;
  /// None where the curves are far apart (the circles about them are), or the closest point of the master is an end of
  /// it. Cost: the product of the samples in distances, and some 10 evaluations of the master for each sample of the
  /// slave: about 0.15 ms.
  [[nodiscard]] std::optional<ClosestPoints> find(const BodySet& bodies) const override;

 private:
  struct Circle {
    Eigen::Vector3d center = Eigen::Vector3d::Zero();
    double radius = 0;
  };
  [[nodiscard]] static Circle circle_about(const PlanarCurve& curve);
  [[nodiscard]] double closest_place(const Eigen::Vector2d& x) const;

  PlanarCurve master_, slave_;
  CarriedPlane master_plane_, slave_plane_;
  Circle master_circle_, slave_circle_;
  std::vector<Eigen::Vector2d> master_samples_;
};

}  // namespace locdyn
