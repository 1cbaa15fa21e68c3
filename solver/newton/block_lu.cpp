#include <locdyn/solver/newton/block_lu.hpp>

#include <amd.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace locdyn {
namespace {

// Backward errors, unknown by unknown: refinement ends at rounding, or where a step does not halve what is left; more
// than kLeftByRefinement then says that pivots between blocks were missing.
constexpr int kMostRefinements = 4;
constexpr double kRounding = 1e-14, kWorthwhile = 0.5, kLeftByRefinement = 1e-10;

// --- dst (rows × length) −= Aᵀ S, A (inner × rows) and S (inner × length) row by row ---------------------------------

using Four = double __attribute__((vector_size(32), aligned(8), may_alias));
using Two = double __attribute__((vector_size(16), aligned(8), may_alias));

struct Factors {
  const double* A;
  const double* S;
  int stride;  // of A and S
  int inner;
};

// `Lanes` columns of two rows of the result at once.
template <class Lanes, int kRows, int kInner>
[[gnu::always_inline]] inline void subtract_columns(const Factors& f, int row, int column, double* dst,
                                                    int dst_stride) {
  const int inner = kInner > 0 ? kInner : f.inner;
  Lanes sum[kRows];
  for (int r = 0; r < kRows; ++r) sum[r] = *reinterpret_cast<const Lanes*>(dst + (row + r) * dst_stride + column);
  for (int s = 0; s < inner; ++s) {
    const Lanes x = *reinterpret_cast<const Lanes*>(f.S + s * f.stride + column);
    for (int r = 0; r < kRows; ++r) sum[r] -= f.A[s * f.stride + row + r] * x;
  }
  for (int r = 0; r < kRows; ++r) *reinterpret_cast<Lanes*>(dst + (row + r) * dst_stride + column) = sum[r];
}

template <int kRows, int kInner>
[[gnu::always_inline]] inline void subtract_rows(const Factors& f, int row, int length, double* dst, int dst_stride) {
  int column = 0;
  for (; column + 4 <= length; column += 4) subtract_columns<Four, kRows, kInner>(f, row, column, dst, dst_stride);
  if (column + 2 <= length) {
    subtract_columns<Two, kRows, kInner>(f, row, column, dst, dst_stride);
    column += 2;
  }
  for (; column < length; ++column) subtract_columns<double, kRows, kInner>(f, row, column, dst, dst_stride);
}

template <int kInner>
[[gnu::always_inline]] inline void subtract_inner(const Factors& f, int rows, int length, double* dst, int dst_stride) {
  int row = 0;
  for (; row + 3 <= rows; row += 3) subtract_rows<3, kInner>(f, row, length, dst, dst_stride);
  for (; row < rows; ++row) subtract_rows<1, kInner>(f, row, length, dst, dst_stride);
}

[[gnu::always_inline]] inline void subtract_anywhere(const Factors& f, int rows, int length, double* dst,
                                                     int dst_stride) {
  if (f.inner == 6) return subtract_inner<6>(f, rows, length, dst, dst_stride);
  if (f.inner == 3) return subtract_inner<3>(f, rows, length, dst, dst_stride);
  subtract_inner<0>(f, rows, length, dst, dst_stride);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void subtract_avx2(const Factors& f, int rows, int length, double* dst, int dst_stride) {
  subtract_anywhere(f, rows, length, dst, dst_stride);
}
#endif

void subtract(const Factors& f, int rows, int length, double* dst, int dst_stride) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (has_avx2) return subtract_avx2(f, rows, length, dst, dst_stride);
#endif
  subtract_anywhere(f, rows, length, dst, dst_stride);
}

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <int n>
bool invert_sized(double* values, int size) {
  using Square = Eigen::Matrix<double, n, n, n == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
  Eigen::Map<Square> D(values, size, size);
  const Square inverse = D.partialPivLu().inverse();
  D = inverse;
  return std::isfinite(D.sum());
}

// D ← D⁻¹ (n×n), row by row.
bool invert(double* values, int n) {
  if (n == 6) return invert_sized<6>(values, n);
  if (n == 3) return invert_sized<3>(values, n);
  return invert_sized<Eigen::Dynamic>(values, n);
}

// By group, the later neighbours of each pivot, fill included; ascending by pivot.
std::vector<std::vector<int>> eliminate_pattern(std::span<const int> order, std::span<const int> place,
                                                std::span<const int> start, std::span<const int> neighbours) {
  const auto n = static_cast<int>(order.size());
  std::vector<std::vector<int>> later(n), children(n);
  for (int k = 0; k < n; ++k) {
    std::vector<int>& mine = later[k];
    for (int at = start[order[k]]; at < start[order[k] + 1]; ++at) {
      if (place[neighbours[at]] > k) mine.push_back(place[neighbours[at]]);
    }
    for (const int child : children[k]) {
      for (const int other : later[child]) {
        if (other > k) mine.push_back(other);
      }
    }
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    if (!mine.empty()) children[mine.front()].push_back(k);
  }
  return later;
}

std::vector<int> minimum_degree(std::span<const int> start, std::span<const int> neighbours) {
  const auto n = static_cast<int>(start.size()) - 1;
  std::vector<int> order(std::max(n, 0));
  if (n > 0 && amd_order(n, start.data(), neighbours.data(), order.data(), nullptr, nullptr) < AMD_OK) {
    throw std::invalid_argument("block LU: expected a pattern of ascending group numbers, found another");
  }
  return order;
}

}  // namespace

BlockLu::BlockLu(std::span<const int> size, std::span<const int> start, std::span<const int> neighbours)
    : place_(size.size()) {
  const std::vector<int> order = minimum_degree(start, neighbours);
  for (std::size_t k = 0; k < order.size(); ++k) place_[order[k]] = static_cast<int>(k);
  const auto later = eliminate_pattern(order, place_, start, neighbours);

  std::vector<int> first(size.size() + 1, 0);
  for (std::size_t g = 0; g < size.size(); ++g) first[g + 1] = first[g] + size[g];
  std::size_t values = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    Pivot pivot{.size = size[order[k]],
                .first = first[order[k]],
                .width = 0,
                .diagonal = values,
                .upper = 0,
                .lower = 0,
                .later = static_cast<std::uint32_t>(entries_.size()),
                .no_more = 0};
    for (const int i : later[k]) {
      entries_.push_back({.pivot = i, .column = pivot.width, .runs = 0, .no_more_runs = 0});
      pivot.width += size[order[i]];
    }
    pivot.no_more = static_cast<std::uint32_t>(entries_.size());
    const auto n = static_cast<std::size_t>(pivot.size), panel = n * static_cast<std::size_t>(pivot.width);
    pivot.upper = values + n * n;
    pivot.lower = pivot.upper + panel;
    values = pivot.lower + panel;
    pivots_.push_back(pivot);
  }
  find_runs();
  values_.assign(values, 0.0);
  left_.resize(first.back());
  size_.resize(first.back());
}

// Columns that follow one another in both panels go together.
void BlockLu::find_runs() {
  for (const Pivot& k : pivots_) {
    flops_ += 2.0 * k.size * k.size * (k.size + k.width);
    for (std::uint32_t e = k.later; e < k.no_more; ++e) {
      const Pivot& i = pivots_[entries_[e].pivot];
      flops_ += 2.0 * k.size * i.size * (i.size + 2.0 * (k.width - entries_[e].column - i.size));
      entries_[e].runs = static_cast<std::uint32_t>(runs_.size());
      std::uint32_t target = i.later;
      for (std::uint32_t f = e + 1; f < k.no_more; ++f) {
        while (entries_[target].pivot != entries_[f].pivot) ++target;
        const int length = pivots_[entries_[f].pivot].size;
        const bool begun = runs_.size() > entries_[e].runs;
        if (begun && runs_.back().from + runs_.back().length == entries_[f].column &&
            runs_.back().to + runs_.back().length == entries_[target].column) {
          runs_.back().length += length;
        } else {
          runs_.push_back({entries_[f].column, entries_[target].column, length});
        }
      }
      entries_[e].no_more_runs = static_cast<std::uint32_t>(runs_.size());
    }
  }
}

void BlockLu::clear() {
  std::fill(values_.begin(), values_.end(), 0.0);
}

BlockLu::Block BlockLu::block(int row_group, int column_group) {
  const int i = place_[row_group], j = place_[column_group];
  const Pivot& pivot = pivots_[std::min(i, j)];
  if (i == j) return {values_.data() + pivot.diagonal, pivot.size, false};
  const auto begin = entries_.begin() + pivot.later, end = entries_.begin() + pivot.no_more;
  const auto entry = std::lower_bound(begin, end, std::max(i, j), [](const Entry& e, int p) { return e.pivot < p; });
  if (entry == end || entry->pivot != std::max(i, j)) {
    throw std::invalid_argument("block LU: expected two groups that the pattern couples, found " +
                                std::to_string(row_group) + " and " + std::to_string(column_group));
  }
  return {values_.data() + (i < j ? pivot.upper : pivot.lower) + entry->column, pivot.width, j < i};
}

bool BlockLu::factorise() {
  factor_ = values_;
  return std::all_of(pivots_.begin(), pivots_.end(), [this](const Pivot& k) { return eliminate(k); });
}

bool BlockLu::eliminate(const Pivot& k) {
  double* D = factor_.data() + k.diagonal;
  double* U = factor_.data() + k.upper;
  double* T = factor_.data() + k.lower;
  if (!invert(D, k.size)) return false;
  if (k.width == 0) return true;

  // T ← D⁻ᵀ T.
  Eigen::Map<RowMajor> lower(T, k.size, k.width);
  if (k.size == 6) {
    using Six = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
    const Six turned = Eigen::Map<const Six>(D).transpose();
    Eigen::Map<Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>> panel(T, 6, k.width);
    for (int c = 0; c < k.width; ++c) panel.col(c) = (turned * panel.col(c)).eval();
  } else {
    lower = (Eigen::Map<const RowMajor>(D, k.size, k.size).transpose() * lower).eval();
  }

  for (std::uint32_t e = k.later; e < k.no_more; ++e) {
    const Entry& entry = entries_[e];
    const Pivot& i = pivots_[entry.pivot];
    const Factors by_lower{T + entry.column, U, k.width, k.size}, by_upper{U + entry.column, T, k.width, k.size};
    const auto from = [](Factors f, int column) {
      f.S += column;
      return f;
    };
    subtract(from(by_lower, entry.column), i.size, i.size, factor_.data() + i.diagonal, i.size);
    for (std::uint32_t r = entry.runs; r < entry.no_more_runs; ++r) {
      const Run& run = runs_[r];
      subtract(from(by_lower, run.from), i.size, run.length, factor_.data() + i.upper + run.to, i.width);
      subtract(from(by_upper, run.from), i.size, run.length, factor_.data() + i.lower + run.to, i.width);
    }
  }
  return true;
}

// x ← A⁻¹ x by the factor.
void BlockLu::substitute(std::span<double> x) {
  for (const Pivot& k : pivots_) {
    for (std::uint32_t e = k.later; e < k.no_more; ++e) {
      const Pivot& i = pivots_[entries_[e].pivot];
      for (int s = 0; s < k.size; ++s) {
        const double* row = factor_.data() + k.lower + static_cast<std::size_t>(s) * k.width + entries_[e].column;
        for (int c = 0; c < i.size; ++c) x[i.first + c] -= row[c] * x[k.first + s];
      }
    }
  }
  for (auto k = pivots_.rbegin(); k != pivots_.rend(); ++k) {
    for (std::uint32_t e = k->later; e < k->no_more; ++e) {
      const Pivot& i = pivots_[entries_[e].pivot];
      for (int s = 0; s < k->size; ++s) {
        const double* row = factor_.data() + k->upper + static_cast<std::size_t>(s) * k->width + entries_[e].column;
        double sum = 0;
        for (int c = 0; c < i.size; ++c) sum += row[c] * x[i.first + c];
        x[k->first + s] -= sum;
      }
    }
    Eigen::Map<Eigen::VectorXd> own(x.data() + k->first, k->size);
    own = (Eigen::Map<const RowMajor>(factor_.data() + k->diagonal, k->size, k->size) * own).eval();
  }
}

// r = b − A x; returns the largest |r| over |b| + |A||x|, unknown by unknown.
double BlockLu::backward_error(std::span<const double> b, std::span<const double> x, std::span<double> r) {
  std::copy(b.begin(), b.end(), r.begin());
  for (std::size_t k = 0; k < size_.size(); ++k) size_[k] = std::abs(b[k]);
  const auto add = [&](int row, double a, int column) {
    const double term = a * x[column];
    r[row] -= term;
    size_[row] += std::abs(term);
  };
  for (const Pivot& k : pivots_) {
    for (int s = 0; s < k.size; ++s) {
      const double* D = values_.data() + k.diagonal + static_cast<std::size_t>(s) * k.size;
      for (int c = 0; c < k.size; ++c) add(k.first + s, D[c], k.first + c);
      const double* U = values_.data() + k.upper + static_cast<std::size_t>(s) * k.width;
      const double* T = values_.data() + k.lower + static_cast<std::size_t>(s) * k.width;
      for (std::uint32_t e = k.later; e < k.no_more; ++e) {
        const Pivot& i = pivots_[entries_[e].pivot];
        for (int c = 0; c < i.size; ++c) {
          add(k.first + s, U[entries_[e].column + c], i.first + c);
          add(i.first + c, T[entries_[e].column + c], k.first + s);
        }
      }
    }
  }
  double error = 0;
  for (std::size_t k = 0; k < size_.size(); ++k) {
    const double own = size_[k] > 0 ? std::abs(r[k]) / size_[k] : 0;
    if (!(own <= error)) error = own;
  }
  return error;
}

bool BlockLu::solve(std::span<const double> b, std::span<double> x) {
  std::copy(b.begin(), b.end(), x.begin());
  substitute(x);
  double error = backward_error(b, x, left_);
  for (int refinement = 0; refinement < kMostRefinements && error > kRounding; ++refinement) {
    substitute(left_);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += left_[k];
    const double before = std::exchange(error, backward_error(b, x, left_));
    if (!(error < kWorthwhile * before)) break;
  }
  return error <= kLeftByRefinement;
}

}  // namespace locdyn
