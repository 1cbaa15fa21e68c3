#pragma once
// A driven coordinate of a mechanism: x(q) − s = 0 with s [rad or m] set from outside, ṡ and s̈ with it. As a constraint
// it is a prescribed coordinate; here its row is given per unit of s.

#include <memory>
#include <string>

#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>

namespace locdyn {

/// Where a driven coordinate is to be, and how it moves there.
struct DriveMotion {
  double value = 0;         ///< s [rad or m]
  double rate = 0;          ///< ṡ [1/s of it]
  double acceleration = 0;  ///< s̈ [1/s² of it]
};

class MechanismDrive {
 public:
  /// Takes hold of the coordinate where the bodies are now, and asks for the value that it has there. Throws
  /// std::invalid_argument as `Prescribed` does.
  MechanismDrive(Coordinate coordinate, const BodySet& bodies, std::string name);

  /// Empty where it was given none.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// x − s = 0.
  [[nodiscard]] Prescribed& constraint() noexcept { return constraint_; }
  [[nodiscard]] const Prescribed& constraint() const noexcept { return constraint_; }
  /// Its row is `length()` times x − s [m]: 1 where the coordinate is a length.
  [[nodiscard]] double length() const noexcept { return constraint_.length(); }

  /// What is asked of it.
  [[nodiscard]] const DriveMotion& motion() const noexcept { return *motion_; }
  void set_motion(const DriveMotion& motion) noexcept { *motion_ = motion; }
  /// x(q) now, turns counted [rad or m].
  [[nodiscard]] double value(const BodySet& bodies) const;

 private:
  std::string name_;
  std::unique_ptr<DriveMotion> motion_;  // read by the constraint, wherever this object moves
  Prescribed constraint_;
};

}  // namespace locdyn
