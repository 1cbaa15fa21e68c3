// The saddle point as one quasi-definite matrix in z, s and μ = −λ̂: [I 0 Ĝᵀ; 0 δI Ŝᵀ; Ĝ Ŝ −δI]. Coordinates without
// mass get δ in its place and stay: nothing is eliminated before.
//
// Every order of elimination has a factor, but one that meets −δ before any mass divides by it, and loses the digits
// that δ has below 1. So a row waits until one of its bodies is gone, and a coordinate without mass until its rows are:
// no pivot of an independent row is then small.

#include <numeric>
#include <stdexcept>
#include <tuple>

#include <locdyn/solver/saddle/saddle_factorisation.hpp>

namespace locdyn::detail {
namespace {

// Minimum degree, and who waits for whom. By the pattern alone.
std::vector<int> waiting_order(const SparseMatrix& K, const ScaledSaddle& scaled) {
  const Eigen::Index p = scaled.with_mass(), pq = p + scaled.without_mass(), n = K.cols();
  const std::vector<int> degree_order = minimum_degree(K);
  std::vector<int> key(n), rank(n, 0);
  for (int i = 0; i < n; ++i) key[degree_order[i]] = i;
  const std::vector<int> place = key;

  // Of each group of coordinates with mass: when it is gone. Of each row: when the first of its groups is.
  std::vector<int> gone(p, 0);
  for (Eigen::Index j = 0; j < p; ++j) {
    if (scaled.group()[j] >= 0) gone[scaled.group()[j]] = std::max(gone[scaled.group()[j]], place[j]);
  }
  std::vector<int> first(n, -1);
  for (Eigen::Index j = 0; j < p; ++j) {
    if (scaled.group()[j] < 0) continue;
    for (SparseMatrix::InnerIterator at(K, j); at; ++at) {
      if (at.row() == j) continue;
      int& when = first[at.row()];
      const int then = gone[scaled.group()[j]];
      when = when < 0 ? then : std::min(when, then);
    }
  }
  for (Eigen::Index i = pq; i < n; ++i) {
    key[i] = std::max(key[i], first[i]);
    rank[i] = 1;
  }
  for (Eigen::Index j = p; j < pq; ++j) {
    for (SparseMatrix::InnerIterator at(K, j); at; ++at) key[j] = std::max(key[j], key[at.row()]);
    rank[j] = 2;
  }

  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return std::tie(key[a], rank[a], place[a]) < std::tie(key[b], rank[b], place[b]); });
  return order;
}

class QuasiDefiniteForm final : public SaddleFactorisation {
 public:
  void factorise(const SaddleParts& parts) override {
    // A pivot that cancels in rounding: a larger δ keeps it, and costs refinements.
    constexpr int kAttempts = 4;
    double delta = parts.regularisation;
    for (int i = 0; i < kAttempts; ++i, delta *= 30) {
      if (try_factorise(parts.scaled, delta)) return;
    }
    throw std::runtime_error("saddle point: expected a quasi-definite factor, found a pivot that is zero");
  }

  [[nodiscard]] ScaledSolution solve(const SaddleParts& parts, const Eigen::VectorXd& f, const Eigen::VectorXd& e,
                                     const Eigen::VectorXd& gamma) const override {
    Eigen::VectorXd load(K_.rows());
    load << f, e, gamma;
    const Eigen::VectorXd x = factor_.solve(load);
    const Eigen::Index p = parts.scaled.with_mass(), q = parts.scaled.without_mass();
    return {x.head(p), x.segment(p, q), -x.tail(x.size() - p - q)};
  }

  [[nodiscard]] long analyses() const noexcept override { return factor_.analyses(); }

 private:
  [[nodiscard]] bool try_factorise(const ScaledSaddle& scaled, double delta) {
    const SparseMatrix& G = scaled.G();
    const SparseMatrix& S = scaled.S();
    const Eigen::Index p = G.cols(), q = S.cols(), m = G.rows();
    K_.resize(p + q + m, p + q + m);
    K_.reserve(p + q + m + G.nonZeros() + S.nonZeros());
    for (Eigen::Index j = 0; j < p + q; ++j) {
      const bool mass = j < p;
      K_.startVec(j);
      K_.insertBack(j, j) = mass ? 1.0 : delta;
      for (SparseMatrix::InnerIterator at(mass ? G : S, mass ? j : j - p); at; ++at) {
        K_.insertBack(p + q + at.row(), j) = at.value();
      }
    }
    for (Eigen::Index j = p + q; j < K_.cols(); ++j) {
      K_.startVec(j);
      K_.insertBack(j, j) = -delta;
    }
    K_.finalize();
    return factor_.factorise(K_, [&scaled](const SparseMatrix& K) { return waiting_order(K, scaled); });
  }

  SparseMatrix K_;  // its lower triangle
  SymmetricFactor factor_;
};

}  // namespace

std::unique_ptr<SaddleFactorisation> make_quasi_definite_form() {
  return std::make_unique<QuasiDefiniteForm>();
}

}  // namespace locdyn::detail
