#include <cmath>
#include <stdexcept>

#include <locdyn/solver/least_norm.hpp>
#include <locdyn/solver/saddle/saddle_system.hpp>

namespace locdyn::detail {
namespace {

constexpr double kRankTolerance = 1e-10;  // as the default of SaddleOptions

std::vector<char> marked(const SaddleProblem& problem, std::span<const Eigen::Index> chosen) {
  std::vector<char> mark(problem.G.rows(), 0);
  for (const Eigen::Index row : chosen) {
    if (row < 0 || row >= problem.G.rows() || mark[row] != 0) {
      throw std::invalid_argument("suppressed forces: expected different rows below " +
                                  std::to_string(problem.G.rows()) + ", found " + std::to_string(row));
    }
    mark[row] = 1;
  }
  return mark;
}

}  // namespace

Eigen::VectorXd suppressed_forces(const SaddleProblem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& gamma,
                                  const Eigen::VectorXd& a, std::span<const Eigen::Index> chosen) {
  const std::vector<char> mark = marked(problem, chosen);
  ScaledSaddle scaled;
  scaled.scale(problem);
  if (f.size() != problem.A.rows() || a.size() != f.size() || gamma.size() != problem.G.rows()) {
    throw std::invalid_argument("suppressed forces: expected f, a of size " + std::to_string(problem.A.rows()) +
                                " and gamma of size " + std::to_string(problem.G.rows()) + ", found " +
                                std::to_string(f.size()) + ", " + std::to_string(a.size()) + " and " +
                                std::to_string(gamma.size()));
  }

  // A a − f of all coordinates; of a compliant row's own, w, what its row leaves: √C w = γ − G a.
  const Eigen::VectorXd force = problem.A * a - f;
  Eigen::VectorXd pull(scaled.with_mass() + scaled.without_mass());
  pull << scaled.force_with_mass(force), scaled.force_without_mass(force);
  const Eigen::VectorXd open = scaled.row_scale().cwiseProduct(gamma - problem.G * a);
  Eigen::Index w = scaled.with_mass();
  for (Eigen::Index i = problem.compliance.size() - 1; i >= 0; --i) {
    if (problem.compliance[i] == 0) continue;
    --w;
    pull[w] = open[i] / scaled.G().coeff(i, w);
  }

  // Z', the motions under the rows that stay, and what the chosen ones do along them.
  const SparseMatrix transposed = scaled.all_columns().transpose();
  SparseMatrix kept(transposed.rows(), transposed.cols() - static_cast<Eigen::Index>(chosen.size()));
  for (Eigen::Index i = 0, column = 0; i < transposed.cols(); ++i) {
    if (mark[i] != 0) continue;
    kept.startVec(column);
    for (SparseMatrix::InnerIterator at(transposed, i); at; ++at) kept.insertBack(at.row(), column) = at.value();
    ++column;
  }
  kept.finalize();
  SparseQr qr;
  qr.factorise(kept, kRankTolerance);
  const auto along_motions = [&qr](const Eigen::MatrixXd& x) -> Eigen::MatrixXd {
    return qr.apply_transpose(x).bottomRows(x.rows() - qr.rank());
  };
  Eigen::MatrixXd suppressed(transposed.rows(), static_cast<Eigen::Index>(chosen.size()));
  for (Eigen::Index k = 0; k < suppressed.cols(); ++k) suppressed.col(k) = transposed.col(chosen[k]);
  Eigen::MatrixXd reduced = along_motions(suppressed);
  for (Eigen::Index k = 0; k < reduced.cols(); ++k) {
    if (reduced.col(k).norm() <= kRankTolerance) reduced.col(k).setZero();  // the others imply this row
  }
  if (reduced.size() == 0 || reduced.isZero(0)) return Eigen::VectorXd::Zero(suppressed.cols());
  const Eigen::VectorXd lambda = LeastNorm(reduced, kRankTolerance).solve(along_motions(pull).col(0));
  Eigen::VectorXd result(suppressed.cols());
  for (Eigen::Index k = 0; k < result.size(); ++k) result[k] = scaled.row_scale()[chosen[k]] * lambda[k];
  return result;
}

}  // namespace locdyn::detail
