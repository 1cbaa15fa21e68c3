// URDF: links as bodies, joints as hinges and welds, and what is refused.

#include <doctest/doctest.h>

#ifdef LOCDYN_WITH_URDF

#include <cmath>
#include <fstream>

#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/joints.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/simulation/time_stepper.hpp>
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
  CHECK(fault_of(Robot("<robot name=\"p\">")).find("expected a robot in URDF") != std::string::npos);
  CHECK(fault_of(Robot(pendulum("revolute")), R"(, "fixed_base": false)").find("link \"base\": expected inertia") !=
        std::string::npos);
}

namespace {

// A base, an arm on it and, further out, a finger: two joints with what `first` and `second` say of them.
std::string gripper(const std::string& first, const std::string& second) {
  const std::string inertial = kInertial;
  return "<robot name=\"p\"><link name=\"base\"/><link name=\"arm\">" + inertial + "</link><link name=\"finger\">" +
         inertial + R"(</link><joint name="turn" )" + first +
         R"(<parent link="base"/><child link="arm"/><origin xyz="0 0 1"/><axis xyz="0 2 0"/></joint><joint name="push" )" +
         second +
         R"(<parent link="arm"/><child link="finger"/><origin xyz="0.5 0 0"/><axis xyz="1 0 0"/></joint></robot>)";
}
const std::string kTurn =
    R"(type="revolute"><limit lower="-1" upper="2" effort="5" velocity="1"/><dynamics damping="0.3"/>)";
const std::string kPush = R"(type="prismatic"><limit lower="0" upper="0.4" effort="5" velocity="1"/>)";

bool says(const std::string& fault, const std::string& part) {
  CAPTURE(fault);
  return fault.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("limits and dampers count from where joints start, and so do slides") {
  const Robot robot(gripper(kTurn, kPush));
  const Scene flat = expanded(robot.scene(R"(, "positions": {"turn": 0.5, "push": 0.1})"));
  const auto& turn = std::get<SceneHinge>(flat.joints[0].type);
  CHECK((*turn.drive.limits)[0] == doctest::Approx(-1.5));
  CHECK((*turn.drive.limits)[1] == doctest::Approx(1.5));
  CHECK(turn.drive.spring.damping == 0.3);
  CHECK((turn.axis - Eigen::Vector3d::UnitY()).norm() == 0);
  const auto& push = std::get<ScenePrismatic>(flat.joints[1].type);
  const Eigen::Vector3d out(std::cos(0.5), 0, -std::sin(0.5));
  CHECK((push.axis - out).norm() < 1e-15);
  CHECK((*push.drive.limits)[0] == doctest::Approx(-0.1));
  CHECK((flat.bodies[2].placement.position - Eigen::Vector3d(0, 0, 4) - 0.6 * out).norm() < 1e-15);
  const Scene driven = expanded(robot.scene(R"(, "controls": {"turn": 9, "push": -2})"));
  CHECK(std::get<SceneHinge>(driven.joints[0].type).drive.effort.at(0) == 5);  // its effort limit
  CHECK(std::get<ScenePrismatic>(driven.joints[1].type).drive.effort.at(0) == -2);
}

TEST_CASE("a joint that mimics another starts where it follows it, and goes on in proportion") {
  const Robot robot(gripper(kTurn, kPush + R"(<mimic joint="turn" multiplier="0.2" offset="0.05"/>)"));
  const Scene scene = robot.scene(R"(, "positions": {"turn": 0.5}, "controls": {"turn": 1})");
  const Scene flat = expanded(scene);
  REQUIRE(flat.joints.size() == 3);
  CHECK(flat.joints[2].name == "p/push.mimic");
  CHECK(std::get<SceneCoupling>(flat.joints[2].type).ratio == 0.2);
  const auto system = build(scene, nullptr);
  TimeStepper stepper(*system, scene.stepping);
  for (int i = 0; i < 100; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
  const auto where = [&](const char* name) {
    const Body& body = system->bodies()[system->find(name)];
    return std::pair(body.to_space({0, 0, 0.5}), body.to_space({1, 0, 0.5}));  // the link's own origin and x
  };
  const auto [arm, arm_x] = where("p/arm");
  const auto [finger, finger_x] = where("p/finger");
  const double angle = std::atan2(-(arm_x - arm).z(), (arm_x - arm).x());
  CHECK(std::abs(angle - 0.5) > 1e-3);
  CHECK((finger - arm).norm() == doctest::Approx(0.5 + 0.2 * angle + 0.05).epsilon(1e-6));
}

TEST_CASE("a planar joint, and what contradicts itself") {
  CHECK(std::holds_alternative<ScenePlaneOnPlane>(
      expanded(Robot(gripper(kTurn, R"(type="planar">)")).scene()).joints[1].type));
  const auto fault = [](const std::string& first, const std::string& second, const std::string& more = "") {
    return fault_of(Robot(gripper(first, second)), more);
  };
  CHECK(says(fault(kTurn, kPush + R"(<dynamics damping="0" friction="-1"/>)"), "expected friction ≥ 0, found -1"));
  CHECK(says(fault(kTurn, kPush + R"(<dynamics damping="-1" friction="0"/>)"), "expected damping ≥ 0, found -1"));
  CHECK(says(fault(kTurn, R"(type="prismatic"><limit lower="1" upper="0" effort="5" velocity="1"/>)"),
             "joint \"push\": expected a lower limit below the upper one, found 1, 0"));
  CHECK(says(fault(kTurn + R"(<mimic joint="push"/>)", kPush + R"(<mimic joint="turn"/>)"),
             "expected to mimic a joint that does not mimic it in turn, found a cycle"));
  CHECK(
      says(fault(kTurn, kPush + R"(<mimic joint="none"/>)"), "expected to mimic a revolute, continuous or prismatic"));
  CHECK(says(fault(kTurn, kPush + R"(<mimic joint="turn"/>)", R"(, "positions": {"turn": 0.1, "push": 0.2})"),
             "expected to start where it mimics, at 0.1, found 0.2"));
  CHECK(says(fault(kTurn, kPush, R"(, "positions": {"pull": 0.2})"), "positions: expected the name of a revolute"));
  CHECK(says(fault(kTurn, kPush, R"(, "positions": {"turn": 3})"), "expected the least, at most 0, and the largest"));
  std::string heavy = gripper(kTurn, kPush);
  heavy.replace(heavy.find("ixx=\"0.2\""), 9, "ixx=\"9.2\"");
  CHECK(says(fault_of(Robot(heavy)), "link \"arm\": "));
  // Two links that are each other's parents.
  std::string cycle = gripper(kTurn, kPush);
  cycle.replace(cycle.find("parent link=\"base\""), 18, "parent link=\"finger\"");
  CHECK(says(fault_of(Robot(cycle)), "expected a chain of joints to the root \"base\", found a cycle"));
  const Scene rubbed = expanded(Robot(gripper(kTurn, kPush + R"(<dynamics damping="0" friction="1.5"/>)")).scene());
  CHECK(rubbed.left_out.empty());
  CHECK(std::get<ScenePrismatic>(rubbed.joints[1].type).drive.friction.friction.limit == 1.5);
}

#endif
