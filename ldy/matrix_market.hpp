#pragma once
// W as a MatrixMarket file, for any tool that reads sparse matrices.
// Source: Boisvert, Pozo & Remington, NISTIR 5935 (1996), "coordinate real general".

#include <filesystem>
#include <string>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

/// The text of W: one line "row column value" an entry of a linked block, numbered from 1. Rows and columns are the
/// rows in use of the constraints in order of id, each as (t1, t2, n): in 3D contact α (from 0) owns 3α+1 … 3α+3, in 2D
/// (t1, n) at 2α+1, 2α+2. Entries ascend by row, then column; values have the fewest digits that read back bit for bit.
/// Cost: one pass over W, and a sort of each row's list.
[[nodiscard]] std::string matrix_market(const LocalDynamics& ldy);

/// Writes that text to a file, whole or not at all. Throws FileError where it cannot be written.
void write_matrix_market(const std::filesystem::path& path, const LocalDynamics& ldy);

}  // namespace locdyn
