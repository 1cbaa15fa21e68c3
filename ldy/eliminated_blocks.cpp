#include <locdyn/ldy/eliminated_blocks.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

namespace locdyn::detail {
namespace {

using Eigen::Matrix3d;

// Over the largest number on the diagonal of a row's own W_αα: what is eliminated in each turn, what is nothing. Where
// 1e-12 of W_αα is left out, its square root is missing from blocks beside it: a hard pyramid is not solved to 1e-8
// then and walls are off by 5e-7, with 1e-16 by 1e-12.
constexpr std::array kTurns = {1e-2, 1e-5, 1e-8};
constexpr double kNothing = 1e-16;
// What is eliminated in the first turn where nothing fills in. 1e-2: F of capsules and spheres has 1.3 and 1.9 times as
// many numbers, rocks, boxes, walls and towers the same; 1e-3: spheres 1.15 times.
constexpr double kOfOneBody = 1e-4;
// What is nothing of W_αβ, over the root of the largest numbers of both rows. 1e-13: F of capsules and a tower has 1.2
// and 1.4 times as many numbers, that of spheres fills; 1e-9: F Fᵀ of a pyramid is not W.
constexpr double kUntied = 1e-11;
// What is nothing of either where told bodies have been taken out, whose F Fᵀ is W to 1e-9.
constexpr double kLeftOver = 1e-8;
// Blocks that fill in, over those that W has: none in rocks, boxes and walls, 0.2 in a tower of planks, 1.6 in spheres.
constexpr std::size_t kMostFill = 5;
// Neighbours beyond which nobody looks whether they know each other, which takes the square of their number for each
// row: a slab on 1200 contacts takes 0.3 s in place of 7. 100 and 400 in place of 200: the same F of all files.
constexpr std::size_t kMostNeighbours = 200;
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
      place_.push_back(static_cast<std::uint32_t>(&row - arena));
      diagonal_.push_back(row.W);
      scale_.push_back(row.W.diagonal().maxCoeff());
      gone_.push_back(!(scale_.back() > 0));
    }
    links_.resize(diagonal_.size());
    due_.resize(diagonal_.size());
    block_of_.assign(diagonal_.size(), kNone);
  }

  void read_blocks() {
    for (const DiagonalBlock& row : ldy_.rows()) {
      const std::uint32_t a = number_of(row);
      for (const OffDiagonalBlock& block : ldy_.adjacent(row)) {
        const std::uint32_t b = number_[block.other];
        if (a < b) link(a, b, block.W);
      }
    }
  }

  // W less F Fᵀ of these; what is left by their rounding is nothing.
  void take_out(std::span<const FactorGroup> told);

  // False where F gets more numbers, or W more blocks, than it may.
  bool run(double most_numbers) {
    const std::size_t blocks = blocks_.size(), most_blocks = (kMostFill + 1) * blocks + diagonal_.size();
    const double W = 9 * static_cast<double>(diagonal_.size() + 2 * blocks);
    for (const double turn : kTurns) {
      for (std::uint32_t a = 0; a < diagonal_.size(); ++a) {
        if (!gone_[a]) wait(a);
      }
      while (!waiting_.empty()) {
        const auto [due, a] = *waiting_.begin();
        waiting_.erase(waiting_.begin());
        if (gone_[a]) continue;
        if (due_of(a) > due) {
          wait(a);
          continue;
        }
        eliminate(a, due.fills ? turn : std::min(turn, kOfOneBody));
        if (3 * static_cast<double>(columns_) > most_numbers * W || blocks_.size() > most_blocks) return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::vector<FactorGroup> groups() const;

 private:
  struct Link {
    std::uint32_t other, block;
  };

  // When a row is eliminated: first those that fill nothing, of them and of the others those of few neighbours.
  struct Due {
    bool fills;
    std::size_t degree;
    auto operator<=>(const Due&) const = default;
  };

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
    untied_.push_back(0);
  }

  void forget_gone(std::uint32_t a) {
    std::erase_if(links_[a], [this](const Link& l) { return gone_[l.other] != 0 || untied_[l.block] != 0; });
  }

  void leave_if_nothing(std::uint32_t a) { gone_[a] = diagonal_[a].diagonal().maxCoeff() <= kNothing * scale_[a]; }

  // Rows that shared a body of which nothing is left have nothing to do with each other any more.
  void untie_if_nothing(std::uint32_t block, std::uint32_t a, std::uint32_t b) {
    untied_[block] = blocks_[block].cwiseAbs().maxCoeff() <= kUntied * scale(a, b);
  }

  void wait(std::uint32_t a) {
    due_[a] = due_of(a);
    waiting_.emplace(due_[a], a);
  }
  [[nodiscard]] Due due_of(std::uint32_t a);
  [[nodiscard]] bool fills(std::uint32_t a);
  void eliminate(std::uint32_t a, double turn);
  void subtract(const std::vector<Entry>& entries);
  void count_again(const std::vector<Entry>& entries);

  const LocalDynamics& ldy_;
  std::vector<std::uint32_t> number_;  // by place; rows are numbered in sweep order
  std::vector<std::uint32_t> place_;   // by row
  std::vector<Matrix3d> diagonal_;     // what is left of W_αα, by row
  std::vector<double> scale_;
  std::vector<char> gone_;
  std::vector<std::vector<Link>> links_;  // both ways
  std::vector<Matrix3d> blocks_;          // what is left of W_αβ, α < β
  std::vector<char> untied_;              // by block: nothing
  std::vector<Index> block_of_;           // by row: its block with the row at hand
  std::set<std::pair<Due, std::uint32_t>> waiting_;
  std::vector<Due> due_;  // as it waits
  std::vector<Pivot> pivots_;
  std::size_t columns_ = 0;  // of F over all rows
};

void Elimination::take_out(std::span<const FactorGroup> told) {
  if (told.empty()) return;
  for (const FactorGroup& body : told) {
    for (Eigen::Index column = 0; column < body.F.cols(); column += 3) {
      const Eigen::Index columns = std::min<Eigen::Index>(3, body.F.cols() - column);
      std::vector<Entry> entries;
      for (std::size_t k = 0; k < body.rows.size(); ++k) {
        Entry& entry = entries.emplace_back(Entry{number_[body.rows[k]], Matrix3d::Zero()});
        entry.F.leftCols(columns) = body.F.block(static_cast<Eigen::Index>(3 * k), column, 3, columns);
      }
      subtract(entries);
    }
  }
  for (std::uint32_t a = 0; a < diagonal_.size(); ++a) {
    if (diagonal_[a].cwiseAbs().maxCoeff() <= kLeftOver * scale_[a]) gone_[a] = 1;
    for (const Link& l : links_[a]) {
      if (blocks_[l.block].cwiseAbs().maxCoeff() <= kLeftOver * scale(a, l.other)) untied_[l.block] = 1;
    }
  }
}

Elimination::Due Elimination::due_of(std::uint32_t a) {
  forget_gone(a);
  return {.fills = fills(a), .degree = links_[a].size()};
}

// Some of its neighbours are not neighbours of each other: it acts on two bodies of which the others know.
bool Elimination::fills(std::uint32_t a) {
  if (links_[a].size() > kMostNeighbours) return true;
  for (const Link& l : links_[a]) {
    const std::uint32_t b = l.other;
    forget_gone(b);
    if (links_[b].size() > kMostNeighbours) return true;
    for (const Link& of_b : links_[b]) block_of_[of_b.other] = of_b.block;
    block_of_[b] = l.block;
    const bool knows_all =
        std::all_of(links_[a].begin(), links_[a].end(), [&](const Link& k) { return block_of_[k.other] != kNone; });
    for (const Link& of_b : links_[b]) block_of_[of_b.other] = kNone;
    block_of_[b] = kNone;
    if (!knows_all) return true;
  }
  return false;
}

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
    untie_if_nothing(l.block, a, l.other);
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
        untie_if_nothing(static_cast<std::uint32_t>(block_of_[before.row]), b, before.row);
      }
    }
    for (const Link& l : links_[b]) block_of_[l.other] = kNone;
    diagonal_[b] -= L * L.transpose();
    leave_if_nothing(b);
  }
}

// Those that still wait in this turn; what this changes for neighbours of neighbours is seen when they are due.
void Elimination::count_again(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    const std::uint32_t b = entry.row;
    if (waiting_.erase({due_[b], b}) != 0 && !gone_[b]) wait(b);
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

std::vector<FactorGroup> Elimination::groups() const {
  const Groups joined(pivots_);
  std::vector<FactorGroup> found(joined.size.size());
  for (std::size_t p = 0; p < pivots_.size(); ++p) {
    FactorGroup& group = found[joined.of[p]];
    if (group.rows.empty()) {
      for (const Entry& entry : pivots_[p].entries) group.rows.push_back(entry.row);
      std::sort(group.rows.begin(), group.rows.end());
      group.F.setZero(3 * std::ssize(group.rows), joined.size[joined.of[p]]);
    }
    for (const Entry& entry : pivots_[p].entries) {
      const auto row = std::lower_bound(group.rows.begin(), group.rows.end(), entry.row) - group.rows.begin();
      group.F.block(3 * row, joined.column[p], 3, pivots_[p].directions) = entry.F.leftCols(pivots_[p].directions);
    }
  }
  for (FactorGroup& group : found) {
    for (std::uint32_t& row : group.rows) row = place_[row];
  }
  return found;
}

}  // namespace

std::optional<std::vector<FactorGroup>> eliminate_blocks(const LocalDynamics& ldy, std::span<const FactorGroup> told,
                                                         double most_numbers) {
  Elimination elimination(ldy);
  elimination.read_blocks();
  elimination.take_out(told);
  if (!elimination.run(most_numbers)) return std::nullopt;
  return elimination.groups();
}

}  // namespace locdyn::detail
