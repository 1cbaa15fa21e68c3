// MJCF: how models move, what is refused or left out, and what contradicts itself.

#include <doctest/doctest.h>

#ifdef LOCDYN_WITH_MJCF

#include <cmath>

#include <locdyn/simulation/time_stepper.hpp>

#include "mjcf_file.hpp"

using namespace locdyn;
using Eigen::Vector3d;
using locdyn::test::MjcfFile;
using locdyn::test::rod;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a pendulum with armature swings as if its inertia were larger") {
  const MjcfFile file(rod("armature=\"0.5\" damping=\"0\""));
  const Scene scene = file.scene(R"(, "positions": {"j": 0.001})");
  const auto system = build(scene, nullptr);
  TimeStepper stepper(*system, scene.stepping);
  // About the hinge 0.2 + 2 (½)² + 0.5, and m g l = 2 · 9.81 · ½; small swings to 1e-6, steps of a thousandth to 1e-5.
  const double omega = std::sqrt(9.81 / (0.7 + 0.5));
  for (int i = 0; i < 300; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
  const double rate = system->bodies()[system->find("r/rod")].velocity()[1];
  CHECK(rate == doctest::Approx(-0.001 * omega * std::sin(omega * stepper.time())).epsilon(1e-4));
  CHECK(system->bodies()[system->find("r/j.rotor")].velocity()[0] == doctest::Approx(rate).epsilon(1e-9));
}

TEST_CASE("springs and dampers of joints: the damped oscillator, and any damping at any step") {
  const MjcfFile file(rod("damping=\"2\" stiffness=\"5\""));
  const Scene scene = file.scene(R"(, "positions": {"j": 0.001})");
  const auto system = build(scene, nullptr);
  TimeStepper stepper(*system, scene.stepping);
  for (int i = 0; i < 300; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
  // I θ̈ + c θ̇ + (k + m g l) θ = 0 with I = 0.7, from rest; first order in h for the damper.
  const double decay = 2 / 1.4, omega = std::sqrt((5 + 9.81) / 0.7 - decay * decay), t = stepper.time();
  const double rate = -0.001 * (omega + decay * decay / omega) * std::exp(-decay * t) * std::sin(omega * t);
  CHECK(system->bodies()[system->find("r/rod")].velocity()[1] == doctest::Approx(rate).epsilon(0.01));

  const MjcfFile stiff(rod("damping=\"1e6\""));
  const Scene held = stiff.scene(R"(, "positions": {"j": 1})");
  const auto slow = build(held, nullptr);
  TimeStepper creep(*slow, held.stepping);
  for (int i = 0; i < 20; ++i) REQUIRE(creep.step().status == SolveStatus::converged);
  // It sinks as fast as the damper lets its weight: m g l sin θ/c.
  CHECK(slow->bodies()[slow->find("r/rod")].velocity()[1] ==
        doctest::Approx(-9.81 * std::sin(1.0) / 1e6).epsilon(1e-3));
}

TEST_CASE("a motor holds a rod out against its weight") {
  const MjcfFile file(rod("") + R"(<actuator><motor name="m" joint="j" gear="10"/></actuator>)");
  const Scene scene = file.scene(R"(, "positions": {"j": -1.5707963267948966}, "controls": {"m": -0.981})");
  const auto system = build(scene, nullptr);
  TimeStepper stepper(*system, scene.stepping);
  for (int i = 0; i < 50; ++i) stepper.step();
  CHECK(system->bodies()[system->find("r/rod")].velocity().norm() < 1e-9);
}

TEST_CASE("bodies that a connect ties stay closed, and ends that lie apart are refused") {
  const std::string parallel = R"(<worldbody>
    <body name="a"><joint name="ja" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05" contype="0" conaffinity="0"/></body>
    <body name="b" pos="0 0 -1"><joint name="jb" axis="0 1 0"/><geom type="sphere" size="0.1" pos="0 0 -0.5" contype="0" conaffinity="0"/></body>
    </worldbody><equality><connect name="c" body1="a" body2="b" anchor="0 0 -1"/></equality>)";
  const Scene flat = MjcfFile(parallel).flat();
  REQUIRE(flat.joints.size() == 3);
  CHECK(flat.joints[2].name == "r/c");
  CHECK((std::get<SceneFixedPoint>(flat.joints[2].type).point - Vector3d(0, 0, -1)).norm() < 1e-15);
  const std::string fault = MjcfFile(parallel).fault(R"(, "positions": {"ja": 0.5})");
  CHECK(
      has(fault, "<connect name=\"c\">: expected bodies that lie at start as it ties them, found a gap of 0.494808 m"));
}

TEST_CASE("what is not taken is refused by name and line, all at once, or left out and listed") {
  const MjcfFile file(R"(<option wind="1 0 0"/>
<worldbody><body name="a"><joint name="j" frictionloss="1.5" actuatorfrcrange="0 1"/>
<geom type="ellipsoid" size="1 1 1"/><geom size="1" margin="0.1"/></body>
<composite type="cloth"/></worldbody>
<tendon><spatial/></tendon>
<actuator><muscle joint="j"/></actuator>
<sensor/>)");
  const std::vector<std::string> faults = file.faults();
  CHECK(faults.size() >= 8);
  const auto told = [&](const std::string& part) {
    return std::any_of(faults.begin(), faults.end(), [&](const std::string& line) { return has(line, part); });
  };
  CHECK(told("r.xml: line 1, <option> wind"));
  CHECK(told(
      "r.xml: line 2, <joint name=\"j\"> actuatorfrcrange=\"0 1\": expected what is taken of MJCF, or \"leave_out\""));
  CHECK(told("line 3, <geom> type=\"ellipsoid\""));
  CHECK(told("line 3, <geom> margin"));
  CHECK(told("line 4, <composite>"));
  CHECK(told("line 5, <tendon>"));
  CHECK(told("line 6, <muscle>"));
  CHECK(told("line 7, <sensor>"));
  const Scene flat = file.flat(R"(, "leave_out": true)");
  CHECK(flat.left_out.size() >= faults.size());  // and what the model says of joints
  CHECK(flat.bodies.size() == 1);
  CHECK(flat.bodies[0].shapes.size() == 1);
  REQUIRE(flat.joints.size() == 1);
  CHECK(std::get<SceneHinge>(flat.joints[0].type).drive.friction.friction.limit == 1.5);  // is taken
}

TEST_CASE("included files stand where they are named, and none comes from outside") {
  const MjcfFile file(R"(<include file="parts/body.xml"/>)");
  std::filesystem::create_directory(file.folder / "parts");
  file.write(
      "parts/body.xml",
      R"(<mujocoinclude><worldbody><body name="a"><freejoint/><geom size="1"/></body></worldbody></mujocoinclude>)");
  CHECK(file.flat().bodies.size() == 1);
  file.write("r.xml", R"(<mujoco><include file="../x.xml"/></mujoco>)");
  CHECK(has(file.fault(), "line 1, <include> file: expected a file in the folder of the model, found ../x.xml"));
  file.write("r.xml", R"(<mujoco><include file="/etc/passwd"/></mujoco>)");
  CHECK(has(file.fault(), "expected a file in the folder of the model"));
  file.write("r.xml", R"(<mujoco><include file="none.xml"/></mujoco>)");
  CHECK(has(file.fault(), "expected a file that is there"));
  file.write("r.xml", R"(<mujoco><include file="s.xml"/></mujoco>)");
  file.write("s.xml", R"(<m><include file="r.xml"/></m>)");
  CHECK(has(file.faults().at(0), "s.xml: line 1, <include> file: expected a file not included before, found r.xml"));
  std::filesystem::create_symlink("/etc/hostname", file.folder / "out.xml");
  file.write("r.xml", R"(<mujoco><include file="out.xml"/></mujoco>)");
  CHECK(has(file.fault(), "expected a file in the folder of the model"));
}

TEST_CASE("a file that makes no sense gets one line with its place") {
  const auto fault = [](const std::string& inside) { return MjcfFile(inside).fault(); };
  const auto in_body = [&](const std::string& inside) {
    return fault("<worldbody>\n<body name=\"a\"><freejoint/><geom size=\"1\"/>" + inside + "</body></worldbody>");
  };
  MjcfFile broken("");
  broken.write("r.xml", "<mujoco><worldbody></mujoco>");
  CHECK(has(broken.fault(), "line 1: expected XML, found XML_ERROR_MISMATCHED_ELEMENT"));
  broken.write("r.xml", "<robot/>");
  CHECK(has(broken.fault(), "expected a root <mujoco>, found <robot>"));
  broken.write("r.xml", "");
  CHECK(has(broken.fault(), "expected XML"));
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "<body>";
  CHECK(has(fault("<worldbody>" + deep), "XML_ELEMENT_DEPTH_EXCEEDED"));
  broken.write(
      "r.xml",
      R"(<!DOCTYPE b [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;">]><mujoco><worldbody><body name="&b;"><freejoint/><geom size="1"/></body></worldbody></mujoco>)");
  CHECK(broken.flat().bodies.at(0).name == "r/&b;");  // entities are not expanded

  CHECK(has(in_body("<geom size=\"x\"/>"), "line 2, <geom> size: expected finite numbers, found \"x\""));
  CHECK(has(in_body("<geom size=\"nan\"/>"), "size: expected finite numbers"));
  CHECK(has(in_body("<geom size=\"-1\"/>"), "size: expected 1 lengths > 0, found -1"));
  CHECK(has(in_body("<geom size=\"1 2 3 4\"/>"), "size: expected 0 to 3 numbers"));
  CHECK(has(in_body("<geom size=\"1\" mass=\"-1\"/>"), "mass: expected a number ≥ 0, found -1"));
  CHECK(has(in_body("<geom size=\"1\" class=\"c\"/>"), "class: expected the name of a default class, found \"c\""));
  CHECK(has(in_body("<geom size=\"1\" type=\"ball\"/>"), "type: expected \"plane\", \"sphere\""));
  CHECK(has(in_body("<geom size=\"1\" condim=\"2\"/>"), "condim: expected 1, 3, 4 or 6, found 2"));
  CHECK(has(in_body("<geom type=\"mesh\" mesh=\"m\"/>"), "mesh: expected the name of a mesh, found \"m\""));
  CHECK(has(in_body("<geom type=\"plane\" size=\"1 1 1\"/>"), "expected a solid on a body that moves, found a plane"));
  CHECK(has(in_body("<geom type=\"capsule\" fromto=\"0 0 0 0 0 0\" size=\"1\"/>"),
            "fromto: expected two points, found one"));
  CHECK(has(in_body("<joint/>"), "<body name=\"a\">: expected a free joint alone"));
  CHECK(has(in_body("<body><freejoint/><geom size=\"1\"/></body>"), "found one within another body"));
  CHECK(has(in_body("<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 3\"/>"),
            "<inertial>: expected mass and moments of a body"));
  CHECK(has(in_body("<inertial pos=\"0 0 0\" mass=\"1\"/>"), "diaginertia: expected it or fullinertia, found neither"));
  CHECK(has(in_body("<geom size=\"1\" quat=\"0 0 0 0\"/>"), "quat: expected a quaternion of length > 0, found zero"));
  CHECK(has(in_body("<geom size=\"1\" quat=\"1 0 0 0\" euler=\"0 0 0\"/>"),
            "euler: expected one orientation, quat, found another"));
  CHECK(has(fault("<worldbody><body name=\"a\"><joint/></body></worldbody>"),
            "expected a mass of a body that moves, found none"));
  CHECK(has(fault(rod("limited=\"true\"")), "limited: expected a range beside it, found none"));
  CHECK(has(fault(rod("range=\"2 1\"")), "range: expected the least first, found 2, 1"));
  CHECK(has(fault(rod("damping=\"-1\"")), "damping: expected a number ≥ 0, found -1"));
  CHECK(has(fault("<asset><mesh file=\"none.stl\"/></asset>"), "<mesh> file: expected a mesh file that is there"));
  CHECK(has(fault("<asset><mesh name=\"m\"/></asset>"), "file: expected a file or vertices, found neither"));
  CHECK(has(fault("<asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" face=\"0 1 9\"/></asset>"),
            "face: expected indices of vertices, found 9"));
  CHECK(has(fault("<compiler coordinate=\"global\"/>"), "coordinate: expected \"local\", found \"global\""));
  CHECK(has(fault("<compiler eulerseq=\"xy\"/>"), "eulerseq: expected three letters of xyzXYZ"));
  CHECK(has(fault("<default><default><geom size=\"1\"/></default></default>"),
            "class: expected the name of a class, found none"));
  CHECK(has(fault(rod("") + "<actuator><motor joint=\"q\"/></actuator>"),
            "joint: expected the name of a joint, found \"q\""));
  CHECK(has(fault(rod("") + "<actuator><motor joint=\"j\" gear=\"0\"/></actuator>"),
            "gear: expected a number that is not 0"));
  CHECK(has(fault(rod("") + "<equality><weld body1=\"rod\" body2=\"rod\"/></equality>"),
            "body2: expected another body than body1"));
  CHECK(has(fault(rod("") + "<keyframe><key name=\"k\" qpos=\"1 2\"/></keyframe>"),
            "qpos: expected a number, found \"1 2\""));
  CHECK(has(fault(rod("") + "<contact><exclude body1=\"rod\" body2=\"q\"/></contact>"),
            "body2: expected the name of a body, found \"q\""));
  CHECK(has(MjcfFile(rod("")).fault(R"(, "keyframe": "q")"), "keyframe: expected the name of a keyframe, found \"q\""));
  CHECK(has(MjcfFile(rod("")).fault(R"(, "positions": {"q": 1})"),
            "positions: expected the name of a hinge or a slide, found \"q\""));
  CHECK(has(MjcfFile(rod("")).fault(R"(, "qpos": [1, 2])"), "qpos: expected 1 numbers, found 2"));
}

#endif
