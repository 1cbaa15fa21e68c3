#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include <locdyn/ldy/fclib/contact_order.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/ldy/fclib/hdf5_output.hpp>
#include <locdyn/ldy/fclib/sparse_group.hpp>
#include <locdyn/ldy/replace_file.hpp>
#include <locdyn/ldy/row_product.hpp>

namespace locdyn {
namespace {

// The contacts of a graph in order of id; a file numbers them so.
std::vector<ConstraintId> contacts_of(const LocalDynamics& ldy) {
  std::vector<ConstraintId> ids;
  ids.reserve(ldy.constraint_count());
  const auto refuse = [](ConstraintId id, const std::string& expected, const std::string& found) {
    throw std::invalid_argument("constraint " + std::to_string(id) + ": expected " + expected + ", found " + found);
  };
  for (ConstraintId id = 0; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id)) continue;
    const Law& law = ldy.law(id);
    const auto* rolling = std::get_if<RollingLaw>(&law);
    if (rolling == nullptr && !std::holds_alternative<ContactLaw>(law)) {
      refuse(id, "a contact, the only law written to a file", law_name(law));
    }
    // Without torsional friction the moment about n is 0: a file leaves its row out.
    if (rolling != nullptr && (rolling->planar() || rolling->torsional > 0)) {
      refuse(id, "rolling friction alone, in space, as a file can hold",
             rolling->planar() ? "a planar contact" : "torsional friction");
    }
    if (!ids.empty() && law.index() != ldy.law(ids.front()).index()) {
      refuse(id, std::string("contacts of one kind, such as ") + law_name(ldy.law(ids.front())), law_name(law));
    }
    ids.push_back(id);
  }
  return ids;
}

bool rolls(const LocalDynamics& ldy, std::span<const ConstraintId> ids) {
  return !ids.empty() && std::holds_alternative<RollingLaw>(ldy.law(ids.front()));
}

void require_dimension(const FclibProblem& problem, std::span<const ConstraintId> ids) {
  if (problem.spacedim != 2 && problem.spacedim != 3) {
    throw std::invalid_argument("spacedim: expected 2 or 3, found " + std::to_string(problem.spacedim));
  }
  for (const ConstraintId id : ids) {
    const auto* contact = std::get_if<ContactLaw>(&problem.ldy.law(id));
    const bool planar = contact != nullptr && contact->planar;
    if (planar != (problem.spacedim == 2)) {
      throw std::invalid_argument("constraint " + std::to_string(id) + ": expected a contact in " +
                                  std::to_string(problem.spacedim) + "D, found one in " + (planar ? "2D" : "3D"));
    }
  }
}

// ℓ by which the graph's moment rows are scaled; 1 for the rows of a force.
double length_of(const LocalDynamics& ldy, const DiagonalBlock& row) {
  const auto* rolling = std::get_if<RollingLaw>(&ldy.law(row.constraint));
  return rolling == nullptr || &row == &ldy.row(row.constraint) ? 1.0 : rolling->length;
}

// W in compressed rows, columns ascending: all entries of the linked blocks.
CompressedRows compressed(const LocalDynamics& ldy, std::span<const ConstraintId> ids, int d) {
  const std::size_t width = static_cast<std::size_t>(d);
  const std::size_t blocks = file_blocks(d);
  // Contacts that are linked share blocks² blocks; those of a contact with itself are all written.
  const std::size_t links = (ldy.row_count() + ldy.off_diagonal_count()) / (blocks * blocks);
  const std::size_t entries = links * width * width;
  if (entries > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::invalid_argument("W: expected at most 2147483647 entries, as a file can count, found " +
                                std::to_string(entries));
  }
  const auto arena = ldy.diagonal_arena();
  std::vector<int> contact_of(ldy.id_bound(), -1);
  for (std::size_t contact = 0; contact < ids.size(); ++contact) contact_of[ids[contact]] = static_cast<int>(contact);

  CompressedRows W;
  W.rows = W.columns = static_cast<int>(ids.size()) * d;
  W.first.reserve(static_cast<std::size_t>(W.rows) + 1);
  W.first.push_back(0);
  W.column.reserve(entries);
  W.value.reserve(entries);
  struct Part {
    int contact, block;
    const Eigen::Matrix3d* W;
    double length;
  };
  std::vector<Part> parts[2];
  for (const ConstraintId id : ids) {
    for (std::size_t k = 0; k < blocks; ++k) {
      const DiagonalBlock& row = ldy.row(id, static_cast<int>(k));
      const auto part = [&](const DiagonalBlock& column, const Eigen::Matrix3d& block) {
        const auto within = static_cast<int>(&column - &ldy.row(column.constraint));
        return Part{contact_of[column.constraint], within, &block, length_of(ldy, column)};
      };
      parts[k].assign(1, part(row, row.W));
      for (const auto& block : ldy.adjacent(row)) parts[k].push_back(part(arena[block.other], block.W));
      std::sort(parts[k].begin(), parts[k].end(), [](const Part& a, const Part& b) {
        return std::pair(a.contact, a.block) < std::pair(b.contact, b.block);
      });
    }
    for (int i = 0; i < d; ++i) {
      const FileRow row = kFileRows[i];
      const auto& of_row = parts[row.block];
      const double length = length_of(ldy, ldy.row(id, row.block));
      for (std::size_t at = 0; at < of_row.size(); at += blocks) {
        for (int j = 0; j < d; ++j) {
          const Part& part = of_row[at + static_cast<std::size_t>(kFileRows[j].block)];
          W.column.push_back(part.contact * d + j);
          W.value.push_back((*part.W)(row.row, kFileRows[j].row) / (length * part.length));
        }
      }
      W.first.push_back(static_cast<int>(W.value.size()));
    }
  }
  return W;
}

// q = B + σ of one block, in the file's units.
Eigen::Vector3d free_velocity(const LocalDynamics& ldy, ConstraintId id, int block) {
  const DiagonalBlock& row = ldy.row(id, block);
  return (row.B + offset(ldy.law(id), block)) / length_of(ldy, row);
}

void write_vectors(Hdf5Output& file, const std::string& group, const FclibProblem& problem,
                   std::span<const ConstraintId> ids, int d) {
  std::vector<Eigen::Vector3d> q;
  std::vector<double> friction, rolling;
  for (const ConstraintId id : ids) {
    const Law& law = problem.ldy.law(id);
    for (int k = 0; k < block_count(law); ++k) q.push_back(free_velocity(problem.ldy, id, k));
    if (const auto* contact = std::get_if<RollingLaw>(&law)) {
      friction.push_back(contact->friction);
      rolling.push_back(contact->rolling);
    } else {
      friction.push_back(std::get<ContactLaw>(law).friction);
    }
  }
  file.group(group + "/vectors");
  file.reals(group + "/vectors/q", to_file_order(q, d));
  file.reals(group + "/vectors/mu", friction);
  if (d == 5) file.reals(group + "/vectors/mu_r", rolling);
}

void write_solution(Hdf5Output& file, const std::string& name, const FclibSolution& solution, std::size_t contacts,
                    int d) {
  const std::size_t blocks = contacts * file_blocks(d);
  if (solution.U.size() != blocks || solution.R.size() != blocks) {
    throw std::invalid_argument(name + ": expected U and R of " + std::to_string(blocks) +
                                (d == 5 ? " blocks, two a contact" : " contacts") + ", found " +
                                std::to_string(solution.U.size()) + " and " + std::to_string(solution.R.size()));
  }
  file.group(name);
  file.reals(name + "/u", to_file_order(solution.U, d));
  file.reals(name + "/r", to_file_order(solution.R, d));
}

}  // namespace

FclibSolution solution_of(const LocalDynamics& ldy) {
  FclibSolution solution;
  for (const ConstraintId id : contacts_of(ldy)) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      const DiagonalBlock& row = ldy.row(id, k);
      const double length = length_of(ldy, row);
      solution.U.push_back(free_velocity(ldy, id, k) + row_product(ldy, row) / length);
      solution.R.push_back(row.R * length);
    }
  }
  return solution;
}

void write_fclib(const std::filesystem::path& path, const FclibProblem& problem) {
  const std::vector<ConstraintId> ids = contacts_of(problem.ldy);
  require_dimension(problem, ids);
  const bool rolling = rolls(problem.ldy, ids);
  const std::string group = rolling ? "fclib_local_rolling" : "fclib_local";
  const int d = rolling ? 5 : problem.spacedim;

  Hdf5Output file;
  file.group(group);
  file.integer(group + "/spacedim", d);
  write_sparse_group(file, group + "/W", compressed(problem.ldy, ids, d));
  write_vectors(file, group, problem, ids, d);
  file.group(group + "/info");
  file.text(group + "/info/title", problem.info.title);
  file.text(group + "/info/description", problem.info.description);
  file.text(group + "/info/math_info", problem.info.math_info);

  if (problem.solution) write_solution(file, "solution", *problem.solution, ids.size(), d);
  if (!problem.guesses.empty()) {
    file.group("guesses");
    file.integer("guesses/number_of_guesses", static_cast<int>(problem.guesses.size()));
    for (std::size_t guess = 0; guess < problem.guesses.size(); ++guess) {
      write_solution(file, "guesses/" + std::to_string(guess + 1), problem.guesses[guess], ids.size(), d);
    }
  }
  const std::vector<char> image = file.image();
  replace_file(path, {image.data(), image.size()});
}

}  // namespace locdyn
