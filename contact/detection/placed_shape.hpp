#pragma once
// A shape where it lies in space, in the form that the narrow phase wants; and the contact of any two.

#include <memory>
#include <variant>
#include <vector>

#include <locdyn/contact/shape.hpp>

#include "broad_phase.hpp"
#include "convex_pair.hpp"
#include "cylinder.hpp"
#include "half_space.hpp"
#include "polytope.hpp"
#include "surface.hpp"

namespace locdyn::detection {

class PlacedShape {
 public:
  /// A valid shape.
  explicit PlacedShape(const Shape& shape);

  /// rotation and translation take the coordinates of the shape to space.
  void place(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& translation);

  [[nodiscard]] Bounds bounds() const;

  /// Appends the contact points of two shapes that lie within `reach`: in space, normal
  /// from `first` to `second`.
  static void collide(const PlacedShape& first, const PlacedShape& second, double reach,
                      std::vector<PairPoint>& points);

 private:
  std::variant<PosedPolytope, PosedCylinder, HalfSpace, PosedSurface> form_;
  std::shared_ptr<const Polytope> polytope_;
  std::shared_ptr<const Surface> surface_;
};

}  // namespace locdyn::detection
