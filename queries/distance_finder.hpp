#pragma once
// How far shapes are from each other and from what is not in the system, what overlaps, what a moved shape runs into:
// between steps, for planners, grippers and sensors.

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <locdyn/queries/ray_caster.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn {

/// A solid shape asked about; it belongs to no system.
struct Probe {
  Shape shape = Sphere{};                              ///< in its own coordinates
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of the shape's origin, in space [m]
  Orientation orientation = Orientation::Identity();   ///< from the shape to space
};

/// Two shapes, apart or in overlap: on_second = on_first + distance · normal. In overlap the distance is minus the
/// depth, the least way that parts them. A plane is its whole half-space. Meshes and height fields are surfaces with
/// nothing behind them: what crosses one has the depth of the triangle that it crosses deepest.
struct Separation {
  double distance = 0;                  ///< [m]
  Eigen::Vector3d normal;               ///< a unit vector, from the first to the second
  Eigen::Vector3d on_first, on_second;  ///< the witness points, in space [m]
  ColliderId collider;                  ///< the second
  BodyId body;                          ///< on which it is
};

/// A shape that is moved without turning.
struct Sweep {
  Probe probe;                                             ///< where it starts
  Eigen::Vector3d direction = Eigen::Vector3d::UnitX();    ///< in space, of any length but 0
  double reach = std::numeric_limits<double>::infinity();  ///< [m] ≥ 0
};

class DistanceFinder {
 public:
  /// Shapes as they lie now. `system` outlives it. Cost: O(n log n) for n shapes and for the triangles of meshes and
  /// height fields. Throws std::invalid_argument where a body lies at no finite place, std::logic_error while a step
  /// runs in another thread.
  explicit DistanceFinder(const System& system);
  ~DistanceFinder();
  DistanceFinder(DistanceFinder&&) noexcept;
  DistanceFinder& operator=(DistanceFinder&&) noexcept;

  /// Shapes as they lie now, after steps or changes of the system. Errors as of the constructor; cost: O(n log n).
  void update();

  /// Between two shapes of the system. Throws std::invalid_argument where one is not in it, both are the same one or
  /// both are planes. Cost: some 20 times the corners of both; with a surface O(log n) of that as a rule.
  [[nodiscard]] Separation between(ColliderId first, ColliderId second) const;
  /// `between` of many pairs, on so many threads: the same bits on any number. Throws as it, naming the pair; and where
  /// there are fewer than one thread.
  [[nodiscard]] std::vector<Separation> between_each(std::span<const std::pair<ColliderId, ColliderId>> pairs,
                                                     int threads = 1) const;

  /// The shape that is nearest to a point, or to a probe, if one is no farther than `reach`: least distance first, then
  /// least id. The point, the probe, is the first of the separation. Throws std::invalid_argument where a number is not
  /// finite, the reach is negative, the probe's shape is not valid or not solid, its quaternion not of unit length to
  /// 1e-6. Cost: O(log n) separations as a rule.
  [[nodiscard]] std::optional<Separation> nearest(const Eigen::Vector3d& point, double reach,
                                                  const QueryFilter& filter = {}) const;
  [[nodiscard]] std::optional<Separation> nearest(const Probe& probe, double reach,
                                                  const QueryFilter& filter = {}) const;
  /// `nearest` of many, on so many threads: the same bits on any number. Throws as it, naming the first at fault.
  [[nodiscard]] std::vector<std::optional<Separation>> nearest_of_each(std::span<const Eigen::Vector3d> points,
                                                                       double reach, int threads = 1,
                                                                       const QueryFilter& filter = {}) const;
  [[nodiscard]] std::vector<std::optional<Separation>> nearest_of_each(std::span<const Probe> probes, double reach,
                                                                       int threads = 1,
                                                                       const QueryFilter& filter = {}) const;
  /// All shapes no farther than `reach` from the probe, by distance; with reach 0 those that touch or overlap it.
  /// Throws as `nearest`.
  [[nodiscard]] std::vector<Separation> within(const Probe& probe, double reach, const QueryFilter& filter = {}) const;

  /// The first shape that the moved probe touches: how far it has come then, where they touch, the normal of what was
  /// met, towards the probe; distance 0 where they overlap at the start. Throws as `nearest`, and for a direction of
  /// length 0. Cost: O(log n) times some ten separations as a rule.
  [[nodiscard]] std::optional<RayHit> sweep(const Sweep& sweep, const QueryFilter& filter = {}) const;
  /// `sweep` of many, on so many threads: the same bits on any number. Throws as it, naming the first at fault.
  [[nodiscard]] std::vector<std::optional<RayHit>> sweep_each(std::span<const Sweep> sweeps, int threads = 1,
                                                              const QueryFilter& filter = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace locdyn
