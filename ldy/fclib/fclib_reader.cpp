#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include <locdyn/ldy/fclib/contact_order.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/ldy/fclib/file_parts.hpp>
#include <locdyn/ldy/fclib/hdf5_input.hpp>
#include <locdyn/ldy/fclib/sparse_group.hpp>
#include <locdyn/ldy/moment_scale.hpp>

namespace locdyn {
using namespace detail;
namespace {

const std::string kLocal = "fclib_local", kLocalRolling = "fclib_local_rolling";

// Which group of the file holds a local problem.
std::string find_group(const Hdf5Input& file) {
  for (const std::string& group : {kLocal, kLocalRolling}) {
    if (!file.has(group)) continue;
    file.require_group(group);
    return group;
  }
  const std::string expected = "the group fclib_local or fclib_local_rolling";
  for (const char* other : {"fclib_global", "fclib_global_rolling"}) {
    if (file.has(other)) file.fail("", expected, std::string(other) + ", which is another kind of problem");
  }
  file.fail("", expected, "none");
}

SparseEntries read_delassus(const Hdf5Input& file, const std::string& group, int d) {
  SparseEntries W = read_sparse_group(file, group + "/W");
  if (W.rows != W.columns) {
    file.fail(group + "/W", "a square matrix", std::to_string(W.rows) + " by " + std::to_string(W.columns));
  }
  if (W.rows % d != 0) {
    file.fail(group + "/W/m", "a multiple of spacedim = " + std::to_string(d), std::to_string(W.rows));
  }
  return W;
}

// [W V; Vᵀ R] of a file with bilateral rows, W of one without; and s.
struct WholeOperator {
  SparseEntries entries = {};
  std::size_t contact_rows = 0, bilateral = 0;
  std::vector<double> s = {};
};

void add_bilateral_part(const Hdf5Input& file, const std::string& group, WholeOperator& whole) {
  const bool any = file.has(group + "/V") || file.has(group + "/R") || file.has(group + "/vectors/s");
  if (!any) return;
  const SparseEntries V = read_sparse_group(file, group + "/V"), R = read_sparse_group(file, group + "/R");
  const auto size_text = [](int rows, int columns) { return std::to_string(rows) + " by " + std::to_string(columns); };
  const int m = whole.entries.rows;
  if (R.rows != R.columns) file.fail(group + "/R", "a square matrix", size_text(R.rows, R.columns));
  if (V.rows != m || V.columns != R.rows) {
    file.fail(group + "/V", size_text(m, R.rows) + " as W and R ask for", size_text(V.rows, V.columns));
  }
  if (R.rows > std::numeric_limits<int>::max() - 1 - m) {
    file.fail(group + "/R", "rows that an int can count together with those of W", std::to_string(R.rows));
  }
  whole.bilateral = static_cast<std::size_t>(R.rows);
  whole.s = finite_reals(file, group + "/vectors/s", whole.bilateral, "one a row of R");
  whole.entries.rows = whole.entries.columns = m + R.rows;
  auto& entries = whole.entries.entries;
  entries.reserve(entries.size() + 2 * V.entries.size() + R.entries.size());
  for (const auto& entry : V.entries) {
    entries.push_back({entry.row, m + entry.column, entry.value});
    entries.push_back({m + entry.column, entry.row, entry.value});
  }
  for (const auto& entry : R.entries) entries.push_back({m + entry.row, m + entry.column, entry.value});
}

// Where a row of the file lies in the graph.
struct GraphRow {
  ConstraintId constraint;
  int block, row;
};

// The contacts, with B = q.
void insert_contacts(FclibProblem& problem, std::span<const double> friction, std::span<const Eigen::Vector3d> q, int d,
                     std::vector<GraphRow>& rows) {
  for (std::size_t contact = 0; contact < friction.size(); ++contact) {
    const Law law = contact_law(friction[contact], d);
    const ConstraintId id = problem.ldy.insert(law);
    for (int k = 0; k < block_count(law); ++k) {
      problem.ldy.row(id, k).B = q[contact * file_blocks(d) + static_cast<std::size_t>(k)];
    }
    for (int row = 0; row < d; ++row) rows.push_back({id, kFileRows[row].block, kFileRows[row].row});
  }
}

// Bilateral rows, with B = s: up to three that follow one another and are coupled in R share a block.
void insert_bilateral_rows(LocalDynamics& ldy, const WholeOperator& whole, std::vector<GraphRow>& rows) {
  std::vector<char> follows(whole.bilateral + 1, 0);  // coupled with the row before
  const auto m = static_cast<int>(whole.contact_rows);
  for (const auto& entry : whole.entries.entries) {
    const int row = std::max(entry.row, entry.column);
    if (std::min(entry.row, entry.column) >= m && std::abs(entry.row - entry.column) == 1 && entry.value != 0) {
      follows[static_cast<std::size_t>(row - m)] = 1;
    }
  }
  for (std::size_t first = 0, end = 0; first < whole.bilateral; first = end) {
    for (end = first + 1; end < std::min(first + 3, whole.bilateral) && follows[end] != 0;) ++end;
    BilateralLaw law;
    law.block[0].rows = static_cast<RowMask>((1 << (end - first)) - 1);
    const ConstraintId id = ldy.insert(law);
    for (std::size_t row = first; row < end; ++row) {
      const int axis = static_cast<int>(row - first);
      ldy.row(id).B[axis] = whole.s[row];
      rows.push_back({id, 0, axis});
    }
  }
}

// Links each pair of constraints that shares an entry, both ways.
void link_constraints(LocalDynamics& ldy, const SparseEntries& W, std::span<const GraphRow> rows) {
  std::vector<std::pair<ConstraintId, ConstraintId>> pairs;
  for (const auto& entry : W.entries) {
    const std::pair<ConstraintId, ConstraintId> pair =
        std::minmax(rows[entry.row].constraint, rows[entry.column].constraint);
    if (pair.first == pair.second) continue;
    if (pairs.empty() || pairs.back() != pair) pairs.push_back(pair);
  }
  ldy.couple(std::move(pairs));
}

// Adds the entries to the blocks, in the order of the file within each row: repeated places add up.
void fill_blocks(LocalDynamics& ldy, const SparseEntries& W, std::span<const GraphRow> rows) {
  const auto arena = ldy.diagonal_arena();
  const auto place_of = [&](int row) {
    return static_cast<std::size_t>(&ldy.row(rows[row].constraint, rows[row].block) - arena.data());
  };
  // The entries by their rows' block.
  std::vector<std::size_t> first(arena.size() + 1, 0);
  for (const auto& entry : W.entries) ++first[place_of(entry.row) + 1];
  for (std::size_t place = 0; place < arena.size(); ++place) first[place + 1] += first[place];
  std::vector<std::size_t> by_block(W.entries.size()), next(first.begin(), first.end() - 1);
  for (std::size_t at = 0; at < W.entries.size(); ++at) by_block[next[place_of(W.entries[at].row)]++] = at;

  std::vector<Eigen::Matrix3d*> target(arena.size(), nullptr);
  for (std::size_t place = 0; place < arena.size(); ++place) {
    DiagonalBlock& block = arena[place];
    target[place] = &block.W;
    for (OffDiagonalBlock& other : ldy.adjacent(block)) target[other.other] = &other.W;
    for (std::size_t at = first[place]; at < first[place + 1]; ++at) {
      const auto& entry = W.entries[by_block[at]];
      (*target[place_of(entry.column)])(rows[entry.row].row, rows[entry.column].row) += entry.value;
    }
  }
}

void require_finite_sums(const Hdf5Input& file, const std::string& group, const LocalDynamics& ldy) {
  const auto check = [&](const Eigen::Matrix3d& W) {
    if (!W.allFinite()) file.fail(group + "/W/x", "finite sums of repeated entries", "an overflow");
  };
  for (const auto& row : ldy.rows()) {
    check(row.W);
    for (const auto& block : ldy.adjacent(row)) check(block.W);
  }
}

FclibProblem read_local(const Hdf5Input& file) {
  const std::string group = find_group(file);
  const int d = read_dimension(file, group, group == kLocalRolling);
  FclibProblem problem;
  problem.spacedim = std::min(d, 3);

  WholeOperator whole;
  whole.entries = read_delassus(file, group, d);
  whole.contact_rows = static_cast<std::size_t>(whole.entries.rows);
  const std::size_t contacts = whole.contact_rows / static_cast<std::size_t>(d);
  const auto q = from_file_order(finite_reals(file, group + "/vectors/q", whole.contact_rows, "one a row of W"), d);
  const auto friction = read_friction(file, group, contacts);
  const auto rolling = d == 5 ? read_rolling(file, group, contacts) : std::vector<double>();
  add_bilateral_part(file, group, whole);

  std::vector<GraphRow> rows;
  insert_contacts(problem, friction, q, d, rows);
  insert_bilateral_rows(problem.ldy, whole, rows);
  link_constraints(problem.ldy, whole.entries, rows);
  fill_blocks(problem.ldy, whole.entries, rows);
  if (d == 5) {
    try {
      scale_moments(problem.ldy, rolling);
    } catch (const std::invalid_argument& fault) {
      file.fail(kLocalRolling + "/vectors/mu_r", "coefficients that make a law", fault.what());
    }
  }
  require_finite_sums(file, group, problem.ldy);
  problem.ldy.pack(SweepOrder::by_id);

  read_texts(file, group, problem.info);
  read_solutions(file, {.contact_rows = whole.contact_rows, .bilateral = whole.bilateral, .d = d}, problem.solution,
                 problem.guesses);
  return problem;
}

}  // namespace

FclibProblem read_fclib(const std::filesystem::path& path) {
  try {
    return read_local(Hdf5Input(path));
  } catch (const std::bad_alloc&) {
    throw FileError(path, "", "a problem that fits into memory", "a larger one");
  }
}

}  // namespace locdyn
