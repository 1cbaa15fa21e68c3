#pragma once
// FCLIB problem files, group `fclib_local`, in 2D and 3D: u = W r + q, friction μ one a contact, normal first in each
// contact; and `fclib_local_rolling`, the same with five rows a contact, n, t1, t2 and the rolling moments about t1 and
// t2, and their coefficients μ_r one a contact. Here, and nowhere else, rows are permuted between the file's (n, t1,
// t2) and the library's (t1, t2, n); the permutation is cyclic, so a right-handed frame stays so. In 2D (n, t) becomes
// t1 and n. A file's moments are in N m; the graph's, by `RollingLaw`, in its length ℓ of each contact.
//
// Source: Acary, Brémond, Koziara & Pérignon, FCLIB: a collection of discrete 3D frictional contact problems, Inria
// RT-0444 (2014).

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <locdyn/ldy/file_error.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

/// What a file says of itself, as bytes: old files are not always UTF-8.
struct FclibInfo {
  std::string title, description, math_info;
};

/// Relative velocity u = W r + q and reaction r of each contact, rows (t1, t2, n). Rolling contacts have two entries
/// each, force and moment, in the file's own units: velocities and N, then spins and N m.
struct FclibSolution {
  std::vector<Eigen::Vector3d> U, R;
};

struct FclibProblem {
  LocalDynamics ldy;  ///< contacts in order of id; read from a file, contact k has id k
  int spacedim = 3;   ///< 2: every contact is planar; 3: none is, and all or none have rolling friction
  FclibInfo info;
  std::optional<FclibSolution> solution;
  std::vector<FclibSolution> guesses;
};

/// Reads a problem. W may be stored as triplets, compressed columns or compressed rows, unsymmetric in values and in
/// pattern: two contacts are linked both ways where either block holds an entry. R = 0; the graph is packed by id.
/// ℓ of a rolling contact is √((tr W_ff / 3) / (tr W_mm / 2)), 1 where one of the traces is not positive.
/// Throws FileError naming the dataset where the file is missing or not a whole HDF5 file, holds another kind of
/// problem or a bilateral part, sizes, types, pointers or indices do not fit, a number is not finite, μ or μ_r < 0 or
/// too large. Not thread-safe, as HDF5. Cost: linear in the entries of W but for a sort.
[[nodiscard]] FclibProblem read_fclib(const std::filesystem::path& path);

/// Writes a problem with its solution and guesses, laid out as libfclib does: W in compressed rows with all entries of
/// linked blocks, n first. The shift σ of a contact has no place of its own in a file and goes into q = B + σ. Read
/// back, the same blocks hold the same bits. Rolling contacts are written with W, q and the
/// solution in N m again, so that theirs comes back to rounding. Throws std::invalid_argument where a constraint is not
/// a contact or has elliptic or torsional friction, 2D and 3D or rolling and other contacts are mixed, or a solution
/// has another number of contacts; FileError where the file cannot be written (then nothing is left of it). The same
/// problem gives the same bytes. Not thread-safe, as HDF5.
void write_fclib(const std::filesystem::path& path, const FclibProblem& problem);

/// R of the graph, and u = q + W R as a file means it: for contacts with a shift, q holds σ. Cost: one product W R.
[[nodiscard]] FclibSolution solution_of(const LocalDynamics& ldy);

}  // namespace locdyn
