#include <locdyn/ldy/assembly/constraints/driven/compliant_drive.hpp>

#include <utility>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;

CompliantDrive::CompliantDrive(Coordinate coordinate, const SpringProperties& properties, double rest,
                               std::function<double(double)> effort)
    : Joint(coordinate.bodies(), coordinate.memory_size()),
      coordinate_(std::move(coordinate)),
      properties_(properties),
      rest_(rest),
      effort_(std::move(effort)) {
  validate(properties);
  require_finite(rest, "rest");
}

void CompliantDrive::take_hold(const BodySet& bodies) {
  coordinate_.take_hold(bodies);
}

void CompliantDrive::measure(const BodyQuantities& at, JointRows& rows) const {
  const Quantity x = coordinate_.measure(at, 0) - rest_;
  coordinate_.is_angle() ? rows.angle(x) : rows.length(x);
}

void CompliantDrive::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  Joint::evaluate(bodies, kinematics);
  Eigen::Vector3d error;
  position_error(bodies, {&error, 1});
  stretch_ = error[2];
  if (!effort_) return;
  push_ = effort_(bodies.time());
  require_finite(push_, "effort");
}

Law CompliantDrive::law(double h, std::span<const Eigen::Vector3d> V) const {
  const double scale = coordinate_.is_angle() ? length() : 1;
  const double k = properties_.stiffness / (scale * scale), c = properties_.damping / (scale * scale);
  const double compliance = 1 / (0.5 * h * k + c);
  Law law = Joint::law(h, V);
  auto& row = std::get<BilateralLaw>(law).block[0];
  row.compliance[2] = compliance;
  row.shift[2] = compliance * (k * stretch_ - push_ / scale);
  return law;
}

}  // namespace locdyn
