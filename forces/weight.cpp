#include <locdyn/forces/weight.hpp>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/forces/held_point.hpp>

namespace locdyn {
using namespace detail;

Weight::Weight(const Anchor& at, double mass, const Eigen::Vector3d& gravity)
    : anchor_(at), force_(mass * gravity), ids_(bodies_of({&at, 1})) {
  require_positive(mass, "mass");
  require_finite(gravity, "gravity");
}

void Weight::attach(const BodySet& bodies) {
  point_ = material_point(bodies, anchor_, "point");
}

void Weight::add_to(BodySet& bodies) {
  add_force(bodies, point_.body, force_, motion_of(bodies, point_).value);
}

double Weight::potential_energy(const BodySet& bodies) const {
  return -force_.dot(motion_of(bodies, point_).value);
}

}  // namespace locdyn
