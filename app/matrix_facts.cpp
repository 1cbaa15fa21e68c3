#include "matrix_facts.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace locdyn::app {
namespace {

// Numbers the rows in use in sweep order: number[3 place + row], −1 where unused.
std::vector<Eigen::Index> numbered_rows(const LocalDynamics& ldy, Eigen::Index& count) {
  std::vector<Eigen::Index> number(3 * ldy.diagonal_arena().size(), -1);
  const DiagonalBlock* arena = ldy.diagonal_arena().data();
  count = 0;
  for (const DiagonalBlock& block : ldy.rows()) {
    const auto k = static_cast<int>(&block - &ldy.row(block.constraint));
    const RowMask mask = rows(ldy.law(block.constraint), k);
    for (int row = 0; row < 3; ++row) {
      if (uses(mask, row)) number[3 * static_cast<std::size_t>(&block - arena) + std::size_t(row)] = count++;
    }
  }
  return number;
}

// The condition number of the symmetric part over the rows in use.
double condition(const Eigen::Matrix3d& W, RowMask mask) {
  int used[3], count = 0;
  for (int row = 0; row < 3; ++row) {
    if (uses(mask, row)) used[count++] = row;
  }
  Eigen::MatrixXd part(count, count);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) part(i, j) = 0.5 * (W(used[i], used[j]) + W(used[j], used[i]));
  }
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(part, Eigen::EigenvaluesOnly).eigenvalues();
  return values[0] > 0 ? values[count - 1] / values[0] : std::numeric_limits<double>::infinity();
}

double asymmetry_of(LocalDynamics& ldy, const DiagonalBlock& row) {
  double difference = (row.W - row.W.transpose()).cwiseAbs().maxCoeff();
  const auto arena = ldy.diagonal_arena();
  const auto place = static_cast<Index>(&row - arena.data());
  for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
    for (const OffDiagonalBlock& back : ldy.adjacent(arena[block.other])) {
      if (back.other != place) continue;
      difference = std::max(difference, (block.W - back.W.transpose()).cwiseAbs().maxCoeff());
    }
  }
  return difference;
}

}  // namespace

MatrixFacts matrix_facts(LocalDynamics& ldy) {
  MatrixFacts facts;
  std::vector<double> conditions;
  double difference = 0, b2 = 0;
  facts.least_trace = std::numeric_limits<double>::infinity();
  for (const DiagonalBlock& row : ldy.rows()) {
    const Law& law = ldy.law(row.constraint);
    const auto k = static_cast<int>(&row - &ldy.row(row.constraint));
    facts.rows += static_cast<std::size_t>(rows_in_use(rows(law, k)));
    facts.largest = std::max(facts.largest, row.W.cwiseAbs().maxCoeff());
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
      facts.largest = std::max(facts.largest, block.W.cwiseAbs().maxCoeff());
    }
    difference = std::max(difference, asymmetry_of(ldy, row));
    facts.least_trace = std::min(facts.least_trace, row.W.trace());
    facts.largest_trace = std::max(facts.largest_trace, row.W.trace());
    conditions.push_back(condition(row.W, rows(law, k)));
    b2 += (row.B + offset(law, k)).squaredNorm();
  }
  facts.asymmetry = facts.largest > 0 ? difference / facts.largest : 0;
  facts.free_velocity = std::sqrt(b2);
  if (conditions.empty()) {
    facts.least_trace = 0;
  } else {
    std::sort(conditions.begin(), conditions.end());
    facts.median_condition = conditions[conditions.size() / 2];
    facts.worst_condition = conditions.back();
  }
  if (facts.rows <= kMostRankRows) facts.rank = estimated_rank(ldy);
  return facts;
}

std::size_t estimated_rank(const LocalDynamics& ldy) {
  Eigen::Index n = 0;
  const std::vector<Eigen::Index> number = numbered_rows(ldy, n);

  // The symmetric part, dense.
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  const DiagonalBlock* arena = ldy.diagonal_arena().data();
  const auto add = [&](std::size_t from, std::size_t to, const Eigen::Matrix3d& W) {
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        const Eigen::Index i = number[3 * from + row], j = number[3 * to + column];
        if (i < 0 || j < 0) continue;
        A(i, j) += 0.5 * W(Eigen::Index(row), Eigen::Index(column));
        A(j, i) += 0.5 * W(Eigen::Index(row), Eigen::Index(column));
      }
    }
  };
  for (const DiagonalBlock& row : ldy.rows()) {
    const auto place = static_cast<std::size_t>(&row - arena);
    add(place, place, row.W);
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) add(place, block.other, block.W);
  }

  // Column by column: the pivot with the largest diagonal left, its column less what is factored already.
  Eigen::VectorXd left = A.diagonal();
  const double stop = n > 0 ? kRankTolerance * left.cwiseAbs().maxCoeff() : 0;
  Eigen::MatrixXd L(n, n);
  for (Eigen::Index rank = 0; rank < n; ++rank) {
    Eigen::Index pivot = 0;
    const double largest = left.maxCoeff(&pivot);
    if (!(largest > stop)) return static_cast<std::size_t>(rank);
    L.col(rank) = A.col(pivot);
    L.col(rank).noalias() -= L.leftCols(rank) * L.row(pivot).head(rank).transpose();
    L.col(rank) /= std::sqrt(largest);
    left -= L.col(rank).cwiseAbs2();
    left[pivot] = 0;
  }
  return static_cast<std::size_t>(n);
}

}  // namespace locdyn::app
