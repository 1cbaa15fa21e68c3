#pragma once
// A relative coordinate of bodies: one angle [rad] or length [m] between points of theirs. What is driven, limited and
// geared.

#include <functional>
#include <vector>

#include <locdyn/ldy/assembly/quantities/axis.hpp>

namespace locdyn {

class Coordinate {
 public:
  /// A quantity of the anchored points, in the order of the anchors.
  using Function = std::function<Quantity(const BodyQuantities&, std::span<const MaterialPoint>)>;
  /// What it measures.
  enum class Kind {
    length,
    angle,         ///< in a bounded range
    winding_angle  ///< full turns are counted
  };

  /// Throws std::invalid_argument where all anchors are points of one body, or of none.
  Coordinate(Kind kind, std::vector<Anchor> anchors, Function function);

  /// Else a length.
  [[nodiscard]] bool is_angle() const noexcept { return kind_ != Kind::length; }
  /// 1 where it counts turns, else 0.
  [[nodiscard]] std::size_t memory_size() const noexcept { return kind_ == Kind::winding_angle ? 1 : 0; }
  /// Each once.
  [[nodiscard]] const std::vector<BodyId>& bodies() const noexcept { return bodies_; }

  /// Finds the material points. Throws std::invalid_argument for a number that is not finite.
  void take_hold(const BodySet& bodies);
  /// Turns go on from entry `memory` of what `at` remembers. Throws std::invalid_argument where a vector that it needs
  /// is zero.
  [[nodiscard]] Quantity measure(const BodyQuantities& at, std::size_t memory) const;

 private:
  Kind kind_;
  std::vector<Anchor> anchors_;
  std::vector<BodyId> bodies_;
  std::vector<MaterialPoint> points_;
  Function function_;
};

/// Of both, each once.
[[nodiscard]] std::vector<BodyId> bodies_of(const Coordinate& a, const Coordinate& b);

// --- those of joints -------------------------------------------------------------------------------------------------

/// The angle by which the slave has turned about the master's axis since insertion, by the right hand, turns counted.
[[nodiscard]] Coordinate axis_angle(const Axis& master, const Axis& slave);
/// θ of a planar body: its turn about z since insertion, turns counted.
[[nodiscard]] Coordinate planar_angle(BodyId body);
/// d·a: how far the slave's point lies along the master's axis, from its point.
[[nodiscard]] Coordinate axis_displacement(const Axis& master, const Anchor& slave);

// --- those of vectors ------------------------------------------------------------------------------------------------

/// A vector from point to point, which need not belong to one body.
struct BodyVector {
  Anchor from, to;  ///< its ends
};
/// A direction carried by a body, through a point.
[[nodiscard]] BodyVector carried(std::optional<BodyId> body, const Eigen::Vector3d& direction,
                                 const Eigen::Vector3d& point = Eigen::Vector3d::Zero());
/// Three points.
struct BodyPlane {
  Anchor a, b, c;  ///< not on one line
};

/// Of the vector from one point to the other. The two may not coincide.
[[nodiscard]] Coordinate distance(const Anchor& from, const Anchor& to);
/// From a to b about `normal`, turns counted; −π … π at insertion. Regular at 0.
[[nodiscard]] Coordinate signed_angle(const BodyVector& a, const BodyVector& b,
                                      const BodyVector& normal = carried(std::nullopt, Eigen::Vector3d::UnitZ()));
/// 0 … π; where the vectors are parallel as in quantity.hpp.
[[nodiscard]] Coordinate unsigned_angle(const BodyVector& a, const BodyVector& b);
/// a·b/(‖a‖ ‖b‖): zero where they are perpendicular.
[[nodiscard]] Coordinate cosine(const BodyVector& a, const BodyVector& b);
/// Between the normals (b − a) × (c − a) of two planes, 0 … π.
[[nodiscard]] Coordinate plane_angle(const BodyPlane& p, const BodyPlane& q);

}  // namespace locdyn
