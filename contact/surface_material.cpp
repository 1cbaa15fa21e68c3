#include <locdyn/contact/surface_material.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

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

void check_compliance(const SurfaceMaterial& material) {
  if (!(material.stiffness > 0)) {
    throw std::invalid_argument("stiffness: expected a number > 0, found " + spelled(material.stiffness));
  }
  if (!(material.damping >= 0) || !std::isfinite(material.damping)) {
    throw std::invalid_argument("damping: expected a finite number >= 0, found " + spelled(material.damping));
  }
  if (!material.compliant()) {
    if (material.damping == 0) return;
    throw std::invalid_argument("damping: expected a stiffness beside it, found none");
  }
  if (material.restitution > 0) {
    throw std::invalid_argument("restitution: expected 0 beside a stiffness, which gives back what it stores, found " +
                                spelled(material.restitution));
  }
  if (material.rolls() || material.cross_friction) {
    throw std::invalid_argument(
        "stiffness: expected none beside rolling or torsional friction or friction along t2, found " +
        spelled(material.stiffness));
  }
}

}  // namespace

void validate(const SurfaceMaterial& material) {
  check_friction(material.friction, "friction");
  check_friction(material.rolling, "rolling friction");
  check_friction(material.torsional, "torsional friction");
  if (material.cross_friction) {
    check_friction(*material.cross_friction, "friction along t2");
    if (material.rolls()) {
      throw std::invalid_argument("friction along t2: expected none beside rolling or torsional friction, found " +
                                  spelled(*material.cross_friction));
    }
  }
  if (!(material.restitution >= 0 && material.restitution <= 1)) {
    throw std::invalid_argument("restitution: expected 0 <= e <= 1, found " + spelled(material.restitution));
  }
  check_compliance(material);
}

}  // namespace locdyn
