#pragma once
// Where two surfaces are nearest to each other, or deepest in each other.

#include <optional>
#include <vector>

#include <locdyn/bodies/body_set.hpp>

namespace locdyn {

/// One pair of points, in space.
struct ClosestPoints {
  Eigen::Vector3d on_master = Eigen::Vector3d::Zero(), on_slave = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< of unit length, from the master out
  double gap = 0;                                     ///< normal·(on_slave − on_master) [m]; < 0 where they overlap
};

/// A pair of surfaces on two bodies, or on a body and in space. The slave moves; the master may be space.
class ClosestPointFinder {
 public:
  virtual ~ClosestPointFinder() = default;

  /// The slave's body, then the master's if it has one.
  [[nodiscard]] virtual std::vector<BodyId> bodies() const = 0;
  /// Takes hold of the bodies where they lie now. Throws std::invalid_argument.
  virtual void attach(const BodySet& bodies) = 0;
  /// At the configuration that holds now, a function of it alone; none where they are apart and how far is not needed.
  /// The points must be such that gap changes at the rate of their relative velocity along the normal: both normals are
  /// along it, or one of the points is the centre of a sphere but for its radius. Throws std::invalid_argument.
  [[nodiscard]] virtual std::optional<ClosestPoints> find(const BodySet& bodies) const = 0;
};

}  // namespace locdyn
