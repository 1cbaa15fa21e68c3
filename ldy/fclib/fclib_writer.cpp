#include <algorithm>
#include <limits>
#include <stdexcept>

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
  for (ConstraintId id = 0; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id)) continue;
    if (!std::holds_alternative<ContactLaw>(ldy.law(id))) {
      throw std::invalid_argument("constraint " + std::to_string(id) +
                                  ": expected a contact, the only law written to a file, found a bilateral law");
    }
    ids.push_back(id);
  }
  return ids;
}

void require_dimension(const FclibProblem& problem, std::span<const ConstraintId> ids) {
  if (problem.spacedim != 2 && problem.spacedim != 3) {
    throw std::invalid_argument("spacedim: expected 2 or 3, found " + std::to_string(problem.spacedim));
  }
  for (const ConstraintId id : ids) {
    const bool planar = std::get<ContactLaw>(problem.ldy.law(id)).planar;
    if (planar != (problem.spacedim == 2)) {
      throw std::invalid_argument("constraint " + std::to_string(id) + ": expected a contact in " +
                                  std::to_string(problem.spacedim) + "D, found one in " + (planar ? "2D" : "3D"));
    }
  }
}

// W in compressed rows, columns ascending: all entries of the linked blocks.
CompressedRows compressed(const LocalDynamics& ldy, std::span<const ConstraintId> ids, int d) {
  const std::size_t width = static_cast<std::size_t>(d);
  const std::size_t entries = (ids.size() + ldy.off_diagonal_count()) * width * width;
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
  std::vector<std::pair<int, const Eigen::Matrix3d*>> blocks;
  for (const ConstraintId id : ids) {
    const DiagonalBlock& row = ldy.row(id);
    blocks.assign(1, {contact_of[id], &row.W});
    for (const auto& block : ldy.adjacent(row))
      blocks.emplace_back(contact_of[arena[block.other].constraint], &block.W);
    std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (int i = 0; i < d; ++i) {
      for (const auto& [contact, block] : blocks) {
        for (int j = 0; j < d; ++j) {
          W.column.push_back(contact * d + j);
          W.value.push_back((*block)(kRowOfFileRow[i], kRowOfFileRow[j]));
        }
      }
      W.first.push_back(static_cast<int>(W.value.size()));
    }
  }
  return W;
}

Eigen::Vector3d free_velocity(const LocalDynamics& ldy, ConstraintId id) {
  return ldy.row(id).B + offset(ldy.law(id), 0);
}

void write_vectors(Hdf5Output& file, const FclibProblem& problem, std::span<const ConstraintId> ids) {
  std::vector<Eigen::Vector3d> q;
  std::vector<double> friction;
  for (const ConstraintId id : ids) {
    q.push_back(free_velocity(problem.ldy, id));
    friction.push_back(std::get<ContactLaw>(problem.ldy.law(id)).friction);
  }
  file.group("fclib_local/vectors");
  file.reals("fclib_local/vectors/q", to_file_order(q, problem.spacedim));
  file.reals("fclib_local/vectors/mu", friction);
}

void write_solution(Hdf5Output& file, const std::string& name, const FclibSolution& solution, std::size_t contacts,
                    int d) {
  if (solution.U.size() != contacts || solution.R.size() != contacts) {
    throw std::invalid_argument(name + ": expected U and R of " + std::to_string(contacts) + " contacts, found " +
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
    solution.U.push_back(free_velocity(ldy, id) + row_product(ldy, ldy.row(id)));
    solution.R.push_back(ldy.row(id).R);
  }
  return solution;
}

void write_fclib(const std::filesystem::path& path, const FclibProblem& problem) {
  const std::vector<ConstraintId> ids = contacts_of(problem.ldy);
  require_dimension(problem, ids);

  Hdf5Output file;
  file.group("fclib_local");
  file.integer("fclib_local/spacedim", problem.spacedim);
  write_sparse_group(file, "fclib_local/W", compressed(problem.ldy, ids, problem.spacedim));
  write_vectors(file, problem, ids);
  file.group("fclib_local/info");
  file.text("fclib_local/info/title", problem.info.title);
  file.text("fclib_local/info/description", problem.info.description);
  file.text("fclib_local/info/math_info", problem.info.math_info);

  if (problem.solution) write_solution(file, "solution", *problem.solution, ids.size(), problem.spacedim);
  if (!problem.guesses.empty()) {
    file.group("guesses");
    file.integer("guesses/number_of_guesses", static_cast<int>(problem.guesses.size()));
    for (std::size_t guess = 0; guess < problem.guesses.size(); ++guess) {
      write_solution(file, "guesses/" + std::to_string(guess + 1), problem.guesses[guess], ids.size(),
                     problem.spacedim);
    }
  }
  const std::vector<char> image = file.image();
  replace_file(path, {image.data(), image.size()});
}

}  // namespace locdyn
