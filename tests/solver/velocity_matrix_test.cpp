// The matrix A/h + Σ HᵀKH where elimination by blocks finds no pivot: then one with pivoting answers, and one of the
// transpose where somebody asks for that.

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>
#include <span>
#include <vector>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include <locdyn/solver/newton/velocity_matrix.hpp>

using namespace locdyn;
using namespace locdyn::detail;

namespace {

constexpr double kMass = 2, kTimeStep = 0.01;
constexpr double kInertia = kMass / kTimeStep;  // a, of A/h = a I

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

// Two particles held together: H = (−I, I), and with K the matrix is (aI + K, −K; −K, aI + K).
struct Pair {
  BodySet bodies;
  LocalDynamics ldy;
  Assembly assembly{bodies, ldy};

  Pair() {
    const Eigen::Vector3d x(0.1, 0.2, 0.3);
    for (int k = 0; k < 2; ++k) bodies[bodies.emplace<Particle>(kMass, x)].predict(kTimeStep, {0, 0, -9.81});
    assembly.emplace<FixedPoint>(Anchor{x, BodyId{0}}, Anchor{x, BodyId{1}});
    assembly.update(kTimeStep);
  }
};

Matrix6 dense_of(const Eigen::Matrix3d& K) {
  Matrix6 M;
  M << K, -K, -K, K;
  M.diagonal().array() += kInertia;
  return M;
}

Vector6 found_by(bool (VelocityMatrix::*how)(std::span<const double>, std::span<double>), VelocityMatrix& matrix,
                 const Vector6& b) {
  Vector6 x = Vector6::Constant(NAN);
  REQUIRE((matrix.*how)({b.data(), 6}, {x.data(), 6}));
  return x;
}

}  // namespace

TEST_CASE("a matrix of velocities without pivots by blocks is solved by pivoting, and so is its transpose") {
  Pair pair;
  VelocityMatrix matrix(pair.ldy);
  const Vector6 b = (Vector6() << 1, -2, 3, 0.5, 4, -1).finished();
  for (const double turn : {20.0, -70.0}) {  // the second time with other numbers: no factor is left of the first
    CAPTURE(turn);
    // aI + K is skew, so that neither particle's own block has an inverse.
    Eigen::Matrix3d skew;
    skew << 0, -turn, 3, turn, 0, -5, -3, 5, 0;
    const Eigen::Matrix3d K = skew - kInertia * Eigen::Matrix3d::Identity();
    const Matrix6 M = dense_of(K);
    const Vector6 straight = M.fullPivLu().solve(b), turned = M.transpose().fullPivLu().solve(b);
    REQUIRE((straight - turned).norm() > 1e-3 * straight.norm());
    matrix.clear();
    matrix.add_block(0, K, 0);
    const auto near = [](const Vector6& x, const Vector6& y) { return (x - y).norm() <= 1e-12 * y.norm(); };
    CHECK(near(found_by(&VelocityMatrix::solve, matrix, b), straight));
    CHECK(near(found_by(&VelocityMatrix::solve_again, matrix, 2 * b), 2 * straight));
    CHECK(near(found_by(&VelocityMatrix::solve_transposed, matrix, b), turned));
    CHECK(near(found_by(&VelocityMatrix::solve_transposed, matrix, 3 * b), 3 * turned));
    CHECK(near(found_by(&VelocityMatrix::solve_again_roughly, matrix, b), straight));
    CHECK(near(found_by(&VelocityMatrix::solve_transposed_roughly, matrix, b), turned));
  }
}

TEST_CASE("a singular matrix of velocities is told") {
  Pair pair;
  VelocityMatrix matrix(pair.ldy);
  matrix.clear();
  matrix.add_block(0, -0.5 * kInertia * Eigen::Matrix3d::Identity(), 0);  // of (1, −1) nothing is left
  const Vector6 b = Vector6::Ones();
  Vector6 x;
  CHECK_FALSE(matrix.solve({b.data(), 6}, {x.data(), 6}));
}
