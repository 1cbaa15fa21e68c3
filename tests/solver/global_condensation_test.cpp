// Global problems condensed to their contacts: W and B against dense ones, what follows from a solution against the
// problem's own equations, and what has no meaning refused.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/global/bilateral_condensation.hpp>
#include <locdyn/solver/global/global_condensation.hpp>
#include <solver/random_global.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using test::DenseGlobal;
using test::GlobalMaker;

namespace {

const ContactLaw kSliding{.friction = 0.5};

Eigen::MatrixXd dense(const LocalDynamics& ldy) {
  const auto arena = ldy.diagonal_arena();
  const auto size = static_cast<Eigen::Index>(3 * arena.size());
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(size, size);
  for (std::size_t i = 0; i < arena.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(3 * i);
    W.block<3, 3>(at, at) = arena[i].W;
    for (const auto& block : ldy.adjacent(arena[i])) W.block<3, 3>(at, 3 * Eigen::Index(block.other)) = block.W;
  }
  return W;
}

double distance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).norm() / b.norm();
}

// W, B of the graph against dense ones, to 1e-11 relative: rounding times the conditions of M and S of these cases.
void check_condensed(const DenseGlobal& problem, GlobalCondensation& condensed) {
  CHECK(distance(dense(condensed.graph()), problem.delassus()) < 1e-11);
  const Eigen::VectorXd B = problem.H.transpose() * problem.velocity(problem.f, problem.b) + problem.w;
  Eigen::Index at = 0;
  double error = 0;
  for (const auto& row : condensed.graph().diagonal_arena()) {
    error = std::max(error, (row.B - B.segment<3>(at)).norm());
    at += 3;
  }
  CHECK(error < 1e-11 * B.norm());
}

// Solved by default, the solution meets the problem's own equations.
void check_solved(const DenseGlobal& problem) {
  GlobalCondensation condensed(problem.sparse());
  LocalDynamics ldy = std::move(condensed.graph());
  if (const auto factor = condensed.factor()) ldy.set_factor(*factor);
  const SolveReport report = solve_auto(ldy, {.stop = {.tolerance = 1e-10}});
  CHECK(report.status == SolveStatus::converged);
  const GlobalSolution solution = condensed.recover(ldy);
  const Eigen::VectorXd left = problem.M * solution.v - problem.H * solution.r - problem.G * solution.l - problem.f;
  CHECK(left.norm() < 1e-12 * (problem.M * solution.v).norm() + 1e-12 * (problem.H * solution.r).norm());
  CHECK((problem.G.transpose() * solution.v + problem.b).norm() <= 1e-11 * solution.v.norm());
  CHECK((problem.H.transpose() * solution.v + problem.w - solution.u).norm() < 1e-12 * (1 + solution.u.norm()));
  const GlobalResidual judged = condensed.judge(ldy, solution);
  CHECK(judged.scaled < 2e-10);
  CHECK(judged.dynamics < 1e-12);
  CHECK(judged.bilateral < 1e-11);
}

}  // namespace

TEST_CASE("global: bodies condense to H inv(M) H', sparse, with their factors") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    const DenseGlobal problem = GlobalMaker(seed).bodies(5, 2, kSliding);
    GlobalCondensation condensed(problem.sparse());
    check_condensed(problem, condensed);
    CHECK(condensed.components() == 5);
    // A pair of contacts on one body with the pair on the next: 4 pairs of pairs, 10 coupled within a pair.
    CHECK(condensed.graph().off_diagonal_count() == 2 * (4 * 4 + 5));
    const auto factor = condensed.factor();
    REQUIRE(factor);
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(30, 30);
    for (std::uint32_t a = 0; a < 10; ++a) {
      for (std::uint32_t b = 0; b < 10; ++b) {
        for (const Coupling& ca : factor->couplings(a)) {
          for (const Coupling& cb : factor->couplings(b)) {
            if (ca.body != cb.body) continue;
            const Eigen::MatrixXd A = factor->inertia_of(ca);
            W.block<3, 3>(3 * a, 3 * b) += factor->jacobian(ca) * A.llt().solve(factor->jacobian(cb).transpose());
          }
        }
      }
    }
    CHECK(distance(W, problem.delassus()) < 1e-12);
    check_solved(problem);
  }
}

TEST_CASE("global: velocities of a diagonal M are bodies where the same contacts act on them") {
  DenseGlobal problem = GlobalMaker(7).bodies(4, 3, kSliding);
  problem.M = Eigen::MatrixXd(problem.M.diagonal().asDiagonal());
  GlobalCondensation condensed(problem.sparse());
  check_condensed(problem, condensed);
  CHECK(condensed.components() == 4);
  const auto factor = condensed.factor();
  REQUIRE(factor);
  for (const Coupling& c : factor->coupling) CHECK(c.freedoms == 6);
  check_solved(problem);
}

TEST_CASE("global: a body pressed from two sides has no solution, and that is told") {
  DenseGlobal problem = GlobalMaker(7).bodies(1, 2, kSliding);
  problem.H.rightCols(3) = problem.H.leftCols(3);
  problem.H.col(3 + 2) *= -1;
  problem.w = Eigen::VectorXd::Zero(6);
  problem.w[2] = problem.w[5] = -1;
  GlobalCondensation condensed(problem.sparse());
  LocalDynamics ldy = std::move(condensed.graph());
  REQUIRE(condensed.factor());
  ldy.set_factor(*condensed.factor());
  const SolveReport report = solve_auto(ldy, {.stop = {.tolerance = 1e-10, .max_iterations = 20'000}});
  CHECK(report.status != SolveStatus::converged);
  CHECK(report.residual.scaled > 0.1);
}

TEST_CASE("global: planar contacts leave t2 out") {
  const DenseGlobal problem = GlobalMaker(11).bodies(3, 2, ContactLaw{.friction = 0.3, .planar = true});
  GlobalCondensation condensed(problem.sparse());
  check_condensed(problem, condensed);
  for (const auto& row : condensed.graph().rows()) CHECK(row.W.row(1).isZero(0));
  check_solved(problem);
}

TEST_CASE("global: a mesh, symmetric or not, dense or by a sparse factor") {
  for (const Eigen::Index n : {20, 200}) {
    for (const double gyroscopic : {0.0, 0.1}) {
      CAPTURE(n);
      CAPTURE(gyroscopic);
      const DenseGlobal problem = GlobalMaker(3).mesh(n, 5, gyroscopic);
      GlobalCondensation condensed(problem.sparse());
      check_condensed(problem, condensed);
      CHECK(condensed.components() == 1);
      CHECK(condensed.factor().has_value() == (n == 20 && gyroscopic == 0));
      CHECK(condensed.graph().off_diagonal_count() == 20);
      check_solved(problem);
    }
  }
}

TEST_CASE("global: an indefinite M of mixed units, which has no Cholesky factor") {
  DenseGlobal problem = GlobalMaker(5).mesh(120, 3, 0);
  problem.M(60, 60) = -4;  // regular still
  GlobalCondensation condensed(problem.sparse());
  check_condensed(problem, condensed);
  // The same in other units of every second velocity: W and B stay.
  DenseGlobal other = problem;
  for (Eigen::Index i = 0; i < 120; i += 2) {
    other.M.row(i) *= 1e6;
    other.M.col(i) *= 1e6;
    other.H.row(i) *= 1e6;
    other.f[i] *= 1e6;
  }
  GlobalCondensation same(other.sparse());
  CHECK(distance(dense(same.graph()), dense(condensed.graph())) < 1e-11);
}

TEST_CASE("global: bilateral rows are held, repeated ones too") {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    CAPTURE(seed);
    GlobalMaker maker(seed);
    DenseGlobal bodies = maker.bodies(6, 2, kSliding);
    maker.add_joints(bodies, 4);
    GlobalCondensation condensed(bodies.sparse());
    check_condensed(bodies, condensed);
    CHECK(!condensed.factor());
    check_solved(bodies);
    DenseGlobal mesh = maker.mesh(150, 4, seed % 2 == 0 ? 0.05 : 0);
    maker.add_joints(mesh, 6);
    GlobalCondensation of_mesh(mesh.sparse());
    check_condensed(mesh, of_mesh);
    check_solved(mesh);
  }
}

TEST_CASE("global: more than a hundred bilateral rows, by a sparse saddle point") {
  for (const double gyroscopic : {0.0, 0.05}) {
    CAPTURE(gyroscopic);
    GlobalMaker maker(2);
    DenseGlobal mesh = maker.mesh(180, 4, gyroscopic);
    maker.add_joints(mesh, 120);
    GlobalCondensation condensed(mesh.sparse());
    REQUIRE(condensed.components() == 1);
    check_condensed(mesh, condensed);
    check_solved(mesh);
    const GlobalSolution solution = condensed.recover(condensed.graph());
    // The first row and what repeats it, in rows of one size: an equal share each, the last with the other sign.
    CHECK(std::abs(solution.l[120] - solution.l[0]) < 1e-7 * solution.l.norm());
    CHECK(std::abs(solution.l[121] + 0.5 * solution.l[0]) < 1e-7 * solution.l.norm());
    DenseGlobal large = mesh;
    large.H *= 1e200;
    CHECK_THROWS_WITH_AS(GlobalCondensation{large.sparse()}, doctest::Contains("overflow"), std::invalid_argument);
    DenseGlobal contradicts = mesh;
    contradicts.b[120] += 1;
    CHECK_THROWS_WITH_AS(GlobalCondensation{contradicts.sparse()}, doctest::Contains("contradict"),
                         std::invalid_argument);
  }
}

TEST_CASE("global: W as a product through the factors") {
  const RollingLaw rolling{.friction = 0.5, .rolling = 0.02, .moment_rows = kRowsRolling};
  GlobalMaker maker(4);
  DenseGlobal held = maker.mesh(150, 6, 0.05);
  maker.add_joints(held, 5);
  for (const DenseGlobal& problem : {maker.bodies(5, 2, rolling), maker.mesh(90, 7, 0), held}) {
    GlobalCondensation condensed(problem.sparse());
    const Eigen::VectorXd r = maker.matrix(problem.w.size(), 1);
    CHECK(distance(condensed.response(r), problem.delassus() * r) < 1e-12);
    CHECK_THROWS_AS((void)condensed.response(r.head(3)), std::invalid_argument);
  }
}

TEST_CASE("global: moments count over the length of their contact") {
  const RollingLaw law{.friction = 0.5, .rolling = 0.02, .moment_rows = kRowsRolling};
  const DenseGlobal problem = GlobalMaker(9).bodies(3, 2, law);
  GlobalCondensation condensed(problem.sparse());
  LocalDynamics ldy = std::move(condensed.graph());
  ldy.set_factor(condensed.factor().value());
  const Eigen::MatrixXd W = problem.delassus();
  for (ConstraintId id{0}; id < 6; ++id) {
    const auto& scaled = std::get<RollingLaw>(ldy.law(id));
    const auto at = static_cast<Eigen::Index>(6 * id);
    const double ff = W.block<3, 3>(at, at).trace() / 3, mm = W.block<3, 3>(at + 3, at + 3).trace() / 2;
    CHECK(std::abs(scaled.length - std::sqrt(ff / mm)) < 1e-12 * scaled.length);
    CHECK(scaled.rolling == 0.02);
    const double length2 = scaled.length * scaled.length;
    CHECK(distance(ldy.row(id, 1).W, length2 * W.block<3, 3>(at + 3, at + 3)) < 1e-12);
    const Coupling& c = ldy.factor()->couplings(2 * id + 1).back();
    const Eigen::MatrixXd H = problem.H.block(6 * (id / 2), at + 3, 6, 3).transpose();
    CHECK(distance(ldy.factor()->jacobian(c), scaled.length * H) < 1e-15);
  }
  const SolveReport report = solve_auto(ldy, {.stop = {.tolerance = 1e-10}});
  CHECK(report.status == SolveStatus::converged);
  const GlobalSolution solution = condensed.recover(ldy);
  CHECK(condensed.judge(ldy, solution).scaled < 2e-10);
  // r is in N m again: |m| ≤ μ_r r_n holds in the file's units.
  for (Eigen::Index at = 0; at < solution.r.size(); at += 6) {
    CHECK(solution.r.segment<2>(at + 3).norm() <= 0.02 * solution.r[at + 2] + 1e-9);
  }
}

TEST_CASE("global: no contacts, no velocities, velocities that nothing touches") {
  // A velocity by itself, without contacts.
  DenseGlobal problem = GlobalMaker(1).bodies(2, 1, kSliding);
  problem.M.conservativeResize(13, 13);
  problem.M.row(12).setZero();
  problem.M.col(12).setZero();
  problem.M(12, 12) = 2;
  problem.H.conservativeResize(13, 6);
  problem.H.row(12).setZero();
  problem.G.resize(13, 0);
  problem.f.conservativeResize(13);
  problem.f[12] = 3;
  GlobalCondensation more(problem.sparse());
  CHECK(more.components() == 3);
  CHECK(more.factor());
  CHECK(more.recover(more.graph()).v[12] == 1.5);
  check_solved(problem);

  DenseGlobal wide = GlobalMaker(1).bodies(2, 1, kSliding);
  wide.laws.clear();
  wide.H.resize(12, 0);
  wide.w.resize(0);
  GlobalCondensation none(wide.sparse());
  CHECK(none.graph().constraint_count() == 0);
  const GlobalSolution free = none.recover(none.graph());
  CHECK((wide.M * free.v - wide.f).norm() < 1e-13);
  CHECK(none.judge(none.graph(), free).scaled == 0);
  GlobalCondensation empty((GlobalProblem()));
  CHECK(empty.graph().constraint_count() == 0);
}

TEST_CASE("global: what has no meaning is refused in one line") {
  const DenseGlobal good = GlobalMaker(1).bodies(2, 2, kSliding);
  CHECK(GlobalCondensation(good.sparse()).components() == 2);
  const auto refused = [&](auto spoil, const char* part) {
    DenseGlobal bad = good;
    spoil(bad);
    CHECK_THROWS_WITH_AS(GlobalCondensation{bad.sparse()}, doctest::Contains(part), std::invalid_argument);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([](DenseGlobal& bad) { bad.f.resize(5); }, "f: expected 12 numbers");
  refused([](DenseGlobal& bad) { bad.w.resize(5); }, "w: expected 12 numbers");
  refused([](DenseGlobal& bad) { bad.b = Eigen::VectorXd::Ones(1); }, "b: expected 0 numbers");
  refused([](DenseGlobal& bad) { bad.H = Eigen::MatrixXd::Ones(12, 9); }, "H: expected 12 by 12");
  refused([](DenseGlobal& bad) { bad.G = Eigen::MatrixXd::Ones(3, 1); }, "G: expected 12 by 1");
  refused([](DenseGlobal& bad) { bad.M = Eigen::MatrixXd::Ones(3, 2); }, "M: expected");
  refused([&](DenseGlobal& bad) { bad.M(3, 4) = nan; }, "M: expected finite");
  refused([&](DenseGlobal& bad) { bad.H(3, 4) = nan; }, "H: expected finite");
  refused([&](DenseGlobal& bad) { bad.f[7] = nan; }, "f: expected finite");
  refused([](DenseGlobal& bad) { bad.laws[1] = BilateralLaw{}; }, "law of contact 1");
  refused([](DenseGlobal& bad) { bad.laws[1] = ContactLaw{.friction = -1}; }, "law of contact 1");
  refused([](DenseGlobal& bad) { bad.laws[0] = ContactLaw{.planar = true}; }, "column 1");
  refused([](DenseGlobal& bad) { bad.M.row(7).setZero(); }, "singular");
  refused([](DenseGlobal& bad) { bad.M.row(7) = bad.M.row(8); }, "singular");
  refused([](DenseGlobal& bad) { bad.M.setZero(); }, "singular");
  refused([](DenseGlobal& bad) { bad.H *= 1e200; }, "overflow");
  // The same row twice, asked for different velocities; and a row of nothing.
  refused(
      [](DenseGlobal& bad) {
        bad.G = Eigen::MatrixXd::Zero(12, 2);
        bad.G.row(2).setOnes();
        bad.b = Eigen::Vector2d(1, -1);
      },
      "contradict");
  refused(
      [](DenseGlobal& bad) {
        bad.G = Eigen::MatrixXd::Zero(12, 1);
        bad.b = Eigen::VectorXd::Ones(1);
      },
      "holds nothing");
  // A large singular mesh: two equal rows and columns.
  DenseGlobal mesh = GlobalMaker(2).mesh(100, 2, 0);
  mesh.M.row(50) = mesh.M.row(51);
  mesh.M.col(50) = mesh.M.col(51);
  CHECK_THROWS_WITH_AS(GlobalCondensation{mesh.sparse()}, doctest::Contains("singular"), std::invalid_argument);
}

namespace {

// The same problem with its bilateral rows kept: [W V; Vᵀ R] of contacts, then blocks of three bilateral rows.
LocalDynamics with_bilateral_rows(const DenseGlobal& problem) {
  Eigen::MatrixXd all(problem.M.rows(), problem.H.cols() + problem.G.cols());
  all << problem.H, problem.G;
  const Eigen::MatrixXd W = all.transpose() * problem.M.partialPivLu().solve(all);
  Eigen::VectorXd B = all.transpose() * problem.M.partialPivLu().solve(problem.f);
  B.head(problem.w.size()) += problem.w;
  B.tail(problem.b.size()) += problem.b;
  LocalDynamics ldy;
  for (const Law& law : problem.laws) ldy.insert(law);
  for (Eigen::Index first = 0; first < problem.G.cols(); first += 3) ldy.insert(BilateralLaw{});
  for (ConstraintId i{0}; i < ldy.constraint_count(); ++i) {
    for (ConstraintId j{0}; j < i; ++j) ldy.couple(j, i);
  }
  const auto arena = ldy.diagonal_arena();
  for (Eigen::Index i = 0; i < Eigen::Index(arena.size()); ++i) {
    arena[i].W = W.block<3, 3>(3 * i, 3 * i);
    arena[i].B = B.segment<3>(3 * i);
    for (auto& block : ldy.adjacent(arena[i])) block.W = W.block<3, 3>(3 * i, 3 * Eigen::Index(block.other));
  }
  return ldy;
}

}  // namespace

TEST_CASE("bilateral rows: condensed from the blocks of the graph, repeated ones too") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    GlobalMaker maker(seed);
    DenseGlobal problem = maker.bodies(6, 2, kSliding);
    maker.add_joints(problem, 4);  // six rows with the repeated ones
    LocalDynamics whole = with_bilateral_rows(problem);
    const auto condensed = BilateralCondensation::of(whole);
    REQUIRE(condensed);
    LocalDynamics ldy = std::move(condensed->contacts());
    CHECK(distance(dense(ldy), problem.delassus()) < 1e-10);
    const SolveReport report = solve_auto(ldy, {.stop = {.tolerance = 1e-10}});
    CHECK(report.status == SolveStatus::converged);
    condensed->recover(ldy, whole);
    const Residual judged = evaluate_residual(whole);
    CHECK(judged.scaled < 1e-9);
    CHECK(joint_velocity_error(whole) < 1e-11);
  }
}

TEST_CASE("bilateral rows: those that a pseudo-inverse cannot take out stay") {
  GlobalMaker maker(1);
  DenseGlobal problem = maker.bodies(3, 1, kSliding);
  CHECK(BilateralCondensation::of(GlobalCondensation(problem.sparse()).graph()) == nullptr);
  maker.add_joints(problem, 1);
  LocalDynamics whole = with_bilateral_rows(problem);
  whole.row(ConstraintId{3}).W.setZero();  // R = 0 with V ≠ 0: a saddle point
  CHECK(BilateralCondensation::of(whole) == nullptr);
  whole = with_bilateral_rows(problem);
  whole.row(ConstraintId{3}).B += Eigen::Vector3d(1, -1, 1);  // row 1 repeats row 0, row 2 is −2 times it
  CHECK_THROWS_WITH_AS((void)BilateralCondensation::of(whole), doctest::Contains("contradict"), std::invalid_argument);
}
