#pragma once
// Global problems made up: bodies or a mesh above a floor, contacts between them, joints.

#include <Eigen/Dense>
#include <random>
#include <vector>

#include <locdyn/ldy/global_problem.hpp>
#include <locdyn/solver/least_norm.hpp>

namespace locdyn::test {
using namespace locdyn::detail;

/// Dense parts to be spoiled one at a time.
struct DenseGlobal {
  Eigen::MatrixXd M, H, G;
  Eigen::VectorXd f, w, b;
  std::vector<Law> laws;

  [[nodiscard]] GlobalProblem sparse() const {
    return {.M = M.sparseView(), .H = H.sparseView(), .G = G.sparseView(), .f = f, .w = w, .b = b, .laws = laws};
  }
  /// The answer K F to a load with the bilateral rows held, by a dense least-squares solution of the saddle point.
  [[nodiscard]] Eigen::VectorXd velocity(const Eigen::VectorXd& F, const Eigen::VectorXd& rest) const {
    const Eigen::Index n = M.rows(), p = G.cols();
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + p, n + p);
    K.topLeftCorner(n, n) = M;
    K.topRightCorner(n, p) = -G;
    K.bottomLeftCorner(p, n) = G.transpose();
    Eigen::VectorXd load(n + p);
    load << F, -rest;
    return LeastNorm(K, 1e-14).solve(load).topRows(n);
  }
  [[nodiscard]] Eigen::MatrixXd delassus() const {
    Eigen::MatrixXd W(H.cols(), H.cols());
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(b.size());
    for (Eigen::Index j = 0; j < H.cols(); ++j) W.col(j) = H.transpose() * velocity(H.col(j), none);
    return W;
  }
};

class GlobalMaker {
 public:
  explicit GlobalMaker(unsigned seed) : random_(seed) {}

  double number() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index columns) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return number(); });
  }

  /// Bodies of six velocities under a load downwards, each in contact with the one before, the first with the floor,
  /// by `contacts` contacts each.
  DenseGlobal bodies(int count, int contacts, const Law& law) {
    DenseGlobal problem;
    const Eigen::Index n = 6 * count, blocks = block_count(law);
    problem.M = Eigen::MatrixXd::Zero(n, n);
    problem.H = Eigen::MatrixXd::Zero(n, 3 * blocks * count * contacts);
    problem.G = Eigen::MatrixXd::Zero(n, 0);
    problem.f = Eigen::VectorXd::Zero(n);
    problem.w = Eigen::VectorXd::Zero(problem.H.cols());
    problem.b = Eigen::VectorXd::Zero(0);
    Eigen::Index column = 0;
    for (int body = 0; body < count; ++body) {
      const Eigen::MatrixXd part = matrix(6, 6);
      problem.M.block<6, 6>(6 * body, 6 * body) = part * part.transpose() + Eigen::MatrixXd::Identity(6, 6);
      problem.f[6 * body + 5] = -1;
      for (int contact = 0; contact < contacts; ++contact) {
        for (int block = 0; block < blocks; ++block) {
          for (int row = 0; row < 3; ++row, ++column) {
            if (!uses(rows(law, block), row)) continue;
            problem.H.block<6, 1>(6 * body, column) = 0.3 * matrix(6, 1);
            if (block == 0) problem.H(6 * body + 3 + row, column) += 1;
            if (body > 0) problem.H.block<6, 1>(6 * body - 6, column) = -matrix(6, 1);
          }
        }
        problem.laws.push_back(law);
      }
    }
    return problem;
  }

  /// A chain of springs, the mesh of a bar: M tridiagonal, positive definite, contacts spread along it.
  DenseGlobal mesh(Eigen::Index n, int contacts, double gyroscopic) {
    DenseGlobal problem;
    problem.M = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      problem.M(i, i) = 4 + number();
      if (i > 0) problem.M(i, i - 1) = problem.M(i - 1, i) = -1;
      if (i > 1) {
        problem.M(i, i - 2) = gyroscopic;
        problem.M(i - 2, i) = -gyroscopic;
      }
    }
    problem.H = Eigen::MatrixXd::Zero(n, 3 * contacts);
    for (int contact = 0; contact < contacts; ++contact) {
      problem.H.block(contact * (n - 3) / std::max(contacts - 1, 1), 3 * contact, 3, 3) =
          Eigen::Matrix3d::Identity() + 0.2 * matrix(3, 3);
      problem.laws.emplace_back(ContactLaw{.friction = 0.4});
    }
    problem.G = Eigen::MatrixXd::Zero(n, 0);
    problem.f = matrix(n, 1);
    problem.w = matrix(3 * contacts, 1);
    problem.b = Eigen::VectorXd::Zero(0);
    return problem;
  }

  /// Joints: `count` rows that tie random velocities of two neighbours, the first row repeated twice at the end.
  void add_joints(DenseGlobal& problem, int count) {
    const Eigen::Index n = problem.M.rows();
    problem.G = Eigen::MatrixXd::Zero(n, count + 2);
    for (int j = 0; j < count; ++j) {
      const Eigen::Index first = std::uniform_int_distribution<Eigen::Index>(0, n - 9)(random_);
      problem.G.block(first, j, 9, 1) = matrix(9, 1);
    }
    problem.G.col(count) = problem.G.col(0);
    problem.G.col(count + 1) = -2 * problem.G.col(0);
    problem.b = -(problem.G.transpose() * matrix(n, 1));
  }

 private:
  std::mt19937 random_;
};

}  // namespace locdyn::test
