#include <locdyn/solver/newton/sparse_lu.hpp>

#include <amd.h>

#include <algorithm>
#include <cmath>

#include <locdyn/solver/newton/klu_factor.hpp>
#ifdef LOCDYN_WITH_GPL
#include <locdyn/solver/newton/umfpack_factor.hpp>
#endif

namespace locdyn::detail {
namespace {

// Operations at a sweep's speed: for an unknown (its share of the assembly, the ordering, the solve), and for a
// floating point operation of the factorisation.
double klu_cost(double unknowns, double flops) {
  return 2000 * unknowns + 4 * flops;
}
#ifdef LOCDYN_WITH_GPL
double umfpack_cost(double unknowns, double flops) {
  return 10'000 * unknowns + 1.6 * flops;
}
#endif

}  // namespace

struct SparseLu::Factors {
  KluFactor klu;
  std::vector<double> left, correction;  // of a refinement
#ifdef LOCDYN_WITH_GPL
  UmfpackFactor umfpack;
  bool by_umfpack = false;
#endif

  // What the analysis chose does the work.
  template <class Work>
  bool with_chosen(const Work& work) {
#ifdef LOCDYN_WITH_GPL
    if (by_umfpack) return work(umfpack);
#endif
    return work(klu);
  }
};

SparseLu::SparseLu() : factors_(std::make_unique<Factors>()) {}
SparseLu::~SparseLu() = default;

bool SparseLu::analyse(const SparseRows& A) {
  start_.clear();
  if (!factors_->klu.analyse(A)) return false;
#ifdef LOCDYN_WITH_GPL
  const double unknowns = A.size(), flops = factors_->klu.expected_flops();
  factors_->by_umfpack = umfpack_cost(unknowns, flops) < klu_cost(unknowns, flops);
  if (factors_->by_umfpack && !factors_->umfpack.analyse(A)) return false;
#endif
  start_ = A.start;
  column_ = A.column;
  return true;
}

bool SparseLu::factorise(const SparseRows& A) {
  if ((A.start != start_ || A.column != column_) && !analyse(A)) return false;
  return factors_->with_chosen([&](auto& factor) {
    if (!factor.factorise(A)) return false;
    flops_ += std::max(0.0, factor.flops());
    return true;
  });
}

bool SparseLu::solve(const SparseRows& A, std::span<const double> b, std::span<double> x) const {
  std::vector<double>&left = factors_->left, &correction = factors_->correction;
  return factors_->with_chosen([&](auto& factor) {
    if (!factor.solve(b, x)) return false;
    left.assign(b.begin(), b.end());
    for (int row = 0; row < A.size(); ++row) {
      for (int at = A.start[row]; at < A.start[row + 1]; ++at) left[row] -= A.value[at] * x[A.column[at]];
    }
    correction.resize(left.size());
    if (!factor.solve(left, correction)) return false;
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += correction[k];
    return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
  });
}

int SparseLu::determinant_sign() const {
  int sign = 1;
  factors_->with_chosen([&](const auto& factor) {
    sign = factor.determinant_sign();
    return true;
  });
  return sign;
}

double block_lu_cost(std::span<const int> start, std::span<const int> neighbours, double size, double unknowns) {
  const int n = static_cast<int>(start.size()) - 1;
  std::vector<int> order(std::max(n, 1));
  double info[AMD_INFO];
  if (n < 1 || amd_order(n, start.data(), neighbours.data(), order.data(), nullptr, info) < AMD_OK) return 0;
  // Multiplications of the blocks' factor; its diagonal blocks beside.
  return block_lu_cost(info[AMD_NMULTSUBS_LU] + info[AMD_NDIV] + n, size, unknowns);
}

double block_lu_cost(double block_products, double size, double unknowns) {
  const double flops = 2 * size * size * size * block_products;
#ifdef LOCDYN_WITH_GPL
  return std::min(klu_cost(unknowns, flops), umfpack_cost(unknowns, flops));
#else
  return klu_cost(unknowns, flops);
#endif
}

}  // namespace locdyn::detail
