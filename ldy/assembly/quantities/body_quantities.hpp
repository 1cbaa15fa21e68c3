#pragma once
// The quantities that all others are made of: material points and directions of bodies, points and directions that stay
// in space, spins, functions of time. And the order of the velocities that H runs over.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/ldy/assembly/anchor_pair.hpp>
#include <locdyn/ldy/assembly/quantities/quantity.hpp>

namespace locdyn {

/// A function of time t [s] with its first two derivatives.
struct TimeFunction {
  std::function<double(double)> value, first, second;  ///< f, f′ and f″
};
/// One that stays at `value`; one that is `start` at t = 0 and grows by `rate` a second.
[[nodiscard]] TimeFunction constant_function(double value);
[[nodiscard]] TimeFunction linear_function(double start, double rate);

/// A material point: in space where no body carries it.
struct MaterialPoint {
  std::optional<BodyId> body;                   ///< none: space
  Eigen::Vector3d X = Eigen::Vector3d::Zero();  ///< body coordinates, or space [m]
};
/// A material direction.
struct MaterialDirection {
  std::optional<BodyId> body;                    ///< none: space
  Eigen::Vector3d D = Eigen::Vector3d::UnitZ();  ///< body axes, or space
};
/// What lies there now, `direction` of unit length from then on. Throw std::invalid_argument naming `what` for a number
/// that is not finite, or a direction of length 0.
[[nodiscard]] MaterialPoint material_point(const BodySet& bodies, const Anchor& anchor, const char* what);
[[nodiscard]] MaterialDirection material_direction(const BodySet& bodies, std::optional<BodyId> body,
                                                   const Eigen::Vector3d& direction, const char* what);

/// The bodies of one constraint at the configuration, velocities and time that hold now.
class BodyQuantities {
 public:
  /// `memory` holds the angles that were last found, to be gone on from.
  BodyQuantities(const BodySet& bodies, std::span<const BodyId> ids, std::span<const double> memory = {});

  /// Where it is, or points, in space now.
  [[nodiscard]] VectorQuantity point(const MaterialPoint& p) const;
  [[nodiscard]] VectorQuantity direction(const MaterialDirection& d) const;
  /// from → to: of one body a material direction, without loss of digits where it lies far from the origin.
  [[nodiscard]] VectorQuantity between(const MaterialPoint& from, const MaterialPoint& to) const;
  /// ω in space [rad/s]; zero without a body. Throws std::invalid_argument for a body that deforms, which has no one
  /// spin.
  [[nodiscard]] VectorRate spin(std::optional<BodyId> body) const;
  /// The one coordinate of a MasslessCoordinate or a Rotor.
  [[nodiscard]] Quantity coordinate(BodyId body) const;
  /// f(t) at the bodies' time.
  [[nodiscard]] Quantity at_time(const TimeFunction& f) const;
  [[nodiscard]] VectorQuantity constant(const Eigen::Vector3d& v) const;  ///< One that nothing changes.

  /// The angle as it goes on from entry `k` of the memory: of all that differ by full turns the nearest.
  [[nodiscard]] Quantity unwound(Quantity angle, std::size_t k) const;
  /// The memory with what `unwound` has found since.
  [[nodiscard]] const std::vector<double>& found() const noexcept { return found_; }

  /// N, of all its bodies.
  [[nodiscard]] Eigen::Index freedoms() const noexcept { return first_.back(); }
  /// First column of the k-th body.
  [[nodiscard]] Eigen::Index first(std::size_t k) const noexcept { return first_[k]; }

 private:
  [[nodiscard]] Eigen::Index first_of(BodyId body) const;

  const BodySet& bodies_;
  std::span<const BodyId> ids_;
  std::vector<Eigen::Index> first_;  // one more at the end
  std::span<const double> memory_;
  mutable std::vector<double> found_;
};

}  // namespace locdyn
