// What has no meaning is refused in one line that names it; nothing has changed then.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/embedding/contact_problem.hpp>
#include <locdyn/embedding/matrix_problem.hpp>

using namespace locdyn;
using Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d;

namespace {

// What the call throws; empty where it does not.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return {};
}

struct TwoBodies {
  ContactProblem problem;
  BodyIndex ground = problem.add_fixed_body();
  BodyIndex ball = problem.add_body(rigid_inverse_inertia(2, Matrix3d::Identity()));
  PointContact contact{.master = ground, .slave = ball};

  // `add_contact` of the contact with a change.
  std::string refused(const std::function<void(PointContact&)>& change) {
    PointContact changed = contact;
    change(changed);
    return refusal([&] { problem.add_contact(changed); });
  }
};

using Six = Eigen::Matrix<double, 3, 6>;

}  // namespace

TEST_CASE("bodies: A⁻¹, velocity and pose") {
  TwoBodies two;
  ContactProblem& problem = two.problem;
  MatrixXd skew = MatrixXd::Identity(6, 6);
  skew(0, 1) = 0.5;
  CHECK(refusal([&] { problem.add_body(skew); }) ==
        "inverse inertia of body 2: expected a symmetric matrix, found 0.5 and 0 in entries (0, 1) and (1, 0)");
  MatrixXd negative = MatrixXd::Identity(6, 6);
  negative(4, 4) = -1;
  CHECK(refusal([&] { problem.add_body(negative); }) ==
        "inverse inertia of body 2: expected no negative number on the diagonal, found -1 in row 4");
  MatrixXd indefinite = MatrixXd::Identity(2, 2);
  indefinite(0, 1) = indefinite(1, 0) = 2;
  CHECK(refusal([&] { problem.add_body(indefinite); }) ==
        "inverse inertia of body 2: expected a positive semidefinite matrix, found the eigenvalue -1");
  CHECK(refusal([&] { problem.add_body(MatrixXd(6, 5)); }) ==
        "inverse inertia of body 2: expected a square matrix with rows, found 6x5");
  CHECK(refusal([&] { problem.add_body(MatrixXd::Constant(6, 6, NAN)); }) ==
        "inverse inertia of body 2: expected finite numbers, found one that is not");
  CHECK(refusal([&] { problem.set_inverse_inertia(two.ball, MatrixXd::Identity(3, 3)); }) ==
        "inverse inertia of body 1: expected 6 rows, found 3");
  CHECK(refusal([&] { problem.set_inverse_inertia(7, MatrixXd::Identity(3, 3)); }) ==
        "body: expected a body below 2, found 7");
  CHECK(refusal([&] { problem.add_fixed_body(0); }) == "freedoms: expected at least 1, found 0");
  CHECK(refusal([&] { problem.set_velocity(two.ball, Vector3d::Zero()); }) ==
        "velocity of body 1: expected 6 numbers, found 3");
  CHECK(refusal([&] { problem.set_velocity(two.ball, Eigen::VectorXd::Constant(6, INFINITY)); }) ==
        "velocity of body 1: expected finite numbers, found one that is not");
  CHECK(refusal([&] { problem.set_velocity(2, Eigen::VectorXd::Zero(6)); }) ==
        "body: expected a body below 2, found 2");
  CHECK(refusal([&] { problem.set_pose(two.ball, {.rotation = 2 * Matrix3d::Identity()}); }) ==
        "pose of body 1: expected a rotation, found columns off by 3 from orthonormal, determinant 8");
  CHECK(refusal([&] {
          problem.set_pose(two.ball, {.center = {NAN, 0, 0}});
        }) == "pose of body 1: expected a finite center, found a number that is not");
  CHECK(refusal([&] { (void)problem.velocity_after(9); }) == "body: expected a body below 2, found 9");
  const BodyIndex particle = problem.add_body(Matrix3d::Identity());
  CHECK(particle == 2);  // those that were refused are not there
  CHECK(refusal([&] { problem.set_pose(particle, {}); }) == "pose of body 2: expected a body of 6 velocities, found 3");
  CHECK(refusal([] { (void)rigid_inverse_inertia(0, Matrix3d::Identity()); }) ==
        "mass: expected a finite number > 0, found 0");
  CHECK(refusal([] { (void)rigid_inverse_inertia(1, -Matrix3d::Identity()); }) ==
        "inertia: expected a symmetric positive definite matrix, found one that is not");
}

TEST_CASE("contacts by points") {
  TwoBodies two;
  CHECK(two.refused([](PointContact& c) { c.master = 5; }) == "master: expected a body below 2, found 5");
  CHECK(two.refused([](PointContact& c) { c.slave = 6; }) == "slave: expected a body below 2, found 6");
  CHECK(two.refused([](PointContact& c) { c.slave = c.master; }) ==
        "contact of bodies 0, 0: slave: expected another body than the master, found body 0");
  CHECK(two.refused([](PointContact& c) { c.friction = -0.1; }).find("contact of bodies 0, 1: friction: expected") ==
        0);
  CHECK(two.refused([](PointContact& c) { c.shift[2] = NAN; }).find("contact of bodies 0, 1: shift: expected") == 0);
  CHECK(two.refused([](PointContact& c) { c.gap = INFINITY; }) ==
        "contact of bodies 0, 1: gap: expected a finite number, found inf");
  CHECK(two.refused([](PointContact& c) { c.point[0] = NAN; }) ==
        "contact of bodies 0, 1: point: expected finite numbers, found one that is not");
  CHECK(two.refused([](PointContact& c) { c.frame.col(0) *= -1; }) ==
        "contact of bodies 0, 1: frame: expected a rotation, found columns off by 0 from orthonormal, determinant -1");
  const BodyIndex particle = two.problem.add_body(Matrix3d::Identity());
  CHECK(two.refused([&](PointContact& c) { c.slave = particle; }) ==
        "contact of bodies 0, 2: expected bodies of 6 velocities, found 3 of body 2");
  const BodyIndex wall = two.problem.add_fixed_body();
  CHECK(two.refused([&](PointContact& c) { c.slave = wall; }) ==
        "contact of bodies 0, 3: expected a body that can move, found none with an inverse inertia");
  CHECK(two.problem.contact_count() == 0);
}

TEST_CASE("contacts by H") {
  TwoBodies two;
  ContactProblem& problem = two.problem;
  const Six H = Six::Ones(), broken = Six::Constant(NAN);
  const Matrix3d square = Matrix3d::Identity();
  CHECK(refusal([&] {
          problem.add_contact({{4, H}}, ContactLaw{});
        }) == "body of a contact: expected a body below 2, found 4");
  CHECK(refusal([&] {
          problem.add_contact({{1, H}, {1, H}}, ContactLaw{});
        }) == "contact of bodies 1, 1: expected different bodies, found body 1 twice");
  CHECK(refusal([&] {
          problem.add_contact({{1, square}}, ContactLaw{});
        }) == "contact of bodies 1: H of body 1: expected 3x6, found 3x3");
  CHECK(refusal([&] {
          problem.add_contact({{1, H}}, RollingLaw{});
        }) == "contact of bodies 1: H of body 1: expected 6x6, found 3x6");
  CHECK(refusal([&] {
          problem.add_contact({{1, broken}}, ContactLaw{});
        }) == "contact of bodies 1: H of body 1: expected finite numbers, found one that is not");
  CHECK(refusal([&] {
          problem.add_contact({{1, H}}, ContactLaw{.friction = -1});
        }).find("contact of bodies 1: law: friction: expected") == 0);
  CHECK(refusal([&] {
          problem.add_contact({{0, H}}, ContactLaw{});
        }) == "contact of bodies 0: expected a body that can move, found none with an inverse inertia");
  CHECK(refusal([&] { problem.add_contact({}, ContactLaw{}); }).find("expected a body that can move") !=
        std::string::npos);
  CHECK(problem.contact_count() == 0);
}

TEST_CASE("ids: removed, foreign, of another contact") {
  TwoBodies two;
  ContactProblem& problem = two.problem;
  const ContactId removed = problem.add_contact(two.contact);
  problem.remove_contact(removed);
  const ContactId id = problem.add_contact(two.contact);  // in the same place
  const std::string expected = "contact id: expected one that add_contact gave and that was not removed, found ";
  CHECK(refusal([&] { problem.remove_contact(removed); }).find(expected) == 0);
  CHECK(refusal([&] { problem.set_contact(removed, two.contact); }).find(expected) == 0);
  CHECK(refusal([&] { (void)problem.reaction(removed); }).find(expected) == 0);
  CHECK(refusal([&] { (void)problem.relative_velocity(ContactId{99}); }) == expected + "99");
  CHECK(refusal([&] { problem.set_reaction(removed, Vector3d::Zero()); }).find(expected) == 0);

  CHECK(refusal([&] { (void)problem.reaction(id, 1); }) == "block: expected one of the law's, below 1, found 1");
  CHECK(refusal([&] {
          problem.set_reaction(id, {0, 0, NAN});
        }) == "reaction: expected finite numbers, found one that is not");
  const PointContact turned{.master = two.ball, .slave = two.ground};
  CHECK(refusal([&] { problem.set_contact(id, turned); }) ==
        "set_contact: expected the contact of bodies 0, 1, found a contact of bodies 1, 0");
  const Six H = Six::Ones();
  const std::array<BodyJacobian, 2> both = {{{0, H}, {1, H}}};
  CHECK(refusal([&] { problem.set_contact(id, both, ContactLaw{.planar = true}); }) ==
        "set_contact: contact of bodies 0, 1: expected a law with the same blocks and rows in use, found a contact");
}

TEST_CASE("options, and a problem that has lost its motion") {
  TwoBodies two;
  ContactProblem& problem = two.problem;
  problem.add_contact(two.contact);
  CHECK(refusal([&] { problem.solve({.step = 0}); }).find("contact problem: step: expected") != std::string::npos);
  CHECK(refusal([&] { problem.solve({.solver = "magic"}); }).find("magic") != std::string::npos);
  CHECK(refusal([&] { problem.solve({.without = {"magic"}}); }).find("magic") != std::string::npos);
  CHECK(refusal([&] { problem.solve({.stop = {.tolerance = -1}}); }).find("tolerance") != std::string::npos);
  CHECK(refusal([&] { problem.solve({.velocity_tolerance = -1}); }).find("velocity tolerance") != std::string::npos);
  CHECK(refusal([&] { problem.solve({.sweep_budget = -1}); }).find("budget of sweeps") != std::string::npos);
  CHECK(refusal([&] { problem.solve({.stop = {.threads = 0}}); }).find("threads") != std::string::npos);

  problem.set_inverse_inertia(two.ball, MatrixXd::Zero(6, 6));
  CHECK(refusal([&] { problem.solve(); }) ==
        "contact of bodies 0, 1: expected a body that can move, found none with an inverse inertia");
  problem.set_inverse_inertia(two.ball, rigid_inverse_inertia(2, Matrix3d::Identity()));
  CHECK(problem.solve().status == SolveStatus::converged);
}

TEST_CASE("matrices") {
  const std::vector<int> pointers = {0, 1}, columns = {0};
  const std::vector<double> block = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b = {0, 0, -1}, mu = {0.5};
  std::vector<double> R(3, 0.0), U(2);
  const auto refused = [&](const BsrView& W, std::span<const double> loads, std::span<const double> friction,
                           std::span<double> reactions, std::span<double> velocities = {}) {
    return refusal([&] { (void)solve(W, loads, friction, reactions, {}, velocities); });
  };
  const BsrView W{pointers, columns, block};
  CHECK(refused(W, b, mu, R).empty());
  CHECK(refused(W, std::span(b).first(2), mu, R) == "b: expected three numbers for each contact, found 2");
  CHECK(refused(W, b, std::vector<double>{0.5, 0.5}, R) == "friction: expected 1 numbers, found 2");
  CHECK(refused(W, b, std::vector<double>{-0.5}, R) == "friction[0]: expected 0 … 1e6, found -0.5");
  CHECK(refused(W, b, mu, std::span(R).first(2)) == "R: expected 3 numbers, found 2");
  CHECK(refused(W, b, mu, R, U) == "U: expected 3 numbers, found 2");
  CHECK(refused(W, std::vector<double>{0, NAN, 0}, mu, R) == "b[1]: expected a finite number, found nan");

  const std::vector<int> short_pointers = {0}, late = {1, 1}, falling = {0, -1}, beyond = {1};
  CHECK(refused({short_pointers, columns, block}, b, mu, R) == "row pointers of W: expected 2 numbers, found 1");
  CHECK(refused({late, columns, block}, b, mu, R) == "row pointers of W: expected 0 as the first, found 1");
  CHECK(refused({falling, columns, block}, b, mu, R) == "row pointers of W: expected at least 0 after row 0, found -1");
  CHECK(refused({pointers, {}, block}, b, mu, R) == "columns of W: expected 1 numbers, found 0");
  CHECK(refused({pointers, beyond, block}, b, mu, R) == "columns of W: expected 0 … 0, found 1");
  CHECK(refused({pointers, columns, std::span(block).first(8)}, b, mu, R) ==
        "values of W: expected 9 numbers, found 8");
  std::vector<double> broken = block;
  broken[4] = INFINITY;
  CHECK(refused({pointers, columns, broken}, b, mu, R) == "values of W[4]: expected a finite number, found inf");
  CHECK(refusal([&] {
          (void)solve(CsrView{pointers, columns, block}, b, mu, R);
        }) == "row pointers of W: expected 4 numbers, found 2");
  CHECK(refusal([&] { (void)solve(W, b, mu, R, {.solver = "magic"}); }).find("magic") != std::string::npos);
}
