#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>

#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/solver/pyramid/pyramid_lemke.hpp>
#include <locdyn/solver/pyramid/pyramid_pgs.hpp>
#include <locdyn/solver/pyramid/pyramid_residual.hpp>

using namespace locdyn;

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

void clear(LocalDynamics& ldy) {
  for (auto& row : ldy.rows()) row.R.setZero();
}

Eigen::VectorXd reactions(const LocalDynamics& ldy) {
  Eigen::VectorXd R(3 * ldy.row_count());
  Eigen::Index at = 0;
  for (const auto& row : ldy.rows()) {
    R.segment<3>(at) = row.R;
    at += 3;
  }
  return R;
}

// Turns the frame of a contact about its normal: rows and columns of W, and B.
void turn_frame(LocalDynamics& ldy, ConstraintId id, double angle) {
  const Eigen::Matrix3d Q = Eigen::AngleAxisd(-angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  const auto place = static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data());
  ldy.row(id).W = (Q * ldy.row(id).W * Q.transpose()).eval();
  ldy.row(id).B = (Q * ldy.row(id).B).eval();
  ldy.row(id).R = (Q * ldy.row(id).R).eval();
  for (auto& block : ldy.adjacent(ldy.row(id))) block.W = (Q * block.W).eval();
  for (auto& row : ldy.rows()) {
    for (auto& block : ldy.adjacent(row)) {
      if (block.other == place) block.W = (block.W * Q.transpose()).eval();
    }
  }
}

// Laws in a graph with W = G Gᵀ / columns + shift I on the rows in use, and B at random. G couples neighbours in a ring.
struct Scene {
  int contacts = 10, planar = 0, bilateral = 0, hinges = 0;
  double friction = 0.3;
  double identity = 0.5;
};

LocalDynamics random_problem(const Scene& scene, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  LocalDynamics ldy;
  std::vector<ConstraintId> ids;
  const auto add = [&](const Law& law) { ids.push_back(ldy.insert(law)); };
  for (int i = 0; i < scene.contacts; ++i) {
    add(ContactLaw{.friction = scene.friction * uniform(random), .shift = 0.2 * normal(random)});
  }
  for (int i = 0; i < scene.planar; ++i) add(ContactLaw{.friction = scene.friction, .planar = true});
  for (int i = 0; i < scene.bilateral; ++i) {
    BilateralLaw law;
    law.block[0].rows = i % 2 == 0 ? kRowsAll : kRowNormal;
    law.block[0].shift = {uses(law.block[0].rows, 0) ? normal(random) : 0.0, 0, normal(random)};
    law.block[0].compliance = {0, 0, i % 3 == 0 ? 0.7 : 0.0};
    add(law);
  }
  for (int i = 0; i < scene.hinges; ++i) {
    BilateralLaw law;
    law.block_count = 2;
    law.block[1].rows = 0b011;
    add(law);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) ldy.couple(ids[i], ids[j]);
  }

  const auto rows = static_cast<Eigen::Index>(ldy.row_count());
  Eigen::MatrixXd G(3 * rows, 3 * rows);
  for (double& g : G.reshaped()) g = normal(random);
  for (ConstraintId id : ids) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      const Eigen::Index at = &ldy.row(id, k) - ldy.diagonal_arena().data();
      for (int axis = 0; axis < 3; ++axis) {
        if (!uses(locdyn::rows(ldy.law(id), k), axis)) G.row(3 * at + axis).setZero();
      }
    }
  }
  Eigen::MatrixXd W = G * G.transpose() / static_cast<double>(3 * rows);
  for (Eigen::Index i = 0; i < W.rows(); ++i) W(i, i) += W(i, i) > 0 ? scene.identity : 0;
  for (auto& row : ldy.rows()) {
    const Eigen::Index at = &row - ldy.diagonal_arena().data();
    row.W = W.block<3, 3>(3 * at, 3 * at);
    for (int axis = 0; axis < 3; ++axis) {
      if (row.W(axis, axis) > 0) row.B[axis] = normal(random) - (axis == 2 ? 0.5 : 0);
    }
    for (auto& block : ldy.adjacent(row)) block.W = W.block<3, 3>(3 * at, 3 * Eigen::Index(block.other));
  }
  return ldy;
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
    CHECK((ldy.row(0).R - c.R).norm() < 1e-13);
    clear(ldy);
    report = pivot(ldy, k);
    CHECK(report.status == SolveStatus::converged);
    CHECK((ldy.row(0).R - c.R).norm() < 1e-13);
  }
}

TEST_CASE("a shift adds to the normal velocity: restitution and open gaps") {
  LocalDynamics ldy = single({.friction = 0, .shift = -0.5}, Eigen::Matrix3d::Identity(), {0, 0, -1});
  CHECK(pgs(ldy, 4).status == SolveStatus::converged);
  CHECK(ldy.row(0).R[2] == doctest::Approx(1.5).epsilon(1e-14));
  clear(ldy);
  CHECK(pivot(ldy, 4).status == SolveStatus::converged);
  CHECK(ldy.row(0).R[2] == doctest::Approx(1.5).epsilon(1e-14));
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
      const double error = (ldy.row(0).R.head<2>() - mu * R_n * along).norm();
      CHECK(error == doctest::Approx(mu * R_n * (1 - std::cos(kPi / k))).epsilon(1e-10));
      CHECK(cone_violation(ldy.row(0).R, mu) == 0);
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
      MESSAGE(seed << " " << k << " sweeps " << swept.iterations << " pivots " << pivoted.iterations << " own " << pivoted.own_residual << " " << (R - reactions(ldy)).norm());
    }
  }
}

// Coulomb's own reaction by the projected fixed point R ← P_K(R − ρ Û), for well-conditioned problems.
static void solve_round_cone(LocalDynamics& ldy) {
  for (int sweep = 0; sweep < 20'000 && evaluate_residual(ldy).scaled > 1e-15; ++sweep) {
    for (auto& row : ldy.rows()) {
      const auto& law = std::get<ContactLaw>(ldy.law(row.constraint));
      const Eigen::Vector3d U_hat = de_saxce_shift(row.U, law.friction) + law.offset(0);
      row.R = project_on_cone(row.R - 0.2 * U_hat, law.friction);
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
      for (ConstraintId id = 0; id < ldy.id_bound(); ++id) {
        const Eigen::Vector3d U = cone.row(id).U;
        if (cone.row(id).R[2] > 0) turn_frame(ldy, id, std::atan2(-U[1], -U[0]) - kPi / k);
      }
      REQUIRE(evaluate_residual(ldy).scaled < 1e-13);
      const Eigen::VectorXd R = reactions(ldy);
      CHECK(pgs(ldy, k).status == SolveStatus::converged);
      const double error = (reactions(ldy) - R).norm() / R.norm();
      CHECK(error > 0);
      if (before > 0) MESSAGE(k << " ratio " << before / error << " error " << error);
      before = error;
    }
  }
}
