#include <locdyn/io/scene/check_force.hpp>

#include <limits>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn::scene_format {
namespace {

struct BodiesOfForce {
  ForceBodies operator()(const SceneSpringForce&) const { return {1, 2, false}; }
  ForceBodies operator()(const SceneTorsionSpring&) const { return {1, 2, true}; }
  ForceBodies operator()(const SceneWeight&) const { return {1, 1, false}; }
  ForceBodies operator()(const SceneWheelContact&) const { return {1, 2, false}; }
  ForceBodies operator()(const SceneRotatingFrame&) const {
    return {0, std::numeric_limits<std::size_t>::max(), false};
  }
};

struct ForceChecker {
  const SceneForce& force;
  ReadContext& context;

  void fault(const std::string& key, const std::string& expected, const std::string& found) const {
    context.fault(force.place + key, expected, found);
  }
  void law(double stiffness, double damping) const {
    if (!(stiffness + damping > 0)) fault("", "stiffness or damping > 0", "both zero");
  }

  void operator()(const SceneSpringForce& f) const {
    law(f.stiffness, f.damping);
    // With a rest length of 0 the ends may meet: there is no force then.
    if (f.points[0] == f.points[1] && f.rest_length && *f.rest_length > 0) {
      fault(".points", "two different points where the rest length is " + spelled(*f.rest_length), "one");
    }
  }
  void operator()(const SceneTorsionSpring& f) const {
    law(f.stiffness, f.damping);
    if (!(f.axis.norm() > 0)) fault(".axis", "a vector of length > 0", "zero");
  }
  void operator()(const SceneWeight&) const {}
  void operator()(const SceneWheelContact& f) const {
    for (std::size_t i = 1; i < f.terrain.size(); ++i) {
      if (f.terrain[i].x() > f.terrain[i - 1].x()) continue;
      fault(".terrain[" + std::to_string(i) + "]", "an x beyond the one before, " + spelled(f.terrain[i - 1].x()),
            spelled(f.terrain[i].x()));
      return;
    }
  }
  void operator()(const SceneRotatingFrame&) const {}
};

}  // namespace

ForceBodies bodies_of(const SceneForce& force) {
  return std::visit(BodiesOfForce{}, force.type);
}

void check_force(const SceneForce& force, ReadContext& context) {
  const auto [least, most, turn] = bodies_of(force);
  if (force.bodies.size() < least || force.bodies.size() > most) {
    context.fault(force.place + ".bodies", least == most ? "one" : "one or two",
                  force.bodies.empty() ? "none" : std::to_string(force.bodies.size()));
  }
  std::visit(ForceChecker{force, context}, force.type);
}

}  // namespace locdyn::scene_format
