#pragma once
// The velocities of all bodies as unknowns of one linear system: six to a block, so that a rigid body is one block, a
// particle or a planar body one that is filled up, a pseudo-rigid body two. One of the ranks that act on a body has its
// unknowns; every rank has a copy of those that it acts on.

#include <petscvec.h>

#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/distributed/distributed_graph.hpp>

namespace locdyn::distributed {

class VelocityUnknowns {
 public:
  static constexpr int kBlock = 6;

  /// Collective. All ranks throw std::invalid_argument where PETSc's indices do not reach.
  explicit VelocityUnknowns(DistributedGraph& graph);
  ~VelocityUnknowns();
  VelocityUnknowns(const VelocityUnknowns&) = delete;
  VelocityUnknowns& operator=(const VelocityUnknowns&) = delete;

  /// Of this rank's copies: blocks in all, the first of a group of the factor, and by block its number among all ranks'
  /// and the rank that has it.
  [[nodiscard]] std::size_t copies() const noexcept { return number_.size(); }
  [[nodiscard]] std::size_t first_block(std::uint32_t group) const { return first_[group]; }
  [[nodiscard]] PetscInt number(std::size_t block) const { return number_[block]; }
  [[nodiscard]] int owner(std::size_t block) const { return owner_[block]; }
  /// Groups whose unknowns this rank has; blocks of this rank, the number of its first, and of all ranks.
  [[nodiscard]] std::span<const std::uint32_t> own() const noexcept { return own_; }
  [[nodiscard]] PetscInt own_blocks() const noexcept { return own_blocks_; }
  [[nodiscard]] PetscInt first_own() const noexcept { return first_own_; }
  [[nodiscard]] std::uint64_t all_blocks() const noexcept { return all_blocks_; }

  /// Vectors of this rank's copies and of all unknowns, for the caller to destroy.
  [[nodiscard]] Vec copies_vector() const;
  [[nodiscard]] Vec global_vector() const;
  /// all ← Σ over ranks of their copies; every copy ← all. Collective.
  void add_up(Vec copies, Vec all) const;
  void hand_out(Vec all, Vec copies) const;

 private:
  MPI_Comm comm_;
  std::vector<std::size_t> first_;  // by group
  std::vector<PetscInt> number_;
  std::vector<int> owner_;
  std::vector<std::uint32_t> own_;
  PetscInt own_blocks_ = 0, first_own_ = 0;
  std::uint64_t all_blocks_ = 0;
  VecScatter scatter_ = nullptr;  // from all to copies
};

/// Throws std::runtime_error where PETSc reports an error, saying at what.
void require_petsc(PetscErrorCode error, const char* what);

}  // namespace locdyn::distributed
