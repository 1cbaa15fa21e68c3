#include <locdyn/ldy/rigid_columns.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

namespace locdyn::detail {
namespace {

using Eigen::Matrix3d;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Columns = Eigen::Matrix<double, 6, 3>;

// How far N of a body may be from that of the body beside it, or from a frame.
constexpr double kUnlike = 1e-7;
// Rows of a body that its place in space is taken from.
constexpr std::size_t kLeastTold = 3, kLeastAlone = 5, kMostAsked = 12;
// Of the least squares, and of the equations for Π: what tells no direction apart, over the largest eigenvalue.
constexpr double kUndecided = 1e-6, kUndecidedAlone = 1e-8;

// Of Π its upper triangle, and c.
constexpr int kUnknown = 22;
using Equation = Eigen::Matrix<double, kUnknown, 1>;

Matrix6 symmetric(const Equation& upper) {
  Matrix6 full;
  for (int k = 0, at = 0; k < 6; ++k) {
    for (int l = k; l < 6; ++l, ++at) full(k, l) = full(l, k) = upper[at];
  }
  return full;
}

class Turning {
 public:
  Turning(std::vector<FactorGroup>& bodies, std::size_t places) : bodies_(bodies), of_(places), N_(places) {
    for (std::uint32_t b = 0; b < bodies.size(); ++b) {
      if (bodies[b].F.cols() != 6) continue;
      for (const std::uint32_t row : bodies[b].rows) of_[row].push_back(b);
    }
    turned_.resize(bodies.size(), 0);
    tried_alone_.resize(bodies.size(), 0);
  }

  void run() {
    for (std::uint32_t b = 0; b < bodies_.size(); ++b) spread_from(b);
  }

 private:
  struct Turn {
    Columns V;
    double mass;
  };

  [[nodiscard]] Eigen::Matrix<double, 3, 6> F(std::uint32_t body, std::size_t k) const {
    return bodies_[body].F.middleRows<3>(static_cast<Eigen::Index>(3 * k));
  }

  // A body that stands by itself, then whatever those beside it tell, and again one that they do not tell enough of.
  void spread_from(std::uint32_t seed) {
    turn_alone(seed);
    while (!due_.empty() || !few_.empty()) {
      if (due_.empty()) {
        const std::uint32_t body = few_.back();
        few_.pop_back();
        turn_alone(body);
        continue;
      }
      const std::uint32_t body = due_.back();
      due_.pop_back();
      if (turned_[body] != 0) continue;
      if (const auto turn = turn_by_those_beside(body)) {
        take(body, *turn);
      } else {
        few_.push_back(body);
      }
    }
  }
  void turn_alone(std::uint32_t body) {
    if (turned_[body] != 0 || tried_alone_[body] != 0) return;
    tried_alone_[body] = 1;
    if (const auto turn = turn_by_itself(body)) take(body, *turn);
  }

  [[nodiscard]] std::optional<Turn> turn_by_those_beside(std::uint32_t body) const;
  [[nodiscard]] std::optional<Turn> turn_by_itself(std::uint32_t body) const;
  void take(std::uint32_t body, const Turn& turn);

  std::vector<FactorGroup>& bodies_;
  std::vector<std::vector<std::uint32_t>> of_;  // by place: the bodies it acts on
  std::vector<std::optional<Matrix3d>> N_;      // by place: of the first that was turned
  std::vector<char> turned_, tried_alone_;
  std::vector<std::uint32_t> due_, few_;  // beside turned bodies; of those whose N does not suffice
};

std::optional<Turning::Turn> Turning::turn_by_those_beside(std::uint32_t body) const {
  Matrix6 A = Matrix6::Zero();
  Columns right = Columns::Zero();
  std::size_t told = 0;
  for (std::size_t k = 0; k < bodies_[body].rows.size() && told < kMostAsked; ++k) {
    const auto& N = N_[bodies_[body].rows[k]];
    if (!N) continue;
    ++told;
    A += F(body, k).transpose() * F(body, k);
    right -= F(body, k).transpose() * *N;
  }
  if (told < kLeastTold) return std::nullopt;
  const Eigen::LDLT<Matrix6> solver(A);
  const auto pivots = solver.vectorD();
  if (!(pivots.minCoeff() > kUndecided * pivots.maxCoeff())) return std::nullopt;
  const Columns Y = solver.solve(right);
  const Matrix3d square = Y.transpose() * Y;
  const double mass = square.trace() / 3;
  if (!((square - mass * Matrix3d::Identity()).cwiseAbs().maxCoeff() <= kUnlike * mass)) return std::nullopt;
  return Turn{Y / std::sqrt(mass), mass};
}

std::optional<Turning::Turn> Turning::turn_by_itself(std::uint32_t body) const {
  const std::size_t rows = bodies_[body].rows.size();
  if (bodies_[body].F.cols() != 6 || rows < kLeastAlone) return std::nullopt;
  Eigen::Matrix<double, kUnknown, kUnknown> A = Eigen::Matrix<double, kUnknown, kUnknown>::Zero();
  const double scale = std::sqrt(static_cast<double>(rows)) / bodies_[body].F.norm();
  const std::size_t step = (rows + kMostAsked - 1) / kMostAsked;
  for (std::size_t row = 0; row < rows; row += step) {
    const Eigen::Matrix<double, 3, 6> own = scale * F(body, row);
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        Equation equation;
        for (int k = 0, at = 0; k < 6; ++k) {
          for (int l = k; l < 6; ++l, ++at) {
            equation[at] = own(i, k) * own(j, l) + (k == l ? 0 : own(i, l) * own(j, k));
          }
        }
        equation[kUnknown - 1] = i == j ? -1 : 0;
        A += equation * equation.transpose();
      }
    }
  }
  const Eigen::SelfAdjointEigenSolver<decltype(A)> solver(A);
  if (!(solver.eigenvalues()[2] > kUndecidedAlone * solver.eigenvalues()[kUnknown - 1])) return std::nullopt;
  const Equation x = solver.eigenvectors().col(0), y = solver.eigenvectors().col(1);
  const double of_x = x[kUnknown - 1], of_y = y[kUnknown - 1];
  const Matrix6 Z = symmetric(of_y * x - of_x * y);
  Matrix6 P = symmetric(of_x * x + of_y * y);
  P -= P.cwiseProduct(Z).sum() / Z.squaredNorm() * Z;
  const double third = P.trace() / 3, c = (of_x * of_x + of_y * of_y) / third / (scale * scale);
  const Eigen::SelfAdjointEigenSolver<Matrix6> own(P / third);
  const auto& value = own.eigenvalues();
  const bool projects =
      value.head<3>().cwiseAbs().maxCoeff() <= kUnlike && (value.tail<3>().array() - 1).abs().maxCoeff() <= kUnlike;
  if (!projects || !(c > 0)) return std::nullopt;
  Turn turn{own.eigenvectors().rightCols<3>(), 1 / c};
  for (std::size_t k = 0; k < rows; ++k) {
    const auto& N = N_[bodies_[body].rows[k]];
    if (!N) continue;
    turn.V *= Matrix3d(-std::sqrt(turn.mass) * (F(body, k) * turn.V).transpose() * *N);
    break;
  }
  return turn;
}

void Turning::take(std::uint32_t body, const Turn& turn) {
  FactorGroup& group = bodies_[body];
  const double root = std::sqrt(turn.mass);
  const auto linear = [&](std::size_t k) { return Matrix3d(root * F(body, k) * turn.V); };
  for (std::size_t k = 0; k < group.rows.size(); ++k) {
    const Matrix3d own = linear(k);
    const auto& N = N_[group.rows[k]];
    if (!((own * own.transpose() - Matrix3d::Identity()).cwiseAbs().maxCoeff() <= kUnlike)) return;
    if (N && !((own + *N).cwiseAbs().maxCoeff() <= kUnlike)) return;
  }
  turned_[body] = 1;
  const Matrix6 Q = Eigen::HouseholderQR<Columns>(turn.V).householderQ();
  for (std::size_t k = 0; k < group.rows.size(); ++k) {
    const std::uint32_t row = group.rows[k];
    std::optional<Matrix3d>& N = N_[row];
    const Matrix3d frame = N ? Matrix3d(-*N) : linear(k);
    if (!N) N = frame;
    auto own = group.F.middleRows<3>(static_cast<Eigen::Index>(3 * k));
    const Matrix3d spin = own * Q.rightCols<3>();
    own << spin, frame;
    for (const std::uint32_t other : of_[row]) {
      if (turned_[other] == 0) due_.push_back(other);
    }
  }
  group.mass = turn.mass;
}

}  // namespace

void turn_to_rigid_columns(std::vector<FactorGroup>& bodies, std::size_t places) {
  Turning(bodies, places).run();
}

}  // namespace locdyn::detail
