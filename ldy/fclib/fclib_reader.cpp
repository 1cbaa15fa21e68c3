#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>

#include <locdyn/ldy/fclib/contact_order.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/ldy/fclib/hdf5_input.hpp>
#include <locdyn/ldy/fclib/sparse_group.hpp>

namespace locdyn {
namespace {

const std::string kGroup = "fclib_local";

void require_local_contacts(const Hdf5Input& file) {
  if (!file.has(kGroup)) {
    for (const char* other : {"fclib_global", "fclib_local_rolling", "fclib_global_rolling"}) {
      if (file.has(other)) {
        file.fail("", "the group fclib_local", std::string(other) + ", a kind of problem that is not read");
      }
    }
    file.fail("", "the group fclib_local", "none");
  }
  file.require_group(kGroup);
  for (const char* part : {"/V", "/R", "/vectors/s"}) {
    if (file.has(kGroup + part)) {
      file.fail(kGroup + part, "contacts alone", "a bilateral part (V, R, s), which is not read");
    }
  }
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

SparseEntries read_delassus(const Hdf5Input& file, int d) {
  SparseEntries W = read_sparse_group(file, kGroup + "/W");
  if (W.rows != W.columns) {
    file.fail(kGroup + "/W", "a square matrix", std::to_string(W.rows) + " by " + std::to_string(W.columns));
  }
  if (W.rows % d != 0) {
    file.fail(kGroup + "/W/m", "a multiple of spacedim = " + std::to_string(d), std::to_string(W.rows));
  }
  return W;
}

std::vector<double> read_friction(const Hdf5Input& file, std::size_t contacts) {
  const std::string name = kGroup + "/vectors/mu";
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

  std::vector<Eigen::Matrix3d*> block_of(contacts, nullptr);
  const auto arena = ldy.diagonal_arena();
  for (ConstraintId contact = 0; contact < contacts; ++contact) {
    DiagonalBlock& row = ldy.row(contact);
    block_of[contact] = &row.W;
    for (OffDiagonalBlock& block : ldy.adjacent(row)) block_of[arena[block.other].constraint] = &block.W;
    for (std::size_t at = first[contact]; at < first[contact + 1]; ++at) {
      const auto& entry = W.entries[by_contact[at]];
      (*block_of[static_cast<std::size_t>(entry.column / d)])(kRowOfFileRow[entry.row % d],
                                                              kRowOfFileRow[entry.column % d]) += entry.value;
    }
  }
}

void require_finite_sums(const Hdf5Input& file, const LocalDynamics& ldy) {
  const auto check = [&](const Eigen::Matrix3d& W) {
    if (!W.allFinite()) file.fail(kGroup + "/W/x", "finite sums of repeated entries", "an overflow");
  };
  for (const auto& row : ldy.rows()) {
    check(row.W);
    for (const auto& block : ldy.adjacent(row)) check(block.W);
  }
}

FclibSolution read_solution(const Hdf5Input& file, const std::string& name, std::size_t rows, int d) {
  file.require_group(name);
  FclibSolution solution;
  solution.U = from_file_order(finite_reals(file, name + "/u", rows, "spacedim a contact"), d);
  solution.R = from_file_order(finite_reals(file, name + "/r", rows, "spacedim a contact"), d);
  return solution;
}

void read_guesses(const Hdf5Input& file, std::size_t rows, FclibProblem& problem) {
  if (!file.has("guesses")) return;
  file.require_group("guesses");
  const long long count = file.integer("guesses/number_of_guesses");
  if (count < 0) file.fail("guesses/number_of_guesses", "at least 0", std::to_string(count));
  for (long long guess = 1; guess <= count; ++guess) {
    problem.guesses.push_back(read_solution(file, "guesses/" + std::to_string(guess), rows, problem.spacedim));
  }
}

FclibProblem read_local(const Hdf5Input& file) {
  require_local_contacts(file);
  FclibProblem problem;
  const long long spacedim = file.integer(kGroup + "/spacedim");
  if (spacedim != 2 && spacedim != 3) file.fail(kGroup + "/spacedim", "2 or 3", std::to_string(spacedim));
  const int d = problem.spacedim = static_cast<int>(spacedim);

  const SparseEntries W = read_delassus(file, d);
  const auto rows = static_cast<std::size_t>(W.rows);
  const std::size_t contacts = rows / static_cast<std::size_t>(d);
  const auto q = from_file_order(finite_reals(file, kGroup + "/vectors/q", rows, "one a row of W"), d);
  const auto friction = read_friction(file, contacts);

  for (std::size_t contact = 0; contact < contacts; ++contact) {
    const ConstraintId id = problem.ldy.insert(ContactLaw{.friction = friction[contact], .planar = d == 2});
    problem.ldy.row(id).B = q[contact];
  }
  link_contacts(problem.ldy, W, d);
  fill_blocks(problem.ldy, W, d);
  require_finite_sums(file, problem.ldy);
  problem.ldy.pack(SweepOrder::by_id);

  problem.info = {file.text(kGroup + "/info/title"), file.text(kGroup + "/info/description"),
                  file.text(kGroup + "/info/math_info")};
  if (file.has("solution")) problem.solution = read_solution(file, "solution", rows, d);
  read_guesses(file, rows, problem);
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
