// Interior points beside the other solvers, where its inner problem has corners of its own, and what it refuses.

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/convex/interior.hpp>
#include <locdyn/solver/iterate_watch.hpp>
#include <solver/newton_reference.hpp>
#include <stdexcept>
#include <vector>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

TEST_CASE("interior: the velocities of newton on built-in scenes") {
  for (const char* name : {"wall", "spheres"}) {
    CAPTURE(name);
    const BuiltinProblem problem = make_builtin(name, 60);
    LocalDynamics ldy = *problem.ldy;
    (void)check_beside_newton(ldy, "interior", 1e-11, 1e-8);
  }
}

TEST_CASE("the convex problem at its centre is the graph's: the same residual, and the product of a symmetric W") {
  LocalDynamics ldy = random_problem({.contacts = 6, .planar = 2, .bilateral = 3, .hinges = 1}, 5);
  for (auto& row : ldy.rows()) {
    const RowMask used = rows(ldy.law(row.constraint), 0);
    if (is_contact(ldy.law(row.constraint))) row.R = {0.1, uses(used, 1) ? -0.2 : 0.0, 1};
  }
  const double judged = evaluate_residual(ldy).scaled;
  ConeProgram program(ldy);
  program.centre_on(ldy);
  CHECK(program.residual(program.centre(), program.velocity_at_centre()) == doctest::Approx(judged).epsilon(1e-12));
  std::vector<Eigen::Vector3d> product(program.rows().size());
  program.multiply(program.centre(), product);
  for (std::size_t i = 0; i < product.size(); ++i) {
    CHECK((product[i] + program.load()[i] - program.velocity_at_centre()[i]).norm() < 1e-12);
  }
  LocalDynamics copy = ldy;
  program.write(program.centre(), copy);
  CHECK((reactions(copy) - reactions(ldy)).norm() < 1e-14 * reactions(ldy).norm());
}

TEST_CASE("interior: W without full rank, R not unique, and bilateral rows that repeat each other") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    LocalDynamics ldy = random_problem(
        {.contacts = 10, .planar = 3, .bilateral = 4, .friction = 0.3, .identity = 0, .freedoms = 14}, seed);
    const Eigen::VectorXd direct = velocities_by_newton(ldy, 1e-10);
    InteriorOptions options;
    options.stop.tolerance = 1e-10;
    const SolveReport report = solve_interior(ldy, options);
    CAPTURE(report.reason);
    CAPTURE(report.residual.scaled);
    CHECK(report.status == SolveStatus::converged);
    CHECK(joint_velocity_error(ldy) <= 1e-10 * load_norm(ldy));
    CHECK(velocities_apart(ldy, direct) <= 1e-6);
  }
}

TEST_CASE("interior: a law that it does not know and options without meaning are refused, the fault named") {
  LocalDynamics rolling;
  rolling.insert(ContactLaw{.friction = 0.3});
  CHECK(suits_convex(rolling));
  rolling.insert(EllipticLaw{.friction = {0.1, 0.2}});
  CHECK_FALSE(suits_convex(rolling));
  for (ConstraintId id{0}; id < 2; ++id) rolling.row(id).W.setIdentity();
  CHECK_THROWS_WITH_AS((void)solve_interior(rolling, {}),
                       "cone program: constraint 1: expected Coulomb friction or a bilateral law, found a contact with "
                       "elliptic friction",
                       std::invalid_argument);
  LocalDynamics ldy;
  const auto with = [](double InteriorOptions::*field, double value) {
    InteriorOptions options;
    options.*field = value;
    return options;
  };
  CHECK_THROWS_WITH_AS((void)solve_interior(ldy, with(&InteriorOptions::proximal, 0)),
                       "interior: proximal: expected a finite number > 0, found 0.000000", std::invalid_argument);
  CHECK_THROWS_AS((void)solve_interior(ldy, with(&InteriorOptions::least_proximal, -1)), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_interior(ldy, with(&InteriorOptions::most_proximal, INFINITY)), std::invalid_argument);
  InteriorOptions impatient;
  impatient.patience = 0;
  CHECK_THROWS_WITH_AS((void)solve_interior(ldy, impatient), "interior: patience: expected >= 1, found 0",
                       std::invalid_argument);
}
