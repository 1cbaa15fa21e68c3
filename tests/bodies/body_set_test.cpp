#include <doctest/doctest.h>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/pseudo_rigid_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>

using namespace locdyn;

TEST_CASE("ids are the order of insertion, the set steps and sums over its bodies") {
  BodySet bodies;
  const BodyId floor = bodies.emplace<Obstacle>();
  const BodyId stone = bodies.emplace<Particle>(2.0, Eigen::Vector3d(0, 0, 5));
  CHECK(floor == 0);
  CHECK(stone == 1);
  CHECK(bodies.size() == 2);
  bodies[stone].set_velocity(Eigen::Vector3d(3, 0, 0));
  CHECK(bodies.kinetic_energy() == 9);
  CHECK(bodies.potential_energy({0, 0, -10}) == 100);
  bodies.predict(0.1, {0, 0, -10});
  CHECK(bodies[stone].free_velocity() == Eigen::Vector3d(3, 0, -1));
  bodies.advance(2);
  CHECK(bodies[stone].to_space({0, 0, 0}) == Eigen::Vector3d(6, 0, 5));
  CHECK(bodies.time() == 0);  // its owner says what time it is
  bodies.set_time(2);
  CHECK(bodies.time() == 2);
  CHECK_THROWS_WITH_AS(bodies.set_time(NAN), "time: expected a finite number, found nan", std::invalid_argument);
}

TEST_CASE("a removed body leaves its id to nobody") {
  BodySet bodies;
  for (int i = 0; i < 3; ++i) bodies.emplace<Particle>(1.0 + i, Eigen::Vector3d(0, 0, i));
  bodies.remove(BodyId{1});
  CHECK(bodies.size() == 2);
  CHECK(bodies.id_bound() == 3);
  CHECK(!bodies.contains(BodyId{1}));
  std::vector<BodyId> there(bodies.ids().begin(), bodies.ids().end());
  CHECK(there == std::vector<BodyId>{BodyId{0}, BodyId{2}});
  CHECK(bodies.potential_energy({0, 0, -1}) == 6);
  bodies.advance(1);
  bodies.predict(0.1, {0, 0, -10});
  CHECK(bodies.emplace<Particle>(1.0, Eigen::Vector3d(0, 0, 0)) == 3);
  CHECK_THROWS_WITH_AS((void)bodies[BodyId{1}], "body 1: was removed", std::out_of_range);
  CHECK_THROWS_WITH_AS(bodies.remove(BodyId{1}), "body 1: was removed", std::out_of_range);
  CHECK_THROWS_WITH_AS(bodies.touch(BodyId{1}), "body 1: was removed", std::out_of_range);
}

TEST_CASE("errors name the body") {
  BodySet bodies;
  CHECK_THROWS_AS(bodies.add(nullptr), std::invalid_argument);
  CHECK_THROWS_WITH_AS((void)bodies[BodyId{0}], "body id: expected less than 0, found 0", std::out_of_range);
  bodies.emplace<Particle>(1.0, Eigen::Vector3d(0, 0, 0));
  const BodyId soft = bodies.emplace<PseudoRigidBody>(1.0, Eigen::Matrix3d::Identity(), ElasticMaterial{1, 0.3}, 1.0,
                                                      Eigen::Vector3d(0, 0, 0));
  Eigen::VectorXd u = Eigen::VectorXd::Zero(12);
  u[0] = -2;
  bodies[soft].set_velocity(u);
  bodies.advance(1);
  CHECK_THROWS_WITH_AS(bodies.predict(0.1, Eigen::Vector3d::Zero()),
                       "body 1: deformation gradient: expected a determinant > 0, found -1: the step is too large for "
                       "the load",
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(bodies.predict(-1, Eigen::Vector3d::Zero()),
                       "body 0: step: expected a finite number > 0, found -1", std::invalid_argument);
  CHECK_THROWS_WITH_AS(Particle(-1, {0, 0, 0}), "mass: expected a finite number > 0, found -1", std::invalid_argument);
  CHECK_THROWS_AS(bodies[BodyId{0}].add_torque({1, 0, 0}), std::logic_error);
}

TEST_CASE("a watched body notes its first change from outside, and no look at it") {
  BodySet bodies;
  const BodyId floor = bodies.emplace<Obstacle>();
  const BodyId stone = bodies.emplace<Particle>(2.0, Eigen::Vector3d(0, 0, 5));
  const BodyId brick = bodies.emplace<RigidBody>(box_mass(1, {1, 1, 1}), Eigen::Vector3d(0, 0, 0));
  const auto noted = [&](BodyId id, const auto& change) {
    bodies.forget_written();
    bodies.watch(id);
    change(bodies[id]);
    change(bodies[id]);  // once is enough
    const bool alone = bodies.written().size() == 1 && bodies.written()[0] == id;
    bodies.unwatch(id);
    return alone;
  };
  for (const BodyId id : {floor, stone, brick}) {
    CAPTURE(id);
    CHECK(bodies[id].tells_of_changes());
    CHECK(noted(id, [](Body& body) { body.set_configuration(body.configuration()); }));
    CHECK(!noted(id, [](Body& body) { (void)body.velocity().norm(); }));
    CHECK(!noted(id, [](Body& body) { body.predict(0.1, {0, 0, -10}); }));
  }
  for (const BodyId id : {stone, brick}) {
    CAPTURE(id);
    CHECK(noted(id, [](Body& body) { body.set_velocity(body.velocity()); }));
    CHECK(noted(id, [](Body& body) { body.add_force({1, 0, 0}, {0, 0, 0}); }));
    CHECK(noted(id, [](Body& body) { body.add_generalised_force(body.velocity()); }));
  }
  CHECK(noted(brick, [](Body& body) { body.add_torque({1, 0, 0}); }));
  CHECK(noted(brick, [&](Body&) { bodies.touch(brick); }));
  CHECK(noted(floor, [](Body& body) { static_cast<Obstacle&>(body).set_motion({1, 0, 0}, {0, 0, 0}, {0, 0, 0}); }));

  bodies.forget_written();
  bodies.set_time(0);
  bodies[stone].set_velocity(Eigen::Vector3d(1, 0, 0));  // nobody watches
  CHECK(bodies.written().empty());
  bodies.watch(stone);
  Particle copy = static_cast<const Particle&>(bodies[stone]);  // a copy is another body
  copy.set_velocity(Eigen::Vector3d(2, 0, 0));
  CHECK(bodies.written().empty());
}

TEST_CASE("a displacement moves a body as its velocity does in a second, and leaves the velocity") {
  BodySet bodies;
  const MassProperties brick{.mass = 2, .inertia = Eigen::Vector3d(1, 2, 3).asDiagonal()};
  bodies.emplace<RigidBody>(brick, Eigen::Vector3d(1, 2, 3));
  bodies.emplace<RigidBody>(brick, Eigen::Vector3d(1, 2, 3));
  bodies.emplace<Particle>(1.0, Eigen::Vector3d(0, 0, 0));
  bodies.emplace<Particle>(1.0, Eigen::Vector3d(0, 0, 0));
  for (BodyId id{0}; id < 4; id = BodyId{id + 2}) {
    Body &moved = bodies[id], &displaced = bodies[BodyId{id + 1}];
    const Eigen::VectorXd d = Eigen::VectorXd::LinSpaced(moved.freedoms(), 0.1, 0.4), u = 3 * d;
    moved.set_velocity(d);
    moved.advance(1);
    displaced.set_velocity(u);
    displaced.displace(d);
    CHECK(displaced.configuration() == moved.configuration());
    CHECK(displaced.velocity() == u);
    CHECK_THROWS_AS(displaced.displace(Eigen::VectorXd::Zero(5)), std::invalid_argument);
    CHECK_THROWS_AS(displaced.displace(std::nan("") * d), std::invalid_argument);
  }
}
