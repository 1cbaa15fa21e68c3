// What springs, servos and friction of a scene's joints do, against closed forms; in a mechanism as forces.

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/io/scene/build_mechanism.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/simulation/time_stepper.hpp>

using namespace locdyn;
using Eigen::Vector3d;

namespace {

constexpr double kInertia = 0.5, kHeavy = 2;

// A body of 2 kg and J = 0.5 kg m² about every axis, at the origin, with one joint.
std::string floating_body(const std::string& velocities, const std::string& joint, const std::string& more = "") {
  return R"({"step": 1e-3, "duration": 1, "gravity": [0, 0, 0], "solver": {"tolerance": 1e-13},
    "bodies": [{"name": "top", "mass": 2, "inertia": [0.5, 0.5, 0.5])" +
         velocities + R"(}], "joints": [{"bodies": ["top"], )" + joint + "}]" + more + "}";
}

struct Floating {
  Scene scene;
  std::unique_ptr<System> system;
  TimeStepper stepper;
  explicit Floating(const std::string& text)
      : scene(parse_scene(text, "it.json")), system(build(scene, nullptr)), stepper(*system, scene.stepping) {}
  // Angular velocity in the body, then velocity, after so many steps.
  Eigen::VectorXd after(int steps) {
    for (int i = 0; i < steps; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
    return system->bodies()[system->find("top")].velocity();
  }
};

}  // namespace

TEST_CASE("friction of a cylindrical joint: turning and sliding slow down each by itself, and stop") {
  Floating it(floating_body(R"(, "velocity": [0, 0, 1], "angular_velocity": [0, 0, 2])",
                            R"("type": "cylindrical", "point": [0, 0, 0], "axis": [0, 0, 1],
                               "friction": {"torque": 2, "force": 4}, "name": "tube")"));
  const Eigen::VectorXd moving = it.after(300);
  CHECK(moving[2] == doctest::Approx(2 - 2 / kInertia * 0.3).epsilon(1e-11));
  CHECK(moving[5] == doctest::Approx(1 - 4 / kHeavy * 0.3).epsilon(1e-11));
  CHECK(it.after(210).norm() < 1e-12);  // both stop at 0.5 s
  CHECK(it.system->constraint_name(it.system->constraints()[1]) == "tube.turning");
}

TEST_CASE("friction of a universal joint: about each axis its own torque") {
  for (int axis = 0; axis < 2; ++axis) {
    CAPTURE(axis);
    const std::string spin = axis == 0 ? "[1, 0, 0]" : "[0, 1, 0]";
    Floating it(floating_body(R"(, "angular_velocity": )" + spin,
                              R"("type": "universal", "point": [0, 0, 0], "axes": [[1, 0, 0], [0, 1, 0]],
                                 "friction": [1, 0.5])"));
    const double torque = axis == 0 ? 1 : 0.5;
    CHECK(it.after(200)[axis] == doctest::Approx(1 - torque / kInertia * 0.2).epsilon(1e-11));
    CHECK(it.after(axis == 0 ? 310 : 810).norm() < 1e-12);
  }
}

TEST_CASE("a bushing of a scene: the step of an implicit spring, of displacement and of rotation") {
  Floating it(floating_body(R"(, "velocity": [0, 3, 0], "angular_velocity": [0, 0, 2])",
                            R"("type": "bushing", "points": [[0, 0, 0], [0.1, 0, 0]], "stiffness": 50, "damping": 3,
                               "angular_stiffness": 7, "angular_damping": 0.4, "rest": [0, 0, 0.2])"));
  const Eigen::VectorXd u = it.after(1);
  const double h = 1e-3;
  const auto next = [h](double m, double k, double c, double x, double v) {
    return (m * v - h * k * (x + h / 2 * v)) / (m + h * (h * k / 2 + c));
  };
  CHECK(u[3] == doctest::Approx(next(kHeavy, 50, 3, -0.1, 0)).epsilon(1e-11));
  CHECK(u[4] == doctest::Approx(next(kHeavy, 50, 3, 0, 3)).epsilon(1e-11));
  CHECK(u[2] == doctest::Approx(next(kInertia, 7, 0.4, -0.2, 2)).epsilon(1e-11));
}

TEST_CASE("in a mechanism springs, servos and bushings are forces, of the same numbers") {
  const auto moment = [](const std::string& joint) {
    const auto system = build_mechanism(
        parse_scene(floating_body(R"(, "angular_velocity": [0, 0, 2])", joint, R"(, "smooth": {})"), "it.json"));
    BodySet& bodies = system->bodies();
    bodies.set_time(0.25);
    system->forces().add_to(bodies);
    return bodies[system->find("top")].added_force()[2];
  };
  const std::string hinge = R"("type": "hinge", "point": [0, 0, 0], "axis": [0, 0, 1], )";
  CHECK(moment(hinge + R"("spring": {"stiffness": 3, "damping": 0.5, "rest": 0.2})") ==
        doctest::Approx(3 * 0.2 - 0.5 * 2).epsilon(1e-14));
  const std::string ramp = R"({"times": [0, 1], "values": [0, 0.4]})";
  // Without a speed of its own the damping is of the position's rate, 0.4.
  CHECK(moment(hinge + R"("servo": {"stiffness": 3, "damping": 0.5, "angle": )" + ramp + "}") ==
        doctest::Approx(3 * 0.1 - 0.5 * (2 - 0.4)).epsilon(1e-14));
  CHECK(moment(hinge + R"("servo": {"stiffness": 3, "damping": 0.5, "speed": 7, "angle": )" + ramp + "}") ==
        doctest::Approx(3 * 0.1 - 0.5 * (2 - 7)).epsilon(1e-14));
  CHECK(moment(R"("type": "bushing", "points": [[0, 0, 0], [0, 0, 0]], "angular_stiffness": 3, "rest": [0, 0, 0.2])") ==
        doctest::Approx(3 * 0.2).epsilon(1e-14));
}

TEST_CASE("what gives way or sticks has no part in a mechanism, on one axis or on several") {
  const auto fault = [](const std::string& joint) {
    try {
      static_cast<void>(parse_scene(floating_body("", joint, R"(, "smooth": {})"), "it.json"));
    } catch (const SceneError& error) {
      return error.faults().at(0);
    }
    return std::string("none");
  };
  const std::string limited = R"("servo": {"angle": 0, "stiffness": 3, "torque_range": [-1, 1]})";
  const std::string axis = R"("type": "hinge", "point": [0, 0, 0], "axis": [0, 0, 1], )";
  CHECK(fault(axis + limited) ==
        "it.json: joints[0].servo.torque_range: expected none in a mechanism, whose motors "
        "never give way, found -1, 1");
  CHECK(fault(R"("type": "serial", "axes": [{)" + axis + limited + "}]").find("axes[0].servo.torque_range: expected") !=
        std::string::npos);
  CHECK(fault(axis + R"("friction": {"torque": 1})").find("friction: expected none in a mechanism") !=
        std::string::npos);
  CHECK(fault(R"("type": "universal", "point": [0, 0, 0], "axes": [[1, 0, 0], [0, 1, 0]], "friction": [0, 1])")
            .find("friction: expected none in a mechanism") != std::string::npos);
  CHECK(fault(R"("type": "cylindrical", "point": [0, 0, 0], "axis": [0, 0, 1], "friction": {"force": 1})")
            .find("friction: expected none in a mechanism") != std::string::npos);
}
