#include <locdyn/forces/function_force.hpp>

#include <stdexcept>
#include <utility>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/forces/held_point.hpp>

namespace locdyn {
using namespace detail;
namespace {

void require_finite_result(const Eigen::Vector3d& v, const char* what, double time) {
  if (v.allFinite()) return;
  throw std::invalid_argument(std::string(what) + ": expected finite numbers, found (" + spelled(v.x()) + ", " +
                              spelled(v.y()) + ", " + spelled(v.z()) + ") at t = " + spelled(time));
}

}  // namespace

FunctionForce::FunctionForce(const Anchor& at, Function function, std::string name)
    : anchor_(at), function_(std::move(function)), name_(std::move(name)), ids_(bodies_of({&at, 1})) {
  if (!function_) throw std::invalid_argument(name_ + ": expected a function, found none");
}

void FunctionForce::attach(const BodySet& bodies) {
  point_ = material_point(bodies, anchor_, "point");
}

Wrench FunctionForce::evaluate(const BodySet& bodies, const MaterialMotion& point) const {
  const Body& body = bodies[ids_[0]];
  PointJacobian H(3, body.freedoms());
  body.spin_jacobian(Eigen::Matrix3d::Identity(), H);
  const Wrench wrench = function_({bodies.time(), point.value, point.velocity, H * body.velocity()});
  require_finite_result(wrench.force, "force", bodies.time());
  require_finite_result(wrench.torque, "torque", bodies.time());
  return wrench;
}

void FunctionForce::add_to(BodySet& bodies) {
  const MaterialMotion point = motion_of(bodies, point_);
  const Wrench wrench = evaluate(bodies, point);
  Body& body = bodies[ids_[0]];
  body.add_force(wrench.force, point.value);
  if (wrench.torque.isZero(0)) return;
  if (dynamic_cast<const Particle*>(&body) != nullptr) {
    throw std::invalid_argument("torque: expected none on a particle, found (" + spelled(wrench.torque.x()) + ", " +
                                spelled(wrench.torque.y()) + ", " + spelled(wrench.torque.z()) + ")");
  }
  body.add_torque(wrench.torque);
}

}  // namespace locdyn
