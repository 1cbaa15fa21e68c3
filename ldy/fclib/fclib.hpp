#pragma once
// FCLIB problem files in 2D and 3D, friction μ one a contact, normal first in each contact:
//
//   fclib_local    u = W r + V l + q,   Vᵀ r + R l + s = 0       V, R, s where there are bilateral rows
//   fclib_global   M v = H r + G l + f,   u = Hᵀ v + w,   Gᵀ v + b = 0       G, b where there are bilateral rows
//
// and the same with the ending `_rolling`: five rows a contact, n, t1, t2 and the rolling moments about t1 and t2, and
// their coefficients μ_r one a contact. Here, and nowhere else, rows are permuted between the file's (n, t1, t2) and
// the library's (t1, t2, n); the permutation is cyclic, so a right-handed frame stays so. In 2D (n, t) becomes t1 and
// n. A file's moments are in N m; the graph's, by `RollingLaw`, in its length ℓ of each contact.
//
// Source: Acary, Brémond, Koziara & Pérignon, FCLIB: a collection of discrete 3D frictional contact problems, Inria
// RT-0444 (2014).

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <locdyn/ldy/file_error.hpp>
#include <locdyn/ldy/global_problem.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

/// What a file says of itself, as bytes: old files are not always UTF-8.
struct FclibInfo {
  std::string title, description, math_info;  ///< empty where the file has none
};

/// Relative velocity u = W r + q and reaction r of each contact, rows (t1, t2, n). Rolling contacts have two entries
/// each, force and moment, in the file's own units: velocities and N, then spins and N m.
struct FclibSolution {
  std::vector<Eigen::Vector3d> U, R;  ///< by contact
  Eigen::VectorXd v;                  ///< velocities of a global problem
  Eigen::VectorXd l;                  ///< bilateral forces, in the order of the file
};

/// A local problem.
struct FclibProblem {
  LocalDynamics ldy;  ///< constraints in order of id; read from a file, contact k has id k, bilateral rows follow
  int spacedim = 3;   ///< 2: every contact is planar; 3: none is, and all or none have rolling friction
  FclibInfo info;     ///< about the file
  std::optional<FclibSolution> solution;  ///< where the file has one
  std::vector<FclibSolution> guesses;     ///< starts that the file offers
};

/// A global problem, to be condensed to a graph (solver/global).
struct FclibGlobal {
  GlobalProblem problem;                  ///< as the file has it
  int spacedim = 3;                       ///< as of FclibProblem
  FclibInfo info;                         ///< about the file
  std::optional<FclibSolution> solution;  ///< where the file has one
  std::vector<FclibSolution> guesses;     ///< starts that the file offers
};

/// W itself, or what it is made of.
enum class FclibKind { local, global };

/// Which reader a file is for. Throws FileError where it is missing, no whole HDF5 file or holds no problem.
[[nodiscard]] FclibKind fclib_kind(const std::filesystem::path& path);

/// Reads a local problem. Matrices may be stored as triplets, compressed columns or compressed rows, unsymmetric in
/// values and in pattern: two constraints are linked both ways where either block holds an entry. R = 0; the graph is
/// packed by id. Bilateral rows become `BilateralLaw`s, W their R, B their s; up to three that follow one another and
/// are coupled in R share one. ℓ of a rolling contact is √((tr W_ff / 3) / (tr W_mm / 2)), 1 where one of the traces is
/// not positive. Throws FileError naming the dataset where the file is missing or not a whole HDF5 file, holds another
/// kind of problem, sizes, types, pointers or indices do not fit, a number is not finite, μ or μ_r < 0 or too large.
/// Not thread-safe, as HDF5. Cost: linear in the entries but for a sort.
[[nodiscard]] FclibProblem read_fclib(const std::filesystem::path& path);

/// Reads a global problem, with the same storage and the same errors.
[[nodiscard]] FclibGlobal read_fclib_global(const std::filesystem::path& path);

/// Writes a local problem with its solution and guesses, laid out as libfclib does: W in compressed rows with all
/// entries of linked blocks, n first, bilateral rows in order of id. The shift σ of a law has no place of its own in a
/// file and goes into q = B + σ or s; the compliance of bilateral rows goes into R. V is what bilateral forces do to
/// contacts: a file has no place for another Vᵀ. Read back, the same blocks hold the same bits. Rolling contacts are
/// written with W, q and the solution in N m again, so that theirs comes back to rounding. Throws std::invalid_argument
/// where a contact gives way or has elliptic or torsional friction (a file has no place for either: C folded into W
/// would be read back as a hard contact with another W), 2D and 3D or rolling and other contacts are mixed, or a
/// solution has other sizes; FileError where the file cannot be written (then nothing is left of it). The same problem
/// gives the same bytes. Not thread-safe, as HDF5.
void write_fclib(const std::filesystem::path& path, const FclibProblem& problem);

/// Writes a global problem: M, H and G in compressed rows. Throws as `write_fclib` and GlobalProblem::validate do.
void write_fclib_global(const std::filesystem::path& path, const FclibGlobal& problem);

/// R and l of the graph, and u = q + W R + V l as a file means it: for contacts with a shift, q holds σ. Cost: one
/// product.
[[nodiscard]] FclibSolution solution_of(const LocalDynamics& ldy);

}  // namespace locdyn
