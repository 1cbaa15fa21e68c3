#include <locdyn/ldy/recovered_factor.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <span>
#include <utility>

namespace locdyn::detail {
namespace {

using Eigen::Matrix3d;

// Over the largest number on the diagonal of a row's own W_αα: what is eliminated in each turn, what is nothing, how
// far W may be from its transpose and F Fᵀ from W. Below 1e-12 nearly parallel motions are kept apart and F fills;
// where 1e-12 of W_αα is left out, its square root is missing from blocks beside it.
constexpr std::array kTurns = {1e-2, 1e-5, 1e-8};
constexpr double kNothing = 1e-12, kUnsymmetric = 1e-9, kWrong = 1e-6;
// Blocks that fill in, over those that W has: 0.5 in walls, 2.5 in pyramids that are worth it, 16 in a pile of spheres.
constexpr std::size_t kMostFill = 5;
// Directions of one group: as many as a rigid body has.
constexpr int kGroup = 6;

// What a row holds of a pivot: F (3×directions), the rest of its columns zero.
struct Entry {
  std::uint32_t row;
  Matrix3d F;
};

struct Pivot {
  int directions;
  std::vector<Entry> entries;  // its own row last
};

class Elimination {
 public:
  explicit Elimination(const LocalDynamics& ldy) : ldy_(ldy), number_(ldy.diagonal_arena().size()) {
    const auto* arena = ldy.diagonal_arena().data();
    for (const DiagonalBlock& row : ldy.rows()) {
      number_[&row - arena] = static_cast<std::uint32_t>(diagonal_.size());
      diagonal_.push_back(row.W);
      scale_.push_back(row.W.diagonal().maxCoeff());
      gone_.push_back(!(scale_.back() > 0));
    }
    links_.resize(diagonal_.size());
    degree_.resize(diagonal_.size());
    block_of_.assign(diagonal_.size(), kNone);
  }

  // False where W is not symmetric.
  bool read_blocks() {
    for (const DiagonalBlock& row : ldy_.rows()) {
      const std::uint32_t a = number_of(row);
      if (differ(row.W, row.W.transpose(), kUnsymmetric * scale_[a])) return false;
      for (const OffDiagonalBlock& block : ldy_.adjacent(row)) {
        const std::uint32_t b = number_[block.other];
        if (a < b) link(a, b, block.W);
      }
    }
    std::size_t back = 0;
    for (const DiagonalBlock& row : ldy_.rows()) {
      const std::uint32_t a = number_of(row);
      for (const Link& l : links_[a]) block_of_[l.other] = l.block;
      for (const OffDiagonalBlock& block : ldy_.adjacent(row)) {
        const std::uint32_t b = number_[block.other];
        if (b > a) continue;
        if (block_of_[b] == kNone || differ(block.W, blocks_[block_of_[b]].transpose(), kUnsymmetric * scale(a, b))) {
          return false;
        }
        ++back;
      }
      for (const Link& l : links_[a]) block_of_[l.other] = kNone;
    }
    return back == blocks_.size();
  }

  // False where F gets more numbers, or W more blocks, than it may.
  bool run(double most_numbers) {
    const std::size_t blocks = blocks_.size(), most_blocks = (kMostFill + 1) * blocks + diagonal_.size();
    const double W = 9 * static_cast<double>(diagonal_.size() + 2 * blocks);
    for (const double turn : kTurns) {
      for (std::uint32_t a = 0; a < diagonal_.size(); ++a) {
        degree_[a] = links_[a].size();
        if (!gone_[a]) waiting_.emplace(degree_[a], a);
      }
      while (!waiting_.empty()) {
        const std::uint32_t a = waiting_.begin()->second;
        waiting_.erase(waiting_.begin());
        if (!gone_[a]) eliminate(a, turn);
        if (3 * static_cast<double>(columns_) > most_numbers * W || blocks_.size() > most_blocks) return false;
      }
    }
    return true;
  }

  [[nodiscard]] RecoveredFactor factor() const;

 private:
  struct Link {
    std::uint32_t other, block;
  };

  static bool differ(const Matrix3d& a, const Matrix3d& b, double most) {
    return !((a - b).cwiseAbs().maxCoeff() <= most);
  }
  [[nodiscard]] double scale(std::uint32_t a, std::uint32_t b) const {
    return std::sqrt(scale_[a]) * std::sqrt(scale_[b]);
  }
  [[nodiscard]] std::uint32_t number_of(const DiagonalBlock& row) const {
    return number_[&row - ldy_.diagonal_arena().data()];
  }

  // W between two rows as the rows of the smaller number have it.
  void link(std::uint32_t a, std::uint32_t b, const Matrix3d& W) {
    links_[a].push_back({b, static_cast<std::uint32_t>(blocks_.size())});
    links_[b].push_back({a, static_cast<std::uint32_t>(blocks_.size())});
    blocks_.push_back(W);
  }

  void forget_gone(std::uint32_t a) {
    std::erase_if(links_[a], [this](const Link& l) { return gone_[l.other] != 0; });
  }

  void leave_if_nothing(std::uint32_t a) { gone_[a] = diagonal_[a].diagonal().maxCoeff() <= kNothing * scale_[a]; }

  void eliminate(std::uint32_t a, double turn);
  void subtract(const std::vector<Entry>& entries);
  void count_again(const std::vector<Entry>& entries);

  const LocalDynamics& ldy_;
  std::vector<std::uint32_t> number_;  // by place; rows are numbered in sweep order
  std::vector<Matrix3d> diagonal_;     // what is left of W_αα, by row
  std::vector<double> scale_;
  std::vector<char> gone_;
  std::vector<std::vector<Link>> links_;                     // both ways
  std::vector<Matrix3d> blocks_;                             // what is left of W_αβ, α < β
  std::vector<Index> block_of_;                              // by row: its block with the row at hand
  std::set<std::pair<std::size_t, std::uint32_t>> waiting_;  // by degree
  std::vector<std::size_t> degree_;                          // as it waits
  std::vector<Pivot> pivots_;
  std::size_t columns_ = 0;  // of F over all rows
};

void Elimination::eliminate(std::uint32_t a, double turn) {
  const Eigen::SelfAdjointEigenSolver<Matrix3d> own(diagonal_[a]);
  Pivot pivot{.directions = 0, .entries = {}};
  Matrix3d V = Matrix3d::Zero(), F = Matrix3d::Zero();  // V Λ^(-1/2) and V Λ^(1/2) of the directions
  for (int k = 2; k >= 0 && own.eigenvalues()[k] >= turn * scale_[a]; --k, ++pivot.directions) {
    V.col(pivot.directions) = own.eigenvectors().col(k) / std::sqrt(own.eigenvalues()[k]);
    F.col(pivot.directions) = own.eigenvectors().col(k) * std::sqrt(own.eigenvalues()[k]);
  }
  if (pivot.directions == 0) return;  // in a later turn

  forget_gone(a);
  for (const Link& l : links_[a]) {
    Matrix3d& block = blocks_[l.block];
    const Matrix3d L = (l.other < a ? block : Matrix3d(block.transpose())) * V;
    block -= l.other < a ? Matrix3d(L * F.transpose()) : Matrix3d(F * L.transpose());
    pivot.entries.push_back({l.other, L});
  }
  diagonal_[a] -= F * F.transpose();
  leave_if_nothing(a);
  subtract(pivot.entries);
  count_again(pivot.entries);
  pivot.entries.push_back({a, F});
  columns_ += pivot.entries.size() * static_cast<std::size_t>(pivot.directions);
  pivots_.push_back(std::move(pivot));
}

// L_β L_γᵀ of all pairs of neighbours.
void Elimination::subtract(const std::vector<Entry>& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [b, L] = entries[i];
    forget_gone(b);
    for (const Link& l : links_[b]) block_of_[l.other] = l.block;
    for (const Entry& before : std::span(entries).first(i)) {
      if (gone_[before.row]) continue;
      const Matrix3d product = b < before.row ? Matrix3d(L * before.F.transpose()) : Matrix3d(before.F * L.transpose());
      if (block_of_[before.row] == kNone) {
        link(std::min(b, before.row), std::max(b, before.row), -product);
      } else {
        blocks_[block_of_[before.row]] -= product;
      }
    }
    for (const Link& l : links_[b]) block_of_[l.other] = kNone;
    diagonal_[b] -= L * L.transpose();
    leave_if_nothing(b);
  }
}

// Those that still wait in this turn wait by their new degree.
void Elimination::count_again(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    const std::uint32_t b = entry.row;
    if (waiting_.erase({degree_[b], b}) == 0 || gone_[b]) continue;
    forget_gone(b);
    degree_[b] = links_[b].size();
    waiting_.emplace(degree_[b], b);
  }
}

// Pivots whose rows are among those of the one before go into one group with it.
class Groups {
 public:
  explicit Groups(const std::vector<Pivot>& pivots) {
    std::vector<std::uint32_t> before, rows;
    for (const Pivot& pivot : pivots) {
      rows.clear();
      for (const Entry& entry : pivot.entries) rows.push_back(entry.row);
      std::sort(rows.begin(), rows.end());
      const bool joins = !size.empty() && size.back() + pivot.directions <= kGroup &&
                         rows.size() + kGroup >= before.size() &&
                         std::includes(before.begin(), before.end(), rows.begin(), rows.end());
      if (!joins) {
        size.push_back(0);
        before = rows;
      }
      of.push_back(static_cast<std::uint32_t>(size.size() - 1));
      column.push_back(size.back());
      size.back() += pivot.directions;
    }
  }

  std::vector<std::uint32_t> of;  // by pivot
  std::vector<int> column;        // of its first direction in the group
  std::vector<int> size;          // by group
};

RecoveredFactor Elimination::factor() const {
  const Groups groups(pivots_);
  std::vector<std::vector<std::pair<std::uint32_t, const Matrix3d*>>> entries(diagonal_.size());  // by row
  for (std::uint32_t p = 0; p < pivots_.size(); ++p) {
    for (const Entry& entry : pivots_[p].entries) entries[entry.row].emplace_back(p, &entry.F);
  }

  RecoveredFactor found;
  for (const int n : groups.size) {
    found.first_inertia.push_back(found.inertia.size());
    for (int i = 0; i < n * n; ++i) found.inertia.push_back(i % (n + 1) == 0 ? 1 : 0);
  }
  found.first_inertia.push_back(found.inertia.size());
  std::uint64_t place = 0;
  const auto arena = ldy_.diagonal_arena();
  for (std::size_t at = 0; at < arena.size(); ++at) {
    found.first.push_back(static_cast<std::uint32_t>(found.coupling.size()));
    if (arena[at].constraint == kNone) continue;
    for (const auto& [pivot, F] : entries[number_[at]]) {
      const std::uint32_t group = groups.of[pivot];
      const auto n = static_cast<std::uint32_t>(groups.size[group]);
      if (found.coupling.size() == found.first.back() || found.coupling.back().body != group) {
        found.coupling.push_back({group, n, place});
        place += n;
        found.H.resize(4 * place, 0.0);
        found.Y.resize(3 * place, 0.0);
      }
      const std::uint64_t start = found.coupling.back().place;
      for (int j = 0; j < pivots_[pivot].directions; ++j) {
        const auto column = static_cast<std::uint64_t>(groups.column[pivot] + j);
        for (std::uint64_t i = 0; i < 3; ++i) {
          found.H[4 * (start + column) + i] = (*F)(static_cast<int>(i), j);
          found.Y[3 * start + i * n + column] = (*F)(static_cast<int>(i), j);
        }
      }
    }
  }
  found.first.push_back(static_cast<std::uint32_t>(found.coupling.size()));
  return found;
}

// F_α F_βᵀ; couplings ascend by group.
Matrix3d product(const DelassusFactor& factor, Index a, Index b) {
  Matrix3d sum = Matrix3d::Zero();
  const auto of_a = factor.couplings(a), of_b = factor.couplings(b);
  for (auto at = of_a.begin(), other = of_b.begin(); at != of_a.end() && other != of_b.end();) {
    if (at->body == other->body) sum += factor.jacobian(*at) * factor.response(*other);
    const bool next_a = at->body <= other->body, next_b = other->body <= at->body;
    at += next_a ? 1 : 0;
    other += next_b ? 1 : 0;
  }
  return sum;
}

bool holds(const LocalDynamics& ldy, const DelassusFactor& factor) {
  const auto arena = ldy.diagonal_arena();
  const auto root = [&](Index place) { return std::sqrt(arena[place].W.diagonal().maxCoeff()); };
  const auto near = [&](const Matrix3d& W, Index a, Index b) {
    const double most = kWrong * root(a) * root(b);
    return (W - product(factor, a, b)).cwiseAbs().maxCoeff() <= most;
  };
  for (const DiagonalBlock& row : ldy.rows()) {
    const auto place = static_cast<Index>(&row - arena.data());
    if (!near(row.W, place, place)) return false;
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
      if (block.other < place && !near(block.W, place, block.other)) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<RecoveredFactor> recover_factor(const LocalDynamics& ldy, double most_numbers) {
  Elimination elimination(ldy);
  if (ldy.row_count() == 0 || !elimination.read_blocks() || !elimination.run(most_numbers)) return std::nullopt;
  RecoveredFactor found = elimination.factor();
  if (!holds(ldy, found.view())) return std::nullopt;
  return found;
}

}  // namespace locdyn::detail
