#include <locdyn/solver/newton/block_lu.hpp>

#include <amd.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>
#include <string>

#include <locdyn/solver/newton/dense_panels.hpp>

namespace locdyn::detail {
namespace {

// A refinement changes x by about what rounding and missing pivots between blocks had left: after one of at most
// kSmallCorrection no more than its square is. One that is not small beside the one before says that pivots were
// missing.
constexpr int kMostRefinements = 5;
constexpr double kSmallCorrection = 1e-7, kContraction = 0.1;

double norm(std::span<const double> x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())).norm();
}

// The later neighbours of each pivot, fill included; ascending.
struct Fill {
  std::vector<int> start = {0}, later = {};  // by pivot, one more at the end
};

Fill eliminate_pattern(std::span<const int> order, std::span<const int> place, std::span<const int> start,
                       std::span<const int> neighbours) {
  const auto n = static_cast<int>(order.size());
  Fill fill;
  fill.start.reserve(order.size() + 1);
  fill.later.reserve(neighbours.size());
  // Children have the pivot as their first later one: a list for each.
  std::vector<int> first_child(n, -1), next_child(n, -1), taken_by(n, -1);
  for (int k = 0; k < n; ++k) {
    const auto take = [&](int other) {
      if (other <= k || taken_by[other] == k) return;
      taken_by[other] = k;
      fill.later.push_back(other);
    };
    for (int at = start[order[k]]; at < start[order[k] + 1]; ++at) take(place[neighbours[at]]);
    for (int child = first_child[k]; child >= 0; child = next_child[child]) {
      for (int at = fill.start[child]; at < fill.start[child + 1]; ++at) take(fill.later[at]);
    }
    const auto mine = fill.later.begin() + fill.start.back();
    std::sort(mine, fill.later.end());
    if (mine != fill.later.end()) {
      next_child[k] = first_child[*mine];
      first_child[*mine] = k;
    }
    fill.start.push_back(static_cast<int>(fill.later.size()));
  }
  return fill;
}

std::vector<int> minimum_degree(std::span<const int> start, std::span<const int> neighbours) {
  const auto n = static_cast<int>(start.size()) - 1;
  std::vector<int> order(std::max(n, 0));
  if (n <= 0) return order;
  const int status = amd_order(n, start.data(), neighbours.data(), order.data(), nullptr, nullptr);
  if (status == AMD_OUT_OF_MEMORY) throw std::bad_alloc();
  if (status < AMD_OK) {
    throw std::invalid_argument("block LU: expected a pattern of ascending group numbers, found another");
  }
  return order;
}

}  // namespace

BlockLu::BlockLu(std::span<const int> size, std::span<const int> start, std::span<const int> neighbours)
    : place_(size.size()) {
  const std::vector<int> order = minimum_degree(start, neighbours);
  for (std::size_t k = 0; k < order.size(); ++k) place_[order[k]] = static_cast<int>(k);
  const Fill fill = eliminate_pattern(order, place_, start, neighbours);

  std::vector<int> first(size.size() + 1, 0);
  for (std::size_t g = 0; g < size.size(); ++g) first[g + 1] = first[g] + size[g];
  std::size_t values = 0;
  entries_.reserve(fill.later.size());
  pivots_.reserve(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    Pivot pivot{.size = size[order[k]],
                .first = first[order[k]],
                .width = 0,
                .diagonal = values,
                .upper = 0,
                .lower = 0,
                .later = static_cast<std::uint32_t>(entries_.size()),
                .no_more = 0};
    for (int at = fill.start[k]; at < fill.start[k + 1]; ++at) {
      entries_.push_back({.pivot = fill.later[at], .column = pivot.width, .runs = 0, .no_more_runs = 0});
      pivot.width += size[order[fill.later[at]]];
    }
    pivot.no_more = static_cast<std::uint32_t>(entries_.size());
    const auto n = static_cast<std::size_t>(pivot.size), panel = n * static_cast<std::size_t>(pivot.width);
    pivot.upper = values + n * n;
    pivot.lower = pivot.upper + panel;
    values = pivot.lower + panel;
    pivots_.push_back(pivot);
  }
  count_flops();
  size_ = values;
  left_.resize(first.back());
  for (const Pivot& k : pivots_) behind_.resize(std::max(behind_.size(), static_cast<std::size_t>(k.width)));
}

void BlockLu::count_flops() {
  for (const Pivot& k : pivots_) {
    const double later = k.no_more - k.later;
    block_products_ += later * later + later + 1;
    flops_ += 2.0 * k.size * k.size * (k.size + k.width);
    for (std::uint32_t e = k.later; e < k.no_more; ++e) {
      const int size = pivots_[entries_[e].pivot].size;
      flops_ += 2.0 * k.size * size * (size + 2.0 * (k.width - entries_[e].column - size));
    }
  }
}

// Columns that follow one another in both panels go together.
void BlockLu::find_runs() {
  for (const Pivot& k : pivots_) {
    for (std::uint32_t e = k.later; e < k.no_more; ++e) {
      const Pivot& i = pivots_[entries_[e].pivot];
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
  if (values_.empty()) find_runs();
  values_.assign(size_, 0.0);
}

BlockLu::Block BlockLu::block(int row_group, int column_group) {
  if (values_.empty()) clear();
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
  if (values_.empty()) clear();
  factor_ = values_;
  return std::all_of(pivots_.begin(), pivots_.end(), [this](const Pivot& k) { return eliminate(k); });
}

bool BlockLu::eliminate(const Pivot& k) {
  double* D = factor_.data() + k.diagonal;
  double* U = factor_.data() + k.upper;
  double* T = factor_.data() + k.lower;
  if (!invert(D, k.size)) return false;
  if (k.width == 0) return true;

  turn_panel(D, k.size, T, k.width);
  for (std::uint32_t e = k.later; e < k.no_more; ++e) {
    const Entry& entry = entries_[e];
    const Pivot& i = pivots_[entry.pivot];
    const PanelFactors by_lower{T + entry.column, U, k.width, k.size}, by_upper{U + entry.column, T, k.width, k.size};
    const auto from = [](PanelFactors f, int column) {
      f.S += column;
      return f;
    };
    subtract_product(from(by_lower, entry.column), i.size, i.size, factor_.data() + i.diagonal, i.size);
    for (std::uint32_t r = entry.runs; r < entry.no_more_runs; ++r) {
      const Run& run = runs_[r];
      subtract_product(from(by_lower, run.from), i.size, run.length, factor_.data() + i.upper + run.to, i.width);
      subtract_product(from(by_upper, run.from), i.size, run.length, factor_.data() + i.lower + run.to, i.width);
    }
  }
  return true;
}

// L has ones on its diagonal, and the factor holds D⁻¹. By signs: of many unknowns the determinant itself may be no
// number any more.
int BlockLu::determinant_sign() const {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  bool turned = false;
  for (const Pivot& k : pivots_) {
    const Rows inverse = Eigen::Map<const Rows>(factor_.data() + k.diagonal, k.size, k.size);
    const Eigen::PartialPivLU<Rows> lu(inverse);
    turned ^= lu.permutationP().determinant() < 0;
    turned ^= (lu.matrixLU().diagonal().array() < 0).count() % 2 != 0;
  }
  return turned ? -1 : 1;
}

// The unknowns behind a pivot in its panels' order.
void BlockLu::gather(const Pivot& k, std::span<const double> x) {
  double* to = behind_.data();
  for (std::uint32_t e = k.later; e < k.no_more; ++e) {
    const Pivot& i = pivots_[entries_[e].pivot];
    to = std::copy_n(x.data() + i.first, i.size, to);
  }
}

void BlockLu::subtract_behind(const Pivot& k, std::span<double> x) const {
  const double* from = behind_.data();
  for (std::uint32_t e = k.later; e < k.no_more; ++e) {
    const Pivot& i = pivots_[entries_[e].pivot];
    for (int c = 0; c < i.size; ++c) x[i.first + c] -= *from++;
  }
}

// own ← D⁻¹ own, or D⁻ᵀ own; the factor holds D⁻¹.
void BlockLu::apply_inverse(const Pivot& k, Side side, double* own) {
  left_own_.assign(k.size, 0.0);
  if (side == Side::transposed) {
    add_transposed_times(factor_.data() + k.diagonal, k.size, k.size, own, left_own_.data());
    std::copy_n(left_own_.begin(), k.size, own);
    return;
  }
  subtract_times(factor_.data() + k.diagonal, k.size, k.size, own, left_own_.data());
  for (int s = 0; s < k.size; ++s) own[s] = -left_own_[s];
}

// x ← A⁻¹ x by the factor: L first, its columns in T, then U with its diagonal. Of Aᵀ the panels change places, and D
// is applied on the way down.
void BlockLu::substitute(Side side, std::span<double> x) {
  const bool turned = side == Side::transposed;
  for (const Pivot& k : pivots_) {
    if (turned) apply_inverse(k, side, x.data() + k.first);
    std::fill_n(behind_.begin(), k.width, 0.0);
    add_transposed_times(factor_.data() + (turned ? k.upper : k.lower), k.size, k.width, x.data() + k.first,
                         behind_.data());
    subtract_behind(k, x);
  }
  substitute_back(side, x);
}

void BlockLu::substitute_back(Side side, std::span<double> x) {
  const bool turned = side == Side::transposed;
  for (auto k = pivots_.rbegin(); k != pivots_.rend(); ++k) {
    gather(*k, x);
    double* own = x.data() + k->first;
    subtract_times(factor_.data() + (turned ? k->lower : k->upper), k->size, k->width, behind_.data(), own);
    if (!turned) apply_inverse(*k, side, own);
  }
}

// r = b − A x.
void BlockLu::residual(Side side, std::span<const double> b, std::span<const double> x, std::span<double> r) {
  const bool turned = side == Side::transposed;
  std::copy(b.begin(), b.end(), r.begin());
  for (const Pivot& k : pivots_) {
    gather(k, x);
    double* own = r.data() + k.first;
    const double* D = values_.data() + k.diagonal;
    if (turned) {
      left_own_.assign(k.size, 0.0);
      add_transposed_times(D, k.size, k.size, x.data() + k.first, left_own_.data());
      for (int s = 0; s < k.size; ++s) own[s] -= left_own_[s];
    } else {
      subtract_times(D, k.size, k.size, x.data() + k.first, own);
    }
    subtract_times(values_.data() + (turned ? k.lower : k.upper), k.size, k.width, behind_.data(), own);
    std::fill_n(behind_.begin(), k.width, 0.0);
    add_transposed_times(values_.data() + (turned ? k.upper : k.lower), k.size, k.width, x.data() + k.first,
                         behind_.data());
    subtract_behind(k, r);
  }
}

bool BlockLu::solve(std::span<const double> b, std::span<double> x) {
  return refined(Side::as_is, b, x);
}

bool BlockLu::solve_transposed(std::span<const double> b, std::span<double> x) {
  return refined(Side::transposed, b, x);
}

void BlockLu::solve_roughly(std::span<const double> b, std::span<double> x) {
  std::copy(b.begin(), b.end(), x.begin());
  substitute(Side::as_is, x);
}

void BlockLu::solve_transposed_roughly(std::span<const double> b, std::span<double> x) {
  std::copy(b.begin(), b.end(), x.begin());
  substitute(Side::transposed, x);
}

bool BlockLu::refined(Side side, std::span<const double> b, std::span<double> x) {
  std::copy(b.begin(), b.end(), x.begin());
  substitute(side, x);
  double last = norm(x);
  for (int refinement = 0; refinement < kMostRefinements; ++refinement) {
    residual(side, b, x, left_);
    substitute(side, left_);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += left_[k];
    const double correction = norm(left_);
    if (!std::isfinite(correction)) return false;
    if (correction <= kSmallCorrection * norm(x)) return true;
    if (correction > kContraction * last) return false;
    last = correction;
  }
  return false;
}

}  // namespace locdyn::detail
