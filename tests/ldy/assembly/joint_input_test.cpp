// Joints refuse what has no meaning, in one clear line.

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include <locdyn/bodies/massless_coordinate.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/driven/rolling_wheel.hpp>
#include <locdyn/ldy/assembly/constraints/driven/rotor_coupling.hpp>
#include <locdyn/ldy/assembly/constraints/planar/cam.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/point_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/serial_joint.hpp>
#include <locdyn/ldy/assembly/constraints/user_constraint.hpp>
#include <locdyn/ldy/assembly/derivative_check.hpp>

#include "world.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using Eigen::Vector3d;

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// The message that `work` throws.
template <class Work>
std::string fault(const Work& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing";
}

struct Bodies : test::World {
  BodyId ground = bodies.emplace<Obstacle>();
  BodyId a = bodies.emplace<RigidBody>(box_mass(1000, {0.1, 0.2, 0.3}), Vector3d(0, 0, 0));
  BodyId b = bodies.emplace<RigidBody>(box_mass(1000, {0.1, 0.2, 0.3}), Vector3d(1, 0, 0));
  BodyId dot = bodies.emplace<Particle>(1.0, Vector3d(0, 1, 0));
  BodyId flat = bodies.emplace<PlanarBody>(1.0, 0.1, Eigen::Vector2d(0, 2));
};

const Vector3d kX = Vector3d::UnitX(), kZ = Vector3d::UnitZ(), kZero = Vector3d::Zero();

}  // namespace

TEST_CASE("joints refuse values without meaning, naming kind, bodies and value") {
  Bodies w;
  auto& assembly = w.assembly;
  CHECK(fault([&] {
          assembly.emplace<Hinge>(Axis{kZero, kZero, w.a}, Axis{kZero, kZ, w.b});
        }) == "hinge of bodies 2, 1: axis of the master: expected a vector of length > 0, found 0");
  CHECK(fault([&] {
          assembly.emplace<Hinge>(Axis{kZero, kZ, w.a}, Axis{kZero, {kNotANumber, 0, 0}, w.b});
        }).find("hinge of bodies 2, 1: axis of the slave: expected a finite number, found nan") == 0);
  CHECK(fault([&] {
          assembly.emplace<Weld>(Anchor{kZero, w.a}, Anchor{kZero, w.a});
        }) == "weld of bodies 1, 1: bodies: expected different bodies, found body 1 with itself");
  CHECK(fault([&] {
          assembly.emplace<Hinge>(Axis{kZero, kZ, w.ground}, Axis{kZero, kZ});
        }) == "hinge of bodies 0: bodies: expected one that moves, found obstacle 0");
  CHECK(fault([&] {
          assembly.emplace<Universal>(Axis{kZero, kZ, w.a}, Axis{kZero, -kZ, w.b});
        }) == "universal joint of bodies 2, 1: axes: expected two at right angles, found parallel ones");
  CHECK(fault([&] {
          assembly.emplace<Hinge>(Axis{kZero, kZ}, Axis{kZero, kZ, w.dot});
        }) == "hinge of bodies 3: row 3 (an angle): expected a body that can follow it, found none");
  CHECK(fault([&] {
          assembly.emplace<Hinge>(Axis{kZero, kZ}, Axis{kZero, kZ, w.flat});
        }) == "hinge of bodies 4: row 2 (a length): expected a body that can follow it, found none");
  CHECK(fault([&] {
          assembly.emplace<PlaneOnPlane>(Axis{kZero, kZ}, Axis{kZero, kZ, w.dot});
        }) == "planar joint of bodies 3: row 1 (an angle): expected a body that can follow it, found none");
  CHECK(fault([&] {
          Screw({kZero, kZ, w.a}, {kZero, kZ, w.b}, 0);
        }) == "pitch: expected a length that is not 0, found 0");
  CHECK(fault([&] {
          assembly.emplace<PointOnPlane>(Axis{kZero, kZero, w.a}, Anchor{kX, w.b});
        }).find("normal of the plane: expected a vector of length > 0") != std::string::npos);
  CHECK(fault([&] {
          assembly.emplace<PointOnLine>(Axis{kZero, kZ, w.a}, Anchor{{0, kNotANumber, 0}, w.b});
        }).find("point: expected a finite number, found nan") != std::string::npos);
  CHECK(fault([&] {
          assembly.emplace<PlanarPrismatic>(Axis{kZero, kZ}, Axis{kZero, kX, w.flat});
        }).find("axis of the master: expected a direction in the plane z = 0, found z = 1") != std::string::npos);
  CHECK(fault([&] { RigidLink(Anchor{kZero, w.a}, Anchor{kX, w.b}, 0); }).find("length: expected") == 0);
  CHECK(fault([&] { RollingWheel({kZero, kZ}, {kZ, kX, w.a}, -1); }).find("radius: expected") == 0);
  CHECK(fault([&] {
          assembly.emplace<RollingWheel>(Axis{kZero, kZ}, Axis{kZ, kZ, w.a}, 1.0);
        }).find("axle: expected one across the normal") != std::string::npos);

  // Coordinates.
  CHECK(fault([&] {
          (void)distance({kZero, w.a}, {kX, w.a});
        }) == "coordinate: expected points that move against each other, found those of body 1 alone");
  CHECK(fault([&] { (void)distance({kZero}, {kX}); }).find("coordinate: expected points of bodies") == 0);
  CHECK(fault([&] { (void)axis_angle({kZero, kZero}, {kZero, kZ, w.a}); }).find("normal") == 0);
  CHECK(fault([&] {
          assembly.emplace<Prescribed>(distance({kX, w.a}, {kX, w.b}), 1.0);
        }) == "prescribed coordinate of bodies 1, 2: length: expected a vector of length > 0, found 0");
  CHECK(fault([&] {
          assembly.emplace<Prescribed>(unsigned_angle(carried(w.a, kZero), carried(w.b, kX)), 1.0);
        }).find("angle: expected vectors of length > 0, found 0") != std::string::npos);
  CHECK(fault([&] {
          Prescribed(distance({kX, w.a}, {kZ, w.b}), TimeFunction{});
        }) == "f: expected a function of time, found none");
  CHECK(fault([&] {
          assembly.emplace<Prescribed>(distance({kX, w.a}, {kZ, w.b}), kNotANumber);
        }).find("row 0: expected finite numbers, found value nan") != std::string::npos);
  CHECK(fault([&] { Limit(distance({kX, w.a}, {kZ, w.b}), Side::lower, kNotANumber); }).find("bound: expected") == 0);
  CHECK(fault([&] { Gear(planar_angle(w.flat), planar_angle(w.flat), 0); }).find("gear ratio: expected") == 0);
  CHECK(fault([&] {
          assembly.emplace<Gear>(planar_angle(w.flat), planar_angle(w.flat), 1.0);
        }).find("gear of bodies 4: row 0 (an angle): expected a body that can follow it") == 0);
  CHECK(w.ldy.constraint_count() == 0);
}

TEST_CASE("cams refuse missing functions, other bodies for parameters and points without a tangent") {
  Bodies w;
  const BodyId s = w.bodies.emplace<MasslessCoordinate>(0.0), t = w.bodies.emplace<MasslessCoordinate>(0.0);
  const auto line = [](double x) { return Eigen::Vector2d(x, 0); };
  const auto one = [](double) { return Eigen::Vector2d(1, 0); };
  const auto zero = [](double) { return Eigen::Vector2d(0, 0); };
  const PlaneCurve good{line, one, zero}, still{line, zero, zero};
  CHECK(fault([&] { Cam({w.flat, {line, one, nullptr}, s}, {std::nullopt, good, t}); }).find("first curve") == 0);
  CHECK(fault([&] {
          w.assembly.emplace<Cam>(CamSide{w.flat, good, w.dot}, CamSide{std::nullopt, good, t});
        }).find("coordinate: expected a coordinate without mass, or a rotor, found body 3") != std::string::npos);
  CHECK(fault([&] {
          w.assembly.emplace<Cam>(CamSide{w.flat, still, s}, CamSide{std::nullopt, good, t});
        }).find("length: expected a vector of length > 0") != std::string::npos);
}

TEST_CASE("serial joints refuse axes that say nothing, repeat each other or leave nothing to hold") {
  Bodies w;
  const Vector3d kY = Vector3d::UnitY();
  const auto chain = [&](std::vector<SerialAxis> axes) { return fault([&] { SerialChain(w.a, w.b, axes); }); };
  CHECK(chain({}).find("axes: expected one to three hinges, one to three slides, or both, found 0 and 0") == 0);
  CHECK(chain({{true, kZero, kX}, {true, kZero, kY}, {true, kZero, kZ}, {true, kZero, kX}}).find("found 4 and 0") !=
        std::string::npos);
  CHECK(chain({{true, kZero, kZero}}) == "axis 0: direction: expected a vector of length > 0, found zero");
  CHECK(chain({{true, kZero, kX}, {false, {0, kNotANumber, 0}, kX}}).find("axis 1: point: expected") == 0);
  CHECK(chain({{true, kZero, kX}, {true, kY, -2 * kX}}).find("not parallel, found 0 and 1 parallel") !=
        std::string::npos);
  CHECK(chain({{true, kZero, kX}, {true, kZero, kY}, {true, kZero, kX}}).find("found them in one plane") !=
        std::string::npos);
  CHECK(chain({{false, kZero, kX}, {false, kZero, kX}}).find("found dependent ones") != std::string::npos);
  const std::vector<SerialAxis> all = {{true, kZero, kX},  {true, kZero, kY},  {true, kZero, kZ},
                                       {false, kZero, kX}, {false, kZero, kY}, {false, kZero, kZ}};
  CHECK(fault([&] { SerialJoint(SerialChain(w.a, w.b, all)); }).find("found six, which hold nothing") !=
        std::string::npos);
  CHECK_THROWS_AS((void)serial_coordinate(SerialChain(w.a, w.b, all), 6), std::out_of_range);
  CHECK(fault([&] {
          w.assembly.emplace<RotorCoupling>(planar_angle(w.flat), w.a);
        }).find("expected a coordinate without mass, or a rotor, found body 1") != std::string::npos);
}

TEST_CASE("what is not a bilateral constraint has no bias, what keeps no memory takes none") {
  Bodies w;
  const Contact contact({.master = w.a, .slave = w.b});
  Vector3d bias;
  CHECK_THROWS_WITH_AS(contact.acceleration_bias(w.bodies, {&bias, 1}),
                       "acceleration bias: expected a joint, found a contact", std::logic_error);
  Gear gear(planar_angle(w.flat), axis_angle({kZero, kZ, w.ground}, {kZero, kZ, w.a}), 1.0);
  gear.attach(w.bodies);
  REQUIRE(gear.memory().size() == 2);
  const std::array<double, 3> memory = {7, 8, 9};
  CHECK(fault([&] { gear.set_memory(memory); }) == "gear: memory: expected 2 numbers, found 3");
  gear.set_memory(std::span(memory).first(2));
  CHECK(gear.memory()[1] == 8);
  RigidLink link({kZero, w.a}, {kX, w.b});
  CHECK(fault([&] { link.set_memory(memory); }) == "rigid link: memory: expected no numbers, found 3");
}

namespace {

// A point of a planar body on the circle of radius 1 + t/10: C = (x² + y² − r²)/2 of its centre.
UserFunctions circle() {
  const auto q = [](const BodySet& bodies) { return Eigen::VectorXd(bodies[BodyId{4}].configuration()); };
  const auto one = [](double value) { return Eigen::VectorXd(Eigen::VectorXd::Constant(1, value)); };
  const auto r = [](double t) { return 1 + 0.1 * t; };
  UserFunctions f;
  f.name = "circle";
  f.C = [=](const BodySet& bodies, double t) { return one((q(bodies).head<2>().squaredNorm() - r(t) * r(t)) / 2); };
  f.C_q = [=](const BodySet& bodies, double) {
    return Eigen::MatrixXd(Eigen::RowVector3d(q(bodies)[0], q(bodies)[1], 0));
  };
  f.Cdot_q_u = [=](const BodySet& bodies, double) { return one(bodies[BodyId{4}].velocity().head<2>().squaredNorm()); };
  f.C_t = [=](const BodySet&, double t) { return one(-0.1 * r(t)); };
  f.C_tt = [=](const BodySet&, double) { return one(-0.01); };
  return f;
}

}  // namespace

TEST_CASE("user-defined constraints: derivatives checked on request, the wrong row and column named") {
  Bodies w;
  w.bodies[w.flat].set_velocity(Vector3d(0.3, -0.4, 2));
  w.bodies.set_time(0.7);
  UserConstraint right({w.flat}, circle());
  right.attach(w.bodies);
  const DerivativeReport report = check_derivatives(right, w.bodies);
  CHECK(report.H <= 1e-9);
  CHECK(report.drive <= 1e-9);
  CHECK(report.bias <= 1e-9);
  CHECK(w.bodies.time() == 0.7);
  CHECK(w.bodies[w.flat].configuration() == Vector3d(0, 2, 0));
  CHECK(w.bodies[w.flat].velocity() == Vector3d(0.3, -0.4, 2));

  UserFunctions wrong = circle();
  wrong.C_q = [](const BodySet&, double) { return Eigen::MatrixXd(Eigen::RowVector3d(0, 2, 0.25)); };
  wrong.C_t = [](const BodySet&, double) { return Eigen::VectorXd(Eigen::VectorXd::Constant(1, 5)); };
  UserConstraint faulty({w.flat}, wrong);
  const DerivativeReport found = check_derivatives(faulty, w.bodies);
  CHECK(found.H == doctest::Approx(0.25 / 3).epsilon(1e-6));
  CHECK(found.worst_H.find("row 0 of block 0, velocity 2 of body 4: expected ") == 0);
  CHECK(found.worst_H.find("found 0.25") != std::string::npos);
  CHECK(found.worst_drive == "row 0 of block 0, drive: expected -0.107, found 5");

  // Rows on velocities alone: only their bias can be checked.
  UserFunctions skate = circle();
  skate.C = nullptr;
  UserConstraint on_velocities({w.flat}, skate);
  CHECK(on_velocities.holonomic_rows(0) == 0);
  CHECK(check_derivatives(on_velocities, w.bodies).bias <= 1e-9);
  Vector3d error(1, 1, 1);
  on_velocities.position_error(w.bodies, {&error, 1});
  CHECK(error == kZero);
}

TEST_CASE("user-defined constraints: missing functions, wrong sizes and what is not a number") {
  Bodies w;
  const auto with = [](auto change) {
    UserFunctions f = circle();
    change(f);
    return f;
  };
  CHECK(fault([&] { UserConstraint({w.flat}, with([](auto& f) { f.rows = 7; })); }) ==
        "circle: rows: expected 1 to 6, found 7");
  CHECK(fault([&] { UserConstraint({w.flat}, with([](auto& f) { f.C_q = nullptr; })); }) ==
        "circle: C_q: expected a function, found none");
  const auto nan = [](const BodySet&, double) { return Eigen::VectorXd(Eigen::VectorXd::Constant(1, kNotANumber)); };
  CHECK(fault([&] {
          w.assembly.emplace<UserConstraint>(std::vector<BodyId>{w.flat}, with([&](auto& f) { f.C_t = nan; }));
        }) == "circle of bodies 4: C_t: expected finite numbers, found nan in row 0, column 0");
  CHECK(fault([&] {
          w.assembly.emplace<UserConstraint>(std::vector<BodyId>{w.flat, w.a}, circle());
        }) == "circle of bodies 4, 1: C_q: expected 1×9 numbers, found 1×3");

  // One that turns into a NaN later stops the step, and names the constraint.
  bool broken = false;
  w.assembly.emplace<UserConstraint>(std::vector<BodyId>{w.flat}, with([&](auto& f) {
                                       f.C_q = [&broken](const BodySet&, double) {
                                         return Eigen::MatrixXd(Eigen::RowVector3d(broken ? kNotANumber : 1, 2, 0));
                                       };
                                     }));
  w.assembly.update(0.1);
  broken = true;
  CHECK(fault([&] { w.assembly.update(0.1); }) ==
        "constraint 0 (circle): C_q: expected finite numbers, found nan in row 0, column 0");
}
