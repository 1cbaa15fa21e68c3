#pragma once
// FCLIB's sparse matrix group: datasets nzmax, m, n, nz, p, i, x. nz ≥ 0 is the number of triplets (i row, p column;
// repeated places add up), −1 compressed columns, −2 compressed rows.
// Source: Acary, Brémond, Koziara & Pérignon, FCLIB: a collection of discrete 3D frictional contact problems, Inria
// RT-0444 (2014).

#include <string>
#include <vector>

#include <locdyn/ldy/fclib/hdf5_input.hpp>
#include <locdyn/ldy/fclib/hdf5_output.hpp>

namespace locdyn::detail {

/// Entries in the order in which the file stores them.
struct SparseEntries {
  struct Entry {
    int row, column;
    double value;
  };
  int rows = 0, columns = 0;
  std::vector<Entry> entries;
};

/// Reads and validates a sparse group. Throws FileError where sizes do not fit each other, pointers do not ascend, an
/// index is out of range or a value is not finite. Cost: linear in what is stored.
[[nodiscard]] SparseEntries read_sparse_group(const Hdf5Input& file, const std::string& name);

/// A matrix in compressed rows.
struct CompressedRows {
  int rows = 0, columns = 0;
  std::vector<int> first;   ///< rows + 1
  std::vector<int> column;  ///< ascending in each row
  std::vector<double> value;
};

/// Writes a sparse group in compressed rows (nz = −2).
void write_sparse_group(Hdf5Output& file, const std::string& name, const CompressedRows& matrix);

}  // namespace locdyn::detail
