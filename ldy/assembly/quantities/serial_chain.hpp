#pragma once
// Hinges and slides one after the other between two bodies, with nothing that has mass between them: the hip of a robot
// with three axes, say. Each axis is carried by those before it.
//
// The frames between the hinges have no body of their own; they are found in closed form from the two bodies. With
// hinges a₁ … a_K (K ≤ 3), a₁ is a direction of the master, a_K one of the slave, and of three hinges the middle one
// keeps its angles to both:
//
//   a₂ = λ a₁ + μ a₃ ± ν a₁ × a₃,   a₂·a₁ and a₂·a₃ constant, the sign that of the start
//
// A vector that is fixed between hinges i and i + 1 is a constant combination of a_i, a_{i+1} and a_i × a_{i+1}. So
//
//   D = x_slave(p_K) − x_master(p₁) − Σ (p_{i+1} − p_i)   is what the slides have moved,
//
// and every angle is one between two such directions about an axis: no iteration, and the derivatives follow.

#include <optional>
#include <vector>

#include <locdyn/ldy/assembly/quantities/coordinate.hpp>

namespace locdyn {

/// One axis of a chain, in space where it lies at start.
struct SerialAxis {
  bool turns = true;                                     ///< about it; else slides along it
  Eigen::Vector3d point = Eigen::Vector3d::Zero();       ///< that it goes through [m]
  Eigen::Vector3d direction = Eigen::Vector3d::UnitZ();  ///< of any length > 0
};

class SerialChain {
 public:
  /// From the master, or space, to the slave: at most three hinges and three slides. Throws std::invalid_argument for
  /// none, for more, for a number that is not finite or a direction of length 0, and where two hinges in succession
  /// are parallel, or three hinges or the slides do not span as many directions as they are.
  SerialChain(std::optional<BodyId> master, BodyId slave, std::vector<SerialAxis> axes);

  /// How many.
  [[nodiscard]] std::size_t size() const noexcept { return axes_.size(); }
  [[nodiscard]] std::size_t hinges() const noexcept { return turn_.size(); }
  [[nodiscard]] bool turns(std::size_t i) const { return axes_.at(i).turns; }
  [[nodiscard]] std::size_t slides() const noexcept { return slide_.size(); }
  [[nodiscard]] std::optional<BodyId> master() const noexcept { return master_; }
  [[nodiscard]] BodyId slave() const noexcept { return slave_; }

  /// The points that everything here is measured from: an origin and three points one unit from it, of each body.
  [[nodiscard]] std::vector<Anchor> anchors() const;
  /// The coordinate of the i-th axis, 0 at start; an angle within −π … π. Throws std::invalid_argument where three
  /// hinges lie in one plane, where their angles have no rate.
  [[nodiscard]] Quantity coordinate(const BodyQuantities& at, std::span<const MaterialPoint> points,
                                    std::size_t i) const;
  /// What stays zero: 3 − slides lengths, then 3 − hinges angles.
  struct Rows {
    std::vector<Quantity> lengths, angles;  ///< of those kinds
  };
  /// Those where the bodies are. Throws as `coordinate` does.
  [[nodiscard]] Rows rows(const BodyQuantities& at, std::span<const MaterialPoint> points) const;

 private:
  struct Moment;  // all directions at one instant

  std::optional<BodyId> master_;
  BodyId slave_;
  std::vector<SerialAxis> axes_;           // directions of unit length
  std::vector<std::size_t> turn_, slide_;  // which of the axes are hinges, and slides
  double side_ = 1;                        // of a₂ to a₁ × a₃
};

/// The coordinate of the i-th axis of a chain, turns of hinges counted. Throws std::out_of_range.
[[nodiscard]] Coordinate serial_coordinate(const SerialChain& chain, std::size_t i);

}  // namespace locdyn
