#include <locdyn/forces/point_spring_damper.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/forces/held_point.hpp>

namespace locdyn {
using namespace detail;

PointSpringDamper::PointSpringDamper(const Anchor& first, const Anchor& second, const SpringProperties& properties,
                                     std::optional<double> rest_length)
    : anchors_{first, second}, properties_(properties), rest_length_(rest_length), ids_(bodies_of(anchors_)) {
  validate(properties);
  if (first.body == second.body) {
    throw std::invalid_argument("points: expected those of two bodies, found both on body " +
                                std::to_string(*first.body));
  }
  if (rest_length_ && !(*rest_length_ >= 0 && std::isfinite(*rest_length_))) {
    throw std::invalid_argument("rest length: expected a finite number >= 0, found " + spelled(*rest_length_));
  }
}

void PointSpringDamper::attach(const BodySet& bodies) {
  first_ = material_point(bodies, anchors_[0], "first point");
  second_ = material_point(bodies, anchors_[1], "second point");
  if (!rest_length_) rest_length_ = length(bodies);
}

double PointSpringDamper::length(const BodySet& bodies) const {
  return (motion_of(bodies, second_).value - motion_of(bodies, first_).value).norm();
}

PointSpringDamper::Line PointSpringDamper::line(const BodySet& bodies) const {
  const MaterialMotion from = motion_of(bodies, first_), to = motion_of(bodies, second_);
  const Eigen::Vector3d along = to.value - from.value, velocity = to.velocity - from.velocity;
  Line line{from.value, to.value, Eigen::Vector3d::Zero(), along.stableNorm(), 0};
  if (line.length > 0) {
    line.n = (along / line.length).normalized();
  } else if (*rest_length_ == 0) {
    line.n = velocity.stableNormalized();  // along which it is about to grow; none at rest, where nothing acts
  } else {
    throw std::invalid_argument("length: expected ends apart where the rest length is " + spelled(*rest_length_) +
                                ", found both at (" + spelled(from.value.x()) + ", " + spelled(from.value.y()) + ", " +
                                spelled(from.value.z()) + ")");
  }
  line.rate = line.n.dot(velocity);
  return line;
}

void PointSpringDamper::add_to(BodySet& bodies) {
  const Line l = line(bodies);
  const double tension = properties_.stiffness * (l.length - *rest_length_) + properties_.damping * l.rate;
  add_force(bodies, second_.body, -tension * l.n, l.to);
  add_force(bodies, first_.body, tension * l.n, l.from);
}

double PointSpringDamper::potential_energy(const BodySet& bodies) const {
  const double elongation = length(bodies) - *rest_length_;
  return 0.5 * properties_.stiffness * elongation * elongation;
}

double PointSpringDamper::dissipated_power(const BodySet& bodies) const {
  if (properties_.damping == 0) return 0;
  const double rate = line(bodies).rate;
  return properties_.damping * rate * rate;
}

}  // namespace locdyn
