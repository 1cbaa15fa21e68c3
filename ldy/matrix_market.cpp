#include <locdyn/ldy/matrix_market.hpp>

#include <algorithm>
#include <charconv>
#include <vector>

#include <locdyn/ldy/replace_file.hpp>

namespace locdyn {
using namespace detail;
namespace {

// One arena place with what its 3×3 block contributes: which rows are in use, and the number of the first.
struct UsedRows {
  RowMask mask = 0;
  std::size_t first = 0;
};

void append_number(std::string& text, auto value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
}

// The blocks of one row of the graph, the diagonal one included, by column.
struct BlockOfRow {
  const Eigen::Matrix3d* W;
  UsedRows columns;
};

void append_row(std::string& text, UsedRows rows, const std::vector<BlockOfRow>& blocks, std::size_t& entries) {
  std::size_t row_number = rows.first;
  for (int row = 0; row < 3; ++row) {
    if (!uses(rows.mask, row)) continue;
    for (const BlockOfRow& block : blocks) {
      std::size_t column_number = block.columns.first;
      for (int column = 0; column < 3; ++column) {
        if (!uses(block.columns.mask, column)) continue;
        append_number(text, row_number);
        text += ' ';
        append_number(text, column_number++);
        text += ' ';
        append_number(text, (*block.W)(row, column));
        text += '\n';
        ++entries;
      }
    }
    ++row_number;
  }
}

}  // namespace

std::string matrix_market(const LocalDynamics& ldy) {
  const DiagonalBlock* arena = ldy.diagonal_arena().data();

  // Number the rows in use, by id.
  std::vector<UsedRows> used(ldy.diagonal_arena().size());
  std::vector<const DiagonalBlock*> order;
  std::size_t next = 1;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id)) continue;
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      const DiagonalBlock& row = ldy.row(id, k);
      const RowMask mask = rows(ldy.law(id), k);
      used[static_cast<std::size_t>(&row - arena)] = {mask, next};
      next += static_cast<std::size_t>(rows_in_use(mask));
      order.push_back(&row);
    }
  }

  std::string body;
  std::size_t entries = 0;
  std::vector<BlockOfRow> blocks;
  for (const DiagonalBlock* row : order) {
    const UsedRows own = used[static_cast<std::size_t>(row - arena)];
    blocks.assign(1, {&row->W, own});
    for (const OffDiagonalBlock& block : ldy.adjacent(*row)) blocks.push_back({&block.W, used[block.other]});
    std::sort(blocks.begin(), blocks.end(),
              [](const auto& a, const auto& b) { return a.columns.first < b.columns.first; });
    append_row(body, own, blocks, entries);
  }

  std::string text = "%%MatrixMarket matrix coordinate real general\n";
  text += "% Delassus operator W; the rows of each constraint are (t1, t2, n), or (t1, n) in 2D\n";
  const std::string size = std::to_string(next - 1);
  text += size + ' ' + size + ' ' + std::to_string(entries) + '\n';
  return text + body;
}

void write_matrix_market(const std::filesystem::path& path, const LocalDynamics& ldy) {
  replace_file(path, matrix_market(ldy));
}

}  // namespace locdyn
