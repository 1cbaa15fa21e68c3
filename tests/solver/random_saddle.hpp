#pragma once
// Seeded random saddle points, mechanisms of planar bars, and dense solutions that share no line with the solver.

#include <Eigen/Dense>
#include <cmath>
#include <locdyn/solver/saddle/saddle_problem.hpp>
#include <random>
#include <vector>

namespace locdyn::test {
using namespace locdyn::detail;

struct RandomSaddle {
  int bodies = 8, cams = 0;  ///< groups of 3 coordinates with mass; of 2 without
  int rows = 12;             ///< of two bodies each
  int redundant = 0;         ///< rows more, combinations of three others
  int compliant = 0;         ///< of the first rows
  double units = 1;          ///< rows and coordinates scaled by powers of it, at random
};

/// A problem and a right-hand side that it can meet.
struct SaddleCase {
  SaddleProblem problem;
  Eigen::VectorXd f, gamma;
};

inline SaddleCase random_saddle(const RandomSaddle& spec, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto unit = [&] { return std::pow(spec.units, std::uniform_int_distribution<int>(-1, 1)(random)); };
  const int with_mass = 3 * spec.bodies, n = with_mass + 2 * spec.cams, m = spec.rows + 3 * spec.cams + spec.redundant;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n), G = Eigen::MatrixXd::Zero(m, n);
  for (int k = 0; k < spec.bodies; ++k) {
    const Eigen::Matrix3d L = Eigen::Matrix3d::NullaryExpr([&] { return normal(random); });
    const Eigen::Vector3d scale(unit(), unit(), unit());
    A.block<3, 3>(3 * k, 3 * k) =
        scale.asDiagonal() * (L * L.transpose() + Eigen::Matrix3d::Identity()) * scale.asDiagonal();
  }
  const auto hold = [&](int row, int body, double scale) {
    for (int j = 0; j < 3; ++j) G(row, 3 * body + j) = scale * normal(random);
  };
  const auto some_body = [&] { return std::uniform_int_distribution<int>(0, spec.bodies - 1)(random); };
  for (int i = 0; i < spec.rows; ++i) {
    const double scale = unit();
    hold(i, some_body(), scale);
    hold(i, some_body(), scale);
  }
  // A cam: three rows of two bodies, two surface parameters.
  for (int k = 0; k < spec.cams; ++k) {
    const int first = some_body(), second = some_body();
    for (int i = 0; i < 3; ++i) {
      const int row = spec.rows + 3 * k + i;
      hold(row, first, 1);
      hold(row, second, 1);
      for (int j = 0; j < 2; ++j) G(row, with_mass + 2 * k + j) = normal(random) * (j == 0 ? 1 : spec.units);
    }
  }
  const int independent = spec.rows + 3 * spec.cams;
  SaddleCase made;
  made.problem.compliance = Eigen::VectorXd::Zero(m);
  for (int i = 0; i < spec.compliant; ++i) made.problem.compliance[i] = 0.1 + std::abs(normal(random));
  for (int i = 0; i < spec.redundant; ++i) {  // of hard rows
    for (int k = 0; k < 3; ++k) {
      const int of = std::uniform_int_distribution<int>(spec.compliant, independent - 1)(random);
      G.row(independent + i) += normal(random) * G.row(of);
    }
  }
  made.problem.A = A.sparseView();
  made.problem.G = G.sparseView();
  made.f = Eigen::VectorXd::NullaryExpr(n, [&] { return normal(random); });
  const Eigen::VectorXd some = Eigen::VectorXd::NullaryExpr(n, [&] { return normal(random); });
  const Eigen::VectorXd extra = Eigen::VectorXd::NullaryExpr(m, [&] { return normal(random); });
  made.gamma = G * some + made.problem.compliance.cwiseProduct(extra);
  return made;
}

/// a and λ, λ of least norm, by a dense decomposition with full pivoting.
inline std::pair<Eigen::VectorXd, Eigen::VectorXd> dense_saddle(const SaddleProblem& problem, const Eigen::VectorXd& f,
                                                                const Eigen::VectorXd& gamma) {
  const Eigen::Index n = problem.A.rows(), m = problem.G.rows();
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = problem.A;
  K.topRightCorner(n, m) = -Eigen::MatrixXd(problem.G).transpose();
  K.bottomLeftCorner(m, n) = problem.G;
  if (problem.compliance.size() != 0) K.bottomRightCorner(m, m).diagonal() = problem.compliance;
  Eigen::VectorXd load(n + m);
  load << f, gamma;
  Eigen::FullPivLU<Eigen::MatrixXd> lu(K);
  Eigen::VectorXd x = lu.solve(load);
  x += lu.solve(load - K * x);
  // Of several λ the one orthogonal to the null space.
  const Eigen::MatrixXd null = lu.kernel();
  if (lu.dimensionOfKernel() > 0) {
    const Eigen::LDLT<Eigen::MatrixXd> gram(Eigen::MatrixXd(null.transpose() * null));
    for (int again = 0; again < 2; ++again)
      x -= null * gram.solve(null.transpose() * x);  // the first leaves its rounding
  }
  return {x.head(n), x.tail(m)};
}

/// A bar of mass 1 and length l as three coordinates (x, y of its middle, angle), its two ends.
struct Bars {
  std::vector<Eigen::Vector3d> pose;
  std::vector<double> length;

  struct Joint {
    int first, second;      ///< bars; −1: the ground
    double along, against;  ///< places on them, in half lengths from the middle
  };
  std::vector<Joint> joints;

  [[nodiscard]] SaddleProblem problem() const {
    std::vector<Eigen::Triplet<double>> A, G;
    for (int k = 0; k < static_cast<int>(pose.size()); ++k) {
      A.emplace_back(3 * k, 3 * k, 1.0);
      A.emplace_back(3 * k + 1, 3 * k + 1, 1.0);
      A.emplace_back(3 * k + 2, 3 * k + 2, length[k] * length[k] / 12);
    }
    int row = 0;
    for (const Joint& joint : joints) {
      const auto hold = [&](int bar, double place, double sign) {
        if (bar < 0) return;
        const double r = place * length[bar] / 2, angle = pose[bar][2];
        G.emplace_back(row, 3 * bar, sign);
        G.emplace_back(row + 1, 3 * bar + 1, sign);
        G.emplace_back(row, 3 * bar + 2, -sign * r * std::sin(angle));
        G.emplace_back(row + 1, 3 * bar + 2, sign * r * std::cos(angle));
      };
      hold(joint.first, joint.along, 1);
      hold(joint.second, joint.against, -1);
      row += 2;
    }
    SaddleProblem made;
    const auto n = static_cast<Eigen::Index>(3 * pose.size());
    made.A.resize(n, n);
    made.A.setFromTriplets(A.begin(), A.end());
    made.G.resize(row, n);
    made.G.setFromTriplets(G.begin(), G.end());
    return made;
  }
};

/// A pendulum of `links` bars of 1 m hung from the ground, bent in waves.
inline Bars chain_of_links(int links) {
  Bars bars;
  Eigen::Vector2d end(0, 0);
  for (int k = 0; k < links; ++k) {
    const double angle = -1.5 + 0.6 * std::sin(0.3 * k);
    const Eigen::Vector2d half = 0.5 * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    const Eigen::Vector2d middle = end + half;
    end = middle + half;
    bars.pose.emplace_back(middle.x(), middle.y(), angle);
    bars.length.push_back(1);
    bars.joints.push_back({.first = k, .second = k - 1, .along = -1, .against = 1});
  }
  return bars;
}

/// A parallelogram of crank 1 m, coupler 2 m, rocker 1 m on a ground of 2 m, at a crank angle; singular at 0.
inline Bars four_bar(double angle) {
  const Eigen::Vector2d crank(std::cos(angle), std::sin(angle));
  Bars bars;
  bars.pose = {
      {crank.x() / 2, crank.y() / 2, angle}, {crank.x() + 1, crank.y(), 0}, {2 + crank.x() / 2, crank.y() / 2, angle}};
  bars.length = {1, 2, 1};
  bars.joints = {{.first = 0, .second = -1, .along = -1, .against = 0},
                 {.first = 0, .second = 1, .along = 1, .against = -1},
                 {.first = 2, .second = 1, .along = 1, .against = 1},
                 {.first = 2, .second = -1, .along = -1, .against = 0}};
  return bars;
}

}  // namespace locdyn::test
