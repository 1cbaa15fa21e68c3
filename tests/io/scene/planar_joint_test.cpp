// The planar joint of a scene: a block that is kept on a tilted plane slides without friction, and turns in it alone.

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/io/scene/build_scene.hpp>

using namespace locdyn;
using std::numbers::pi;

namespace {

constexpr double kSlope = 30 * pi / 180, kGravity = 9.81, kStep = 1e-3;
constexpr int kSteps = 500;

const Eigen::Vector3d kNormal(std::sin(kSlope), 0, std::cos(kSlope)), kDown(std::cos(kSlope), 0, -std::sin(kSlope));
const Eigen::Vector3d kAcross = Eigen::Vector3d::UnitY();

std::string text_of(const Eigen::Vector3d& v) {
  return nlohmann::json{v.x(), v.y(), v.z()}.dump();
}

// A block of three different moments of inertia on the slope, its own z along the normal.
Scene sliding(const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity,
              const Eigen::Vector3d& normal = kNormal) {
  return parse_scene(R"({"step": 1e-3, "duration": 1, "bodies": [{"name": "block", "mass": 2,
    "inertia": [0.1, 0.2, 0.25], "orientation": {"axis": [0, 1, 0], "degrees": 30},
    "velocity": )" + text_of(velocity) +
                         R"(, "angular_velocity": )" + text_of(angular_velocity) + R"(}],
    "joints": [{"name": "floor", "type": "planar", "bodies": ["block"], "point": [0, 0, 0], "normal": )" +
                         text_of(normal) + "}]}",
                     "it.json");
}

struct Run {
  std::unique_ptr<System> system;
  const RigidBody* block;
};

Run stepped(const Scene& scene) {
  Run run{build(scene, nullptr), nullptr};
  TimeStepper stepper(*run.system, scene.stepping);
  for (int i = 0; i < kSteps; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
  run.block = &dynamic_cast<const RigidBody&>(run.system->bodies()[run.system->find("block")]);
  return run;
}

// The largest error of position of the only joint [m].
double joint_error(const System& system) {
  const Constraint& joint = system.assembly().constraint(system.constraints()[0]);
  std::array<Eigen::Vector3d, 2> error;  // of lengths, of angles
  joint.position_error(system.bodies(), error);
  double largest = 0;
  for (const Eigen::Vector3d& block : error) largest = std::max(largest, block.cwiseAbs().maxCoeff());
  return largest;
}

}  // namespace

TEST_CASE("a block on a tilted plane slides with g sin θ and turns about the normal alone") {
  const double along = 0.3, across = -0.2, spin = 3, duration = kSteps * kStep;
  const auto [system, block] = stepped(sliding(along * kDown + across * kAcross, spin * kNormal));

  // Half-way steps are exact for a constant acceleration: what is left is rounding, 500 times.
  const double a = kGravity * std::sin(kSlope);
  const Eigen::Vector3d expected =
      (along * duration + a * duration * duration / 2) * kDown + across * duration * kAcross;
  CHECK((block->position() - expected).norm() <= 1e-12);
  CHECK((block->rotation().col(2) - kNormal).norm() <= 1e-12);
  const Eigen::Matrix3d turned = Eigen::AngleAxisd(spin * duration, kNormal) *
                                 Eigen::AngleAxisd(kSlope, Eigen::Vector3d::UnitY()).toRotationMatrix();
  CHECK((block->rotation() - turned).norm() <= 1e-12);
  CHECK(joint_error(*system) <= 1e-12);
}

TEST_CASE("a planar joint takes the motions out of its plane, and leaves those in it") {
  const Eigen::Vector3d in_plane = kDown + 2 * kAcross, angular = 0.3 * kNormal;
  Scene scene = sliding(in_plane + 3 * kNormal, angular + 0.1 * kDown + 0.2 * kAcross);
  scene.gravity.setZero();
  auto system = build(scene, nullptr);
  TimeStepper stepper(*system, scene.stepping);
  REQUIRE(stepper.step().status == SolveStatus::converged);
  const Eigen::VectorXd u = system->bodies()[system->find("block")].velocity();
  // ω in the body's axes, v in space. H is taken half a step of the motion away: 1.5e-3 rad of 0.3 rad/s and 3.7 m/s.
  CHECK((u.head<3>() - Eigen::Vector3d(0, 0, 0.3)).norm() <= 5e-3);
  CHECK((u.tail<3>() - in_plane).norm() <= 5e-3);
}

TEST_CASE("a normal of length zero is a fault of the scene") {
  CHECK_THROWS_WITH_AS(sliding(kDown, kNormal, Eigen::Vector3d::Zero()),
                       "it.json: joints[0].normal: expected a vector of length > 0, found zero", SceneError);
}
