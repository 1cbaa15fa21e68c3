#pragma once
// The velocities of bodies that several ranks act on, sent where they are needed next. A body is visited by its batches
// in order of colour, whatever ranks these lie on: before a batch's turn its rank gets the velocity from the rank of
// the batch before (the first of a sweep from the last of the sweep before). Two batches of one colour share no body,
// so that a velocity has one writer at any time, and what is sent are copies: no sum depends on the ranks.
//
// Messages are a star forest a colour (PetscSF), built once: roots are lines of eight numbers where they were written
// last, leaves the same lines where they are read.

#include <mpi.h>
#include <petscsf.h>

#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/distributed/distributed_graph.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>

namespace locdyn::distributed {

class Halo {
 public:
  /// Of all colours, for the lines of `sweep`, which sweeps the schedule of `graph`. Collective. PETSc is initialised.
  /// Throws std::runtime_error where PETSc reports an error.
  Halo(DistributedGraph& graph, const detail::VelocitySweep& sweep);
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  /// What the batches of a colour read from other ranks: on its way after `begin`, there after `end`. lines: all of
  /// this rank.
  void begin(int colour, std::span<double> lines);
  void end(int colour, std::span<double> lines);
  /// The velocities after the last colour, on every rank that acts on the body.
  void share_last(std::span<double> lines);
  /// Adds what every rank has in its lines to those of the rank that visits last; line by line, ranks ascending.
  void add_to_last(std::span<const double> changes, std::span<double> lines);

  /// This rank's batches of a colour that read nothing from others, and those that do.
  [[nodiscard]] std::span<const Index> interior(int colour) const {
    return colours_[static_cast<std::size_t>(colour)].interior;
  }
  [[nodiscard]] std::span<const Index> boundary(int colour) const {
    return colours_[static_cast<std::size_t>(colour)].boundary;
  }
  /// Lines that this rank gets from others in one sweep.
  [[nodiscard]] std::uint64_t received_lines() const noexcept { return received_lines_; }
  /// By line of this rank: do other ranks have the body, too?
  [[nodiscard]] std::span<const char> shared() const noexcept { return shared_; }

 private:
  struct Leaf {
    std::uint64_t line = 0;  // here
    std::int32_t rank = 0;   // where it was written last
    std::uint32_t root = 0;  // its line there
  };
  struct Colour {
    PetscSF forest = nullptr;
    std::vector<Index> interior, boundary;
  };
  [[nodiscard]] PetscSF plant(MPI_Comm comm, std::size_t roots, std::span<const Leaf> leaves) const;

  std::vector<Colour> colours_;
  PetscSF last_ = nullptr;
  MPI_Datatype line_ = MPI_DATATYPE_NULL;
  std::vector<char> shared_;
  std::uint64_t received_lines_ = 0;
};

}  // namespace locdyn::distributed
