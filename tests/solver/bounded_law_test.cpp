// Bounded reactions of joints: the solve of one constraint, Newton's map, and every solver of the registry.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/free_reactions.hpp>
#include <locdyn/solver/local/bounded_block.hpp>
#include <locdyn/solver/newton/friction_map.hpp>
#include <locdyn/solver/registry.hpp>
#include <solver/random_problem.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;
using Eigen::Vector3d;

namespace {

// A hinge with friction about its axis, a ball joint with friction of its spin, a slider without load, a motor, a
// servo.
BoundedLaw hinge(double limit, double load) {
  BoundedLaw law;
  law.block_count = 2;
  law.lower = -limit;
  law.upper = limit;
  law.load = {load, 0.5 * load};
  return law;
}
BoundedLaw ball(double limit, double load) {
  BoundedLaw law = hinge(limit, load);
  law.bounded = kRowsAll;
  return law;
}
BoundedLaw slider(double limit) {
  BoundedLaw law;
  law.lower = -limit;
  law.upper = limit;
  return law;
}
BoundedLaw motor(double lower, double upper, double speed, double compliance) {
  BoundedLaw law;
  law.block[0].rows = kRowNormal;
  law.block[0].shift[2] = -speed;
  law.block[0].compliance[2] = compliance;
  law.lower = lower;
  law.upper = upper;
  return law;
}

struct Draw {
  explicit Draw(unsigned seed) : random(seed) {}
  double normal() { return normal_(random); }
  double uniform() { return uniform_(random); }
  Vector3d vector() { return {normal(), normal(), normal()}; }
  BoundedLaw law() {
    switch (random() % 5) {
      case 0: return hinge(uniform(), 0.4 * uniform());
      case 1: return ball(uniform(), 0.3 * uniform());
      case 2: return slider(uniform());
      case 3: return motor(-uniform(), 2 * uniform(), normal(), 0);
      default: return motor(-uniform(), uniform(), normal(), uniform());
    }
  }
  std::mt19937 random;

 private:
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

// The bilateral constraints of a random problem become bounded ones with the same rows.
LocalDynamics with_bounds(LocalDynamics ldy, unsigned seed, double load) {
  Draw draw(seed);
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    const auto* held = std::get_if<BilateralLaw>(&ldy.law(id));
    if (held == nullptr || id % 4 == 0) continue;
    BoundedLaw law;
    law.block_count = held->block_count;
    law.block = held->block;
    const RowMask last = held->rows(held->block_count - 1);
    law.bounded = uses(last, 2) ? kRowNormal : RowMask{0b010};
    if (last == kRowsAll && id % 3 == 0) law.bounded = RowMask{0b110};
    law.upper = draw.uniform();
    law.lower = rows_in_use(law.bounded) > 1 ? -law.upper : -draw.uniform();
    law.load = {load, load};
    ldy.set_law(id, law);
  }
  return ldy;
}

double natural_map_of(const BoundedLaw& law, const Eigen::MatrixXd& W, const std::array<Vector3d, 2>& b,
                      const std::array<Vector3d, 2>& R) {
  std::array<Vector3d, 2> U = b, U_hat, z;
  const auto blocks = static_cast<std::size_t>(law.blocks());
  for (std::size_t k = 0; k < blocks; ++k) {
    for (std::size_t l = 0; l < blocks; ++l) U[k] += W.block<3, 3>(3 * Eigen::Index(k), 3 * Eigen::Index(l)) * R[l];
    U[k] -= law.offset(static_cast<int>(k));  // b has it
    for (int axis = 0; axis < 3; ++axis) {
      if (!uses(law.rows(static_cast<int>(k)), axis)) U[k][axis] = 0;
    }
  }
  law.dual_velocity({U.data(), blocks}, {R.data(), blocks}, {U_hat.data(), blocks});
  for (std::size_t k = 0; k < blocks; ++k) z[k] = R[k] - U_hat[k];
  law.project({z.data(), blocks});
  double sum = 0;
  for (std::size_t k = 0; k < blocks; ++k) sum += (R[k] - z[k]).squaredNorm();
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("bounded reactions: one constraint is solved to rounding, whatever W's rank") {
  Draw draw(1);
  double worst = 0;
  int slides = 0, sticks = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    CAPTURE(trial);
    const BoundedLaw law = draw.law();
    CAPTURE(law.block_count);
    CAPTURE(static_cast<int>(law.bounded));
    const int size = 3 * law.blocks(), columns = trial % 5 == 0 ? 4 : 9;
    Eigen::MatrixXd G(size, columns);
    for (double& g : G.reshaped()) g = draw.normal();
    for (int i = 0; i < size; ++i) {
      if (!uses(law.rows(i / 3), i % 3)) G.row(i).setZero();
    }
    Eigen::VectorXd u(columns);
    for (double& x : u) x = draw.normal();
    const Eigen::MatrixXd W = G * G.transpose() / columns;
    const Eigen::VectorXd B = G * u;  // some reaction can stop it
    std::array<Vector3d, 2> b = {Vector3d::Zero(), Vector3d::Zero()}, R = b;
    for (int k = 0; k < law.blocks(); ++k) b[static_cast<std::size_t>(k)] = B.segment<3>(3 * k) + law.offset(k);
    const auto blocks = static_cast<std::size_t>(law.blocks());
    BoundedBlock(law, W).solve({b.data(), blocks}, {R.data(), blocks});
    const double left = natural_map_of(law, W, b, R);
    worst = std::max(worst, left);
    CHECK(left < 1e-9);
    Vector3d last = R[blocks - 1];
    law.cut(last, law.load_of({R.data(), blocks}) - 1e-9);
    last == R[blocks - 1] ? ++sticks : ++slides;
  }
  MESSAGE("largest natural map: ", worst, "; ", slides, " slide, ", sticks, " stick");
  CHECK(slides > 500);
  CHECK(sticks > 500);
}

TEST_CASE("bounded reactions: closed forms of one row") {
  const auto solve = [](const BoundedLaw& law, double W, double b) {
    Eigen::Matrix3d block = Eigen::Matrix3d::Zero();
    block(2, 2) = W;
    std::array<Vector3d, 1> load = {Vector3d(0, 0, b)}, R = {Vector3d::Zero()};
    BoundedBlock(law, block).solve(load, R);
    return R[0][2];
  };
  BoundedLaw law = motor(-3, 5, 0, 0);
  CHECK(solve(law, 2, 4) == -2);   // it stops: U = 0
  CHECK(solve(law, 2, 8) == -3);   // its bound: U = 2
  CHECK(solve(law, 2, -12) == 5);  // the other one: U = −2
  CHECK(solve(law, 0, 1) == -3);   // what no reaction moves, too
  law = motor(2, 5, 0, 0);
  CHECK(solve(law, 2, 4) == 2);  // never less
  law = motor(-3, 5, 0, 0.5);
  CHECK(solve(law, 1.5, 4) == -2);  // C as W
}

TEST_CASE("bounded reactions: nsgs, newton, auto and condensed solve them, the others refuse them by name") {
  const Scene scenes[] = {{.contacts = 0, .bilateral = 9, .hinges = 4},
                          {.contacts = 6, .bilateral = 6, .hinges = 4},
                          {.contacts = 4, .planar = 3, .bilateral = 5, .hinges = 2}};
  for (const Scene& scene : scenes) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      const LocalDynamics problem = with_bounds(random_problem(scene, seed), seed, seed % 2 == 0 ? 0 : 0.1);
      Eigen::VectorXd U;
      for (const SolverEntry& solver : solvers()) {
        CAPTURE(solver.name);
        CAPTURE(scene.contacts);
        CAPTURE(seed);
        LocalDynamics ldy = problem;
        const bool refuses =
            solver.pyramid || solver.name == "admm" || solver.name == "interior" || solver.name == "path";
        if (refuses) {
          CHECK_THROWS_WITH_AS((void)solver.solve(ldy, {}, {}), doctest::Contains("a bounded reaction"),
                               std::invalid_argument);
          continue;
        }
        const SolveReport report = solver.solve(ldy, {.tolerance = 1e-12, .max_iterations = 20'000}, {});
        CAPTURE(report.reason);
        CHECK(report.status == SolveStatus::converged);
        CHECK(evaluate_residual(ldy).scaled <= 1e-12);
        if (U.size() == 0) U = velocities(ldy);
        CHECK((velocities(ldy) - U).norm() < 1e-9 * U.norm());
      }
    }
  }
}

TEST_CASE("bounded reactions: Newton alone reaches rounding, without a sweep before it") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    LocalDynamics ldy = with_bounds(random_problem({.contacts = 4, .bilateral = 8, .hinges = 4}, seed), seed, 0.1);
    NewtonOptions options;
    options.first_sweeps = 0;
    options.stop.tolerance = 1e-13;
    const SolveReport report = solve_newton(ldy, options);
    CAPTURE(report.reason);
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.iterations < 40);
  }
}

TEST_CASE("bounded reactions: Newton's derivative against central differences, away from the kinks") {
  Draw draw(3);
  int compared = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Law law = draw.law();
    const int at = block_count(law) - 1;
    std::array<DiagonalBlock, 2> blocks{};
    for (DiagonalBlock& block : blocks) {
      block.W = 2 * Eigen::Matrix3d::Identity();
      block.U = draw.vector();
      block.R = draw.vector();
    }
    const auto last = static_cast<std::size_t>(at);
    const NewtonRow row = newton_row(law, at, blocks[last].W, blocks[0].W);
    MapDerivative d;
    bool pressed = false;
    const Vector3d F0 = row_map(row, FrictionMap::alart_curnier, 2, blocks[last], pressed, &d);
    const auto compare = [&](double& value, const Vector3d& expected) {
      const double held = value, step = 1e-6;
      value = held + step;
      const Vector3d right = row_map(row, FrictionMap::alart_curnier, 2, blocks[last], pressed, nullptr);
      value = held - step;
      const Vector3d left = row_map(row, FrictionMap::alart_curnier, 2, blocks[last], pressed, nullptr);
      value = held;
      if ((right - 2 * F0 + left).norm() > 1e-8) return;  // a kink, or close to one
      ++compared;
      CHECK(((right - left) / (2 * step) - expected).norm() < 1e-5 * (1 + expected.norm()));
    };
    for (int k = 0; k < 3; ++k) {
      compare(blocks[last].U[k], d.E.col(k));
      compare(blocks[last].R[k], d.C.col(k));
      if (at == 1) compare(blocks[0].R[k], d.C_before.col(k));
    }
    CHECK((at == 0 || row.follows() == (std::get<BoundedLaw>(law).load[0] > 0)));
  }
  CHECK(compared > 20'000);
}

TEST_CASE("bounded reactions: which are unique") {
  // A motor and friction on the same row: both at their bounds they are unique, both within theirs they are not.
  const auto freedom = [](double upper) {
    LocalDynamics ldy;
    for (ConstraintId id{0}; id < 2; ++id) {
      ldy.insert(motor(-upper, upper, 0, 0));
      ldy.row(id).B[2] = 4;
      ldy.row(id).W(2, 2) = 1;
    }
    ldy.couple(ConstraintId{0}, ConstraintId{1});
    ldy.find(ConstraintId{0}, 0, ConstraintId{1}, 0)->W(2, 2) = 1;
    ldy.find(ConstraintId{1}, 0, ConstraintId{0}, 0)->W(2, 2) = 1;
    REQUIRE(find_solver("nsgs").solve(ldy, {.tolerance = 1e-12}, {}).status == SolveStatus::converged);
    double largest = 0;
    for (const FreeReaction& sample : free_reactions(ldy)) {
      for (const Vector3d& change : sample) largest = std::max(largest, change.norm());
    }
    return largest;
  };
  CHECK(freedom(1) == 0);
  CHECK(freedom(5) > 0.1);
}

TEST_CASE("bounded reactions: numbers out of range are refused by name") {
  const auto refuses = [](const BoundedLaw& law, const char* what) {
    CHECK_THROWS_WITH_AS(law.validate(), doctest::Contains(what), std::invalid_argument);
  };
  BoundedLaw law = hinge(1, 0.1);
  law.validate();
  law.load[1] = -0.1;
  refuses(law, "load weight: expected a finite number >= 0, found -0.1");
  law = hinge(1, std::nan(""));
  refuses(law, "load weight");
  law = hinge(-1, 0);
  refuses(law, "bounds: expected finite numbers, lower <= upper, found 1");
  law = hinge(std::numeric_limits<double>::infinity(), 0);
  refuses(law, "bounds");
  law = ball(1, 0);
  law.lower = -2;
  refuses(law, "bounds of several rows: expected -upper and upper >= 0, found -2");
  law = hinge(1, 0);
  law.block[1].rows = 0b011;
  refuses(law, "bounded rows: expected some of the rows in use, 3, found mask 4");
  law.bounded = 0;
  refuses(law, "bounded rows");
  law = hinge(1, 0);
  law.block_count = 3;
  refuses(law, "blocks");
  CHECK_THROWS_AS(BoundedBlock(hinge(1, 0), Eigen::MatrixXd::Identity(3, 3)), std::invalid_argument);
}
