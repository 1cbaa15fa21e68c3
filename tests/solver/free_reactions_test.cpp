// Which reactions are determined: against the null space of a dense W, by laws and states; and what is refused.

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/free_reactions.hpp>
#include <random>
#include <solver/dense_problem.hpp>
#include <solver/random_problem.hpp>
#include <span>
#include <stdexcept>
#include <vector>
#include "builtin/builtin.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

// The null space of W restricted to what the states leave free, a column each, rows by place; states by plain rules of
// Coulomb's law for contacts of one block, and free rows for bilateral ones.
Eigen::MatrixXd dense_null_space(const LocalDynamics& ldy, double slow) {
  const DenseProblem dense = dense_problem(ldy);
  std::vector<Eigen::VectorXd> free;
  const auto unit = [&](Eigen::Index at) { free.push_back(Eigen::VectorXd::Unit(dense.W.rows(), at)); };
  for (const Eigen::Index at : dense.held) unit(at);
  for (const auto& contact : dense.contacts) {
    const DiagonalBlock& row = ldy.diagonal_arena()[static_cast<std::size_t>(contact.at / 3)];
    const Eigen::Vector3d U = row.U + offset(ldy.law(row.constraint), 0);
    const RowMask mask = rows(ldy.law(row.constraint), 0);
    if (U[2] > slow) continue;
    Eigen::VectorXd along = Eigen::VectorXd::Unit(dense.W.rows(), contact.at + 2);
    if (U.head<2>().norm() > slow) {
      along.segment<2>(contact.at) = -contact.friction * U.head<2>().normalized();
    } else if (contact.friction > 0) {
      unit(contact.at);
      if (uses(mask, 1)) unit(contact.at + 1);
    }
    free.push_back(along);
  }
  Eigen::MatrixXd P(dense.W.rows(), static_cast<Eigen::Index>(free.size()));
  for (std::size_t k = 0; k < free.size(); ++k) P.col(static_cast<Eigen::Index>(k)) = free[k];
  Eigen::MatrixXd W = dense.W;
  W.diagonal() += dense.compliance;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(Eigen::MatrixXd(P.transpose() * W * P));
  Eigen::Index null = 0;
  while (null < P.cols() && modes.eigenvalues()[null] <= 1e-10 * modes.eigenvalues().maxCoeff()) ++null;
  return P * modes.eigenvectors().leftCols(null);
}

// Every sample lies in the dense null space, and leaves alone just the numbers that all of it leaves alone.
void check_against_dense(LocalDynamics& ldy, double slow, Eigen::Index least_free) {
  const Eigen::MatrixXd null = dense_null_space(ldy, slow);
  CHECK(null.cols() >= least_free);
  const std::vector<FreeReaction> samples = free_reactions(ldy, slow);
  const DenseProblem dense = dense_problem(ldy);
  Eigen::VectorXd most = Eigen::VectorXd::Zero(dense.W.rows());
  for (const FreeReaction& sample : samples) {
    Eigen::VectorXd delta(dense.W.rows());
    for (std::size_t place = 0; place < sample.size(); ++place) {
      delta.segment<3>(3 * static_cast<Eigen::Index>(place)) = sample[place];
    }
    most = most.cwiseMax(delta.cwiseAbs());
    CHECK((dense.W * delta).norm() <= 1e-9 * dense.W.norm() * (1 + delta.norm()));
    if (null.cols() > 0) {
      const Eigen::MatrixXd gram = null.transpose() * null;
      const Eigen::VectorXd inside = null * gram.ldlt().solve(null.transpose() * delta);
      CHECK((inside - delta).norm() <= 1e-7 * (1 + delta.norm()));
    }
  }
  int wrong = 0;
  for (Eigen::Index k = 0; k < most.size(); ++k) {
    const double leverage = null.cols() > 0 ? null.row(k).norm() : 0;
    wrong += (most[k] > kUniqueReaction) != (leverage > 1e-7);
  }
  CHECK(wrong == 0);
}

void solve_tightly(LocalDynamics& ldy) {
  AutoOptions options;
  options.stop.tolerance = 1e-11;
  REQUIRE(solve_auto(ldy, options).status == SolveStatus::converged);
  (void)evaluate_residual(ldy);
}

// Two constraints of that law that share all they do: whatever one carries, the other may. U and R by block, of both.
LocalDynamics twins(const Law& law, std::span<const Eigen::Vector3d> U, std::span<const Eigen::Vector3d> R) {
  LocalDynamics pair;
  for (int k = 0; k < 2; ++k) pair.insert(law);
  pair.couple(ConstraintId{0}, ConstraintId{1});
  for (ConstraintId id{0}; id < 2; ++id) {
    for (int k = 0; k < block_count(law); ++k) {
      pair.row(id, k).W = Eigen::Matrix3d::Identity();
      pair.row(id, k).U = U[static_cast<std::size_t>(k)];
      pair.row(id, k).R = R[static_cast<std::size_t>(k)];
      pair.find(id, k, ConstraintId{1u - id.value()}, k)->W = Eigen::Matrix3d::Identity();
    }
  }
  return pair;
}

// Samples of what the first of the twins may carry more, as one column (force, moment) each; the other carries less.
std::vector<Eigen::Matrix<double, 6, 1>> shared_by_twins(const LocalDynamics& pair) {
  std::vector<Eigen::Matrix<double, 6, 1>> all;
  for (const FreeReaction& sample : free_reactions(pair, 1e-8)) {
    REQUIRE(sample.size() == 4);
    for (std::size_t k = 0; k < 2; ++k) CHECK((sample[k] + sample[k + 2]).norm() <= 1e-9);
    all.emplace_back();
    all.back() << sample[0], sample[1];
  }
  return all;
}

}  // namespace

TEST_CASE("free reactions: random problems, with joints and contacts in the plane, against a dense null space") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    const bool low_rank = seed % 2 == 0;
    LocalDynamics ldy = random_problem({.contacts = 8,
                                        .planar = 2,
                                        .bilateral = 2,
                                        .hinges = 1,
                                        .identity = low_rank ? 0 : 0.5,
                                        .freedoms = low_rank ? 12 : 0},
                                       seed);
    if (low_rank) {  // what some reactions inside their cones, and some beyond, hold
      std::mt19937 random(seed);
      std::uniform_real_distribution<double> number(-1, 1);
      for (auto& row : ldy.rows()) {
        row.B.setZero();
        const Law& law = ldy.law(row.constraint);
        const double friction = friction_discs(law).sliding[0];
        row.R = {0.5 * friction * number(random), 0.5 * friction * number(random), 1.0};
        for (int axis = 0; axis < 3; ++axis) {
          if (!uses(rows(law, ldy.block_of(row)), axis)) row.R[axis] = 0;
        }
        if (seed % 4 == 0 && row.constraint.value() % 3 == 0) row.R[0] *= 3;
      }
      (void)evaluate_residual(ldy);  // U = W R
      for (auto& row : ldy.rows()) {
        const Law& law = ldy.law(row.constraint);
        row.B = -row.U - offset(law, ldy.block_of(row)) - compliance(law, ldy.block_of(row)).cwiseProduct(row.R);
      }
    }
    clear(ldy);
    solve_tightly(ldy);
    check_against_dense(ldy, 1e-7, low_rank ? 1 : 0);
  }
}

TEST_CASE("free reactions: an arch and a wall, against a dense null space") {
  for (const char* name : {"arch", "wall", "stack"}) {
    CAPTURE(name);
    BuiltinProblem problem = make_builtin(name, 60);
    solve_tightly(*problem.ldy);
    check_against_dense(*problem.ldy, 1e-8, 1);
  }
}

TEST_CASE("free reactions: nothing is free of a W of full rank, nor where contacts give way") {
  LocalDynamics ldy = random_problem({.contacts = 6}, 5);
  clear(ldy);
  solve_tightly(ldy);
  for (const FreeReaction& sample : free_reactions(ldy)) {
    for (const Eigen::Vector3d& delta : sample) CHECK(delta.norm() <= 1e-9);
  }
  // Two contacts that share all they do; of which the give of one decides.
  for (const double give : {0.0, 0.1}) {
    CAPTURE(give);
    LocalDynamics pair;
    for (int k = 0; k < 2; ++k) pair.insert(CompliantLaw{.friction = 0.5, .give = {0, 0, give}});
    pair.couple(ConstraintId{0}, ConstraintId{1});
    for (ConstraintId id{0}; id < 2; ++id) {
      pair.row(id).W = Eigen::Matrix3d::Identity();
      pair.row(id).B = {0, 0, -1};
      pair.find(id, 0, ConstraintId{1u - id.value()}, 0)->W = Eigen::Matrix3d::Identity();
    }
    solve_tightly(pair);
    const FreeReaction sample = free_reactions(pair, 1e-8).front();
    CHECK((std::abs(sample[0][2]) > 1e-3) == (give == 0));  // what presses
    CHECK(std::abs(sample[0][0]) > 1e-3);                   // friction does not give way
    CHECK((sample[0] + sample[1]).norm() <= 1e-9);
  }
}

TEST_CASE("free reactions: moments of contacts follow R_n where they turn, and are free where they are held") {
  const RollingLaw law{.friction = 0.5, .rolling = 0.4, .torsional = 0.2, .length = 2};
  const std::array<Eigen::Vector3d, 2> R = {Eigen::Vector3d(0, 0, 1), Eigen::Vector3d::Zero()};
  using States = std::array<Eigen::Vector3d, 2>;
  const States held = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  for (const auto& sample : shared_by_twins(twins(law, held, R))) CHECK(sample.cwiseAbs().minCoeff() > 1e-6);
  // −E d with coefficients over ℓ: μ = 0.5, μ_r/ℓ = 0.2, μ_τ/ℓ = 0.1.
  const States turns = {Eigen::Vector3d(3, 4, 0), Eigen::Vector3d(0, -2, 1)};
  const Eigen::Matrix<double, 6, 1> along = (Eigen::Matrix<double, 6, 1>() << -0.3, -0.4, 1, 0, 0.2, -0.1).finished();
  for (const auto& sample : shared_by_twins(twins(law, turns, R))) {
    CHECK(std::abs(sample[2]) > 1e-3);
    CHECK((sample - sample[2] * along).norm() <= 1e-9);
  }
  const States opens = {Eigen::Vector3d(3, 4, 1), Eigen::Vector3d(0, -2, 1)};
  for (const auto& sample : shared_by_twins(twins(law, opens, R))) CHECK(sample.norm() == 0);
  // In the plane a force along t2 and moments but that about t2 are not there.
  const RollingLaw planar{.friction = 0.5, .rolling = 0.4, .length = 2, .moment_rows = kRowPlanarRolling};
  for (const auto& sample : shared_by_twins(twins(planar, held, R))) {
    for (const int row : {0, 2, 4}) CHECK(std::abs(sample[row]) > 1e-6);
    for (const int row : {1, 3, 5}) CHECK(sample[row] == 0);
  }
}

TEST_CASE("free reactions: a bounded row that slides follows the hard rows that load it, and is free where it sticks") {
  BoundedLaw law;
  law.block_count = 2;
  law.block[0].rows = law.block[1].rows = kRowsAll;
  law.upper = 1;
  law.lower = -1;
  law.load = {0.3, 0.4};
  // g = ‖0.3 (3, 0, 4), 0.4 (0, 5)‖ = 2.5.
  const std::array<Eigen::Vector3d, 2> R = {Eigen::Vector3d(3, 0, 4), Eigen::Vector3d(0, 5, 0)};
  for (const double slip : {0.0, 0.7, -0.7}) {
    CAPTURE(slip);
    const std::array<Eigen::Vector3d, 2> U = {Eigen::Vector3d::Zero(), Eigen::Vector3d(0, 0, slip)};
    for (const auto& sample : shared_by_twins(twins(law, U, R))) {
      CHECK(sample.head<5>().cwiseAbs().minCoeff() > 1e-6);
      const double change = (0.09 * (3 * sample[0] + 4 * sample[2]) + 0.16 * 5 * sample[4]) / 2.5;
      if (slip == 0) {
        CHECK(std::abs(std::abs(sample[5]) - std::abs(change)) > 1e-6);
      } else {
        CHECK(std::abs(sample[5] + (slip > 0 ? change : -change)) <= 1e-9);
      }
    }
  }
}

TEST_CASE("free reactions: the same at every call, an empty graph, and a velocity without meaning") {
  BuiltinProblem problem = make_builtin("wall", 40);
  solve_tightly(*problem.ldy);
  const auto once = free_reactions(*problem.ldy), again = free_reactions(*problem.ldy);
  CHECK(once == again);
  CHECK(free_reactions(LocalDynamics()).front().empty());
  CHECK_THROWS_WITH_AS((void)free_reactions(*problem.ldy, -1),
                       "free reactions: expected a finite velocity of at least 0, found -1.000000",
                       std::invalid_argument);
  CHECK_THROWS_AS((void)free_reactions(*problem.ldy, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
}
