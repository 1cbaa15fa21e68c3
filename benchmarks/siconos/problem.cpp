#include "problem.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <variant>

#include <FrictionContactProblem.h>
#include <NumericsMatrix.h>
#include <SparseBlockMatrix.h>

#include <locdyn/ldy/fclib/contact_order.hpp>

namespace locdyn::peer {
using namespace locdyn::detail;
namespace {

// Siconos frees with free.
template <class Number>
Number* array(std::size_t count) {
  return static_cast<Number*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(Number)));
}

// A block column by column, rows and columns normal first.
double* block_of(const Eigen::Matrix3d& W) {
  double* block = array<double>(9);
  for (int column = 0; column < 3; ++column) {
    for (int row = 0; row < 3; ++row) block[3 * column + row] = W(kFileRows[row].row, kFileRows[column].row);
  }
  return block;
}

std::vector<ConstraintId> ids_in(const LocalDynamics& ldy) {
  std::vector<ConstraintId> ids;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (ldy.contains(id)) ids.push_back(id);
  }
  return ids;
}

// M as compressed rows of blocks, columns ascending.
SparseBlockStructuredMatrix* blocks_of(const LocalDynamics& ldy, const std::vector<ConstraintId>& ids) {
  std::vector<std::size_t> place(ldy.id_bound());
  for (std::size_t k = 0; k < ids.size(); ++k) place[ids[k]] = k;
  const std::size_t count = ids.size(), blocks = count + ldy.off_diagonal_count();
  SparseBlockStructuredMatrix* M = SBM_new();
  M->nbblocks = static_cast<unsigned>(blocks);
  M->block = array<double*>(blocks);
  M->blocknumber0 = M->blocknumber1 = static_cast<unsigned>(count);
  M->blocksize0 = array<unsigned>(count);
  M->blocksize1 = array<unsigned>(count);
  M->filled1 = count + 1;
  M->filled2 = blocks;
  M->index1_data = array<std::size_t>(count + 1);
  M->index2_data = array<std::size_t>(blocks);
  std::size_t at = 0;
  for (std::size_t k = 0; k < count; ++k) {
    M->blocksize0[k] = M->blocksize1[k] = static_cast<unsigned>(3 * (k + 1));
    const DiagonalBlock& row = ldy.row(ids[k]);
    std::vector<std::pair<std::size_t, const Eigen::Matrix3d*>> entries = {{k, &row.W}};
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
      entries.emplace_back(place[ldy.diagonal_arena()[block.other].constraint], &block.W);
    }
    std::sort(entries.begin(), entries.end());
    for (const auto& [column, W] : entries) {
      M->block[at] = block_of(*W);
      M->index2_data[at++] = column;
    }
    M->index1_data[k + 1] = at;
  }
  return M;
}

}  // namespace

bool is_local_3d(const LocalDynamics& ldy) {
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id)) continue;
    const Law& law = ldy.law(id);
    if (!is_coulomb(law) || gives_way(law) || rows(law, 0) == kRowsPlanar) return false;
  }
  return true;
}

FrictionContactProblem* make_problem(const LocalDynamics& ldy) {
  const std::vector<ConstraintId> ids = ids_in(ldy);
  const int size = static_cast<int>(3 * ids.size());
  double* q = array<double>(3 * ids.size());
  double* mu = array<double>(ids.size());
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const Law& law = ldy.law(ids[k]);
    const Eigen::Vector3d b = ldy.row(ids[k]).B + offset(law, 0);
    for (int row = 0; row < 3; ++row) q[3 * k + static_cast<std::size_t>(row)] = b[kFileRows[row].row];
    mu[k] = friction_discs(law).sliding[0];
  }
  NumericsMatrix* M = NM_new_SBM(size, size, blocks_of(ldy, ids));
  return frictionContactProblem_new_with_data(3, static_cast<int>(ids.size()), M, q, mu);
}

void take_reactions(LocalDynamics& ldy, const std::vector<double>& reactions) {
  const std::vector<Eigen::Vector3d> contacts = from_file_order(reactions, 3);
  const std::vector<ConstraintId> ids = ids_in(ldy);
  for (std::size_t k = 0; k < ids.size(); ++k) ldy.row(ids[k]).R = contacts[k];
}

}  // namespace locdyn::peer
