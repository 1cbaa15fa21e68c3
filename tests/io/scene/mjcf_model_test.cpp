// MJCF: masses, placements, defaults and joints of a model against closed forms, and who touches whom.

#include <doctest/doctest.h>

#ifdef LOCDYN_WITH_MJCF

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "mjcf_file.hpp"

using namespace locdyn;
using Eigen::Vector3d;
using locdyn::test::MjcfFile;

namespace {

constexpr double kPi = std::numbers::pi;

const SceneRigid& rigid(const SceneBody& body) {
  return std::get<SceneRigid>(body.kind);
}

}  // namespace

TEST_CASE("a body weighs what its geoms and those of the bodies welded to it weigh") {
  const Scene flat = MjcfFile(R"(<compiler angle="radian"/><worldbody><geom type="plane" size="1 1 1"/>
    <body name="a" pos="0 0 1"><freejoint/>
      <geom type="sphere" size="0.1" pos="0.3 0 0" density="500"/>
      <geom type="box" size="0.1 0.2 0.3" mass="2" contype="0" conaffinity="0"/>
      <body name="b" pos="0 0 -0.5" euler="0 1.5707963267948966 0"><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05" mass="1"/></body>
    </body></worldbody>)")
                         .flat();
  REQUIRE(flat.bodies.size() == 2);
  CHECK(flat.bodies[0].name == "r/world");
  CHECK(std::holds_alternative<Plane>(flat.bodies[0].shapes.at(0).geometry));
  CHECK(flat.bodies[1].shapes.size() == 2);  // the box only weighs
  const MassProperties parts[] = {
      moved(sphere_mass(500, 0.1), Eigen::Matrix3d::Identity(), {0.3, 0, 0}),
      box_mass(2 / (0.2 * 0.4 * 0.6), {0.2, 0.4, 0.6}),
      // Along −z: the x axis turned by a right angle about y.
      moved(capsule_mass(1 / capsule_mass(1, 0.05, 0.4).mass, 0.05, 0.4), Eigen::Matrix3d::Identity(), {0, 0, -0.7})};
  const MassProperties sum = combined(parts);
  const SceneRigid& body = rigid(flat.bodies[1]);
  CHECK(*body.mass == doctest::Approx(sum.mass).epsilon(1e-14));
  CHECK((body.mass_center - sum.center).norm() < 1e-15);
  CHECK((*body.inertia - sum.inertia).norm() < 1e-14);
}

TEST_CASE("an inertial stands for the geoms, and is turned as it is written") {
  const Scene flat = MjcfFile(R"(<worldbody><body name="a"><freejoint/><geom size="1"/>
    <inertial pos="1 2 3" euler="90 0 0" mass="2" diaginertia="0.1 0.2 0.25"/></body>
    <body name="b" pos="9 0 0"><freejoint/><inertial pos="0 0 0" mass="2" fullinertia="1 2 2.5 0.1 0.2 0.3"/></body></worldbody>)")
                         .flat();
  CHECK((*rigid(flat.bodies[0]).inertia - Eigen::Matrix3d(Vector3d(0.1, 0.25, 0.2).asDiagonal())).norm() < 1e-15);
  CHECK(rigid(flat.bodies[0]).mass_center == Vector3d(1, 2, 3));
  Eigen::Matrix3d full;
  full << 1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5;
  CHECK((*rigid(flat.bodies[1]).inertia - full).norm() < 1e-14);
}

TEST_CASE("five ways to write the same orientation") {
  const double s = std::sqrt(0.5);
  const std::string quat = std::to_string(s);
  for (const std::string& way :
       {std::string("quat=\"1 1 0 0\""), std::string("axisangle=\"2 0 0 90\""), std::string("euler=\"90 0 0\""),
        std::string("xyaxes=\"3 0 0 1 0 2\""), std::string("zaxis=\"0 -4 0\"")}) {
    CAPTURE(way);
    const Scene flat =
        MjcfFile("<worldbody><body name=\"a\" " + way + "><freejoint/><geom size=\"1\"/></body></worldbody>").flat();
    CHECK(flat.bodies[0].placement.orientation.angularDistance(Orientation(s, s, 0, 0)) < 1e-15);
  }
  // Axes of space instead of those that turn along.
  const std::string inside =
      R"(<worldbody><body name="a" euler="90 90 0"><freejoint/><geom size="1"/></body></worldbody>)";
  const Orientation x(Eigen::AngleAxisd(kPi / 2, Vector3d::UnitX())), y(Eigen::AngleAxisd(kPi / 2, Vector3d::UnitY()));
  CHECK(MjcfFile(inside).flat().bodies[0].placement.orientation.angularDistance(x * y) < 1e-15);
  CHECK(
      MjcfFile("<compiler eulerseq=\"XYZ\"/>" + inside).flat().bodies[0].placement.orientation.angularDistance(y * x) <
      1e-15);
}

TEST_CASE("classes of defaults begin with those around them, and the nearest one counts") {
  const Scene flat = MjcfFile(R"(<default><geom size="0.3" density="1"/><joint damping="1" stiffness="7"/>
      <default class="thin"><geom size="0.2"/><joint damping="2"/><default class="thinner"><geom size="0.1"/></default></default></default>
    <worldbody><body name="a"><joint name="j"/><geom/></body>
    <body name="b" childclass="thin"><joint name="k"/><geom/><geom class="thinner"/><geom class="thin" size="0.5"/></body></worldbody>)")
                         .flat();
  const auto radius = [&](std::size_t body, std::size_t shape) {
    return std::get<Sphere>(flat.bodies[body].shapes[shape].geometry).radius;
  };
  CHECK(radius(0, 0) == 0.3);
  CHECK(radius(1, 0) == 0.2);
  CHECK(radius(1, 1) == 0.1);
  CHECK(radius(1, 2) == 0.5);
  CHECK(*rigid(flat.bodies[0]).mass == doctest::Approx(4 * kPi / 3 * 0.027));
  CHECK(std::get<SceneHinge>(flat.joints[0].type).drive.spring.damping == 1);
  CHECK(std::get<SceneHinge>(flat.joints[1].type).drive.spring.damping == 2);
  CHECK(std::get<SceneHinge>(flat.joints[1].type).drive.spring.stiffness == 7);
}

TEST_CASE("coordinates: where a chain lies, how fast it is, and what its joints count from") {
  // A hinge about y at the origin, then a slide along the arm's x.
  const MjcfFile file(
      R"(<worldbody><body name="arm"><joint name="h" axis="0 1 0" range="-90 120" springref="30" stiffness="4"/>
      <geom size="0.1"/><body name="tip" pos="1 0 0"><joint name="s" type="slide" axis="1 0 0" range="-1 2" ref="0.5"/><geom size="0.1"/></body>
    </body></worldbody><keyframe><key name="k" qpos="0.5235987755982988 1.5" qvel="2 3"/></keyframe>)");
  const Scene flat = file.flat(R"(, "keyframe": "k", "position": [0, 0, 5])");
  const SceneBody& tip = flat.bodies[1];
  const Vector3d out(std::cos(kPi / 6), 0, -std::sin(kPi / 6)), across(-std::sin(kPi / 6), 0, -std::cos(kPi / 6));
  CHECK((tip.placement.position - Vector3d(0, 0, 5) - 2 * out).norm() < 1e-15);
  CHECK((rigid(tip).velocity - (2 * 2 * across + 3 * out)).norm() < 1e-14);
  CHECK((rigid(tip).angular_velocity - Vector3d(0, 2, 0)).norm() < 1e-15);
  const auto& hinge = std::get<SceneHinge>(flat.joints[0].type);
  const auto& slide = std::get<ScenePrismatic>(flat.joints[1].type);
  CHECK((*hinge.drive.limits)[0] == doctest::Approx(-2 * kPi / 3));
  CHECK((*hinge.drive.limits)[1] == doctest::Approx(kPi / 2));
  CHECK(std::abs(hinge.drive.spring.rest) < 1e-15);  // the spring rests at 30 degrees, where it starts
  CHECK((*slide.drive.limits)[0] == doctest::Approx(-2.5));
  CHECK((slide.axis - out).norm() < 1e-15);
  CHECK(flat.joints[1].bodies == std::vector<std::string>{"r/tip", "r/arm"});
  CHECK(!flat.joints[1].collide);
  CHECK(flat.joints[0].bodies == std::vector<std::string>{"r/arm"});
  // The same by name, and by all coordinates.
  const Scene named = file.flat(R"(, "positions": {"h": 0.5235987755982988, "s": 1.5}, "position": [0, 0, 5])");
  CHECK((named.bodies[1].placement.position - tip.placement.position).norm() == 0);
  const Scene all = file.flat(R"(, "qpos": [0.5235987755982988, 1.5], "qvel": [2, 3], "position": [0, 0, 5])");
  CHECK((rigid(all.bodies[1]).velocity - rigid(tip).velocity).norm() == 0);
}

TEST_CASE("several joints of a body are one serial joint, each by its own name") {
  const Scene flat = MjcfFile(R"(<worldbody><body name="a"><joint name="x" axis="1 0 0" armature="0.1"/>
    <joint name="y" axis="0 1 0" range="-10 10"/><geom size="1"/></body></worldbody>)")
                         .flat();
  REQUIRE(flat.joints.size() == 1);
  const auto& serial = std::get<SceneSerial>(flat.joints[0].type);
  REQUIRE(serial.axes.size() == 2);
  CHECK(serial.axes[1].name == "r/y");
  const auto system = build(flat, nullptr);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < system->constraints().size(); ++k) names.push_back(system->constraint_name(k));
  CHECK(names == std::vector<std::string>{"r/joints of a", "r/x.gear", "r/y.lower", "r/y.upper"});
  CHECK(system->bodies()[system->find("r/x.rotor")].mass() == 0.1);
}

TEST_CASE("actuators: torque of a motor, spring and pull of a servo, in their ranges") {
  const MjcfFile file(R"(<default><position kp="30"/><motor ctrlrange="-1 1"/></default><worldbody>
    <body name="a"><joint name="j"/><geom size="1"/></body><body name="b"><joint name="k" damping="1"/><geom size="1"/></body></worldbody>
    <actuator><motor name="m" joint="j" gear="5"/><position name="p" joint="k" gear="2" ctrlrange="-3 3"/><velocity name="v" joint="k" kv="4"/></actuator>
    <keyframe><key name="k" ctrl="0.5 4 0"/></keyframe>)");
  Scene flat = file.flat(R"(, "keyframe": "k")");
  const auto drive = [&](std::size_t i) { return std::get<SceneHinge>(flat.joints[i].type).drive; };
  CHECK(drive(0).effort.at(0) == 2.5);
  CHECK(drive(1).servo.position.at(0) == 3.0 / 2);  // kept in its range, over the gear
  CHECK(drive(1).servo.stiffness == 4 * 30);
  CHECK(drive(1).servo.damping == 4);
  CHECK(drive(1).servo.speed.at(0) == 0);
  CHECK(drive(1).spring.damping == 1);
  flat = file.flat(R"(, "controls": {"m": {"times": [0, 1], "values": [0, 9]}, "v": 2})");
  CHECK(drive(0).effort.at(1) == 5);
  CHECK(drive(0).effort.at(0.05) == doctest::Approx(0.45 * 5));  // as told, until the range ends
  CHECK(drive(0).effort.at(1.0 / 9) == doctest::Approx(5));
  CHECK(drive(0).effort.at(0.5) == doctest::Approx(5));
  CHECK(drive(1).servo.speed.at(0) == 1);  // ranges of the default class are those of all actuators
  CHECK(file.fault(R"(, "controls": {"q": 1})").find("controls: expected the name of an actuator") !=
        std::string::npos);
}

TEST_CASE("servos give the force that their range leaves, those of one joint act as one") {
  const std::string model =
      R"(<worldbody><body name="a"><joint name="j" ref="30"/><geom size="1"/></body></worldbody>)";
  const auto joint = [](const Scene& flat) { return std::get<SceneHinge>(flat.joints.at(0).type).drive; };
  const SceneDrive limited = joint(
      MjcfFile(model +
               R"(<actuator><position name="p" joint="j" kp="50" kv="3" gear="-2" forcerange="-1 4"/></actuator>)")
          .flat(R"(, "controls": {"p": 0.8})"));
  CHECK(*limited.servo.range == std::array{-8.0, 2.0});
  CHECK(limited.servo.stiffness == 200);
  CHECK(limited.servo.damping == 12);
  CHECK(limited.servo.position.at(0) == doctest::Approx(-0.4 - kPi / 6));  // since it starts at 30 degrees
  CHECK(limited.servo.speed.at(0) == 0);
  CHECK(limited.effort.values.empty());
  CHECK(!limited.spring.given);
  const std::string two = R"(<position name="p" joint="j" kp="20" kv="0"/><velocity name="v" joint="j" kv="5")";
  const SceneDrive both =
      joint(MjcfFile(model + "<actuator>" + two + "/></actuator>").flat(R"(, "controls": {"p": 1, "v": 3})"));
  CHECK(both.servo.stiffness == 20);
  CHECK(both.servo.damping == 5);
  CHECK(both.servo.position.at(0) == doctest::Approx(1 - kPi / 6));
  CHECK(both.servo.speed.at(0) == 3);
  const auto fault = [&](const std::string& more) {
    return MjcfFile(model + "<actuator>" + more + "</actuator>").fault();
  };
  CHECK(fault(two + " forcerange=\"-1 1\"/>").find("<velocity name=\"v\"> forcerange of one of several servos") !=
        std::string::npos);
  CHECK(fault("<velocity joint=\"j\" forcerange=\"1 2\"/>").find("forcerange: expected the least, at most 0") !=
        std::string::npos);
}

TEST_CASE("springs and dampers of balls and free bodies are bushings, without force where the file places them") {
  const MjcfFile file(R"(<worldbody>
    <body name="a" pos="1 0 0"><joint name="ball" type="ball" pos="0 0 0.5" stiffness="3" damping="0.2"/><geom size="0.1"/></body>
    <body name="b" pos="0 2 0"><joint name="free" type="free" damping="0.7" stiffness="4"/><geom size="0.1"/></body></worldbody>)");
  const Scene flat = file.flat(R"(, "qpos": [0.9553364891256060, 0, 0.29552020666133955, 0, 0, 2.5, 0, 1, 0, 0, 0])");
  REQUIRE(flat.joints.size() == 3);
  CHECK(flat.joints[0].name == "r/ball.spring");
  CHECK(flat.joints[1].name == "r/ball");
  CHECK(flat.joints[2].name == "r/free.spring");
  const auto& ball = std::get<SceneBushing>(flat.joints[0].type);
  CHECK(!ball.properties.pulls());
  CHECK(ball.properties.angular_stiffness == 3);
  CHECK(ball.properties.angular_damping == 0.2);
  CHECK((ball.rest - Vector3d(0, -0.6, 0)).norm() < 1e-14);  // the quaternion turns by 0.6 about y
  const auto& free = std::get<SceneBushing>(flat.joints[2].type);
  CHECK(free.points[0] == Vector3d(0, 2.5, 0));
  CHECK(free.points[1] == Vector3d(0, 2, 0));
  CHECK(free.properties.stiffness == 4);
  CHECK(free.properties.angular_damping == 0.7);
  const auto system = build(flat, nullptr);
  CHECK(system->constraints().size() == 3);
}

TEST_CASE("who touches whom: bits of contype and conaffinity, pairs, excludes, neighbours") {
  const Scene flat = MjcfFile(R"(<worldbody><geom name="floor" type="plane" size="1 1 1" contype="2" conaffinity="4"/>
    <body name="a"><freejoint/><geom name="a" size="1" contype="4" conaffinity="0"/></body>
    <body name="b"><freejoint/><geom name="b" size="1"/></body>
    <body name="c"><freejoint/><geom name="c" size="1" contype="0" conaffinity="0"/></body></worldbody>
    <contact><pair geom1="b" geom2="c" friction="0.3" condim="3"/><exclude body1="a" body2="b"/></contact>)")
                         .flat();
  const auto meets = [&](std::size_t a, std::size_t b) {
    const SceneGroups &p = flat.bodies[a].shapes[0].groups, &q = flat.bodies[b].shapes[0].groups;
    const auto in = [](const SceneGroups& of, const SceneGroups& others) {
      return std::find(others.collides_with->begin(), others.collides_with->end(), of.groups->front()) !=
             others.collides_with->end();
    };
    return in(p, q) && in(q, p);
  };
  CHECK(meets(0, 1));
  CHECK(!meets(0, 2));
  CHECK(!meets(0, 3));
  CHECK(!meets(1, 2));
  CHECK(meets(2, 3));
  CHECK(flat.excluded_pairs == std::vector<std::array<std::string, 2>>{{"r/a", "r/b"}});
}

TEST_CASE("friction of two geoms is the larger, or that of the higher priority, and condim says which of it counts") {
  const Scene flat = MjcfFile(R"(<worldbody><geom type="plane" size="1 1 1" friction="0.4 0.02 0.001" condim="3"/>
    <body name="a"><freejoint/><geom size="1" friction="0.9" condim="1"/></body>
    <body name="b"><freejoint/><geom size="1" friction="0.2 0.01 0.003" condim="6"/></body>
    <body name="c"><freejoint/><geom size="1" friction="0.1" condim="3" priority="1"/></body></worldbody>)")
                         .flat();
  const auto material = [&](std::size_t a, std::size_t b) {
    const std::string &first = flat.bodies[a].shapes[0].surface, &second = flat.bodies[b].shapes[0].surface;
    if (first == second) return flat.surfaces.at(first);
    for (const ScenePair& pair : flat.pairs) {
      const auto& [one, other] = pair.surfaces;
      if ((one == first && other == second) || (one == second && other == first)) return pair.material;
    }
    return SceneMaterial{};
  };
  CHECK(material(1, 1).friction == 0);
  CHECK(material(0, 1).friction == 0.9);
  CHECK(material(0, 2).friction == 0.4);
  CHECK(material(0, 2).torsional_friction == 0.02);
  CHECK(material(0, 2).rolling_friction == 0.003);
  CHECK(material(0, 3).friction == 0.1);
  CHECK(material(0, 3).torsional_friction == 0);
}

TEST_CASE("a mesh that is not convex weighs its pyramids, or what it encloses") {
  // An L of three cubes of edge 1, from its outline swept along z.
  const MjcfFile file("");
  std::string vertices, faces;
  const double outline[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (int z = 0; z < 2; ++z) {
    for (const auto& p : outline)
      vertices += std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(z) + " ";
  }
  for (int k = 0; k < 6; ++k) {
    const int n = (k + 1) % 6;
    for (const int i : {k, n, n + 6, k, n + 6, k + 6}) faces += std::to_string(i) + " ";
  }
  for (const int i : {0, 3, 1, 1, 3, 2, 0, 5, 3, 3, 5, 4, 6, 7, 9, 7, 8, 9, 6, 9, 11, 9, 10, 11})
    faces += std::to_string(i) + " ";
  const auto model = [&](const std::string& volume) {
    file.write("r.xml", "<mujoco><asset><mesh name=\"l\" " + volume + " vertex=\"" + vertices + "\" face=\"" + faces +
                            "\"/></asset><worldbody><body name=\"a\"><freejoint/><geom type=\"mesh\" mesh=\"l\" "
                            "density=\"2\"/></body></worldbody></mujoco>");
    return file.flat();
  };
  const SceneRigid exact = rigid(model("inertia=\"exact\"").bodies[0]);
  CHECK(*exact.mass == doctest::Approx(6).epsilon(1e-12));
  CHECK((exact.mass_center - Vector3d(5.0 / 6, 5.0 / 6, 0.5)).norm() < 1e-12);
  // Three cubes of mass 2: I_xx = 3 · 2/6 + 2 (⅓² + ⅓² + ⅔²) about the centre of all.
  CHECK((*exact.inertia)(0, 0) == doctest::Approx(7.0 / 3).epsilon(1e-12));
  CHECK(*rigid(model("").bodies[0]).mass >= 6 - 1e-12);
  // The hull is a box of 2 by 2 by 1 without the half of a cube; the surface is 2 · 3 and 8 · 1.
  CHECK(*rigid(model("inertia=\"convex\"").bodies[0]).mass == doctest::Approx(2 * 3.5).epsilon(1e-12));
  // As MuJoCo 2 has it: the mass of the box of edges l_i² = 6 (ΣJ − 2 J_i)/m that has its moments over mass.
  static_cast<void>(model(""));
  const SceneRigid boxed = rigid(file.flat(R"(, "mesh_inertia": "box")").bodies[0]);
  const Vector3d J = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(*boxed.inertia).eigenvalues();
  const Vector3d edges = (6 * (Vector3d::Constant(J.sum()) - 2 * J) / *boxed.mass).cwiseSqrt();
  CHECK(*boxed.mass == doctest::Approx(2 * edges.prod()).epsilon(1e-12));
  CHECK(*boxed.mass != doctest::Approx(*rigid(model("").bodies[0]).mass).epsilon(0.01));
  const SceneRigid shell = rigid(model("inertia=\"shell\"").bodies[0]);
  CHECK(*shell.mass == doctest::Approx(2 * 14).epsilon(1e-12));
  // By faces: two L of three squares, walls at x = 0 and y = 0 of length 2, and four of length 1.
  CHECK(shell.mass_center.x() == doctest::Approx((2 * 2.5 + 0 + 2 + 2 + 1.5 + 1 + 0.5) / 14).epsilon(1e-12));
}

#ifdef LOCDYN_WITH_ASSIMP
TEST_CASE("where MuJoCo 2 is imitated, a text file's numbers are those that a binary file keeps") {
  const MjcfFile file("");
  const float corners[4][3] = {{3.615716F, 6.903107F, 2.626971F},
                               {-2.990525F, 6.903107F, 3.321315F},
                               {0.123457F, -5.555553F, 3.141593F},
                               {1.777777F, 0.333333F, -7.654321F}};
  const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  std::string text, binary(80, ' ');
  const auto put = [&](const auto& value) { binary.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(std::uint32_t{4});
  for (const auto& x : corners) {
    text += "v";
    for (const float value : x) text += " " + std::to_string(value);  // six digits: those above
    text += "\n";
  }
  for (const auto& face : faces) {
    for (int k = 0; k < 3; ++k) put(0.0F);
    text += "f";
    for (const int corner : face) {
      text += " " + std::to_string(corner + 1);
      for (const float value : corners[corner]) put(value);
    }
    text += "\n";
    put(std::uint16_t{0});
  }
  file.write("a.obj", text);
  file.write("a.stl", binary);
  const auto body = [&](const std::string& name) {
    file.write("r.xml", "<mujoco><asset><mesh name=\"m\" scale=\".01 .01 .01\" file=\"" + name +
                            "\"/></asset><worldbody><body name=\"a\"><freejoint/><geom type=\"mesh\" mesh=\"m\"/>"
                            "</body></worldbody></mujoco>");
    return rigid(file.flat(R"(, "mesh_inertia": "box")").bodies[0]);
  };
  const SceneRigid of_text = body("a.obj"), of_binary = body("a.stl");
  CHECK(*of_text.mass == *of_binary.mass);
  CHECK(of_text.mass_center == of_binary.mass_center);
  CHECK(*of_text.inertia == *of_binary.inertia);
}
#endif

#endif
