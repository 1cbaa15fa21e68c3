// URDF: links as bodies, joints as hinges and welds, and what is refused.

#include <doctest/doctest.h>

#ifdef LOCDYN_WITH_URDF

#include <cmath>
#include <fstream>

#include <locdyn/io/scene/build_scene.hpp>
#include <scratch_folder.hpp>

using namespace locdyn;

namespace {

constexpr const char* kInertial =
    R"(<inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>)";

// A pendulum of two links with a frame without mass at its end.
std::string pendulum(const std::string& second_type) {
  const std::string inertial = kInertial;
  return R"(<robot name="p"><link name="base"><collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link>
    <link name="upper">)" +
         inertial +
         R"(<collision><origin xyz="0 0 -0.5"/><geometry><cylinder radius="0.05" length="1"/></geometry></collision></link>
    <link name="lower">)" +
         inertial + R"(</link>
    <link name="tip"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 0"/><axis xyz="0 1 0"/></joint>
    <joint name="elbow" type=")" +
         second_type +
         R"("><parent link="upper"/><child link="lower"/><origin xyz="0 0 -1"/><axis xyz="0 1 0"/><limit effort="1" velocity="1"/></joint>
    <joint name="end" type="fixed"><parent link="lower"/><child link="tip"/><origin xyz="0 0 -1"/></joint></robot>)";
}

struct Robot {
  test::ScratchFolder folder;
  explicit Robot(const std::string& urdf) { std::ofstream(folder / "r.urdf") << urdf; }
  [[nodiscard]] Scene scene(const std::string& more = "") const {
    return parse_scene(
        R"({"step": 1e-3, "duration": 1, "robots": [{"name": "p", "urdf": "r.urdf", "position": [0, 0, 3])" + more +
            "}]}",
        folder / "it.json");
  }
};

std::string fault_of(const Robot& robot, const std::string& more = "") {
  try {
    static_cast<void>(build(robot.scene(more), nullptr));
  } catch (const SceneError& error) {
    REQUIRE(error.faults().size() == 1);
    return error.faults()[0];
  }
  return {};
}

}  // namespace

TEST_CASE("links and joints of a double pendulum, a massless tip joined to its link") {
  const Robot robot(pendulum("revolute"));
  const Scene flat = expanded(robot.scene());
  REQUIRE(flat.bodies.size() == 3);
  REQUIRE(flat.joints.size() == 2);
  CHECK(flat.joints[1].name == "p/elbow");
  CHECK(flat.joints[1].bodies == std::vector<std::string>{"p/lower", "p/upper"});
  CHECK(!flat.joints[1].collide);
  CHECK((std::get<SceneHinge>(flat.joints[1].type).point - Eigen::Vector3d(0, 0, 2)).norm() == 0);
  const auto system = build(robot.scene(), nullptr);
  const Body& lower = system->bodies()[system->find("p/lower")];
  CHECK((lower.to_space({0, 0, 0}) - Eigen::Vector3d(0, 0, 1.5)).norm() < 1e-15);  // the mass centre
  REQUIRE(flat.bodies[2].shapes.size() == 1);
  CHECK((flat.bodies[2].shapes[0].placement.position - Eigen::Vector3d(0, 0, -1)).norm() == 0);
}

TEST_CASE("an elbow that is fixed swings as one body with its link, at the frequency of the compound pendulum") {
  const Robot robot(pendulum("fixed"));
  Scene scene = robot.scene();
  scene.loads.push_back({"p/upper", {}, {{}, {Eigen::Vector3d(0, 0.1, 0)}}, std::nullopt});
  const auto system = build(scene, nullptr);
  TimeStepper stepper(*system, scene.stepping);
  for (int i = 0; i < 50; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
  // Hanging with 2 kg at ½ m and 1½ m: I = 2 (0.2) + 2 (¼) + 2 (2¼) = 5.4, m g l = 2 · 9.81 · 2. A steady torque M
  // from rest: ω = M/√(I m g l) sin(√(m g l/I) t), here to 1 % (hinge at q*, half a step off).
  const double I = 5.4, mgl = 2 * 9.81 * 2, t = stepper.time();
  const double omega = 0.1 / std::sqrt(I * mgl) * std::sin(std::sqrt(mgl / I) * t);
  CHECK(system->bodies()[system->find("p/upper")].velocity()[1] == doctest::Approx(omega).epsilon(0.01));
  CHECK(system->bodies()[system->find("p/lower")].velocity()[1] == doctest::Approx(omega).epsilon(0.01));
}

TEST_CASE("what cannot be made is refused by name") {
  CHECK(fault_of(Robot(pendulum("prismatic")))
            .find("joint \"elbow\": expected type fixed, revolute, continuous or "
                  "floating, found prismatic") != std::string::npos);
  CHECK(fault_of(Robot("<robot name=\"p\">")).find("expected a robot in URDF") != std::string::npos);
  CHECK(fault_of(Robot(pendulum("revolute")), R"(, "fixed_base": false)").find("link \"base\": expected inertia") !=
        std::string::npos);
}

#endif
