// The holonomic saddle point: three forms against dense solves, redundancy, contradiction, singular positions, motions.

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <stdexcept>
#include <string>

#include <locdyn/solver/saddle/motion_basis.hpp>
#include <locdyn/solver/saddle/saddle_system.hpp>
#include <solver/random_saddle.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

constexpr std::array kMethods = {SaddleMethod::saddle, SaddleMethod::delassus, SaddleMethod::null_space};

SaddleSystem factored(const SaddleProblem& problem, SaddleMethod method, MultiplierNorm norm = MultiplierNorm::rows) {
  SaddleSystem system({.method = method, .norm = norm});
  system.factorise(problem);
  return system;
}

double error(const Eigen::VectorXd& found, const Eigen::VectorXd& expected) {
  return (found - expected).norm() / (1 + expected.norm());
}

template <class Work>
std::string fault_of(const Work& work) {
  try {
    work();
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("every form gives the dense solution: redundant, compliant and massless coordinates") {
  const RandomSaddle specs[] = {
      {.bodies = 6, .rows = 12},
      {.bodies = 6, .rows = 12, .redundant = 5},
      {.bodies = 6, .rows = 10, .compliant = 4},
      {.bodies = 6, .rows = 10, .redundant = 3, .compliant = 4},
      {.bodies = 6, .cams = 3, .rows = 8},
      {.bodies = 8, .cams = 3, .rows = 10, .redundant = 4, .compliant = 3},
      {.bodies = 6, .rows = 0},
      {.bodies = 8, .cams = 2, .rows = 10, .compliant = 2, .units = 30},
  };
  for (const RandomSaddle& spec : specs) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
      CAPTURE(spec.cams);
      CAPTURE(spec.rows);
      CAPTURE(spec.redundant);
      CAPTURE(spec.compliant);
      CAPTURE(seed);
      const auto [problem, f, gamma] = random_saddle(spec, seed);
      const auto [a, lambda] = dense_saddle(problem, f, gamma);
      Eigen::VectorXd first_a, first_lambda;
      for (const SaddleMethod method : kMethods) {
        CAPTURE(static_cast<int>(method));
        const SaddleSystem system = factored(problem, method);
        CHECK(system.rank() == problem.G.rows() - spec.redundant);
        CHECK(static_cast<int>(system.redundant().size()) == spec.redundant);
        const SaddleSolution solution = system.solve(f, gamma);
        CHECK(solution.converged);
        CHECK_FALSE(solution.contradictory);
        CHECK(error(solution.a, a) < 1e-10);
        CHECK(error(solution.lambda, lambda) < 1e-10);
        if (first_a.size() == 0) first_a = solution.a, first_lambda = solution.lambda;
        CHECK(error(solution.a, first_a) < 1e-10);
        CHECK(error(solution.lambda, first_lambda) < 1e-10);
      }
    }
  }
}

TEST_CASE("multipliers of least norm in the metric of scaled rows do not depend on the units of rows") {
  const auto [problem, f, gamma] = random_saddle({.bodies = 6, .rows = 10, .redundant = 4}, 3);
  SaddleProblem other = problem;  // rows in other units: λ scales by the inverse
  Eigen::VectorXd units(problem.G.rows());
  for (Eigen::Index i = 0; i < units.size(); ++i) units[i] = std::pow(10.0, static_cast<double>(i % 5) - 2);
  other.G = units.asDiagonal() * problem.G;
  for (const SaddleMethod method : kMethods) {
    CAPTURE(static_cast<int>(method));
    const auto solve = [&, &f = f](const SaddleProblem& which, const Eigen::VectorXd& load) {
      return factored(which, method, MultiplierNorm::scaled_rows).solve(f, load);
    };
    const SaddleSolution one = solve(problem, gamma), two = solve(other, units.cwiseProduct(gamma));
    CHECK(error(two.a, one.a) < 1e-11);
    CHECK(error(units.cwiseProduct(two.lambda), one.lambda) < 1e-11);
    const SaddleSolution raw = factored(other, method).solve(f, units.cwiseProduct(gamma));
    CHECK(raw.lambda.norm() < two.lambda.norm());
    CHECK(error(raw.a, two.a) < 1e-11);
  }
}

TEST_CASE("redundant rows are named with the rows they repeat") {
  // Two equal rows, their sum, a free one, and one that acts on nothing.
  SaddleProblem problem;
  problem.A = Eigen::MatrixXd(Eigen::Vector3d(1, 2, 3).asDiagonal()).sparseView();
  Eigen::MatrixXd G(4, 3);
  G << 1, 1, 0, 0, 0, 1, 2, 2, 0, 0, 0, 0;
  problem.G = G.sparseView();
  problem.rows = {{.constraint = ConstraintId{7}, .row = 0},
                  {.constraint = ConstraintId{7}, .row = 1},
                  {.constraint = ConstraintId{9}, .row = 2},
                  {.constraint = ConstraintId{9}, .row = 4}};
  const SaddleSystem system = factored(problem, SaddleMethod::saddle);
  CHECK(system.rank() == 2);
  CHECK(system.freedoms() == 1);
  REQUIRE(system.redundant().size() == 2);
  const RedundantRow& repeated = system.redundant()[0];
  CHECK((repeated.row == 0 || repeated.row == 2));
  CHECK(repeated.others == std::vector<Eigen::Index>{repeated.row == 0 ? 2 : 0});
  CHECK(system.redundant()[1].row == 3);
  CHECK(system.redundant()[1].others.empty());
  CHECK(spelled(problem.name(2)) == "constraint 9, row 2");

  // λ of least norm: λ₀ + 2 λ₂ = c is met by (c, 2c)/5. With a = 0, −A a + Gᵀλ = −f: c = 5 on both columns.
  for (const SaddleMethod method : kMethods) {
    CAPTURE(static_cast<int>(method));
    const SaddleSolution solution =
        factored(problem, method).solve(Eigen::Vector3d(-5, -5, 0), Eigen::Vector4d::Zero());
    CHECK(solution.a.norm() < 1e-14);
    CHECK((solution.lambda - Eigen::Vector4d(1, 0, 2, 0)).norm() < 1e-13);
  }
}

TEST_CASE("rows that contradict each other are reported with the row at fault, the rest in the least-squares sense") {
  SaddleProblem problem;
  problem.A = Eigen::MatrixXd(2 * Eigen::Matrix2d::Identity()).sparseView();
  Eigen::MatrixXd G(3, 2);
  G << 1, 0, 1, 0, 1, 0;
  problem.G = G.sparseView();
  problem.rows = {{.constraint = ConstraintId{1}, .row = 0},
                  {.constraint = ConstraintId{2}, .row = 0},
                  {.constraint = ConstraintId{3}, .row = 2}};
  for (const SaddleMethod method : kMethods) {
    CAPTURE(static_cast<int>(method));
    const SaddleSystem system = factored(problem, method);
    const SaddleSolution solution = system.solve(Eigen::Vector2d(0, 4), Eigen::Vector3d(0.3, 0.3, 0.6));
    CHECK(solution.contradictory);
    CHECK(solution.contradiction.row == 2);
    CHECK(solution.contradiction.name.constraint == 3);
    CHECK(solution.contradiction.residual == doctest::Approx(0.2).epsilon(1e-12));
    CHECK(solution.converged);
    CHECK((solution.a - Eigen::Vector2d(0.4, 2)).norm() < 1e-13);
    CHECK(solution.lambda.sum() == doctest::Approx(0.8).epsilon(1e-12));
    // The same asked for in units a million times smaller is as contradictory; what agrees to rounding is not.
    CHECK(system.solve(Eigen::Vector2d(0, 4), 1e-6 * Eigen::Vector3d(0.3, 0.3, 0.6)).contradictory);
    CHECK_FALSE(system.solve(Eigen::Vector2d(0, 4), Eigen::Vector3d(0.3, 0.3, 0.3 + 1e-15)).contradictory);
  }
}

TEST_CASE("a massless coordinate that no row holds keeps still, and a force on it is reported") {
  SaddleProblem problem;
  problem.A.resize(4, 4);  // one coordinate with mass, three parameters; rows hold the sum of the first two alone
  problem.A.insert(0, 0) = 2;
  Eigen::MatrixXd G(2, 4);
  G << 1, 1, 1, 0, 1, 0, 0, 0;
  problem.G = G.sparseView();
  for (const SaddleMethod method : kMethods) {
    CAPTURE(static_cast<int>(method));
    const SaddleSystem system = factored(problem, method);
    CHECK(system.free_parameters() == 2);
    const SaddleSolution fine = system.solve(Eigen::Vector4d(4, 3, 3, 0), Eigen::Vector2d(5, 1));
    CHECK(fine.unsupported == -1);
    CHECK((fine.a - Eigen::Vector4d(1, 2, 2, 0)).norm() < 1e-12);
    CHECK((fine.lambda - Eigen::Vector2d(-3, 1)).norm() < 1e-12);
    CHECK(system.solve(Eigen::Vector4d(4, 3, 3, 0.1), Eigen::Vector2d(5, 1)).unsupported == 3);
    const SaddleSolution torn = system.solve(Eigen::Vector4d(4, 4, 2, 0), Eigen::Vector2d(5, 1));
    CHECK((torn.unsupported == 1 || torn.unsupported == 2));
    CHECK((torn.lambda - Eigen::Vector2d(-3, 1)).norm() < 1e-12);
    const SaddleSolution one_sided = system.solve(Eigen::Vector4d(4, 6, 0, 0), Eigen::Vector2d(5, 1));
    CHECK(one_sided.converged);
    CHECK((one_sided.lambda - Eigen::Vector2d(-3, 1)).norm() < 1e-12);
  }
}

TEST_CASE("a parallelogram four-bar loses a row in its flat position, and the loss is named") {
  SaddleSystem system;
  system.factorise(four_bar(0.7).problem());
  CHECK(system.rank() == 8);
  CHECK(system.freedoms() == 1);
  CHECK(system.rank_lost() == 0);
  const double open = system.weakest().singular_value;
  CHECK(open > 0.1);

  // Near it the warning grows with the angle, at it a row is lost.
  system.factorise(four_bar(1e-5).problem());
  const WeakestRow near = system.weakest();
  CHECK(near.singular_value < 1e-5);
  CHECK(near.singular_value > 1e-7);
  system.factorise(four_bar(0).problem());
  CHECK(system.rank() == 7);
  CHECK(system.rank_lost() == 1);
  CHECK(system.freedoms() == 2);
  REQUIRE(system.redundant().size() == 1);
  CHECK(system.redundant()[0].others.size() == 3);  // the lengthwise rows of the four joints hang together
  CHECK(system.redundant()[0].row % 2 == 0);
  for (const Eigen::Index row : system.redundant()[0].others) CHECK(row % 2 == 0);

  // Weight: the accelerations are the same in all forms although the multipliers are not unique.
  const Eigen::VectorXd weight = Eigen::Vector3d(0, -9.81, 0).replicate<3, 1>();
  const auto [a, lambda] = dense_saddle(four_bar(0).problem(), weight, Eigen::VectorXd::Zero(8));
  for (const SaddleMethod method : kMethods) {
    const SaddleSolution solution = factored(four_bar(0).problem(), method).solve(weight, Eigen::VectorXd::Zero(8));
    CHECK(error(solution.a, a) < 1e-12);
    CHECK(error(solution.lambda, lambda) < 1e-12);
  }
}

TEST_CASE(
    "next to a singular position the forms still agree, and where nothing is redundant the rank may be left out") {
  const Eigen::VectorXd weight = Eigen::Vector3d(0.2, -9.81, 0.1).replicate<3, 1>(), rest = Eigen::VectorXd::Zero(8);
  for (const double angle : {1e-2, 1e-4, 1e-6, 1e-8}) {
    CAPTURE(angle);
    const SaddleProblem problem = four_bar(angle).problem();
    const SaddleSolution one = factored(problem, SaddleMethod::null_space).solve(weight, rest);
    CHECK(one.converged);
    for (const SaddleMethod method : kMethods) {
      const SaddleSolution solution = factored(problem, method).solve(weight, rest);
      CHECK(solution.converged);
      CHECK((problem.G * solution.a).norm() < 1e-13 * weight.norm());
      CHECK(error(solution.a, one.a) < 1e-14 / angle);  // a moves by ε/σ
    }
  }
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const auto [problem, f, gamma] = random_saddle({.bodies = 8, .cams = 2, .rows = 10, .compliant = 3}, seed);
    const auto [a, lambda] = dense_saddle(problem, f, gamma);
    for (const SaddleMethod method : kMethods) {
      SaddleSystem system({.method = method, .rank_check = RankCheck::never});
      system.factorise(problem);
      CHECK(system.rank() == problem.G.rows());
      const SaddleSolution solution = system.solve(f, gamma);
      CHECK(solution.converged);
      CHECK(error(solution.a, a) < 1e-10);
      CHECK(error(solution.lambda, lambda) < 1e-10);
      CHECK_THROWS_AS((void)system.weakest(), std::logic_error);
    }
  }
}

TEST_CASE("the basis of motions is orthonormal, orthogonal to the rows, and complete") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    const SaddleProblem problem = random_saddle({.bodies = 7, .rows = 13, .redundant = 4, .units = 10}, seed).problem;
    const MotionBasis basis(problem.G);
    CHECK(basis.freedoms() == 21 - 13);
    CHECK(basis.redundant().size() == 4);
    const Eigen::MatrixXd Z = basis.vectors();
    CHECK((Z.transpose() * Z - Eigen::MatrixXd::Identity(8, 8)).norm() < 1e-13);
    CHECK((problem.G * Z).norm() < 1e-11);
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(21, -1, 2), y = Eigen::VectorXd::LinSpaced(8, -1, 2);
    CHECK((basis.apply_transpose(x) - Z.transpose() * x).norm() < 1e-13);
    CHECK((basis.apply(y) - Z * y).norm() < 1e-13);
  }
  // More rows than coordinates; none at all.
  SparseMatrix many(5, 2);
  for (int i = 0; i < 5; ++i) many.insert(i, 0) = 1 + i;
  many.makeCompressed();
  const MotionBasis one(many);
  CHECK(one.freedoms() == 1);
  CHECK(std::abs(one.vectors()(0, 0)) < 1e-15);
  CHECK(std::abs(std::abs(one.vectors()(1, 0)) - 1) < 1e-15);
  CHECK(MotionBasis(SparseMatrix(0, 3)).vectors().isIdentity());
  CHECK(MotionBasis(SparseMatrix(2, 3)).freedoms() == 3);  // rows that act on nothing
  SaddleProblem idle;
  idle.A = Eigen::MatrixXd(2 * Eigen::Matrix3d::Identity()).sparseView();
  idle.G.resize(2, 3);
  for (const SaddleMethod method : kMethods) {
    const SaddleSolution solution = factored(idle, method).solve(Eigen::Vector3d(2, 4, 6), Eigen::Vector2d(0, 0));
    CHECK((solution.a - Eigen::Vector3d(1, 2, 3)).norm() < 1e-15);
    CHECK(solution.lambda.norm() == 0);
  }
}

TEST_CASE("constraint forces by suppressing constraints equal the multipliers") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    const auto [problem, f, gamma] = random_saddle({.bodies = 7, .cams = 2, .rows = 10, .compliant = 3}, seed);
    const SaddleSolution solution = factored(problem, SaddleMethod::saddle).solve(f, gamma);
    const std::array<Eigen::Index, 4> chosen = {5, 1, 11, 8};
    const Eigen::VectorXd forces = suppressed_forces(problem, f, gamma, solution.a, chosen);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      CHECK(forces[static_cast<Eigen::Index>(k)] == doctest::Approx(solution.lambda[chosen[k]]).epsilon(1e-9));
    }
  }
  // A row that the others imply frees no motion.
  const SaddleProblem flat = four_bar(0).problem();
  const Eigen::VectorXd weight = Eigen::VectorXd::Constant(9, 1.0), rest = Eigen::VectorXd::Zero(8);
  const SaddleSolution solution = factored(flat, SaddleMethod::saddle).solve(weight, rest);
  const std::array<Eigen::Index, 1> implied = {2};
  CHECK(suppressed_forces(flat, weight, rest, solution.a, implied)[0] == 0);
  const std::array<Eigen::Index, 2> twice = {2, 2};
  CHECK_THROWS_AS((void)suppressed_forces(flat, weight, rest, solution.a, twice), std::invalid_argument);
  CHECK_THROWS_AS((void)suppressed_forces(flat, rest, rest, solution.a, implied), std::invalid_argument);
}

TEST_CASE("the analysis is kept while the pattern stays, and the bits do not depend on what came before") {
  for (const SaddleMethod method : kMethods) {
    CAPTURE(static_cast<int>(method));
    SaddleSystem system({.method = method});
    const Eigen::VectorXd weight = Eigen::Vector3d(0, -9.81, 0).replicate<20, 1>();
    const Eigen::VectorXd rest = Eigen::VectorXd::Zero(40);
    Bars chain = chain_of_links(20);
    system.factorise(chain.problem());
    const SaddleSolution before = system.solve(weight, rest);
    const long analyses = system.analyses();
    CHECK(analyses >= 1);
    for (Eigen::Vector3d& pose : chain.pose) pose[2] += 0.01;
    system.factorise(chain.problem());
    (void)system.solve(weight, rest);
    CHECK(system.analyses() == analyses);
    system.factorise(chain_of_links(20).problem());
    const SaddleSolution after = system.solve(weight, rest);
    CHECK(after.a == before.a);
    CHECK(after.lambda == before.lambda);
    system.factorise(four_bar(1).problem());
    CHECK(system.analyses() > analyses);
    CHECK(system.rank_lost() == 0);
  }
}

TEST_CASE("a chain of 1000 links: all forms agree") {
  const SaddleProblem problem = chain_of_links(1000).problem();
  const Eigen::VectorXd weight = Eigen::Vector3d(0.3, -9.81, 0).replicate<1000, 1>();
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(2000);
  Eigen::VectorXd a, lambda;
  for (const SaddleMethod method : kMethods) {
    CAPTURE(static_cast<int>(method));
    const SaddleSolution solution = factored(problem, method).solve(weight, rest);
    CHECK(solution.converged);
    CHECK((problem.G * solution.a).cwiseAbs().maxCoeff() < 1e-11);
    if (a.size() == 0) a = solution.a, lambda = solution.lambda;
    CHECK(error(solution.a, a) < 1e-10);
    CHECK(error(solution.lambda, lambda) < 1e-10);
  }
}

TEST_CASE("the saddle point refuses what has no meaning, and names it") {
  const auto [good, f, gamma] = random_saddle({.bodies = 2, .rows = 3, .compliant = 1}, 1);
  const auto fault = [&, &good = good](auto change) {
    SaddleProblem problem = good;
    change(problem);
    return fault_of([&] { SaddleSystem().factorise(problem); });
  };
  CHECK(fault([](SaddleProblem&) {}) == "none");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(fault([](SaddleProblem& p) { p.G = SparseMatrix(3, 5); }).find("expected n×n and m×n, found 6x6 and 3x5") !=
        std::string::npos);
  CHECK(fault([&](SaddleProblem& p) { p.G.coeffRef(1, 2) = nan; }).find("row 1: expected finite") != std::string::npos);
  CHECK(fault([&](SaddleProblem& p) { p.compliance[2] = -1; }).find("compliance of row 2") != std::string::npos);
  CHECK(fault([&](SaddleProblem& p) { p.compliance.resize(1); }).find("expected 3 numbers, found 1") !=
        std::string::npos);
  CHECK(fault([&](SaddleProblem& p) { p.A.coeffRef(4, 3) += 1; }).find("group of coordinate 3: expected a symmetric") !=
        std::string::npos);
  CHECK(fault([&](SaddleProblem& p) { p.A.coeffRef(4, 4) = -1; }).find("group of coordinate 3") != std::string::npos);
  CHECK(fault([&](SaddleProblem& p) { p.rows.resize(2); }).find("expected 3 names, found 2") != std::string::npos);
  CHECK(fault_of([] { SaddleSystem({.regularisation = 0}); }).find("regularisation") != std::string::npos);
  CHECK(fault_of([] { SaddleSystem({.rank_tolerance = 2}); }).find("rank_tolerance") != std::string::npos);

  SaddleSystem system;
  const Eigen::VectorXd force = f, load = gamma;
  CHECK_THROWS_AS((void)system.solve(force, load), std::logic_error);
  system.factorise(good);
  CHECK(fault_of([&] { (void)system.solve(force.head(5), load); }).find("f: expected 6 numbers, found 5") !=
        std::string::npos);
  CHECK(fault_of([&] { (void)system.solve(force, Eigen::Vector3d(0, nan, 0)); }).find("gamma[1]") != std::string::npos);
  CHECK_THROWS_AS((void)MotionBasis(good.G, 0), std::invalid_argument);
  CHECK_THROWS_AS((void)MotionBasis(good.G).apply(force), std::invalid_argument);
}
