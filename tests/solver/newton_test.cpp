// The parts of the direct solve: friction maps and their derivatives, the sparse factor, the options.

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>
#include <locdyn/solver/newton/friction_map.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/newton/sparse_lu.hpp>
#include <random>
#include <solver/dense_problem.hpp>
#include <solver/random_contacts.hpp>
#include <solver/random_problem.hpp>
#include <solver/sliding_point.hpp>
#include <stdexcept>
#include <string>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;

namespace {

// The largest difference between E, C and central differences of F, over the size of E and C.
double derivative_error(const NewtonRow& row, FrictionMap map, double augmentation, const Eigen::Vector3d& U,
                        const Eigen::Vector3d& R, double scale) {
  bool pressed = false;
  MapDerivative d;
  (void)friction_map(row, map, augmentation, U, R, pressed, &d);
  double error = 0;
  for (int k = 0; k < 3; ++k) {
    const double dU = 1e-6 * U.norm(), dR = 1e-6 * R.norm();
    bool ignored = false;
    const auto F = [&](const Eigen::Vector3d& u, const Eigen::Vector3d& r) {
      return friction_map(row, map, augmentation, u, r, ignored, nullptr);
    };
    const Eigen::Vector3d e = Eigen::Vector3d::Unit(k);
    error = std::max(error, ((F(U + dU * e, R) - F(U - dU * e, R)) / (2 * dU) - d.E.col(k)).norm());
    error = std::max(error, ((F(U, R + dR * e) - F(U, R - dR * e)) / (2 * dR) - d.C.col(k)).norm() * scale);
  }
  return error;
}

SparseRows sparse(const Eigen::MatrixXd& A) {
  SparseRows rows;
  rows.start.push_back(0);
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      if (A(i, j) == 0) continue;
      rows.column.push_back(static_cast<int>(j));
      rows.value.push_back(A(i, j));
    }
    rows.start.push_back(static_cast<int>(rows.column.size()));
  }
  return rows;
}

}  // namespace

TEST_CASE("friction maps: derivatives against central differences in every region") {
  locdyn::testing::RandomContacts random(5);
  std::array<int, 3> met{};
  double worst = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    CAPTURE(trial);
    const double w = random.log_uniform(1e-6, 1e6);
    const Eigen::Matrix3d W = w * random.block(locdyn::testing::BlockKind::round);
    const bool planar = trial % 5 == 0;
    const double mu = random.uniform(0, 1.5);
    Eigen::Vector3d shift = 0.2 * random.vector();
    if (planar) shift[1] = 0;
    const NewtonRow row = newton_row(ContactLaw{.friction = mu, .shift = shift, .planar = planar}, 0, W);
    const double augmentation = random.log_uniform(0.1, 100);
    const Eigen::Vector3d random_U = random.vector();
    const Eigen::Vector3d random_R = random.vector() / w;
    for (const FrictionMap map : {FrictionMap::alart_curnier, FrictionMap::jean_moreau}) {
      Eigen::Vector3d U = random_U, R = random_R;
      move_to_zero_of_friction(row, map, augmentation, U, R);
      // Away from the kinks, where the map has a derivative.
      const double x = R[2] - augmentation * row.normal_scale * (U[2] + row.shift[2]);
      Eigen::Vector2d y = R.head<2>() - augmentation * row.tangent_scale * (U + shift).head<2>();
      if (planar) y[1] = 0;
      const double s = map == FrictionMap::alart_curnier ? x : R[2];
      const double room = 1e-3 * (1 + augmentation) / w;
      if (map == FrictionMap::jean_moreau && R[2] < room) continue;  // its own case below
      if (std::abs(x) < room || std::abs(y.norm() - mu * s) < room || y.norm() < room) continue;
      const double error = derivative_error(row, map, augmentation, U, R, 1 / (w * (1 + 1 / augmentation)));
      worst = std::max(worst, error);
      CHECK(error < 1e-4);
      ++met[x <= 0 ? 0 : y.norm() <= mu * s ? 1 : 2];
    }
  }
  MESSAGE("largest error of a derivative: ", worst, "; open ", met[0], ", stick ", met[1], ", slide ", met[2]);
  for (const int count : met) CHECK(count > 1000);
}

namespace {

// Two rows of one law.
std::array<DiagonalBlock, 2> random_blocks(locdyn::testing::RandomContacts& random) {
  std::array<DiagonalBlock, 2> blocks{};
  for (DiagonalBlock& block : blocks) {
    block.W = random.block(locdyn::testing::BlockKind::round);
    block.U = random.vector();
    block.R = random.vector();
  }
  return blocks;
}

}  // namespace

TEST_CASE("maps of elliptic and rolling friction: derivatives against central differences, away from the kinks") {
  locdyn::testing::RandomContacts random(6);
  int compared = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    CAPTURE(trial);
    std::array<DiagonalBlock, 2> blocks = random_blocks(random);
    Law law = EllipticLaw{.friction = {random.uniform(0.1, 1), random.uniform(0.1, 1)}, .shift = 0.2 * random.vector()};
    if (trial % 8 == 0) std::get<EllipticLaw>(law).friction[trial % 16 == 0 ? 1 : 0] = 0;
    const int at = trial % 2;  // the elliptic contact, or the moments of a rolling one
    if (at == 1) {
      law = RollingLaw{.friction = 0.4,
                       .rolling = random.uniform(0, 1),
                       .torsional = random.uniform(0, 1),
                       .length = random.uniform(0.5, 2),
                       .shift = 0.2 * random.vector(),
                       .moment_rows = trial % 3 == 0 ? kRowsRolling : kRowsAll};
    }
    for (const FrictionMap map : {FrictionMap::alart_curnier, FrictionMap::jean_moreau}) {
      const NewtonRow row = newton_row(law, at, blocks[at].W, blocks[0].W);
      if (at == 0) move_to_zero_of_friction(row, map, 2, blocks[0].U, blocks[0].R);
      MapDerivative d;
      bool pressed = false;
      const Eigen::Vector3d F0 = row_map(row, map, 2, blocks[at], pressed, &d);
      // Left and right differences agree where the map has a derivative.
      const auto compare = [&](double& value, const Eigen::Vector3d& expected) {
        const double held = value, step = 1e-6;
        value = held + step;
        const Eigen::Vector3d right = row_map(row, map, 2, blocks[at], pressed, nullptr);
        value = held - step;
        const Eigen::Vector3d left = row_map(row, map, 2, blocks[at], pressed, nullptr);
        value = held;
        if ((right - 2 * F0 + left).norm() > 1e-8) return;  // a kink, or close to one
        ++compared;
        CHECK(((right - left) / (2 * step) - expected).norm() < 1e-5 * (1 + expected.norm()));
      };
      for (int k = 0; k < 3; ++k) {
        compare(blocks[at].U[k], d.E.col(k));
        compare(blocks[at].R[k], d.C.col(k));
      }
      if (at == 1) {
        compare(blocks[0].U[2], d.E_n);
        compare(blocks[0].R[2], d.C_n);
      }
    }
  }
  CHECK(compared > 200'000);
}

TEST_CASE("friction maps: where a contact slides in space E and C are the derivative of the balance |y| R_t = r y") {
  locdyn::testing::RandomContacts random(8);
  int balanced[2] = {0, 0}, shortened[2] = {0, 0};
  for (int trial = 0; trial < 100'000; ++trial) {
    CAPTURE(trial);
    const double mu = random.uniform(0.1, 1.5), augmentation = random.log_uniform(0.1, 100);
    const Eigen::Matrix3d W = random.block(locdyn::testing::BlockKind::round);
    const NewtonRow row = newton_row(ContactLaw{.friction = mu}, 0, W);
    const double rho_n = augmentation * row.normal_scale, rho_t = augmentation * row.tangent_scale;
    const Eigen::Vector3d U = random.vector(), R = random.vector();
    const auto y_of = [&](const Eigen::Vector3d& u, const Eigen::Vector3d& r) -> Eigen::Vector2d {
      return (r - rho_t * u).head<2>();
    };
    const FrictionMap map = trial % 2 == 0 ? FrictionMap::alart_curnier : FrictionMap::jean_moreau;
    const auto radius_of = [&](const Eigen::Vector3d& u, const Eigen::Vector3d& r) {
      return mu * (map == FrictionMap::alart_curnier ? r[2] - rho_n * u[2] : r[2]);
    };
    const Eigen::Vector2d y = y_of(U, R);
    const double radius = radius_of(U, R);
    if (radius < 1e-3 || y.norm() < radius || R[2] - rho_n * U[2] < 1e-3) continue;
    bool pressed = false;
    MapDerivative d;
    (void)friction_map(row, map, augmentation, U, R, pressed, &d);
    if (R.head<2>().norm() > radius || R.head<2>().dot(y) < 0) {
      // No bound of the balance's own: |I − p ŷᵀ|² = (1 − p·ŷ)² + (p × ŷ)² + 1 is at most that where p = −ŷ/2.
      const double bracket = d.E.topLeftCorner<2, 2>().norm() * y.norm() / radius;
      CHECK(bracket <= std::sqrt(3.25) * (1 + 1e-12));
      ++shortened[trial % 2];
      continue;
    }
    const auto balance = [&](const Eigen::Vector3d& u, const Eigen::Vector3d& r) -> Eigen::Vector2d {
      return (y_of(u, r).norm() * r.head<2>() - radius_of(u, r) * y_of(u, r)) / (rho_t * y.norm());
    };
    for (int k = 0; k < 3; ++k) {
      const double dU = 1e-6 * U.norm(), dR = 1e-6 * R.norm();
      const Eigen::Vector3d e = Eigen::Vector3d::Unit(k);
      const Eigen::Vector2d by_U = (balance(U + dU * e, R) - balance(U - dU * e, R)) / (2 * dU);
      const Eigen::Vector2d by_R = (balance(U, R + dR * e) - balance(U, R - dR * e)) / (2 * dR);
      CHECK((by_U - d.E.col(k).head<2>()).norm() < 1e-6 * (1 + by_U.norm()));
      CHECK((by_R - d.C.col(k).head<2>()).norm() < 1e-6 * (1 + by_R.norm()));
    }
    ++balanced[trial % 2];
  }
  for (const int count : balanced) CHECK(count > 1000);
  for (const int count : shortened) CHECK(count > 1000);
}

TEST_CASE("friction maps: a row holds where E = I and C = 0, and nowhere else") {
  locdyn::testing::RandomContacts random(7);
  int held[2] = {0, 0};
  MapDerivative d;
  BilateralLaw axial;
  axial.block[0].rows = kRowNormal;
  for (int trial = 0; trial < 4000; ++trial) {
    CAPTURE(trial);
    std::array<DiagonalBlock, 2> blocks = random_blocks(random);
    const std::array<Law, 6> laws = {
        ContactLaw{.friction = random.uniform(0, 1)},
        CompliantLaw{.friction = random.uniform(0, 1), .give = {0, 0, 0.1}},
        EllipticLaw{.friction = {random.uniform(0.1, 1), random.uniform(0.1, 1)}},
        RollingLaw{.friction = 0.4, .rolling = 0.3, .torsional = 0.2, .length = 1},
        BilateralLaw{},
        axial,
    };
    const Law& law = laws[static_cast<std::size_t>(trial) % laws.size()];
    const int at = block_count(law) - 1;  // the derivative of the law before is still in d
    const NewtonRow row = newton_row(law, at, blocks[static_cast<std::size_t>(at)].W, blocks[0].W);
    bool pressed = false;
    (void)row_map(row, FrictionMap::alart_curnier, 10, blocks[static_cast<std::size_t>(at)], pressed, &d);
    const bool expected = d.E == Eigen::Matrix3d::Identity() && d.C.isZero(0);
    CHECK((!d.holds || (expected && !row.moment)));
    ++held[d.holds ? 1 : 0];
  }
  CHECK(held[0] > 1000);
  CHECK(held[1] > 4000 / 6 + 20);  // of the free joints every one, of the contacts those that stick
}

TEST_CASE("friction maps: Jean–Moreau's disc of radius μ max(0, R_n) stays a point while R_n < 0") {
  const NewtonRow row = newton_row(ContactLaw{.friction = 0.5}, 0, Eigen::Matrix3d::Identity());
  // Pressed, as x = R_n − ρ U_n > 0, and pulling.
  const Eigen::Vector3d U(0.3, -0.2, -1), R(0.4, 0.1, -0.5);
  bool pressed = false;
  MapDerivative d;
  (void)friction_map(row, FrictionMap::jean_moreau, 10, U, R, pressed, &d);
  CHECK(pressed);
  CHECK((d.C.block<2, 1>(0, 2).norm()) == 0);
  CHECK(derivative_error(row, FrictionMap::jean_moreau, 10, U, R, 1) < 1e-8);
}

TEST_CASE("friction maps vanish at solutions of the law and nowhere else") {
  const Eigen::Matrix3d W = Eigen::Vector3d(2, 2, 3).asDiagonal();
  const NewtonRow row = newton_row(ContactLaw{.friction = 0.5, .shift = {0.125, 0, -0.25}}, 0, W);
  struct Case {
    std::string name;
    Eigen::Vector3d U, R;
    bool solution, pressed;
  };
  const Case cases[] = {
      {"open", {1, -2, 0.75}, {0, 0, 0}, true, false},
      {"stick", {-0.125, 0, 0.25}, {0.3, -0.2, 1}, true, true},
      {"slide", {-3.125, 4, 0.25}, {0.3, -0.4, 1}, true, true},
      {"slide the wrong way", {2.875, -4, 0.25}, {0.3, -0.4, 1}, false, true},
      {"slide with too little friction", {-3.125, 4, 0.25}, {0.15, -0.2, 1}, false, true},
      {"drifting", {0, 0, 0.25}, {0.3, -0.2, 1}, false, true},
      {"outside the cone", {-0.125, 0, 0.25}, {0.6, -0.4, 1}, false, true},
      {"pulling", {-0.125, 0, 0.25}, {0, 0, -1}, false, false},
      {"penetrating", {0, 0, 0}, {0, 0, 0}, false, true},
  };
  for (const FrictionMap map : {FrictionMap::alart_curnier, FrictionMap::jean_moreau}) {
    for (const Case& c : cases) {
      CAPTURE(c.name);
      bool pressed = !c.pressed;
      const double F = friction_map(row, map, 10, c.U, c.R, pressed, nullptr).norm();
      CHECK(pressed == c.pressed);
      if (c.solution) {
        CHECK(F < 1e-15);
      } else {
        CHECK(F > 1e-3);
      }
    }
  }
}

TEST_CASE("sparse LU: random systems, a pattern that changes, and singular matrices") {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  SparseLu lu;
  double before = 0;
  for (int trial = 0; trial < 30; ++trial) {
    CAPTURE(trial);
    // Up to 49 unknowns are KLU's; 160 fill in enough for UMFPACK.
    const Eigen::Index n = trial % 8 == 7 ? 160 : 1 + trial % 7 * 8;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    for (double& a : A.reshaped()) a = random() % 4 == 0 ? normal(random) : 0;
    A.diagonal().array() += 3;
    if (trial % 3 == 1) A *= trial % 2 == 0 ? -1e-9 : 1e-9;
    if (trial % 5 == 1 && n > 1) A.row(0).swap(A.row(n - 1));
    Eigen::VectorXd b(n), x(n);
    for (double& v : b) v = normal(random);
    for (int again = 0; again < 2; ++again, A *= 1.5) {  // the same pattern twice
      const SparseRows rows = sparse(A);
      REQUIRE(lu.factorise(rows));
      REQUIRE(lu.solve(rows, {b.data(), static_cast<std::size_t>(n)}, {x.data(), static_cast<std::size_t>(n)}));
      CHECK((A * x - b).norm() <= 1e-13 * (A.norm() * x.norm() + b.norm()));
      CHECK(lu.determinant_sign() == ((A / A.cwiseAbs().maxCoeff()).determinant() < 0 ? -1 : 1));
      CHECK(lu.flops() >= before);
      before = lu.flops();
    }
  }
  CHECK(lu.flops() > 0);

  Eigen::MatrixXd repeated(3, 3), empty_row = Eigen::MatrixXd::Identity(3, 3);
  repeated << 1, 2, 3, 1, 2, 3, 0, 1, 1;
  empty_row(1, 1) = 0;
  for (const Eigen::MatrixXd& A : {repeated, empty_row}) {
    const SparseRows rows = sparse(A);
    Eigen::Vector3d b(1, 2, 3), x = Eigen::Vector3d::Zero();
    const bool solved = lu.factorise(rows) && lu.solve(rows, {b.data(), 3}, {x.data(), 3});
    CHECK_FALSE(solved);
  }
  // What was singular does not spoil what comes next.
  const Eigen::MatrixXd A = Eigen::Vector3d(1, 2, 4).asDiagonal();
  Eigen::Vector3d b(1, 2, 4), x;
  REQUIRE(lu.factorise(sparse(A)));
  REQUIRE(lu.solve(sparse(A), {b.data(), 3}, {x.data(), 3}));
  CHECK((x - Eigen::Vector3d::Ones()).norm() < 1e-15);
}

TEST_CASE("newton: both maps and no sweeps at all reach the same solution") {
  const LocalDynamics problem =
      random_problem({.contacts = 10, .planar = 3, .bilateral = 5, .hinges = 2, .friction = 0.6}, 7);
  const Eigen::VectorXd R = dense_solution(dense_problem(problem));
  for (const FrictionMap map : {FrictionMap::alart_curnier, FrictionMap::jean_moreau}) {
    for (const long sweeps : {0L, 20L}) {
      LocalDynamics ldy = problem;
      NewtonOptions options;
      options.stop.tolerance = 1e-12;
      options.map = map;
      options.first_sweeps = sweeps;
      options.long_walk = sweeps;  // at once where there are no sweeps
      const SolveReport report = solve_newton(ldy, options);
      CHECK(report.status == SolveStatus::converged);
      CHECK(report.solver == "newton");
      CHECK((reactions(ldy) - R).norm() <= 1e-10 * R.norm());
      if (sweeps > 0) continue;
      CHECK(report.iterations > 0);
      CHECK(report.factorisations == report.iterations);  // one a Newton step
      CHECK(report.factorisation_flops > 0);
      CHECK(report.stages.factorisation > 0);
    }
  }
}

TEST_CASE("newton: options out of range are refused, naming the field") {
  LocalDynamics ldy = random_problem({.contacts = 2}, 1);
  const auto refused = [&](const auto& spoil, const char* field) {
    NewtonOptions options;
    spoil(options);
    CHECK_THROWS_WITH_AS((void)solve_newton(ldy, options), doctest::Contains(field), std::invalid_argument);
  };
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    refused([&](NewtonOptions& o) { o.augmentation = bad; }, "newton: augmentation");
    refused([&](NewtonOptions& o) { o.first_proximal = bad; }, "newton: first_proximal");
    refused([&](NewtonOptions& o) { o.least_proximal = bad; }, "newton: least_proximal");
    refused([&](NewtonOptions& o) { o.far = bad; }, "newton: far");
  }
  refused([](NewtonOptions& o) { o.first_sweeps = -1; }, "first_sweeps");
  refused([](NewtonOptions& o) { o.patience = 0; }, "patience");
  refused([](NewtonOptions& o) { o.patience_where_far = 0; }, "patience_where_far");
  refused([](NewtonOptions& o) { o.long_walk = -1; }, "long_walk");
}
