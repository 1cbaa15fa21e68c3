#include <locdyn/ldy/assembly/anchor_pair.hpp>

#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/kinematic_body.hpp>

namespace locdyn {
using namespace detail;

AnchorPair::AnchorPair(const Anchor& master, const Anchor& slave)
    : count_(master.body ? 2 : 1), master_(master.point), slave_(slave.point) {
  if (!slave.body) throw std::invalid_argument("slave: expected a body, found a point fixed in space");
  ids_[0] = *slave.body;
  if (master.body) ids_[1] = *master.body;
}

void AnchorPair::attach(const BodySet& bodies) {
  require_finite(slave_, "point on the slave");
  require_finite(master_, "point on the master");
  slave_ = kinematic(bodies, ids_[0]).to_body(slave_);
  if (count_ == 2) master_ = kinematic(bodies, ids_[1]).to_body(master_);
}

Eigen::Vector3d AnchorPair::master(const BodySet& bodies) const {
  return count_ == 2 ? bodies[ids_[1]].to_space(master_) : master_;
}

Eigen::Vector3d AnchorPair::slave(const BodySet& bodies) const {
  return bodies[ids_[0]].to_space(slave_);
}

MaterialMotion AnchorPair::relative(const BodySet& bodies) const {
  MaterialMotion motion = kinematic(bodies, ids_[0]).point_motion(slave_);
  const MaterialMotion from = count_ == 2 ? kinematic(bodies, ids_[1]).point_motion(master_)
                                          : MaterialMotion{master_, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  motion.value -= from.value;
  motion.velocity -= from.velocity;
  motion.bias -= from.bias;
  return motion;
}

void AnchorPair::evaluate(const BodySet& bodies, const Eigen::Matrix3d& frame, ConstraintKinematics& kinematics) const {
  kinematics.set_point(0, bodies, ids_[0], slave(bodies), frame, +1);
  if (count_ == 2) kinematics.set_point(0, bodies, ids_[1], master(bodies), frame, -1);
}

}  // namespace locdyn
