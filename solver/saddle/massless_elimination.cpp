#include <locdyn/solver/saddle/massless_elimination.hpp>

#include <numeric>

#include <locdyn/solver/least_norm.hpp>

namespace locdyn::detail {
namespace {

using Triplet = Eigen::Triplet<double>;

// Of each parameter, the smallest parameter that it shares rows with, directly or by others.
std::vector<int> cluster_roots(const SparseMatrix& S) {
  std::vector<int> parent(S.cols()), owner(S.rows(), -1);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (int j = 0; j < S.cols(); ++j) {
    for (SparseMatrix::InnerIterator at(S, j); at; ++at) {
      if (owner[at.row()] < 0) owner[at.row()] = j;
      const int a = root(owner[at.row()]), b = root(j);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<int> roots(S.cols());
  for (int j = 0; j < S.cols(); ++j) roots[j] = root(j);
  return roots;
}

}  // namespace

void MasslessElimination::eliminate(const ScaledSaddle& saddle, double tolerance) {
  const SparseMatrix& S = saddle.S();
  rows_ = S.rows();
  parameters_ = S.cols();
  free_ = 0;
  clusters_.clear();
  std::vector<int> cluster_of_root(S.cols(), -1);
  const std::vector<int> roots = cluster_roots(S);
  for (int j = 0; j < S.cols(); ++j) {
    int& at = cluster_of_root[roots[j]];
    if (at < 0) {
      at = static_cast<int>(clusters_.size());
      clusters_.emplace_back();
    }
    clusters_[at].parameters.push_back(j);
  }

  std::vector<Triplet> Z;
  std::vector<int> local(S.rows(), -1);
  std::vector<char> touched(S.rows(), 0);
  int columns = 0;
  for (Cluster& cluster : clusters_) {
    for (const int j : cluster.parameters) {
      for (SparseMatrix::InnerIterator at(S, j); at; ++at) {
        if (!touched[at.row()]) cluster.rows.push_back(static_cast<int>(at.row()));
        touched[at.row()] = 1;
      }
    }
    std::sort(cluster.rows.begin(), cluster.rows.end());
    const auto height = static_cast<Eigen::Index>(cluster.rows.size());
    const auto width = static_cast<Eigen::Index>(cluster.parameters.size());
    for (int i = 0; i < height; ++i) local[cluster.rows[i]] = i;
    cluster.S = Eigen::MatrixXd::Zero(height, width);
    for (int k = 0; k < width; ++k) {
      for (SparseMatrix::InnerIterator at(S, cluster.parameters[k]); at; ++at) {
        cluster.S(local[at.row()], k) = at.value();
      }
    }
    if (height == 0) {
      cluster.inverse = Eigen::MatrixXd::Zero(width, 0);
      free_ += width;
      continue;
    }
    const LeastNorm decomposition(cluster.S, tolerance);
    cluster.inverse = decomposition.pseudo_inverse();
    free_ += width - decomposition.rank();
    const Eigen::MatrixXd Q = decomposition.orthogonal();
    for (Eigen::Index k = decomposition.rank(); k < height; ++k, ++columns) {
      for (Eigen::Index i = 0; i < height; ++i) Z.emplace_back(cluster.rows[i], columns, Q(i, k));
    }
  }
  for (int i = 0; i < S.rows(); ++i) {
    if (!touched[i]) Z.emplace_back(i, columns++, 1.0);
  }
  Z_.resize(S.rows(), columns);
  Z_.setFromTriplets(Z.begin(), Z.end());
}

Eigen::VectorXd MasslessElimination::parameters(const Eigen::VectorXd& x) const {
  Eigen::VectorXd s = Eigen::VectorXd::Zero(parameters_);
  for (const Cluster& cluster : clusters_) s(cluster.parameters) = cluster.inverse * x(cluster.rows);
  return s;
}

Eigen::VectorXd MasslessElimination::carrying(const Eigen::VectorXd& e) const {
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(rows_);
  for (const Cluster& cluster : clusters_) {
    lambda(cluster.rows) = -(cluster.inverse.transpose() * e(cluster.parameters));
  }
  return lambda;
}

Eigen::VectorXd MasslessElimination::carried(const Eigen::VectorXd& e) const {
  Eigen::VectorXd held = Eigen::VectorXd::Zero(parameters_);
  for (const Cluster& cluster : clusters_) {
    held(cluster.parameters) = cluster.S.transpose() * (cluster.inverse.transpose() * e(cluster.parameters));
  }
  return held;
}

}  // namespace locdyn::detail
