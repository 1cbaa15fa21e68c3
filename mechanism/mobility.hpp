#pragma once
// What can move: degrees of freedom, rows that repeat others, bodies that nothing holds, and how near the position is
// to a singular one.

#include <string>
#include <vector>

#include <locdyn/mechanism/mechanism.hpp>

namespace locdyn {

/// A row that follows from others where the mechanism is now.
struct RepeatedRow {
  std::string row;                  ///< as messages name it
  std::vector<std::string> others;  ///< those it follows from
};

struct Mobility {
  Eigen::Index coordinates = 0, rows = 0, rank = 0, freedoms = 0;  ///< freedoms = coordinates − rank
  std::vector<RepeatedRow> redundant = {};                         ///< rows − rank of them
  std::vector<BodyId> loose = {};                                  ///< moving bodies that no row acts on
  Eigen::Index rank_lost = 0;  ///< rows that were independent in the best position so far: a singular position
  /// The smallest singular value of the independent rows, each in units of its own response: 1 where they have nothing
  /// to do with each other, towards 0 where one is about to be lost; and the row with most weight in it.
  double weakest = 1;
  std::string weakest_row = {};  ///< as messages name it
};

/// At the configuration that holds now, held drives included. Throws as `Mechanism::factorise` does. Cost: a sparse QR.
[[nodiscard]] Mobility mobility(Mechanism& mechanism);

/// The degrees of freedom as motions: Z (n×freedoms), orthonormal, G Z = 0. Cost: a sparse QR and the dense vectors.
[[nodiscard]] Eigen::MatrixXd free_motions(Mechanism& mechanism);

/// Constraints whose H, drive or bias are not the derivatives of their C, by central differences to `tolerance`
/// (derivative_check.hpp), a line each: `my circle "round": H: row 0 of block 0, velocity 1 of body 0: expected 1,
/// found 2`. Bodies stay. Throws std::invalid_argument naming the constraint where something is not a number. Cost: two
/// evaluations of a constraint for each of its velocities.
[[nodiscard]] std::vector<std::string> wrong_derivatives(Mechanism& mechanism, double tolerance = 1e-6);

}  // namespace locdyn
