// Every joint at random configurations and velocities: H and drive are the derivatives of C, bias is that of U; the
// rank of H is the number of freedoms that the textbook says; and between free bodies no reaction adds momentum.

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <functional>
#include <numbers>

#include <bodies/random_bodies.hpp>
#include <locdyn/bodies/massless_coordinate.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/driven/rolling_wheel.hpp>
#include <locdyn/ldy/assembly/constraints/driven/servo.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_direction.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include <locdyn/ldy/assembly/constraints/planar/cam.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/ldy/assembly/constraints/prescribed_velocity.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/bushing.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/point_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/serial_joint.hpp>
#include <locdyn/ldy/assembly/derivative_check.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using Eigen::Vector3d;
using locdyn::testing::Random;

namespace {

enum class Kind { particle, planar, rigid, pseudo_rigid, obstacle };

BodyId add(BodySet& bodies, Random& random, Kind kind) {
  if (kind == Kind::obstacle) return bodies.emplace<Obstacle>(random.vector(), random.vector(), random.vector());
  auto all = locdyn::testing::one_of_each(random);
  auto& body = all[static_cast<std::size_t>(kind)];
  body->set_velocity(0.5 * body->velocity());
  return bodies.add(std::move(body));
}

using Ids = std::vector<BodyId>;
struct JointCase {
  std::string name;
  std::vector<std::vector<Kind>> kinds;  // of the bodies: slave, master, …
  int rank;
  std::function<std::unique_ptr<Constraint>(Random&, const Ids&)> make;
  bool momentum = true;  // is there an exchange of reactions alone?
};

const std::vector<std::vector<Kind>> kPairs = {{Kind::rigid, Kind::rigid},
                                               {Kind::rigid, Kind::pseudo_rigid},
                                               {Kind::pseudo_rigid, Kind::rigid},
                                               {Kind::rigid, Kind::obstacle}};
const std::vector<std::vector<Kind>> kPointPairs = {{Kind::rigid, Kind::rigid},
                                                    {Kind::particle, Kind::rigid},
                                                    {Kind::pseudo_rigid, Kind::pseudo_rigid},
                                                    {Kind::particle, Kind::obstacle}};
const std::vector<std::vector<Kind>> kPlanarPairs = {{Kind::planar, Kind::planar}, {Kind::planar, Kind::obstacle}};

Vector3d in_plane(Random& random) {
  return {random.normal(), random.normal(), 0};
}

// Both axes of a joint in the same place.
template <class Kind>
auto at_one_axis() {
  return [](Random& random, const Ids& ids) -> std::unique_ptr<Constraint> {
    const Vector3d x = random.vector(), a = random.vector();
    return std::make_unique<Kind>(Axis{x, a, ids[1]}, Axis{x, a, ids[0]});
  };
}

template <class Kind>
auto with_friction(const JointFriction& friction) {
  return [friction](Random& random, const Ids& ids) -> std::unique_ptr<Constraint> {
    const Vector3d x = random.vector(), a = random.vector();
    return std::make_unique<Kind>(Axis{x, a, ids[1]}, Axis{x, a, ids[0]}, friction);
  };
}

TimeFunction swing() {
  return {[](double t) { return 0.3 + std::sin(2 * t); }, [](double t) { return 2 * std::cos(2 * t); },
          [](double t) { return -4 * std::sin(2 * t); }};
}

BodyVector random_vector(Random& random, BodyId body) {
  return {{random.vector(), body}, {random.vector(), body}};
}

PlaneCurve ellipse(double a, double b) {
  using V = Eigen::Vector2d;
  return {[=](double s) { return V(a * std::cos(s), b * std::sin(s)); },
          [=](double s) { return V(-a * std::sin(s), b * std::cos(s)); },
          [=](double s) { return V(-a * std::cos(s), -b * std::sin(s)); }};
}

template <class Make>
auto prescribed(const Make& make) {
  return [make](Random& random, const Ids& ids) -> std::unique_ptr<Constraint> {
    return std::make_unique<Prescribed>(make(random, ids), swing());
  };
}

const std::vector<std::vector<Kind>> kRigidPairs = {{Kind::rigid, Kind::rigid}, {Kind::rigid, Kind::obstacle}};

// Of hinges (h) and slides (s), at angles to each other that leave room to move.
SerialChain chain_of(Random& random, const Ids& ids, const std::string& kinds) {
  std::vector<SerialAxis> axes;
  int hinge = 0, slide = 0;
  for (const char kind : kinds) {
    Vector3d direction = 0.2 * random.vector().normalized();
    direction[(kind == 'h' ? hinge++ : slide++) % 3] += 1;
    axes.push_back({kind == 'h', random.vector(), direction});
  }
  return {ids[1], ids[0], axes};
}

std::vector<JointCase> joint_cases() {
  using R = Random&;
  using I = const Ids&;
  using C = std::unique_ptr<Constraint>;
  std::vector<JointCase> cases = {
      {"ball", kPointPairs, 3,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector();
         return std::make_unique<FixedPoint>(Anchor{x, ids[1]}, Anchor{x, ids[0]});
       }},
      {"fixed direction", kPointPairs, 1,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector();
         return std::make_unique<FixedDirection>(Anchor{x, ids[1]}, Anchor{x, ids[0]}, random.vector());
       }},
      {"prescribed velocity", kPointPairs, 1,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector();
         return std::make_unique<PrescribedVelocity>(Anchor{x, ids[1]}, Anchor{x, ids[0]}, random.vector(), 2.0);
       }},
      {"rigid link", kPointPairs, 1,
       [](R random, I ids) -> C {
         return std::make_unique<RigidLink>(Anchor{random.vector(), ids[1]}, Anchor{random.vector(), ids[0]});
       }},
      {"hinge", kPairs, 5, at_one_axis<Hinge>()},
      {"cylindrical", kPairs, 4, at_one_axis<Cylindrical>()},
      {"prismatic", kPairs, 5, at_one_axis<Prismatic>()},
      {"screw", kPairs, 5,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector(), a = random.vector();
         return std::make_unique<Screw>(Axis{x, a, ids[1]}, Axis{x, a, ids[0]}, 0.4);
       }},
      {"universal", kPairs, 4,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector(), a = random.vector();
         return std::make_unique<Universal>(Axis{x, a, ids[1]}, Axis{x, a.unitOrthogonal(), ids[0]});
       }},
      {"planar", kPairs, 3,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector(), n = random.vector();
         return std::make_unique<PlaneOnPlane>(Axis{x, n, ids[1]}, Axis{x + n.unitOrthogonal(), n, ids[0]});
       }},
      {"weld", kPairs, 6,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector();
         return std::make_unique<Weld>(Anchor{x, ids[1]}, Anchor{x, ids[0]});
       }},
      {"point on line", kPointPairs, 2,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector(), a = random.vector();
         return std::make_unique<PointOnLine>(Axis{x, a, ids[1]}, Anchor{x + 0.7 * a, ids[0]});
       }},
      {"point on plane", kPointPairs, 1,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector(), n = random.vector();
         return std::make_unique<PointOnPlane>(Axis{x, n, ids[1]}, Anchor{x + n.unitOrthogonal(), ids[0]});
       }},
      {"angle motor", kPairs, 1, prescribed([](R random, I ids) {
         const Vector3d x = random.vector(), a = random.vector();
         return axis_angle({x, a, ids[1]}, {x, a, ids[0]});
       })},
      {"displacement motor", kPointPairs, 1, prescribed([](R random, I ids) {
         return axis_displacement({random.vector(), random.vector(), ids[1]}, {random.vector(), ids[0]});
       })},
      {"length", kPointPairs, 1, prescribed([](R random, I ids) {
         return distance({random.vector(), ids[1]}, {random.vector(), ids[0]});
       })},
      {"signed angle", kPairs, 1, prescribed([](R random, I ids) {
         return signed_angle(random_vector(random, ids[0]), random_vector(random, ids[1]),
                             random_vector(random, ids[1]));
       })},
      {"unsigned angle", kPairs, 1, prescribed([](R random, I ids) {
         return unsigned_angle(random_vector(random, ids[0]), random_vector(random, ids[1]));
       })},
      {"perpendicular", kPairs, 1, prescribed([](R random, I ids) {
         return cosine(random_vector(random, ids[0]), random_vector(random, ids[1]));
       })},
      {"angle of particles", {{Kind::particle, Kind::particle, Kind::particle}}, 1, prescribed([](R random, I ids) {
         const Anchor a{random.vector(), ids[0]}, b{random.vector(), ids[1]}, c{random.vector(), ids[2]};
         return unsigned_angle({a, b}, {a, c});
       })},
      {"angle between planes",
       {{Kind::particle, Kind::rigid, Kind::pseudo_rigid, Kind::particle}},
       1,
       prescribed([](R random, I ids) {
         const auto point = [&](int k) { return Anchor{random.vector(), ids[static_cast<std::size_t>(k)]}; };
         return plane_angle({point(0), point(1), point(2)}, {point(1), point(2), point(3)});
       })},
      {"velocity motor", kPairs, 1,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector(), a = random.vector();
         return std::make_unique<VelocityMotor>(axis_angle({x, a, ids[1]}, {x, a, ids[0]}), swing().value,
                                                swing().first);
       }},
      {"limit", kPairs, 1,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector(), a = random.vector();
         return std::make_unique<Limit>(axis_angle({x, a, ids[1]}, {x, a, ids[0]}), Side::upper, 0.1);
       }},
      {"gear",
       {{Kind::rigid, Kind::rigid, Kind::rigid}, {Kind::rigid, Kind::rigid, Kind::obstacle}},
       1,
       [](R random, I ids) -> C {
         const Vector3d a = random.vector(), b = random.vector();
         const Vector3d x = random.vector(), y = random.vector();
         return std::make_unique<Gear>(axis_angle({x, a, ids[2]}, {x, a, ids[0]}),
                                       axis_angle({y, b, ids[2]}, {y, b, ids[1]}), -1.7);
       }},
      {"rack and pinion",
       {{Kind::rigid, Kind::rigid, Kind::rigid}},
       1,
       [](R random, I ids) -> C {
         const Vector3d a = random.vector(), x = random.vector(), y = random.vector();
         return std::make_unique<Gear>(axis_displacement({y, random.vector(), ids[2]}, {y, ids[1]}),
                                       axis_angle({x, a, ids[2]}, {x, a, ids[0]}), 0.3);
       }},
      {"rolling wheel",
       {{Kind::rigid, Kind::rigid}, {Kind::rigid, Kind::obstacle}},
       3,
       [](R random, I ids) -> C {
         // Touching: the centre at the height of the lowest point.
         const Vector3d n = random.vector().normalized(), a = random.vector().normalized(), p = random.vector();
         const double radius = 0.5, height = radius * std::sqrt(1 - std::pow(n.dot(a), 2));
         const Vector3d centre = p + 0.3 * n.unitOrthogonal() + height * n;
         return std::make_unique<RollingWheel>(Axis{p, n, ids[1]}, Axis{centre, a, ids[0]}, radius);
       }},
      {"serial, two hinges", kPairs, 4,
       [](R random, I ids) -> C { return std::make_unique<SerialJoint>(chain_of(random, ids, "hh")); }},
      {"serial, two hinges and a slide", kPairs, 3,
       [](R random, I ids) -> C { return std::make_unique<SerialJoint>(chain_of(random, ids, "hsh")); }},
      {"serial, two slides and a hinge", kPairs, 3,
       [](R random, I ids) -> C { return std::make_unique<SerialJoint>(chain_of(random, ids, "ssh")); }},
      {"serial, two slides", kPairs, 4,
       [](R random, I ids) -> C { return std::make_unique<SerialJoint>(chain_of(random, ids, "ss")); }},
      {"serial, three hinges", kRigidPairs, 3,
       [](R random, I ids) -> C { return std::make_unique<SerialJoint>(chain_of(random, ids, "hhh")); }},
      {"serial, three hinges with slides between", kRigidPairs, 1,
       [](R random, I ids) -> C { return std::make_unique<SerialJoint>(chain_of(random, ids, "hshsh")); }},
      {"middle of three hinges", kRigidPairs, 1,
       prescribed([](R random, I ids) { return serial_coordinate(chain_of(random, ids, "hhsh"), 1); })},
      {"last of three hinges", kRigidPairs, 1,
       prescribed([](R random, I ids) { return serial_coordinate(chain_of(random, ids, "shhh"), 3); })},
      {"slide of three", kRigidPairs, 1,
       prescribed([](R random, I ids) { return serial_coordinate(chain_of(random, ids, "shsshh"), 2); })},
      {"planar revolute", kPlanarPairs, 2,
       [](R random, I ids) -> C {
         const Vector3d x = in_plane(random);
         return std::make_unique<PlanarRevolute>(Anchor{x, ids[1]}, Anchor{x, ids[0]});
       }},
      {"planar prismatic", kPlanarPairs, 2,
       [](R random, I ids) -> C {
         const Vector3d x = in_plane(random), a = in_plane(random);
         return std::make_unique<PlanarPrismatic>(Axis{x, a, ids[1]}, Axis{x + 0.3 * a, a, ids[0]});
       }},
      {"planar point on line", kPlanarPairs, 1,
       [](R random, I ids) -> C {
         const Vector3d x = in_plane(random), a = in_plane(random);
         return std::make_unique<PlanarPointOnLine>(Axis{x, a, ids[1]}, Anchor{x - a, ids[0]});
       }},
      {"planar gear",
       {{Kind::planar, Kind::planar}},
       1,
       [](R, I ids) -> C { return std::make_unique<Gear>(planar_angle(ids[0]), planar_angle(ids[1]), 2.5); },
       false},  // the frame carries the moments
      {"planar signed angle", kPlanarPairs, 1, prescribed([](R random, I ids) {
         return signed_angle(carried(ids[0], in_plane(random)), carried(ids[1], in_plane(random)));
       })},
      {"planar unsigned angle", kPlanarPairs, 1, prescribed([](R random, I ids) {
         return unsigned_angle(carried(ids[0], in_plane(random)), carried(ids[1], in_plane(random)));
       })},
      {"hinge with friction", kPairs, 6, with_friction<Hinge>({.limit = 1})},
      {"prismatic with friction", kPairs, 6, with_friction<Prismatic>({.coefficient = 0.3, .arm = 0.2})},
      {"screw with friction", kPairs, 6,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector(), a = random.vector();
         return std::make_unique<Screw>(Axis{x, a, ids[1]}, Axis{x, a, ids[0]}, 0.4,
                                        JointFriction{.coefficient = 0.1, .radius = 0.2});
       }},
      {"ball with friction",
       {{Kind::rigid, Kind::rigid}, {Kind::rigid, Kind::obstacle}},
       6,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector();
         return std::make_unique<BallJoint>(Anchor{x, ids[1]}, Anchor{x, ids[0]}, JointFriction{.limit = 1});
       }},
      {"planar revolute with friction", kPlanarPairs, 3,
       [](R random, I ids) -> C {
         const Vector3d x = in_plane(random);
         return std::make_unique<PlanarRevolute>(Anchor{x, ids[1]}, Anchor{x, ids[0]}, JointFriction{.limit = 1});
       }},
      {"planar prismatic with friction", kPlanarPairs, 3,
       [](R random, I ids) -> C {
         const Vector3d x = in_plane(random), a = in_plane(random);
         return std::make_unique<PlanarPrismatic>(Axis{x, a, ids[1]}, Axis{x + 0.3 * a, a, ids[0]},
                                                  JointFriction{.limit = 1});
       }},
      {"servo", kPairs, 1,
       [](R random, I ids) -> C {
         const Vector3d x = random.vector(), a = random.vector();
         return std::make_unique<Servo>(axis_angle({x, a, ids[1]}, {x, a, ids[0]}), ServoGains{10, 1, {}}, swing());
       }},
      {"bushing",
       {{Kind::rigid, Kind::rigid}, {Kind::rigid, Kind::obstacle}},
       6,
       [](R random, I ids) -> C {
         RelativePlacement placement({random.vector(), ids[1]}, {random.vector(), ids[0]}, random.vector());
         return std::make_unique<Bushing>(std::move(placement), BushingProperties{10, 1, 5, 0.5});
       }},
      {"bushing of points",
       {{Kind::particle, Kind::rigid}, {Kind::pseudo_rigid, Kind::rigid}, {Kind::particle, Kind::obstacle}},
       3,
       [](R random, I ids) -> C {
         RelativePlacement placement({random.vector(), ids[1]}, {random.vector(), ids[0]});
         return std::make_unique<Bushing>(std::move(placement), BushingProperties{.stiffness = 10});
       }},
      {"dry friction", kPointPairs, 1,
       [](R random, I ids) -> C {
         return std::make_unique<DryFriction>(
             axis_displacement({random.vector(), random.vector(), ids[1]}, {random.vector(), ids[0]}), 2.0);
       }},
      {"planar rolling wheel",
       {{Kind::planar, Kind::obstacle}},
       2,
       [](R random, I ids) -> C {
         const Vector3d n = in_plane(random).normalized(), p = in_plane(random);
         return std::make_unique<RollingWheel>(Axis{p, n}, Axis{p + 0.5 * n, Vector3d::UnitZ(), ids[0]}, 0.5,
                                               WheelRows::plane);
       }},
  };
  return cases;
}

// u of each body where all move as one rigid body, v(x) = v + ω × x.
Eigen::VectorXd rigid_motion(const BodySet& bodies, std::span<const BodyId> ids, const Vector3d& v,
                             const Vector3d& omega) {
  std::vector<double> u;
  const auto append = [&u](const auto& part) { u.insert(u.end(), part.begin(), part.end()); };
  for (BodyId id : ids) {
    const Vector3d at_centre = v + omega.cross(bodies[id].to_space(Vector3d::Zero()));
    if (const auto* rigid = dynamic_cast<const RigidBody*>(&bodies[id])) {
      append(Vector3d(rigid->rotation().transpose() * omega));
      append(at_centre);
    } else if (const auto* pseudo = dynamic_cast<const PseudoRigidBody*>(&bodies[id])) {
      const Eigen::Matrix3d rate = skew(omega) * pseudo->deformation();
      for (int row = 0; row < 3; ++row) append(Vector3d(rate.row(row).transpose()));
      append(at_centre);
    } else if (dynamic_cast<const PlanarBody*>(&bodies[id]) != nullptr) {
      append(Vector3d(at_centre[0], at_centre[1], omega[2]));
    } else {
      append(at_centre);
    }
  }
  return Eigen::Map<Eigen::VectorXd>(u.data(), static_cast<Eigen::Index>(u.size()));
}

}  // namespace

TEST_CASE("every joint: H, drive and bias are derivatives, rank and momentum as they should be") {
  for (const JointCase& joint : joint_cases()) {
    CAPTURE(joint.name);
    for (std::size_t pair = 0; pair < joint.kinds.size(); ++pair) {
      CAPTURE(pair);
      for (unsigned seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        BodySet bodies;
        Ids ids;
        bool free = true, planar = false, extended = true;
        for (Kind kind : joint.kinds[pair]) {
          ids.push_back(add(bodies, random, kind));
          free = free && kind != Kind::obstacle;
          planar = planar || kind == Kind::planar;
          extended = extended && kind != Kind::particle;  // whose points beside it carry no moment
        }
        const bool obstacle = !free;
        if (obstacle && planar) {  // which moves in the plane as well
          auto& body = dynamic_cast<Obstacle&>(bodies[ids.back()]);
          body.set_motion(in_plane(random), Vector3d(0, 0, random.normal()), in_plane(random));
        }
        bodies.set_time(0.4);
        const auto constraint = joint.make(random, ids);
        constraint->attach(bodies);

        // As it was put in: rank, and no force or moment on the whole.
        const ConstraintRows closed = constraint_rows(*constraint, bodies);
        Eigen::FullPivLU<Eigen::MatrixXd> lu(closed.H);
        lu.setThreshold(1e-9);
        CHECK(lu.rank() == joint.rank);
        if (free && extended && joint.momentum) {
          const Vector3d v = planar ? in_plane(random) : random.vector();
          const Vector3d omega = planar ? Vector3d(0, 0, random.normal()) : random.vector();
          const Eigen::VectorXd u = rigid_motion(bodies, constraint->bodies(), v, omega);
          CHECK((closed.H * u).cwiseAbs().maxCoeff() <= 1e-13 * (1 + closed.H.cwiseAbs().maxCoeff()) * (1 + u.norm()));
        }

        // Anywhere else.
        for (BodyId id : ids) bodies[id].advance(0.1);
        for (BodyId id : ids) bodies[id].set_velocity(random.velocity(bodies[id].freedoms()));
        const DerivativeReport report = check_derivatives(*constraint, bodies);
        CAPTURE(report.worst_H);
        CHECK(report.H <= 1e-7);
        CAPTURE(report.worst_drive);
        CHECK(report.drive <= 1e-7);
        CAPTURE(report.worst_bias);
        CHECK(report.bias <= 1e-6);
      }
    }
  }
}

TEST_CASE("a cam of two ellipses: derivatives, and one freedom taken of two bodies and two parameters") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    BodySet bodies;
    const BodyId first = add(bodies, random, Kind::planar);
    const BodyId second = add(bodies, random, Kind::planar);
    const BodyId s = bodies.emplace<MasslessCoordinate>(random.normal());
    const BodyId t = bodies.emplace<MasslessCoordinate>(random.normal());
    for (BodyId id : {s, t}) bodies[id].set_velocity(Eigen::VectorXd::Constant(1, random.normal()));
    Cam cam({first, ellipse(1, 0.7), s}, {second, ellipse(0.5, 0.9), t});
    cam.attach(bodies);
    const ConstraintRows rows = constraint_rows(cam, bodies);
    CHECK(Eigen::FullPivLU<Eigen::MatrixXd>(rows.H).rank() == 3);
    const DerivativeReport report = check_derivatives(cam, bodies);
    CAPTURE(report.worst_H);
    CHECK(report.H <= 1e-7);
    CAPTURE(report.worst_bias);
    CHECK(report.bias <= 1e-6);
  }
}

TEST_CASE("angles are regular where their vectors are parallel") {
  BodySet bodies;
  const BodyId a = bodies.emplace<PlanarBody>(1.0, 0.1, Eigen::Vector2d(0, 0));
  const BodyId b = bodies.emplace<PlanarBody>(1.0, 0.1, Eigen::Vector2d(1, 0));
  bodies[b].set_velocity(Vector3d(0, 0, 0.5));
  const BodyVector x = carried(a, Vector3d::UnitX()), y = carried(b, Vector3d::UnitX());
  for (const bool with_sign : {true, false}) {
    CAPTURE(with_sign);
    Prescribed held(with_sign ? signed_angle(x, y) : unsigned_angle(x, y), 0.0);
    held.attach(bodies);
    const ConstraintRows rows = constraint_rows(held, bodies);
    CHECK(rows.error[2] == 0);
    CHECK(rows.H(2, 2) == doctest::Approx(-held.length()));  // θ̇ of the one, and of the other
    CHECK(rows.H(2, 5) == doctest::Approx(held.length()));
    CHECK(rows.U[2] == doctest::Approx(0.5 * held.length()));
    CHECK(rows.bias[2] == 0);
  }
}
