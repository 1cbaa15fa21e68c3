#include <locdyn/ldy/assembly/quantities/relative_placement.hpp>

#include <Eigen/Geometry>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/rotation.hpp>

namespace locdyn {
using namespace detail;

RelativePlacement::RelativePlacement(const Anchor& master, const Anchor& slave, const Eigen::Vector3d& rest)
    : given_master_(master), given_slave_(slave), rest_(rest) {
  if (master.body == slave.body) {
    throw std::invalid_argument("points: expected those of two bodies, found both on " +
                                (slave.body ? "body " + std::to_string(*slave.body) : std::string("none")));
  }
  if (!rest.allFinite()) throw std::invalid_argument("rest: expected finite numbers, found another");
  for (const Anchor* anchor : {&slave, &master}) {
    if (anchor->body) bodies_.push_back(*anchor->body);
  }
}

void RelativePlacement::take_hold(const BodySet& bodies) {
  master_ = material_point(bodies, given_master_, "point on the master");
  slave_ = material_point(bodies, given_slave_, "point on the slave");
  const Eigen::Matrix3d back = exponential_matrix(rest_).transpose();
  for (int i = 0; i < 3; ++i) {
    master_axes_[i] = material_direction(bodies, given_master_.body, Eigen::Vector3d::Unit(i), "axis of the master");
    slave_axes_[i] = material_direction(bodies, given_slave_.body, back.col(i), "axis of the slave");
  }
}

Eigen::Vector3d RelativePlacement::displacement(const BodyQuantities& at) const {
  return at.point(slave_).value - at.point(master_).value;
}

VectorRate RelativePlacement::velocity(const BodyQuantities& at) const {
  const VectorQuantity d = at.point(slave_) - at.point(master_);
  return static_cast<const VectorRate&>(d) - cross(at.spin(given_master_.body), d);
}

Eigen::Vector3d RelativePlacement::rotation(const BodyQuantities& at) const {
  Eigen::Matrix3d turned = Eigen::Matrix3d::Zero();  // from rest to now, in space
  for (int i = 0; i < 3; ++i) {
    turned += at.direction(slave_axes_[i]).value * at.direction(master_axes_[i]).value.transpose();
  }
  const Eigen::AngleAxisd turn(Eigen::Quaterniond(turned).normalized());
  return turn.angle() * turn.axis();
}

VectorRate RelativePlacement::spin(const BodyQuantities& at) const {
  return at.spin(given_slave_.body) - at.spin(given_master_.body);
}

}  // namespace locdyn
