#include <locdyn/contact/surface_material.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/contact/elliptic_cone.hpp>

namespace locdyn {
using namespace detail;

namespace {

void check_friction(double value, const char* name) {
  if (!(value >= 0) || !std::isfinite(value)) {
    throw std::invalid_argument(std::string(name) + ": expected a finite number >= 0, found " + spelled(value));
  }
  if (value > kLargestFriction) {
    throw std::invalid_argument(std::string(name) + ": expected at most 1e6, found " + spelled(value));
  }
}

constexpr double kEdgeOfCone = 1e-6;  // how close to μ R_n a reaction on the cone's edge is

// Infinite where it does not give way.
void check_stiffness(double value, const char* name) {
  if (!(value > 0)) {
    throw std::invalid_argument(std::string(name) + ": expected a number > 0, found " + spelled(value));
  }
  if (value > kLargestStiffness && std::isfinite(value)) {
    throw std::invalid_argument(std::string(name) + ": expected at most 1e18, or none where it is hard, found " +
                                spelled(value));
  }
}

void check_damping(double value, const char* name) {
  if (!(value >= 0) || !std::isfinite(value)) {
    throw std::invalid_argument(std::string(name) + ": expected a finite number >= 0, found " + spelled(value));
  }
  if (value > kLargestStiffness) {
    throw std::invalid_argument(std::string(name) + ": expected at most 1e18, found " + spelled(value));
  }
}

void check_compliance(const SurfaceMaterial& material) {
  check_stiffness(material.stiffness, "stiffness");
  check_stiffness(material.hertz_stiffness, "hertz stiffness");
  check_stiffness(material.tangential_stiffness, "tangential stiffness");
  check_damping(material.damping, "damping");
  check_damping(material.tangential_damping, "tangential damping");
  if (!material.gives_tangentially() && material.tangential_damping > 0) {
    throw std::invalid_argument("tangential damping: expected a tangential stiffness beside it, found none");
  }
  if (!material.compliant()) {
    if (material.gives_tangentially()) {
      throw std::invalid_argument("tangential stiffness: expected a stiffness along the normal beside it, found none");
    }
    if (material.damping == 0) return;
    throw std::invalid_argument("damping: expected a stiffness beside it, found none");
  }
  if (material.restitution > 0) {
    throw std::invalid_argument("restitution: expected 0 beside a stiffness, which gives back what it stores, found " +
                                spelled(material.restitution));
  }
  if (material.rolls() || material.cross_friction) {
    throw std::invalid_argument("stiffness: expected none beside rolling, torsional or cross friction, found " +
                                spelled(std::min(material.stiffness, material.hertz_stiffness)));
  }
}

}  // namespace

void validate(const SurfaceMaterial& material) {
  check_friction(material.friction, "friction");
  check_friction(material.rolling, "rolling friction");
  check_friction(material.torsional, "torsional friction");
  if (material.cross_friction) {
    check_friction(*material.cross_friction, "cross friction");
    if (material.rolls()) {
      throw std::invalid_argument("cross friction: expected none beside rolling or torsional friction, found " +
                                  spelled(*material.cross_friction));
    }
  }
  if (!(material.restitution >= 0 && material.restitution <= 1)) {
    throw std::invalid_argument("restitution: expected 0 <= e <= 1, found " + spelled(material.restitution));
  }
  check_compliance(material);
}

bool on_edge_of_cone(const SurfaceMaterial& material, const Eigen::Vector3d& R) noexcept {
  if (!material.cross_friction) {
    return R.head<2>().norm() >= (1 - kEdgeOfCone) * material.friction * R[2];
  }
  // In the scaled axes in which the ellipse is a circle; nothing pulls along one without friction.
  const Eigen::Array2d friction(material.friction, *material.cross_friction);
  const double largest = friction.maxCoeff();
  const Eigen::Array2d scaled =
      (friction < elliptic::kNoFriction).select(0, R.head<2>().array() * (largest / friction));
  return scaled.matrix().norm() >= (1 - kEdgeOfCone) * largest * R[2];
}

}  // namespace locdyn
