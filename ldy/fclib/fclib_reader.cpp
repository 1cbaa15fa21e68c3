#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <stdexcept>

#include <locdyn/ldy/fclib/contact_order.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/ldy/fclib/hdf5_input.hpp>
#include <locdyn/ldy/fclib/sparse_group.hpp>

namespace locdyn {
namespace {

const std::string kLocal = "fclib_local", kLocalRolling = "fclib_local_rolling";

// Which group of the file holds a local problem.
std::string find_group(const Hdf5Input& file) {
  for (const std::string& group : {kLocal, kLocalRolling}) {
    if (!file.has(group)) continue;
    file.require_group(group);
    for (const char* part : {"/V", "/R", "/vectors/s"}) {
      if (file.has(group + part)) {
        file.fail(group + part, "contacts alone", "a bilateral part (V, R, s), which is not read");
      }
    }
    return group;
  }
  const std::string expected = "the group fclib_local or fclib_local_rolling";
  for (const char* other : {"fclib_global", "fclib_global_rolling"}) {
    if (file.has(other)) file.fail("", expected, std::string(other) + ", a kind of problem that is not read");
  }
  file.fail("", expected, "none");
}

// Rows of a contact in the file.
int read_dimension(const Hdf5Input& file, const std::string& group) {
  const std::string name = group + "/spacedim";
  const long long spacedim = file.integer(name);
  if (group == kLocalRolling) {
    if (spacedim != 5) file.fail(name, "5, the rows of a contact with rolling friction", std::to_string(spacedim));
  } else if (spacedim != 2 && spacedim != 3) {
    file.fail(name, "2 or 3", std::to_string(spacedim));
  }
  return static_cast<int>(spacedim);
}

std::vector<double> finite_reals(const Hdf5Input& file, const std::string& name, std::size_t count,
                                 const std::string& meaning) {
  std::vector<double> values = file.reals(name, count, meaning);
  for (std::size_t at = 0; at < count; ++at) {
    if (!std::isfinite(values[at])) {
      file.fail(name, "finite numbers", std::to_string(values[at]) + " at place " + std::to_string(at));
    }
  }
  return values;
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

// One coefficient of friction a contact.
std::vector<double> read_friction(const Hdf5Input& file, const std::string& name, std::size_t contacts) {
  std::vector<double> friction = finite_reals(file, name, contacts, "one a contact");
  for (std::size_t contact = 0; contact < contacts; ++contact) {
    if (friction[contact] < 0) {
      file.fail(name, "friction of at least 0",
                std::to_string(friction[contact]) + " at contact " + std::to_string(contact));
    }
  }
  return friction;
}

// Links each pair of contacts that shares an entry, both ways.
void link_contacts(LocalDynamics& ldy, const SparseEntries& W, int d) {
  std::vector<std::uint64_t> pairs;
  for (const auto& entry : W.entries) {
    const auto a = static_cast<std::uint64_t>(entry.row / d), b = static_cast<std::uint64_t>(entry.column / d);
    if (a == b) continue;
    const std::uint64_t pair = std::min(a, b) << 32 | std::max(a, b);
    if (pairs.empty() || pairs.back() != pair) pairs.push_back(pair);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  for (const std::uint64_t pair : pairs) {
    ldy.couple(static_cast<ConstraintId>(pair >> 32), static_cast<ConstraintId>(pair & 0xffffffffu));
  }
}

// Adds the entries to the blocks, in the order of the file within each contact: repeated places add up.
void fill_blocks(LocalDynamics& ldy, const SparseEntries& W, int d) {
  const std::size_t contacts = ldy.constraint_count();
  std::vector<std::size_t> first(contacts + 1, 0);
  for (const auto& entry : W.entries) ++first[static_cast<std::size_t>(entry.row / d) + 1];
  for (std::size_t contact = 0; contact < contacts; ++contact) first[contact + 1] += first[contact];
  std::vector<std::size_t> by_contact(W.entries.size()), place(first.begin(), first.end() - 1);
  for (std::size_t at = 0; at < W.entries.size(); ++at) {
    by_contact[place[static_cast<std::size_t>(W.entries[at].row / d)]++] = at;
  }

  // The blocks of one contact's rows by their columns' block.
  const std::size_t blocks = file_blocks(d);
  std::vector<Eigen::Matrix3d*> block_of(blocks * blocks * contacts, nullptr);
  const auto arena = ldy.diagonal_arena();
  for (ConstraintId contact = 0; contact < contacts; ++contact) {
    for (std::size_t k = 0; k < blocks; ++k) {
      DiagonalBlock& row = ldy.row(contact, static_cast<int>(k));
      const auto spot = [&](const DiagonalBlock& column) {
        const auto within = static_cast<std::size_t>(&column - &ldy.row(column.constraint));
        return (column.constraint * blocks + within) * blocks + k;
      };
      block_of[spot(row)] = &row.W;
      for (OffDiagonalBlock& block : ldy.adjacent(row)) block_of[spot(arena[block.other])] = &block.W;
    }
    for (std::size_t at = first[contact]; at < first[contact + 1]; ++at) {
      const auto& entry = W.entries[by_contact[at]];
      const FileRow row = kFileRows[entry.row % d], column = kFileRows[entry.column % d];
      const auto other = static_cast<std::size_t>(entry.column / d) * blocks + static_cast<std::size_t>(column.block);
      (*block_of[other * blocks + static_cast<std::size_t>(row.block)])(row.row, column.row) += entry.value;
    }
  }
}

// ℓ of a rolling contact from its own blocks, as the file has them.
double moment_length(const LocalDynamics& ldy, ConstraintId contact) {
  const double force = ldy.row(contact, 0).W.trace() / 3;
  const double moment = ldy.row(contact, 1).W.trace() / 2;
  const double length = force > 0 && moment > 0 ? std::sqrt(force / moment) : 1;
  return std::isfinite(length) && length > 0 ? length : 1;
}

// Moments over ℓ and spins times ℓ: W and B of the moment rows, and the law that says so.
void scale_moments(const Hdf5Input& file, LocalDynamics& ldy, const std::vector<double>& rolling) {
  std::vector<double> length(ldy.constraint_count());
  for (ConstraintId contact = 0; contact < length.size(); ++contact) {
    length[contact] = moment_length(ldy, contact);
    RollingLaw law = std::get<RollingLaw>(ldy.law(contact));
    law.rolling = rolling[contact];
    law.length = length[contact];
    try {
      ldy.set_law(contact, law);
    } catch (const std::invalid_argument& fault) {
      file.fail(kLocalRolling + "/vectors/mu_r", "coefficients that make a law", fault.what());
    }
  }
  const auto arena = ldy.diagonal_arena();
  const auto scale = [&](const DiagonalBlock& row) {
    return &row == &ldy.row(row.constraint) ? 1.0 : length[row.constraint];
  };
  for (DiagonalBlock& row : ldy.rows()) {
    row.B *= scale(row);
    row.W *= scale(row) * scale(row);
    for (OffDiagonalBlock& block : ldy.adjacent(row)) block.W *= scale(row) * scale(arena[block.other]);
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

FclibSolution read_solution(const Hdf5Input& file, const std::string& name, std::size_t rows, int d) {
  file.require_group(name);
  FclibSolution solution;
  solution.U = from_file_order(finite_reals(file, name + "/u", rows, "one a row of W"), d);
  solution.R = from_file_order(finite_reals(file, name + "/r", rows, "one a row of W"), d);
  return solution;
}

void read_guesses(const Hdf5Input& file, std::size_t rows, int d, FclibProblem& problem) {
  if (!file.has("guesses")) return;
  file.require_group("guesses");
  const long long count = file.integer("guesses/number_of_guesses");
  if (count < 0) file.fail("guesses/number_of_guesses", "at least 0", std::to_string(count));
  for (long long guess = 1; guess <= count; ++guess) {
    problem.guesses.push_back(read_solution(file, "guesses/" + std::to_string(guess), rows, d));
  }
}

FclibProblem read_local(const Hdf5Input& file) {
  const std::string group = find_group(file);
  const int d = read_dimension(file, group);
  FclibProblem problem;
  problem.spacedim = std::min(d, 3);

  const SparseEntries W = read_delassus(file, group, d);
  const auto rows = static_cast<std::size_t>(W.rows);
  const std::size_t contacts = rows / static_cast<std::size_t>(d);
  const auto q = from_file_order(finite_reals(file, group + "/vectors/q", rows, "one a row of W"), d);
  const auto friction = read_friction(file, group + "/vectors/mu", contacts);
  const auto rolling = d == 5 ? read_friction(file, group + "/vectors/mu_r", contacts) : std::vector<double>();

  for (std::size_t contact = 0; contact < contacts; ++contact) {
    const Law law = d == 5 ? Law(RollingLaw{.friction = friction[contact], .moment_rows = kRowsRolling})
                           : Law(ContactLaw{.friction = friction[contact], .planar = d == 2});
    const ConstraintId id = problem.ldy.insert(law);
    for (int k = 0; k < block_count(law); ++k) {
      problem.ldy.row(id, k).B = q[contact * file_blocks(d) + static_cast<std::size_t>(k)];
    }
  }
  link_contacts(problem.ldy, W, d);
  fill_blocks(problem.ldy, W, d);
  if (d == 5) scale_moments(file, problem.ldy, rolling);
  require_finite_sums(file, group, problem.ldy);
  problem.ldy.pack(SweepOrder::by_id);

  problem.info = {file.text(group + "/info/title"), file.text(group + "/info/description"),
                  file.text(group + "/info/math_info")};
  if (file.has("solution")) problem.solution = read_solution(file, "solution", rows, d);
  read_guesses(file, rows, d, problem);
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
