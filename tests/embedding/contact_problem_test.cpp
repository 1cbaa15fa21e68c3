// A ContactProblem gives what the library's own bodies give on the same scene, and keeps what it knows from step to
// step.

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include <locdyn/embedding/contact_problem.hpp>
#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>

#include "builtin/builtin.hpp"
#include "embedding/library_scene.hpp"
#include "ldy/assembly/random_scene.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;
using Eigen::Vector3d;

namespace {

// All ids up to the last.
std::vector<ConstraintId> ids_of(const LocalDynamics& ldy) {
  std::vector<ConstraintId> ids;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) ids.push_back(id);
  return ids;
}

// W and B of two graphs that differ by rounding: relative to the largest entry.
void check_same_problem(const LocalDynamics& found, const LocalDynamics& expected, double tolerance = 1e-12) {
  const Eigen::MatrixXd W = dense_w(expected, ids_of(expected));
  const Eigen::VectorXd B = dense_b(expected, ids_of(expected));
  CHECK((dense_w(found, ids_of(found)) - W).cwiseAbs().maxCoeff() <= tolerance * W.cwiseAbs().maxCoeff());
  CHECK((dense_b(found, ids_of(found)) - B).cwiseAbs().maxCoeff() <= tolerance * B.cwiseAbs().maxCoeff());
}

Eigen::VectorXd reactions_of(const Embedded& scene) {
  Eigen::VectorXd R(3 * scene.contacts.size());
  for (std::size_t i = 0; i < scene.contacts.size(); ++i) {
    R.segment<3>(3 * Eigen::Index(i)) = scene.problem.reaction(scene.contacts[i]);
  }
  return R;
}

Eigen::VectorXd velocity_after(const ContactProblem& problem, BodyIndex body) {
  const std::span<const double> u = problem.velocity_after(body);
  return Eigen::Map<const Eigen::VectorXd>(u.data(), Eigen::Index(u.size()));
}

// A ball of 2 kg and 0.1 m on the ground (body 0), its velocity (0, 0, 0, v).
struct BallOnGround {
  ContactProblem problem;
  BodyIndex ground = problem.add_fixed_body();
  BodyIndex ball = problem.add_body(rigid_inverse_inertia(2, 0.008 * Eigen::Matrix3d::Identity()));
  PointContact contact{.master = ground, .slave = ball};

  explicit BallOnGround(const Vector3d& v) {
    problem.set_pose(ball, {.center = {0, 0, 0.1}});
    Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
    u.tail<3>() = v;
    problem.set_velocity(ball, u);
  }
};

constexpr double kH = 1e-3, kGravity = 9.81;  // [s, m/s²]

}  // namespace

TEST_CASE("a ball at rest carries its weight") {
  BallOnGround scene({0, 0, -kGravity * kH});
  const ContactId id = scene.problem.add_contact(scene.contact);
  CHECK(scene.problem.solve({.step = kH}).status == SolveStatus::converged);
  CHECK((scene.problem.reaction(id) - Vector3d(0, 0, 2 * kGravity)).norm() < 1e-7);
  CHECK(velocity_after(scene.problem, scene.ball).norm() < 1e-10);
}

TEST_CASE("a belt drags a ball along: it slides and rolls by the impulse mu m g h") {
  BallOnGround scene({0, 0, -kGravity * kH});
  Eigen::VectorXd belt = Eigen::VectorXd::Zero(6);
  belt[3] = 1;
  scene.problem.set_velocity(scene.ground, belt);
  scene.contact.friction = 0.2;
  const ContactId id = scene.problem.add_contact(scene.contact);
  CHECK(scene.problem.solve({.step = kH, .stop = {.tolerance = 1e-12}}).status == SolveStatus::converged);
  const double friction = 0.2 * 2 * kGravity;
  CHECK((scene.problem.reaction(id) - Vector3d(friction, 0, 2 * kGravity)).norm() < 1e-9);
  const Eigen::VectorXd u = velocity_after(scene.problem, scene.ball);
  CHECK(u[3] == doctest::Approx(kH * friction / 2).epsilon(1e-9));
  CHECK(u[1] == doctest::Approx(-0.1 * kH * friction / 0.008).epsilon(1e-9));  // about y: forward at the bottom
  CHECK(velocity_after(scene.problem, scene.ground) == belt);
}

TEST_CASE("an open gap closes within the step and no further") {
  BallOnGround scene({0, 0, -1});
  scene.contact.gap = 4e-4;
  scene.problem.add_contact(scene.contact);
  CHECK(scene.problem.solve({.step = kH}).status == SolveStatus::converged);
  CHECK(velocity_after(scene.problem, scene.ball)[5] == doctest::Approx(-0.4).epsilon(1e-9));
}

TEST_CASE("a problem without contacts leaves every body its velocity") {
  BallOnGround scene({1, 2, 3});
  CHECK(scene.problem.solve().status == SolveStatus::converged);
  CHECK(velocity_after(scene.problem, scene.ball).tail<3>() == Vector3d(1, 2, 3));
}

TEST_CASE("random scenes of all kinds of bodies and laws: W, B and the bodies' velocities") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    RandomScene scene(seed, 9);
    LocalDynamics ldy;
    Assembly assembly(scene.bodies, ldy);
    for (int i = 0; i < 20; ++i) {
      assembly.insert(i == 7 ? std::make_unique<Bond>(BodyId{2}, BodyId{3}, scene.random_vector())
                             : scene.make_constraint().constraint);
    }
    assembly.update(RandomScene::h);
    Embedded embedded = embedded_by_jacobians(assembly);
    (void)embedded.problem.solve({.step = RandomScene::h, .stop = {.max_iterations = 10}});
    check_same_problem(embedded.problem.graph(), ldy);

    // u⁺ of the reactions found, by the assembly.
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
      for (int k = 0; k < block_count(ldy.law(id)); ++k) {
        ldy.row(id, k).R = embedded.problem.reaction(embedded.contacts[id], k);
      }
    }
    assembly.apply_reactions();
    for (BodyId body{2}; body < scene.bodies.size(); ++body) {
      const Eigen::VectorXd expected = scene.bodies[body].velocity();
      CHECK((velocity_after(embedded.problem, body) - expected).norm() <= 1e-11 * (1 + expected.norm()));
    }
  }
}

TEST_CASE("contacts by points: R, U and velocities as an assembly of the library's bodies gives them") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    RandomScene scene(seed, 30);
    LocalDynamics ldy;
    Assembly assembly(scene.bodies, ldy);
    for (unsigned body = 2; body + 4 < 30; body += 4) {  // rigid bodies in a row: fewer rows than velocities
      assembly.insert(scene.make_contact(BodyId{body}, BodyId{body + 4}).constraint);
    }
    assembly.update(RandomScene::h);
    Embedded embedded = embedded_by_points(assembly);
    const ContactSolveOptions options{.step = RandomScene::h, .stop = {.tolerance = 1e-13}};
    CHECK(embedded.problem.solve(options).status == SolveStatus::converged);
    check_same_problem(embedded.problem.graph(), ldy);

    double accepted_residual = std::numeric_limits<double>::infinity();
    const IslandsReport report =
        solve_islands(ldy, find_islands(ldy), find_solver("auto"), {.tolerance = 1e-13}, accepted_residual);
    CHECK(report.status == SolveStatus::converged);
    assembly.apply_reactions();
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
      const Vector3d R = ldy.row(id).R, U = ldy.row(id).U;
      CHECK((embedded.problem.reaction(embedded.contacts[id]) - R).norm() <= 1e-9 * (1 + R.norm()));
      CHECK((embedded.problem.relative_velocity(embedded.contacts[id]) - U).norm() <= 1e-10 * (1 + U.norm()));
    }
    for (unsigned body = 2; body < 30; body += 4) {
      const Eigen::VectorXd expected = scene.bodies[BodyId{body}].velocity();
      CHECK((velocity_after(embedded.problem, body) - expected).norm() <= 1e-10 * (1 + expected.norm()));
    }
  }
}

TEST_CASE("walls and piles as the library's own: velocities, and solvers that work in velocities") {
  for (const std::string name : {"wall", "spheres", "heavy"}) {
    CAPTURE(name);
    const BuiltinProblem own = make_builtin(name, 150);
    Embedded embedded = embedded_by_points(*own.assembly);
    CHECK(embedded.problem.solve({.step = own.h, .stop = {.tolerance = 1e-11}}).status == SolveStatus::converged);
    check_same_problem(embedded.problem.graph(), *own.ldy);
    CHECK(works_in_velocities(embedded.problem.graph()));

    double accepted_residual = std::numeric_limits<double>::infinity();
    (void)solve_islands(*own.ldy, find_islands(*own.ldy), find_solver("auto"), {.tolerance = 1e-11}, accepted_residual);
    own.assembly->apply_reactions();
    for (BodyId body{0}; body < own.bodies->size(); ++body) {
      const Eigen::VectorXd& expected = (*own.bodies)[body].velocity();
      if (expected.size() == 0) continue;
      CHECK((velocity_after(embedded.problem, body) - expected).norm() <= 1e-8);
    }
  }
}

TEST_CASE("a second solve of an unchanged problem takes no iteration and changes no bit") {
  const BuiltinProblem own = make_builtin("wall", 200);
  Embedded embedded = embedded_by_points(*own.assembly);
  CHECK(embedded.problem.solve({.step = own.h}).iterations > 0);
  const Eigen::VectorXd R = reactions_of(embedded);
  const IslandsReport again = embedded.problem.solve({.step = own.h});
  CHECK(again.status == SolveStatus::converged);
  CHECK(again.iterations == 0);
  CHECK(again.solved == 0);
  CHECK(reactions_of(embedded) == R);
}

TEST_CASE("looks at the graph change no bit of the solves behind them") {
  const BuiltinProblem own = make_builtin("wall", 200);
  Embedded unseen = embedded_by_points(*own.assembly), seen = embedded_by_points(*own.assembly);
  BodyId top{0};  // the last that moves
  for (const BodyId id : own.bodies->ids()) {
    if ((*own.bodies)[id].freedoms() == 6) top = id;
  }
  for (int k = 0; k < 6; ++k) {
    CAPTURE(k);
    const Eigen::VectorXd pushed = (*own.bodies)[top].free_velocity() - Eigen::VectorXd::Constant(6, 0.5 * k);
    for (Embedded* embedded : {&unseen, &seen}) {
      embedded->problem.set_velocity(top, pushed);
      CHECK(embedded->problem.solve({.step = own.h}).status == SolveStatus::converged);
    }
    CHECK(reactions_of(seen) == reactions_of(unseen));
    const LocalDynamics& graph = seen.problem.graph();
    for (const DiagonalBlock& row : graph.rows()) {
      for (const OffDiagonalBlock& block : graph.adjacent(row)) CHECK(block.W.allFinite());
    }
    const LocalDynamics copy = graph;
    CHECK(copy.constraint_count() == graph.constraint_count());
  }
}

TEST_CASE("the same bits on one thread and on two") {
  const BuiltinProblem own = make_builtin("wall", 1200);
  Eigen::VectorXd R[2];
  for (const int threads : {1, 2}) {
    Embedded embedded = embedded_by_points(*own.assembly);
    (void)embedded.problem.solve({.step = own.h, .stop = {.threads = threads}});
    R[threads - 1] = reactions_of(embedded);
  }
  CHECK(R[0].norm() > 0);
  CHECK(R[0] == R[1]);
}

TEST_CASE("contacts that came and went leave no trace") {
  const BuiltinProblem own = make_builtin("spheres", 150);
  Embedded plain = embedded_by_points(*own.assembly), edited = embedded_by_points(*own.assembly);
  const PointContact first = point_contact_of(*own.assembly, ConstraintId{0});
  (void)edited.problem.solve({.step = own.h});
  const ContactId extra = edited.problem.add_contact(first);
  CHECK(edited.problem.contact_count() == plain.problem.contact_count() + 1);
  (void)edited.problem.solve({.step = own.h});
  edited.problem.remove_contact(extra);
  CHECK(!edited.problem.contains(extra));

  for (Embedded* scene : {&plain, &edited}) {
    for (const ContactId id : scene->contacts) scene->problem.set_reaction(id, Vector3d::Zero());
    CHECK(scene->problem.solve({.step = own.h}).status == SolveStatus::converged);
  }
  CHECK(reactions_of(edited) == reactions_of(plain));
  CHECK(edited.problem.contact_count() == plain.problem.contact_count());
}

TEST_CASE("a contact that is taken out and put back finds the same velocities, the others start warm") {
  const BuiltinProblem own = make_builtin("spheres", 150);
  Embedded embedded = embedded_by_points(*own.assembly);
  const long cold = embedded.problem.solve({.step = own.h, .stop = {.tolerance = 1e-11}}).iterations;
  std::vector<Eigen::VectorXd> before;
  for (BodyIndex body = 0; body < own.bodies->size(); ++body) before.push_back(velocity_after(embedded.problem, body));

  const Vector3d R = embedded.problem.reaction(embedded.contacts[5]);
  embedded.problem.remove_contact(embedded.contacts[5]);
  CHECK(embedded.problem.solve({.step = own.h, .stop = {.tolerance = 1e-11}}).status == SolveStatus::converged);
  const ContactId back = embedded.problem.add_contact(point_contact_of(*own.assembly, ConstraintId{5}));
  CHECK(back != embedded.contacts[5]);
  CHECK(embedded.problem.reaction(back) == Vector3d::Zero());
  embedded.problem.set_reaction(back, R);
  const IslandsReport warm = embedded.problem.solve({.step = own.h, .stop = {.tolerance = 1e-11}});
  CHECK(warm.status == SolveStatus::converged);
  CHECK(warm.iterations <= cold);
  for (BodyIndex body = 0; body < before.size(); ++body) {
    CHECK((velocity_after(embedded.problem, body) - before[body]).norm() <= 1e-8);
  }
}

TEST_CASE("what is set anew is the problem made anew, bit for bit, blocks too") {
  const BuiltinProblem own = make_builtin("spheres", 120);
  Embedded changed = embedded_by_points(*own.assembly), fresh;
  (void)changed.problem.solve({.step = own.h, .stop = {.max_iterations = 0}});
  REQUIRE(changed.problem.graph().off_diagonal_count() > 0);  // made, and to be made again

  PointContact moved = point_contact_of(*own.assembly, ConstraintId{3});
  moved.point += Vector3d(0.01, -0.02, 0.005);
  changed.problem.set_contact(changed.contacts[3], moved);
  const auto heavier = [&](ContactProblem& problem) {
    problem.set_inverse_inertia(moved.slave, inverse_inertia_of((*own.bodies)[BodyId{moved.slave}]) / 3);
  };
  heavier(changed.problem);
  (void)changed.problem.solve({.step = own.h, .stop = {.max_iterations = 0}});

  add_bodies(fresh.problem, *own.bodies);
  heavier(fresh.problem);
  for (ConstraintId id{0}; id < own.ldy->id_bound(); ++id) {
    fresh.contacts.push_back(fresh.problem.add_contact(id == 3 ? moved : point_contact_of(*own.assembly, id)));
  }
  (void)fresh.problem.solve({.step = own.h, .stop = {.max_iterations = 0}});
  check_same_problem(changed.problem.graph(), fresh.problem.graph(), 0);
}

TEST_CASE("a body that is fixed and let go again couples its contacts as before") {
  const BuiltinProblem own = make_builtin("wall", 60);
  Embedded changed = embedded_by_points(*own.assembly), fresh = embedded_by_points(*own.assembly);
  const auto solve = [&](Embedded& scene) {
    (void)scene.problem.solve({.step = own.h, .stop = {.max_iterations = 0}});
  };
  solve(fresh);
  solve(changed);
  const std::size_t all = changed.problem.graph().off_diagonal_count();
  const BodyIndex body = point_contact_of(*own.assembly, ConstraintId{own.ldy->id_bound() - 1}).slave;
  changed.problem.set_inverse_inertia(body, Eigen::MatrixXd::Zero(6, 6));
  solve(changed);
  CHECK(changed.problem.graph().off_diagonal_count() < all);
  changed.problem.set_inverse_inertia(body, inverse_inertia_of((*own.bodies)[BodyId{body}]));
  solve(changed);
  check_same_problem(changed.problem.graph(), fresh.problem.graph(), 0);
}

TEST_CASE("a locked axis: A⁻¹ of 6 velocities that moves three is a particle") {
  const Vector3d v(0.3, -0.2, -1);
  BallOnGround ball(v);
  Eigen::MatrixXd locked = Eigen::MatrixXd::Zero(6, 6);
  locked.bottomRightCorner<3, 3>().diagonal().setConstant(0.5);
  ball.problem.set_inverse_inertia(ball.ball, locked);
  ball.contact.friction = 0.1;
  const ContactId a = ball.problem.add_contact(ball.contact);
  CHECK(ball.problem.solve({.step = kH, .stop = {.tolerance = 1e-13}}).status == SolveStatus::converged);

  ContactProblem particle;
  const BodyIndex body = particle.add_body(0.5 * Eigen::Matrix3d::Identity());
  particle.set_velocity(body, v);
  const Eigen::Matrix3d H = Eigen::Matrix3d::Identity();
  const ContactId b = particle.add_contact({{body, H}}, ContactLaw{.friction = 0.1});
  CHECK(particle.solve({.step = kH, .stop = {.tolerance = 1e-13}}).status == SolveStatus::converged);
  CHECK((ball.problem.reaction(a) - particle.reaction(b)).norm() <= 1e-9 * particle.reaction(b).norm());
  CHECK((velocity_after(ball.problem, ball.ball).tail<3>() - velocity_after(particle, body)).norm() <= 1e-10);
}

TEST_CASE("angular velocities in space: the same reactions with the pose left unturned") {
  RandomScene scene(3, 7);  // body 2 and 6 are rigid, turned
  LocalDynamics ldy;
  Assembly assembly(scene.bodies, ldy);
  assembly.insert(scene.make_contact(BodyId{2}, BodyId{6}).constraint);
  assembly.update(RandomScene::h);
  Embedded body_axes = embedded_by_points(assembly);
  (void)body_axes.problem.solve({.step = RandomScene::h, .stop = {.tolerance = 1e-13}});

  ContactProblem space_axes;
  for (const BodyId id : scene.bodies.ids()) {
    const auto* rigid = dynamic_cast<const RigidBody*>(&scene.bodies[id]);
    if (rigid == nullptr) {
      space_axes.add_fixed_body();
      continue;
    }
    Eigen::MatrixXd turn = Eigen::MatrixXd::Identity(6, 6);
    turn.topLeftCorner<3, 3>() = rigid->rotation();
    space_axes.add_body(turn * inverse_inertia_of(*rigid) * turn.transpose());
    space_axes.set_velocity(id, turn * rigid->free_velocity());
    space_axes.set_pose(id, {.center = rigid->position()});
  }
  const ContactId id = space_axes.add_contact(point_contact_of(assembly, ConstraintId{0}));
  (void)space_axes.solve({.step = RandomScene::h, .stop = {.tolerance = 1e-13}});
  const Vector3d R = body_axes.problem.reaction(body_axes.contacts[0]);
  CHECK((space_axes.reaction(id) - R).norm() <= 1e-9 * (1 + R.norm()));
}

TEST_CASE("a budget of sweeps, and solvers by name") {
  const BuiltinProblem own = make_builtin("wall", 200);
  Embedded embedded = embedded_by_points(*own.assembly);
  const IslandsReport cut = embedded.problem.solve({.step = own.h, .stop = {.tolerance = 1e-12}, .sweep_budget = 2});
  CHECK(cut.cut_short == 1);
  CHECK(cut.iterations == 2);
  CHECK(embedded.problem.solve({.step = own.h, .solver = "newton"}).status == SolveStatus::converged);
}
