#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>

#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/solver/pyramid/polygon_friction.hpp>
#include <locdyn/solver/pyramid/pyramid_lemke.hpp>
#include <locdyn/solver/pyramid/pyramid_pgs.hpp>
#include <locdyn/solver/pyramid/pyramid_residual.hpp>
#include <solver/random_problem.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

SolveReport pgs(LocalDynamics& ldy, int facets, double tolerance = 1e-13) {
  PyramidPgsOptions options;
  options.stop.tolerance = tolerance;
  options.facets = facets;
  return solve_pyramid_pgs(ldy, options);
}

SolveReport pivot(LocalDynamics& ldy, int facets, double tolerance = 1e-12) {
  PyramidLemkeOptions options;
  options.stop.tolerance = tolerance;
  options.facets = facets;
  return solve_pyramid_lemke(ldy, options);
}

LocalDynamics single(const ContactLaw& law, const Eigen::Matrix3d& W, const Eigen::Vector3d& B) {
  LocalDynamics ldy;
  const ConstraintId id = ldy.insert(law);
  ldy.row(id).W = W;
  ldy.row(id).B = B;
  return ldy;
}

// Turns the frame of a contact about its normal: rows and columns of W, and B.
void turn_frame(LocalDynamics& ldy, ConstraintId id, double angle) {
  const Eigen::Matrix3d Q = Eigen::AngleAxisd(-angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  const auto place = static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data());
  ldy.row(id).W = (Q * ldy.row(id).W * Q.transpose()).eval();
  ldy.row(id).B = (Q * ldy.row(id).B).eval();
  ldy.row(id).R = (Q * ldy.row(id).R).eval();
  auto law = std::get<ContactLaw>(ldy.law(id));
  law.shift = (Q * law.shift).eval();
  ldy.set_law(id, law);
  for (auto& block : ldy.adjacent(ldy.row(id))) block.W = (Q * block.W).eval();
  for (auto& row : ldy.rows()) {
    for (auto& block : ldy.adjacent(row)) {
      if (block.other == place) block.W = (block.W * Q.transpose()).eval();
    }
  }
}

// Coulomb's own reaction by the projected fixed point R ← P_K(R − ρ Û), for well-conditioned problems.
void solve_round_cone(LocalDynamics& ldy) {
  for (int sweep = 0; sweep < 20'000 && evaluate_residual(ldy).scaled > 1e-15; ++sweep) {
    for (auto& row : ldy.rows()) {
      const auto& law = std::get<ContactLaw>(ldy.law(row.constraint));
      const Eigen::Vector3d U_hat = de_saxce_shift(row.U + law.offset(0), law.friction);
      row.R = project_on_cone(row.R - 0.2 * U_hat, law.friction);
    }
  }
}

}  // namespace

TEST_CASE("one contact: open, stick, slide on a vertex and on a facet, in closed form") {
  const double w = 2;
  const Eigen::Matrix3d W = w * Eigen::Matrix3d::Identity();
  const double mu = 0.5;
  const int k = 8;
  const double R_n = 1.5;
  const double r = mu * R_n;
  const Eigen::Vector2d facet(std::cos(kPi / k), std::sin(kPi / k));  // the first facet's normal
  struct Case {
    const char* name;
    Eigen::Vector3d B, R;
  };
  const Eigen::Vector2d on_facet = -w * (2.0 * r * facet);
  const Case cases[] = {
      {"open", {1, 2, 0.5}, {0, 0, 0}},
      {"stick", {0.4, -0.3, -w * R_n}, {-0.2, 0.15, R_n}},
      {"slide on the vertex d_0", {-10, 0, -w * R_n}, {r, 0, R_n}},
      {"slide on a facet",
       {on_facet[0], on_facet[1], -w * R_n},
       {r * std::cos(kPi / k) * facet[0], r * std::cos(kPi / k) * facet[1], R_n}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    LocalDynamics ldy = single({.friction = mu}, W, c.B);
    SolveReport report = pgs(ldy, k);
    CHECK(report.status == SolveStatus::converged);
    CHECK((ldy.row(ConstraintId{0}).R - c.R).norm() < 1e-13);
    clear(ldy);
    report = pivot(ldy, k);
    CHECK(report.status == SolveStatus::converged);
    CHECK((ldy.row(ConstraintId{0}).R - c.R).norm() < 1e-13);
  }
}

TEST_CASE("a shift adds to the normal velocity: restitution and open gaps") {
  LocalDynamics ldy = single({.friction = 0, .shift = {0, 0, -0.5}}, Eigen::Matrix3d::Identity(), {0, 0, -1});
  CHECK(pgs(ldy, 4).status == SolveStatus::converged);
  CHECK(ldy.row(ConstraintId{0}).R[2] == doctest::Approx(1.5).epsilon(1e-14));
  clear(ldy);
  CHECK(pivot(ldy, 4).status == SolveStatus::converged);
  CHECK(ldy.row(ConstraintId{0}).R[2] == doctest::Approx(1.5).epsilon(1e-14));
}

TEST_CASE("sliding in the middle of a facet loses the share 1 − cos(π/k) of Coulomb's friction") {
  const double mu = 0.6;
  const double R_n = 2;
  for (int k : {4, 8, 64}) {
    CAPTURE(k);
    const Eigen::Vector2d along(std::cos(kPi / k), std::sin(kPi / k));
    const Eigen::Vector3d B(-2 * mu * R_n * along[0], -2 * mu * R_n * along[1], -R_n);
    for (const auto solve : {&pgs, &pivot}) {
      LocalDynamics ldy = single({.friction = mu}, Eigen::Matrix3d::Identity(), B);
      CHECK(solve(ldy, k, 1e-12).status == SolveStatus::converged);
      const double error = (ldy.row(ConstraintId{0}).R.head<2>() - mu * R_n * along).norm();
      CHECK(error == doctest::Approx(mu * R_n * (1 - std::cos(kPi / k))).epsilon(1e-10));
      CHECK(cone_violation(ldy.row(ConstraintId{0}).R, mu) == 0);
    }
  }
}

TEST_CASE("both solvers agree to 1e-8 on problems of full rank with bilateral rows and planar contacts") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    for (int k : {3, 4, 8, 17}) {
      CAPTURE(seed);
      CAPTURE(k);
      LocalDynamics ldy =
          random_problem({.contacts = 12, .planar = 4, .bilateral = 5, .hinges = 2, .friction = 0.6}, seed);
      const SolveReport swept = pgs(ldy, k, 1e-12);
      CHECK(swept.status == SolveStatus::converged);
      CHECK(swept.own_residual <= 1e-12);
      const Eigen::VectorXd R = reactions(ldy);
      clear(ldy);
      const SolveReport pivoted = pivot(ldy, k, 1e-12);
      CHECK(pivoted.status == SolveStatus::converged);
      CHECK(pivoted.own_residual <= 1e-12);
      CHECK((R - reactions(ldy)).norm() <= 1e-8 * R.norm());
    }
  }
}

TEST_CASE("with frames turned to the worst angle, the reactions of many contacts tend to the cone's as 1/k²") {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    LocalDynamics cone = random_problem({.contacts = 15, .friction = 0.5}, seed);
    solve_round_cone(cone);
    REQUIRE(evaluate_residual(cone).scaled < 1e-13);
    double before = 0;
    for (int k : {4, 8, 16, 32, 64}) {
      LocalDynamics ldy = cone;
      for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
        const Eigen::Vector3d U = cone.row(id).U + offset(cone.law(id), 0);
        if (cone.row(id).R[2] > 0) turn_frame(ldy, id, std::atan2(-U[1], -U[0]) - kPi / k);
      }
      REQUIRE(evaluate_residual(ldy).scaled < 1e-13);
      const Eigen::VectorXd R = reactions(ldy);
      CHECK(pgs(ldy, k).status == SolveStatus::converged);
      const double error = (reactions(ldy) - R).norm() / R.norm();
      CHECK(error > 0);
      if (k > 8) CHECK(before / error == doctest::Approx(4).epsilon(0.02));  // O(1/k⁴) is left
      before = error;
    }
  }
}

TEST_CASE("a planar contact is exact whatever k: the round cone's residual vanishes too") {
  for (int k : {3, 8, 64}) {
    LocalDynamics ldy = random_problem({.contacts = 0, .planar = 12, .bilateral = 2, .friction = 0.4}, 5);
    for (auto& row : ldy.rows()) {
      if (std::holds_alternative<ContactLaw>(ldy.law(row.constraint))) row.B[1] = kNaN;  // an unused row is not read
    }
    SolveReport report = pgs(ldy, k);
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.residual.scaled <= 1e-13);
    const Eigen::VectorXd R = reactions(ldy);
    clear(ldy);
    report = pivot(ldy, k);
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.residual.scaled <= 1e-13);
    CHECK((R - reactions(ldy)).norm() <= 1e-12 * R.norm());
  }
}

TEST_CASE("every pyramid reaction lies inside Coulomb's cone") {
  LocalDynamics ldy = random_problem({.contacts = 20, .friction = 0.9}, 3);
  CHECK(pgs(ldy, 5).residual.cone <= 1e-13);
  clear(ldy);
  CHECK(pivot(ldy, 5).residual.cone <= 1e-13);
}

TEST_CASE("friction under a known bound satisfies the polygon's variational inequality for any W_tt") {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20'000; ++trial) {
    CAPTURE(trial);
    const FrictionPyramid pyramid(3 + trial % 14);
    Eigen::Matrix2d G, skew;
    for (double& g : G.reshaped()) g = normal(random);
    skew << 0, 1, -1, 0;
    if (trial % 5 == 0) G.col(0).setZero();  // W_tt of rank one
    const Eigen::Matrix2d W = G * G.transpose() + (trial % 10 == 0 ? 0 : 0.3 * normal(random)) * skew;
    const Eigen::Vector2d q(3 * normal(random), 3 * normal(random));
    const double radius = std::abs(normal(random));
    int facet = trial % pyramid.facets();
    const Eigen::Vector2d R_t = polygon_friction(W, q, radius, pyramid, facet);
    const Eigen::Vector2d U_t = q + W * R_t;
    // R_t lies in the polygon, and U_tᵀ (x − R_t) ≥ 0 for every vertex x of it.
    const double scale = q.norm() + W.norm() * radius;
    CHECK(pyramid.violation({R_t[0], R_t[1], radius}, 1) <= 1e-14 * radius);
    for (int j = 0; j < pyramid.facets(); ++j) {
      CHECK(U_t.dot(radius * pyramid.direction(j) - R_t) >= -1e-12 * scale * radius);
    }
  }
}

TEST_CASE("a box on four corners: W of rank six, any exact solution will do") {
  // A unit box of mass and inertia one, thrown down, sideways and spun: W = H Hᵀ of twelve rows and six freedoms.
  Eigen::Matrix<double, 12, 6> H;
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d arm((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5, -0.5);
    Eigen::Matrix3d cross;
    cross << 0, -arm[2], arm[1], arm[2], 0, -arm[0], -arm[1], arm[0], 0;
    H.block<3, 3>(3 * i, 0).setIdentity();
    H.block<3, 3>(3 * i, 3) = -cross;
  }
  Eigen::Matrix<double, 6, 1> u;
  u << 0.3, 0.1, -1, 0.2, -0.1, 0.4;
  LocalDynamics ldy;
  for (int i = 0; i < 4; ++i) {
    ldy.insert(ContactLaw{.friction = 0.4});
    for (int j = 0; j < i; ++j) ldy.couple(static_cast<ConstraintId>(i), static_cast<ConstraintId>(j));
  }
  for (auto& row : ldy.rows()) {
    const auto H_a = H.middleRows<3>(3 * row.constraint);
    row.W = H_a * H_a.transpose();
    row.B = H_a * u;
    for (auto& block : ldy.adjacent(row)) block.W = H_a * H.middleRows<3>(3 * block.other).transpose();
  }
  CHECK(pgs(ldy, 8, 1e-10).status == SolveStatus::converged);
  clear(ldy);
  CHECK(pivot(ldy, 8, 1e-12).status == SolveStatus::converged);
}

TEST_CASE("bilateral rows that repeat each other are solved, rows that contradict each other are told") {
  for (double second : {1.0, 2.0}) {
    CAPTURE(second);
    LocalDynamics ldy;
    BilateralLaw law;
    law.block[0].rows = kRowNormal;
    for (int i = 0; i < 2; ++i) ldy.insert(law);
    ldy.insert(ContactLaw{.friction = 0.5});
    for (ConstraintId i{0}; i < 3; ++i) {
      for (ConstraintId j{0}; j < i; ++j) ldy.couple(i, j);
    }
    for (ConstraintId i{0}; i < 2; ++i) {
      ldy.row(i).W(2, 2) = 1;
      ldy.find(i, 0, ConstraintId{1 - i}, 0)->W(2, 2) = 1;
      ldy.find(i, 0, ConstraintId{2}, 0)->W(2, 2) = ldy.find(ConstraintId{2}, 0, i, 0)->W(2, 2) = 0.5;
      ldy.row(i).B[2] = i == 0 ? 1 : second;
    }
    ldy.row(ConstraintId{2}).W.setIdentity();
    ldy.row(ConstraintId{2}).B = {0.1, 0, -1};
    const SolveReport pivoted = pivot(ldy, 8);
    const double normal = ldy.row(ConstraintId{2}).R[2];
    clear(ldy);
    PyramidPgsOptions options;
    options.stall_sweeps = 100;
    const SolveReport swept = solve_pyramid_pgs(ldy, options);
    if (second == 1) {
      CHECK(pivoted.status == SolveStatus::converged);
      CHECK(swept.status == SolveStatus::converged);
      CHECK(normal == doctest::Approx(2));  // U_b = 1 + R_b + R_n / 2 = 0, U_n = −1 + R_b / 2 + R_n = 0
    } else {
      CHECK(pivoted.status == SolveStatus::stalled);
      CHECK(swept.status == SolveStatus::stalled);
      CHECK(!pivoted.reason.empty());
      CHECK(!swept.reason.empty());
    }
  }
}

TEST_CASE("no contacts, no friction, the least pyramid") {
  LocalDynamics empty;
  CHECK(pgs(empty, 8).status == SolveStatus::converged);
  CHECK(pivot(empty, 8).status == SolveStatus::converged);

  LocalDynamics smooth = random_problem({.contacts = 15, .bilateral = 3, .friction = 0}, 2);
  CHECK(pgs(smooth, 8).residual.scaled <= 1e-13);
  const Eigen::VectorXd R = reactions(smooth);
  clear(smooth);
  CHECK(pivot(smooth, 3).residual.scaled <= 1e-13);
  CHECK((R - reactions(smooth)).norm() <= 1e-12 * R.norm());
}

TEST_CASE("where no reaction satisfies the laws, Lemke's ray is a failure that says so") {
  // Both normals cannot part: w_1 + w_2 = −2 whatever R.
  LocalDynamics ldy;
  ldy.insert(ContactLaw{});
  ldy.insert(ContactLaw{});
  ldy.couple(ConstraintId{0}, ConstraintId{1});
  for (ConstraintId i{0}; i < 2; ++i) {
    ldy.row(i).W(2, 2) = 1;
    ldy.row(i).B[2] = -1;
    ldy.find(i, 0, ConstraintId{1 - i}, 0)->W(2, 2) = -1;
  }
  const SolveReport report = pivot(ldy, 8);
  CHECK(report.status == SolveStatus::failed);
  CHECK(report.reason.find("ray") != std::string::npos);
  CHECK(reactions(ldy).allFinite());
}

TEST_CASE("limits: sweeps, pivots, time and size end the solve and are told") {
  LocalDynamics ldy = random_problem({.contacts = 30, .friction = 0.5}, 9);
  PyramidPgsOptions sweeps;
  sweeps.stop.max_iterations = 3;
  SolveReport report = solve_pyramid_pgs(ldy, sweeps);
  CHECK(report.status == SolveStatus::max_iterations);
  CHECK(report.iterations == 3);
  CHECK(report.own_residual < report.history.front().residual);
  clear(ldy);
  sweeps.stop = {.max_seconds = 1e-9};
  CHECK(solve_pyramid_pgs(ldy, sweeps).status == SolveStatus::max_time);

  PyramidLemkeOptions pivots;
  pivots.stop.max_iterations = 3;
  report = solve_pyramid_lemke(ldy, pivots);
  CHECK(report.status == SolveStatus::max_iterations);
  CHECK(report.iterations == 3);
  pivots.stop = {.max_seconds = 1e-9};
  CHECK(solve_pyramid_lemke(ldy, pivots).status == SolveStatus::max_time);
  clear(ldy);
  pivots.stop = {};
  pivots.max_rows = 89;
  report = solve_pyramid_lemke(ldy, pivots);
  CHECK(report.status == SolveStatus::failed);
  CHECK(report.reason.find("90 scalar rows") != std::string::npos);
  pivots.max_rows = 90;
  CHECK(solve_pyramid_lemke(ldy, pivots).status == SolveStatus::converged);
}

TEST_CASE("a solution as warm start needs no sweep and no pivot, the report is filled") {
  LocalDynamics ldy = random_problem({.contacts = 10, .bilateral = 2}, 4);
  const SolveReport first = pgs(ldy, 8, 1e-10);
  CHECK(first.iterations > 0);
  CHECK(first.solver == "pyramid-pgs");
  CHECK(first.history.size() >= 2);
  CHECK(first.block_products > 0);
  CHECK(first.own_residual == evaluate_pyramid_residual(ldy, FrictionPyramid(8)).scaled);
  CHECK(first.residual.scaled == evaluate_residual(ldy).scaled);
  CHECK(pgs(ldy, 8, 1e-10).iterations == 0);
  CHECK(pivot(ldy, 8, 1e-10).iterations == 0);
}

TEST_CASE("the same bits on any number of threads") {
  Eigen::VectorXd swept, pivoted;
  for (int threads : {1, 2, 4}) {
    LocalDynamics ldy = random_problem({.contacts = 40, .bilateral = 3, .friction = 0.5}, 6);
    PyramidPgsOptions sweeps;
    sweeps.stop.threads = threads;
    CHECK(solve_pyramid_pgs(ldy, sweeps).status == SolveStatus::converged);
    if (threads == 1) swept = reactions(ldy);
    CHECK(swept == reactions(ldy));
    clear(ldy);
    PyramidLemkeOptions pivots;
    pivots.stop.threads = threads;
    CHECK(solve_pyramid_lemke(ldy, pivots).status == SolveStatus::converged);
    if (threads == 1) pivoted = reactions(ldy);
    CHECK(pivoted == reactions(ldy));
  }
}

TEST_CASE("wrong facets, options and numbers that are not finite are refused") {
  LocalDynamics ldy = random_problem({.contacts = 2}, 1);
  CHECK_THROWS_AS(pgs(ldy, 2), std::invalid_argument);
  CHECK_THROWS_AS(pivot(ldy, 2), std::invalid_argument);
  CHECK_THROWS_AS(pgs(ldy, 8, kNaN), std::invalid_argument);
  PyramidPgsOptions sweeps;
  sweeps.stall_sweeps = 0;
  CHECK_THROWS_AS(solve_pyramid_pgs(ldy, sweeps), std::invalid_argument);
  PyramidLemkeOptions pivots;
  pivots.attempts = 0;
  CHECK_THROWS_AS(solve_pyramid_lemke(ldy, pivots), std::invalid_argument);
  pivots = {};
  pivots.max_rows = 0;
  CHECK_THROWS_AS(solve_pyramid_lemke(ldy, pivots), std::invalid_argument);
  ldy.row(ConstraintId{1}).B[0] = kNaN;
  CHECK_THROWS_AS(pgs(ldy, 8), std::invalid_argument);
  CHECK_THROWS_AS(pivot(ldy, 8), std::invalid_argument);
}
