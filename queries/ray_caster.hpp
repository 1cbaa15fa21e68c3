#pragma once
// Rays against the shapes of a System, between steps: what a sensor, a camera or a foot that looks for ground asks.

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <locdyn/simulation/system.hpp>

namespace locdyn {

/// From `origin` along `direction`, as far as `reach`.
struct Ray {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();        ///< in space [m]
  Eigen::Vector3d direction = Eigen::Vector3d::UnitX();    ///< in space, of any length but 0
  double reach = std::numeric_limits<double>::infinity();  ///< [m] ≥ 0
};

/// Which shapes a query looks at: all of them unless something is said.
struct QueryFilter {
  std::uint32_t groups = 0xffffffffu;  ///< bits: shapes of one of these groups (`Collider::groups`)
  BodyId without{0xffffffffu};         ///< not those of this body: its own sensor, say
};

/// Where a ray enters a shape. A ray that begins inside a solid meets it there: distance 0, the normal against the ray.
/// A plane is its whole half-space; meshes and height fields are surfaces, met from either side.
struct RayHit {
  double distance = 0;     ///< from the ray's origin [m]
  Eigen::Vector3d point;   ///< in space [m]
  Eigen::Vector3d normal;  ///< of the surface, a unit vector towards the ray's side
  ColliderId collider;     ///< what was met
  BodyId body;             ///< on which it is
};

class RayCaster {
 public:
  /// Shapes as they lie now. `system` outlives it. Cost: O(n log n) for n shapes, and of meshes, height fields and
  /// hulls for their triangles. Throws std::invalid_argument where a body lies at no finite place, std::logic_error
  /// while a step runs in another thread.
  explicit RayCaster(const System& system);
  ~RayCaster();
  RayCaster(RayCaster&&) noexcept;
  RayCaster& operator=(RayCaster&&) noexcept;

  /// Shapes as they lie now, after steps or changes of the system. Errors as of the constructor; cost: O(n log n) for n
  /// shapes.
  void update();

  /// The first shape that the ray meets, of several at one distance the one of least id. Throws std::invalid_argument
  /// where a number is not finite, the direction is 0 or the reach is negative. Cost: O(log n) as a rule.
  [[nodiscard]] std::optional<RayHit> first(const Ray& ray, const QueryFilter& filter = {}) const;
  /// Every shape that the ray meets, each where the ray enters it first, by distance.
  [[nodiscard]] std::vector<RayHit> all(const Ray& ray, const QueryFilter& filter = {}) const;
  /// `first` of many rays, on so many threads: the same bits on any number. Throws std::invalid_argument naming the
  /// first ray at fault, or where there are fewer than one thread.
  [[nodiscard]] std::vector<std::optional<RayHit>> first_of_each(std::span<const Ray> rays, int threads = 1,
                                                                 const QueryFilter& filter = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace locdyn
