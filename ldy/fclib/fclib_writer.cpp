#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include <locdyn/ldy/fclib/contact_order.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/ldy/fclib/file_parts.hpp>
#include <locdyn/ldy/fclib/hdf5_output.hpp>
#include <locdyn/ldy/fclib/sparse_group.hpp>
#include <locdyn/ldy/moment_scale.hpp>
#include <locdyn/ldy/replace_file.hpp>
#include <locdyn/ldy/row_product.hpp>

namespace locdyn {
using namespace detail;
namespace {

// The constraints of a graph in order of id; a file numbers them so.
struct Constraints {
  std::vector<ConstraintId> contacts, bilateral;
};

Constraints constraints_of(const LocalDynamics& ldy) {
  Constraints ids;
  ids.contacts.reserve(ldy.constraint_count());
  const auto refuse = [](ConstraintId id, const std::string& expected, const std::string& found) {
    throw std::invalid_argument("constraint " + std::to_string(id) + ": expected " + expected + ", found " + found);
  };
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id)) continue;
    const Law& law = ldy.law(id);
    if (is_bilateral(law)) {
      ids.bilateral.push_back(id);
      continue;
    }
    if (!is_contact(law)) refuse(id, "contacts and bilateral rows, as a file can hold", law_name(law));
    const Friction discs = friction_discs(law);
    if (gives_way(law) || discs.sliding[0] != discs.sliding[1]) {
      refuse(id, "a hard contact with round or rolling friction, as a file can hold", law_name(law));
    }
    // Without torsional friction the moment about n is 0: a file leaves its row out.
    const bool planar = rows(law, 0) == kRowsPlanar;
    if (block_count(law) == 2 && (planar || discs.torsional > 0)) {
      refuse(id, "rolling friction alone, in space, as a file can hold",
             planar ? "a planar contact" : "torsional friction");
    }
    if (!ids.contacts.empty() && block_count(law) != block_count(ldy.law(ids.contacts.front()))) {
      refuse(id, std::string("contacts of one kind, such as ") + law_name(ldy.law(ids.contacts.front())),
             law_name(law));
    }
    ids.contacts.push_back(id);
  }
  return ids;
}

bool rolls(const LocalDynamics& ldy, const Constraints& ids) {
  return !ids.contacts.empty() && block_count(ldy.law(ids.contacts.front())) == 2;
}

void require_dimension(const FclibProblem& problem, const Constraints& ids) {
  if (problem.spacedim != 2 && problem.spacedim != 3) {
    throw std::invalid_argument("spacedim: expected 2 or 3, found " + std::to_string(problem.spacedim));
  }
  for (const ConstraintId id : ids.contacts) {
    const bool planar = rows(problem.ldy.law(id), 0) == kRowsPlanar;
    if (planar != (problem.spacedim == 2)) {
      throw std::invalid_argument("constraint " + std::to_string(id) + ": expected a contact in " +
                                  std::to_string(problem.spacedim) + "D, found one in " + (planar ? "2D" : "3D"));
    }
  }
}

// A row of the file: its place in the arena, and of its block the row.
struct FileLine {
  Index place;
  int axis;
};

std::vector<FileLine> contact_lines(const LocalDynamics& ldy, const Constraints& ids, int d) {
  const DiagonalBlock* arena = ldy.diagonal_arena().data();
  std::vector<FileLine> lines;
  lines.reserve(ids.contacts.size() * static_cast<std::size_t>(d));
  for (const ConstraintId id : ids.contacts) {
    for (int i = 0; i < d; ++i) {
      lines.push_back({static_cast<Index>(&ldy.row(id, kFileRows[i].block) - arena), kFileRows[i].row});
    }
  }
  return lines;
}

std::vector<FileLine> bilateral_lines(const LocalDynamics& ldy, const Constraints& ids) {
  const DiagonalBlock* arena = ldy.diagonal_arena().data();
  std::vector<FileLine> lines;
  for (const ConstraintId id : ids.bilateral) {
    const Law& law = ldy.law(id);
    for (int k = 0; k < block_count(law); ++k) {
      for (int axis = 0; axis < 3; ++axis) {
        if (uses(rows(law, k), axis)) lines.push_back({static_cast<Index>(&ldy.row(id, k) - arena), axis});
      }
    }
  }
  return lines;
}

// Where the rows of a block stand among some lines; −1: not there.
using BlockNumbers = std::vector<std::array<int, 3>>;

BlockNumbers numbers_of(const LocalDynamics& ldy, std::span<const FileLine> lines) {
  BlockNumbers numbers(ldy.diagonal_arena().size(), {-1, -1, -1});
  for (std::size_t at = 0; at < lines.size(); ++at) numbers[lines[at].place][lines[at].axis] = static_cast<int>(at);
  return numbers;
}

// The part of W in some rows and columns, compressed by rows, columns ascending: all entries of the linked blocks.
CompressedRows part_of(const LocalDynamics& ldy, std::span<const FileLine> lines, std::span<const FileLine> columns,
                       const std::string& name) {
  const auto arena = ldy.diagonal_arena();
  const BlockNumbers number = numbers_of(ldy, columns);
  CompressedRows part;
  part.rows = static_cast<int>(lines.size());
  part.columns = static_cast<int>(columns.size());
  part.first.push_back(0);
  std::vector<std::pair<int, double>> entries;
  for (const FileLine& line : lines) {
    const DiagonalBlock& row = arena[line.place];
    const double length = row_length(ldy, row);
    entries.clear();
    const auto add = [&](Index place, const Eigen::Matrix3d& W) {
      const double scale = length * row_length(ldy, arena[place]);
      for (int axis = 0; axis < 3; ++axis) {
        if (number[place][axis] >= 0) entries.emplace_back(number[place][axis], W(line.axis, axis) / scale);
      }
    };
    add(line.place, row.W);
    for (const auto& block : ldy.adjacent(row)) add(block.other, block.W);
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (part.value.size() + entries.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw std::invalid_argument(name + ": expected at most 2147483647 entries, as a file can count, found more");
    }
    for (const auto& [column, value] : entries) {
      part.column.push_back(column);
      part.value.push_back(value);
    }
    part.first.push_back(static_cast<int>(part.value.size()));
  }
  return part;
}

// Adds the compliance of bilateral rows to the diagonal of R.
void add_compliance(const LocalDynamics& ldy, std::span<const FileLine> lines, CompressedRows& R) {
  for (int row = 0; row < R.rows; ++row) {
    const DiagonalBlock& block = ldy.diagonal_arena()[lines[row].place];
    const auto k = static_cast<int>(&block - &ldy.row(block.constraint));
    const double C = compliance(ldy.law(block.constraint), k)[lines[row].axis];
    for (int at = R.first[row]; at < R.first[row + 1]; ++at) {
      if (R.column[at] == row) R.value[at] += C;
    }
  }
}

// q = B + σ of one block, in the file's units.
Eigen::Vector3d free_velocity(const LocalDynamics& ldy, ConstraintId id, int block) {
  const DiagonalBlock& row = ldy.row(id, block);
  return (row.B + offset(ldy.law(id), block)) / row_length(ldy, row);
}

void write_vectors(Hdf5Output& file, const std::string& group, const LocalDynamics& ldy, const Constraints& ids,
                   std::span<const FileLine> bilateral, int d) {
  std::vector<Eigen::Vector3d> q;
  std::vector<double> friction, rolling, s;
  for (const ConstraintId id : ids.contacts) {
    const Law& law = ldy.law(id);
    for (int k = 0; k < block_count(law); ++k) q.push_back(free_velocity(ldy, id, k));
    const Friction discs = friction_discs(law);
    friction.push_back(discs.sliding[0]);
    if (d == 5) rolling.push_back(discs.rolling);
  }
  for (const FileLine& line : bilateral) {
    const DiagonalBlock& row = ldy.diagonal_arena()[line.place];
    const auto k = static_cast<int>(&row - &ldy.row(row.constraint));
    s.push_back((row.B + offset(ldy.law(row.constraint), k))[line.axis]);
  }
  file.group(group + "/vectors");
  file.reals(group + "/vectors/q", to_file_order(q, d));
  file.reals(group + "/vectors/mu", friction);
  if (d == 5) file.reals(group + "/vectors/mu_r", rolling);
  if (!s.empty()) file.reals(group + "/vectors/s", s);
}

}  // namespace

FclibSolution solution_of(const LocalDynamics& ldy) {
  const Constraints ids = constraints_of(ldy);
  FclibSolution solution;
  for (const ConstraintId id : ids.contacts) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      const DiagonalBlock& row = ldy.row(id, k);
      const double length = row_length(ldy, row);
      solution.U.push_back(free_velocity(ldy, id, k) + row_product(ldy, row) / length);
      solution.R.push_back(row.R * length);
    }
  }
  const auto lines = bilateral_lines(ldy, ids);
  solution.l.resize(static_cast<Eigen::Index>(lines.size()));
  for (std::size_t at = 0; at < lines.size(); ++at) {
    solution.l[static_cast<Eigen::Index>(at)] = ldy.diagonal_arena()[lines[at].place].R[lines[at].axis];
  }
  return solution;
}

void write_fclib(const std::filesystem::path& path, const FclibProblem& problem) {
  const LocalDynamics& ldy = problem.ldy;
  const Constraints ids = constraints_of(ldy);
  require_dimension(problem, ids);
  const bool rolling = rolls(ldy, ids);
  const std::string group = rolling ? "fclib_local_rolling" : "fclib_local";
  const int d = rolling ? 5 : problem.spacedim;
  const auto contacts = contact_lines(ldy, ids, d), bilateral = bilateral_lines(ldy, ids);

  Hdf5Output file;
  file.group(group);
  file.integer(group + "/spacedim", d);
  write_sparse_group(file, group + "/W", part_of(ldy, contacts, contacts, "W"));
  if (!bilateral.empty()) {
    CompressedRows R = part_of(ldy, bilateral, bilateral, "R");
    add_compliance(ldy, bilateral, R);
    write_sparse_group(file, group + "/V", part_of(ldy, contacts, bilateral, "V"));
    write_sparse_group(file, group + "/R", R);
  }
  write_vectors(file, group, ldy, ids, bilateral, d);
  write_texts(file, group, problem.info);
  write_solutions(file, {.contact_rows = contacts.size(), .bilateral = bilateral.size(), .d = d}, problem.solution,
                  problem.guesses);
  const std::vector<char> image = file.image();
  replace_file(path, {image.data(), image.size()});
}

}  // namespace locdyn
