#include <locdyn/solver/newton/velocity_matrix.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <locdyn/base/instruction_set.hpp>
#include <locdyn/base/lanes_anywhere.hpp>

namespace locdyn::detail {
namespace {

// --- the products of a row: 3×n factors, row by row -----------------------------------------------------------------

// C (n × m, row by row) += Pᵀ Q, P (3 × n) and Q (3 × m).
struct Outer {
  const double* P;
  int n;
  const double* Q;
  int m;
};

template <class Lanes>
[[gnu::always_inline]] inline void add_columns(const Outer& outer, int j, double* C, int stride) {
  Lanes q[3], sum;
  for (int s = 0; s < 3; ++s) load_lanes(outer.Q + s * outer.m + j, q[s]);
  for (int i = 0; i < outer.n; ++i) {
    const double* p = outer.P + i;
    load_lanes(C + i * stride + j, sum);
    sum += p[0] * q[0] + p[outer.n] * q[1] + p[2 * outer.n] * q[2];
    store_lanes(sum, C + i * stride + j);
  }
}

[[gnu::always_inline]] inline void add_outer(const Outer& outer, double* C, int stride) {
  int j = 0;
  for (; j + 4 <= outer.m; j += 4) add_columns<FourLanes>(outer, j, C, stride);
  for (; j + 2 <= outer.m; j += 2) add_columns<TwoLanes>(outer, j, C, stride);
  for (; j < outer.m; ++j) add_columns<double>(outer, j, C, stride);
}

template <class Lanes>
[[gnu::always_inline]] inline void multiply_columns(const Eigen::Matrix3d& K, const double* H, int m, int j,
                                                    double* KH) {
  Lanes h[3];
  for (int s = 0; s < 3; ++s) load_lanes(H + s * m + j, h[s]);
  for (int i = 0; i < 3; ++i) {
    const Lanes product = K(i, 0) * h[0] + K(i, 1) * h[1] + K(i, 2) * h[2];
    store_lanes(product, KH + i * m + j);
  }
}

// KH (3 × m) = K H.
[[gnu::always_inline]] inline void multiply(const Eigen::Matrix3d& K, const double* H, int m, double* KH) {
  int j = 0;
  for (; j + 4 <= m; j += 4) multiply_columns<FourLanes>(K, H, m, j, KH);
  for (; j + 2 <= m; j += 2) multiply_columns<TwoLanes>(K, H, m, j, KH);
  for (; j < m; ++j) multiply_columns<double>(K, H, m, j, KH);
}

// H_αᵀ K H_β into the blocks of two rows that act on the same bodies.
struct Products {
  std::span<const Coupling> couplings;  // of either
  const double* H_row;                  // of one coupling after the other, each row by row
  const double* H_column;
  double* KH;                   // room for one
  const BlockLu::Block* block;  // by coupling of the row, then of the column
};

// `kFreedoms` is that of every coupling where it is not 0.
template <int kFreedoms>
[[gnu::always_inline]] inline void add_products_sized(const Products& all, const Eigen::Matrix3d& K) {
  const double* column = all.H_column;
  for (std::size_t b = 0; b < all.couplings.size(); ++b) {
    const int m = kFreedoms > 0 ? kFreedoms : static_cast<int>(all.couplings[b].freedoms);
    multiply(K, column, m, all.KH);
    column += 3 * m;
    const double* row = all.H_row;
    for (std::size_t a = 0; a < all.couplings.size(); ++a) {
      const int n = kFreedoms > 0 ? kFreedoms : static_cast<int>(all.couplings[a].freedoms);
      const BlockLu::Block& block = all.block[a * all.couplings.size() + b];
      add_outer(block.transposed ? Outer{all.KH, m, row, n} : Outer{row, n, all.KH, m}, block.values, block.stride);
      row += 3 * n;
    }
  }
}

[[gnu::always_inline]] inline void add_products_anywhere(const Products& all, const Eigen::Matrix3d& K) {
  const auto six = [](const Coupling& c) { return c.freedoms == 6; };
  if (std::all_of(all.couplings.begin(), all.couplings.end(), six)) return add_products_sized<6>(all, K);
  add_products_sized<0>(all, K);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void add_products_avx2(const Products& all, const Eigen::Matrix3d& K) {
  add_products_anywhere(all, K);
}
#endif

void add_products(const Products& all, const Eigen::Matrix3d& K) {
#if defined(__x86_64__)
  if (has_avx2()) return add_products_avx2(all, K);
#endif
  add_products_anywhere(all, K);
}

// What a step costs by blocks, in operations at a sweep's speed: for an unknown (its share of the assembly and the
// solve), and for one of the factorisation.
constexpr double kBlockUnknown = 1000, kBlockFlop = 0.5;

}  // namespace

VelocityMatrix::VelocityMatrix(const LocalDynamics& ldy) : ldy_(ldy), factor_(*ldy.factor()) {
  find_groups();
  find_neighbours();
  std::vector<int> size;
  size.reserve(groups_.size());
  for (const Group& group : groups_) size.push_back(group.size);
  blocks_ = BlockLu(size, first_neighbour_, neighbours_);
}

// The groups that the rows act on, in the order in which rows meet them.
void VelocityMatrix::find_groups() {
  group_of_.assign(factor_.first_inertia.size(), -1);
  const auto* arena = ldy_.diagonal_arena().data();
  int unknowns = 0;
  for (const DiagonalBlock& row : ldy_.rows()) {
    for (const Coupling& c : factor_.couplings(static_cast<Index>(&row - arena))) {
      if (group_of_[c.body] >= 0) continue;
      group_of_[c.body] = static_cast<int>(groups_.size());
      groups_.push_back({.first = unknowns, .size = static_cast<int>(c.freedoms)});
      some_coupling_.push_back(c);
      unknowns += static_cast<int>(c.freedoms);
      most_freedoms_ = std::max(most_freedoms_, static_cast<int>(c.freedoms));
    }
  }
  unknowns_ = static_cast<std::size_t>(unknowns);
  KH_.resize(3 * most_freedoms_);
}

// By way of the rows that act on each group.
void VelocityMatrix::find_neighbours() {
  const auto* arena = ldy_.diagonal_arena().data();
  std::vector<int> first(groups_.size() + 2, 0);  // by group + 2, of its rows; by group + 1 once they are there
  for (const DiagonalBlock& row : ldy_.rows()) {
    for (const Coupling& c : factor_.couplings(static_cast<Index>(&row - arena))) ++first[group_of_[c.body] + 2];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Index> rows(first.back());
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    for (const Coupling& c : factor_.couplings(place)) rows[first[group_of_[c.body] + 1]++] = place;
  }

  std::vector<int> taken_by(groups_.size(), -1);
  first_neighbour_.reserve(groups_.size() + 1);
  neighbours_.reserve(2 * rows.size());
  for (int g = 0; g < static_cast<int>(groups_.size()); ++g) {
    for (int at = first[g]; at < first[g + 1]; ++at) {
      for (const Coupling& c : factor_.couplings(rows[at])) {
        const int other = group_of_[c.body];
        if (std::exchange(taken_by[other], g) != g) neighbours_.push_back(other);
      }
    }
    std::sort(neighbours_.begin() + first_neighbour_.back(), neighbours_.end());
    first_neighbour_.push_back(static_cast<int>(neighbours_.size()));
  }
}

double VelocityMatrix::symbolic_cost() const {
  return std::min(block_cost(), general_cost());
}

double VelocityMatrix::block_cost() const {
  return kBlockUnknown * static_cast<double>(unknowns_) + kBlockFlop * blocks_.flops();
}

double VelocityMatrix::general_cost() const {
  return block_lu_cost(blocks_.block_products(), most_freedoms_, static_cast<double>(unknowns_));
}

// The blocks of a row's own bodies, pair by pair, and its H row by row.
void VelocityMatrix::lay_out() {
  const auto* arena = ldy_.diagonal_arena().data();
  first_pair_.assign(ldy_.diagonal_arena().size(), 0);
  first_H_.assign(ldy_.diagonal_arena().size(), 0);
  pairs_.reserve(4 * ldy_.row_count());  // of rows between two bodies
  H_.reserve(6 * static_cast<std::size_t>(most_freedoms_) * ldy_.row_count());
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    first_pair_[place] = pairs_.size();
    first_H_[place] = H_.size();
    for (const Coupling& a : factor_.couplings(place)) {
      const double* H = factor_.H.data() + 4 * a.place;
      for (std::uint32_t i = 0; i < 3; ++i) {
        for (std::uint32_t j = 0; j < a.freedoms; ++j) H_.push_back(H[4 * j + i]);
      }
      for (const Coupling& b : factor_.couplings(place)) {
        pairs_.push_back(blocks_.block(group_of_[a.body], group_of_[b.body]));
      }
    }
  }
}

// A/h alone. Whoever only asks what a solve would cost never comes here.
void VelocityMatrix::clear() {
  if (first_pair_.empty()) lay_out();
  blocks_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const BlockLu::Block own = blocks_.block(static_cast<int>(g), static_cast<int>(g));
    const auto A = factor_.inertia_of(some_coupling_[g]);
    for (int i = 0; i < groups_[g].size; ++i) {
      for (int j = 0; j < groups_[g].size; ++j) own.values[i * own.stride + j] = A(i, j) / factor_.h;
    }
  }
}

void VelocityMatrix::subtract_inertia(std::span<const double> y, std::span<double> b) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto A = factor_.inertia_of(some_coupling_[g]);
    Eigen::Map<const Eigen::VectorXd> own(y.data() + groups_[g].first, groups_[g].size);
    Eigen::Map<Eigen::VectorXd> left(b.data() + groups_[g].first, groups_[g].size);
    left -= A * own / factor_.h;
  }
}

void VelocityMatrix::add_block(Index row, const Eigen::Matrix3d& K, Index column) {
  add_products({.couplings = factor_.couplings(row),
                .H_row = H_.data() + first_H_[row],
                .H_column = H_.data() + first_H_[column],
                .KH = KH_.data(),
                .block = pairs_.data() + first_pair_[row]},
               K);
}

// By blocks where that is quicker and its pivots hold; else with pivoting.
bool VelocityMatrix::solve(std::span<const double> b, std::span<double> x) {
  by_blocks_ = false;
  turned_ = {};
  if (block_cost() <= general_cost()) {
    flops_ += blocks_.flops();
    by_blocks_ = blocks_.factorise() && blocks_.solve(b, x);
    if (by_blocks_) return true;
  }
  const double before = lu_.flops();
  fill_matrix();
  const bool solved = lu_.factorise(matrix_) && lu_.solve(matrix_, b, x);
  flops_ += lu_.flops() - before;
  return solved;
}

bool VelocityMatrix::solve_again(std::span<const double> b, std::span<double> x) {
  return by_blocks_ ? blocks_.solve(b, x) : lu_.solve(matrix_, b, x);
}

bool VelocityMatrix::solve_transposed(std::span<const double> b, std::span<double> x) {
  if (by_blocks_) return blocks_.solve_transposed(b, x);
  if (turned_.start.empty()) {
    fill_transpose();
    if (!turned_lu_.factorise(turned_)) {
      turned_ = {};
      return false;
    }
  }
  return turned_lu_.solve(turned_, b, x);
}

bool VelocityMatrix::solve_again_roughly(std::span<const double> b, std::span<double> x) {
  if (!by_blocks_) return solve_again(b, x);
  blocks_.solve_roughly(b, x);
  return true;
}

bool VelocityMatrix::solve_transposed_roughly(std::span<const double> b, std::span<double> x) {
  if (!by_blocks_) return solve_transposed(b, x);
  blocks_.solve_transposed_roughly(b, x);
  return true;
}

bool VelocityMatrix::halve(Index row, BlockLu::Half& left, BlockLu::Half& right) {
  if (!by_blocks_) return false;
  columns_.clear();
  const double* H = H_.data() + first_H_[row];
  for (const Coupling& c : factor_.couplings(row)) {
    columns_.push_back({group_of_[c.body], H});
    H += 3 * c.freedoms;
  }
  blocks_.halve_transposed(columns_, left);
  blocks_.halve(columns_, right);
  return true;
}

// The blocks as one sparse matrix.
void VelocityMatrix::fill_matrix() {
  matrix_.start.assign(1, 0);
  matrix_.column.clear();
  matrix_.value.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (int i = 0; i < groups_[g].size; ++i) {
      for (int at = first_neighbour_[g]; at < first_neighbour_[g + 1]; ++at) {
        const int other = neighbours_[at];
        const BlockLu::Block block = blocks_.block(static_cast<int>(g), other);
        for (int j = 0; j < groups_[other].size; ++j) {
          matrix_.column.push_back(groups_[other].first + j);
          matrix_.value.push_back(block.values[block.transposed ? j * block.stride + i : i * block.stride + j]);
        }
      }
      matrix_.start.push_back(static_cast<int>(matrix_.column.size()));
    }
  }
}

// `matrix_` by columns: its pattern is symmetric and its columns ascend, so that the transpose has the same pattern.
void VelocityMatrix::fill_transpose() {
  turned_ = matrix_;
  std::vector<int> next(matrix_.start.begin(), matrix_.start.end() - 1);
  for (std::size_t row = 0; row + 1 < matrix_.start.size(); ++row) {
    for (int at = matrix_.start[row]; at < matrix_.start[row + 1]; ++at) {
      const int column = matrix_.column[at];
      turned_.value[next[column]++] = matrix_.value[at];
    }
  }
}

}  // namespace locdyn::detail
