#pragma once
// What the groups of an FCLIB file have in common: dimension, vectors, coefficients of friction, solutions, texts.

#include <cstddef>
#include <string>
#include <vector>

#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/ldy/fclib/hdf5_input.hpp>
#include <locdyn/ldy/fclib/hdf5_output.hpp>

namespace locdyn::detail {

/// Rows of a contact by `spacedim`: 2 or 3, or 5 where the group is one of rolling friction. Throws FileError.
[[nodiscard]] int read_dimension(const Hdf5Input& file, const std::string& group, bool rolling);

/// `count` finite reals; `meaning` says in the fault line why that many. Throws FileError.
[[nodiscard]] std::vector<double> finite_reals(const Hdf5Input& file, const std::string& name, std::size_t count,
                                               const std::string& meaning);
[[nodiscard]] Eigen::VectorXd finite_vector(const Hdf5Input& file, const std::string& name, std::size_t count,
                                            const std::string& meaning);

/// μ, one from 0 to 1e6 a contact; μ_r, one of at least 0 (its upper bound is one on μ_r/ℓ). Throws FileError.
[[nodiscard]] std::vector<double> read_friction(const Hdf5Input& file, const std::string& group, std::size_t contacts);
[[nodiscard]] std::vector<double> read_rolling(const Hdf5Input& file, const std::string& group, std::size_t contacts);

/// A contact without shift, in a file with d rows a contact; rolling friction is left at 0 until ℓ is known.
[[nodiscard]] Law contact_law(double friction, int d);

/// How many numbers a solution has: contact rows, velocities, bilateral rows.
struct SolutionSize {
  std::size_t contact_rows = 0, velocities = 0, bilateral = 0;
  int d = 3;
};

void read_texts(const Hdf5Input& file, const std::string& group, FclibInfo& info);
/// The groups `solution` and `guesses`, where they are there. Throws FileError.
void read_solutions(const Hdf5Input& file, const SolutionSize& size, std::optional<FclibSolution>& solution,
                    std::vector<FclibSolution>& guesses);

void write_texts(Hdf5Output& file, const std::string& group, const FclibInfo& info);
/// Throws std::invalid_argument where a solution has other sizes.
void write_solutions(Hdf5Output& file, const SolutionSize& size, const std::optional<FclibSolution>& solution,
                     const std::vector<FclibSolution>& guesses);

}  // namespace locdyn::detail
