#include <locdyn/solver/saddle/scaled_saddle.hpp>

#include <Eigen/Cholesky>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace locdyn::detail {
namespace {

using Triplet = Eigen::Triplet<double>;

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument("saddle point: " + what);
}

void check(const SaddleProblem& problem) {
  const SparseMatrix& A = problem.A;
  const SparseMatrix& G = problem.G;
  const auto size = [](const SparseMatrix& M) { return std::to_string(M.rows()) + "x" + std::to_string(M.cols()); };
  if (A.rows() != A.cols() || G.cols() != A.rows()) {
    refuse("A and G: expected n×n and m×n, found " + size(A) + " and " + size(G));
  }
  if (problem.compliance.size() != 0 && problem.compliance.size() != G.rows()) {
    refuse("compliance: expected " + std::to_string(G.rows()) + " numbers, found " +
           std::to_string(problem.compliance.size()));
  }
  if (!problem.rows.empty() && static_cast<Eigen::Index>(problem.rows.size()) != G.rows()) {
    refuse("rows: expected " + std::to_string(G.rows()) + " names, found " + std::to_string(problem.rows.size()));
  }
  for (Eigen::Index j = 0; j < G.cols(); ++j) {
    for (SparseMatrix::InnerIterator at(G, j); at; ++at) {
      if (!std::isfinite(at.value())) {
        refuse("G, " + spelled(problem.name(at.row())) + ": expected finite, found " + std::to_string(at.value()));
      }
    }
    for (SparseMatrix::InnerIterator at(A, j); at; ++at) {
      if (!std::isfinite(at.value())) {
        refuse("A, column " + std::to_string(j) + ": expected finite, found " + std::to_string(at.value()));
      }
    }
  }
  for (Eigen::Index i = 0; i < problem.compliance.size(); ++i) {
    if (problem.compliance[i] >= 0 && std::isfinite(problem.compliance[i])) continue;
    refuse("compliance of " + spelled(problem.name(i)) + ": expected a finite number >= 0, found " +
           std::to_string(problem.compliance[i]));
  }
}

// The connected blocks of A's pattern, each its coordinates ascending, in the order of their first.
std::vector<std::vector<int>> groups_of(const SparseMatrix& A) {
  std::vector<int> parent(A.cols());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    for (SparseMatrix::InnerIterator at(A, j); at; ++at) {
      const int a = root(static_cast<int>(at.row())), b = root(static_cast<int>(j));
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::vector<int>> groups;
  std::vector<int> place(A.cols(), -1);
  for (int i = 0; i < A.cols(); ++i) {
    const int r = root(i);
    if (place[r] < 0) {
      place[r] = static_cast<int>(groups.size());
      groups.emplace_back();
    }
    groups[place[r]].push_back(i);
  }
  return groups;
}

}  // namespace

void ScaledSaddle::scale(const SaddleProblem& problem) {
  check(problem);
  factor_groups(problem);
  scale_rows(problem);
}

void ScaledSaddle::factor_groups(const SaddleProblem& problem) {
  const Eigen::Index n = problem.A.rows();
  std::vector<Triplet> inverse;
  massless_.clear();
  group_.clear();
  int columns = 0, group_number = 0;
  std::vector<int> local(n, 0);
  for (const std::vector<int>& group : groups_of(problem.A)) {
    const auto size = static_cast<int>(group.size());
    for (int i = 0; i < size; ++i) local[group[i]] = i;
    Eigen::MatrixXd block = Eigen::MatrixXd::Zero(size, size);
    for (int j = 0; j < size; ++j) {
      for (SparseMatrix::InnerIterator at(problem.A, group[j]); at; ++at) block(local[at.row()], j) += at.value();
    }
    if (block.isZero(0)) {
      massless_.insert(massless_.end(), group.begin(), group.end());
      continue;
    }
    const std::string where = "A, group of coordinate " + std::to_string(group.front());
    if ((block - block.transpose()).cwiseAbs().maxCoeff() > 1e-12 * block.cwiseAbs().maxCoeff()) {
      refuse(where + ": expected a symmetric block, found one that is not");
    }
    const Eigen::LLT<Eigen::MatrixXd> factor(block);
    if (factor.info() != Eigen::Success) refuse(where + ": expected a block positive definite or zero, found neither");
    const Eigen::MatrixXd upper = factor.matrixL().solve(Eigen::MatrixXd::Identity(size, size)).transpose();
    for (int j = 0; j < size; ++j) {
      for (int i = 0; i <= j; ++i) inverse.emplace_back(group[i], columns + j, upper(i, j));
    }
    columns += size;
    group_.insert(group_.end(), group.size(), group_number++);
  }
  std::sort(massless_.begin(), massless_.end());
  inverse_.resize(n, columns);
  inverse_.setFromTriplets(inverse.begin(), inverse.end());
}

void ScaledSaddle::scale_rows(const SaddleProblem& problem) {
  const Eigen::Index m = problem.G.rows();
  const SparseMatrix held = problem.G * inverse_;
  const auto norms_of = [m](const SparseMatrix& M) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(m);
    for (Eigen::Index j = 0; j < M.cols(); ++j) {
      for (SparseMatrix::InnerIterator at(M, j); at; ++at) sum[at.row()] += at.value() * at.value();
    }
    return sum;
  };
  Eigen::VectorXd response = norms_of(held);
  if (problem.compliance.size() != 0) response += problem.compliance;
  row_scale_.resize(m);
  for (Eigen::Index i = 0; i < m; ++i) row_scale_[i] = response[i] > 0 ? 1 / std::sqrt(response[i]) : 0;

  // Columns without mass by the rows that have some; rows without any by the columns so scaled.
  const auto q = static_cast<Eigen::Index>(massless_.size());
  massless_scale_.resize(q);
  std::vector<Triplet> triplets;
  Eigen::VectorXd rest = Eigen::VectorXd::Zero(m);
  for (Eigen::Index k = 0; k < q; ++k) {
    double with_mass = 0, all = 0;
    for (SparseMatrix::InnerIterator at(problem.G, massless_[k]); at; ++at) {
      with_mass += std::pow(row_scale_[at.row()] * at.value(), 2);
      all += at.value() * at.value();
    }
    massless_scale_[k] = with_mass > 0 ? 1 / std::sqrt(with_mass) : all > 0 ? 1 / std::sqrt(all) : 1;
    for (SparseMatrix::InnerIterator at(problem.G, massless_[k]); at; ++at) {
      rest[at.row()] += std::pow(massless_scale_[k] * at.value(), 2);
    }
  }
  for (Eigen::Index i = 0; i < m; ++i) {
    if (row_scale_[i] == 0) row_scale_[i] = rest[i] > 0 ? 1 / std::sqrt(rest[i]) : 1;
  }
  for (Eigen::Index k = 0; k < q; ++k) {
    for (SparseMatrix::InnerIterator at(problem.G, massless_[k]); at; ++at) {
      triplets.emplace_back(static_cast<int>(at.row()), static_cast<int>(k),
                            row_scale_[at.row()] * at.value() * massless_scale_[k]);
    }
  }
  S_.resize(m, q);
  S_.setFromTriplets(triplets.begin(), triplets.end());

  // Rows with mass, and √C of the compliant ones behind.
  triplets.clear();
  for (Eigen::Index j = 0; j < held.cols(); ++j) {
    for (SparseMatrix::InnerIterator at(held, j); at; ++at) {
      triplets.emplace_back(static_cast<int>(at.row()), static_cast<int>(j), row_scale_[at.row()] * at.value());
    }
  }
  auto columns = static_cast<int>(held.cols());
  for (Eigen::Index i = 0; i < problem.compliance.size(); ++i) {
    if (problem.compliance[i] == 0) continue;
    triplets.emplace_back(static_cast<int>(i), columns++, row_scale_[i] * std::sqrt(problem.compliance[i]));
  }
  group_.resize(columns, -1);
  G_.resize(m, columns);
  G_.setFromTriplets(triplets.begin(), triplets.end());
}

SparseMatrix ScaledSaddle::all_columns() const {
  SparseMatrix all(rows(), with_mass() + without_mass());
  all.reserve(G_.nonZeros() + S_.nonZeros());
  for (Eigen::Index j = 0; j < all.cols(); ++j) {
    const bool mass = j < with_mass();
    all.startVec(j);
    for (SparseMatrix::InnerIterator at(mass ? G_ : S_, mass ? j : j - with_mass()); at; ++at) {
      all.insertBack(at.row(), j) = at.value();
    }
  }
  all.finalize();
  return all;
}

Eigen::VectorXd ScaledSaddle::force_with_mass(const Eigen::VectorXd& f) const {
  Eigen::VectorXd scaled = Eigen::VectorXd::Zero(with_mass());
  scaled.head(inverse_.cols()) = inverse_.transpose() * f;
  return scaled;
}

Eigen::VectorXd ScaledSaddle::force_without_mass(const Eigen::VectorXd& f) const {
  return massless_scale_.cwiseProduct(f(massless_));
}

void ScaledSaddle::replace_force_without_mass(const Eigen::VectorXd& e, Eigen::VectorXd& f) const {
  f(massless_) = e.cwiseQuotient(massless_scale_);
}

Eigen::VectorXd ScaledSaddle::coordinates(const Eigen::VectorXd& z, const Eigen::VectorXd& s) const {
  Eigen::VectorXd a = inverse_ * z.head(inverse_.cols());
  a(massless_) = massless_scale_.cwiseProduct(s);
  return a;
}

}  // namespace locdyn::detail
