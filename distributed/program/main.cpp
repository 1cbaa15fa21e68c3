// locdyn_mpi: problems and scenes over the ranks of mpirun. Every rank runs the same; faults are agreed on, so that all
// end with the same status, and rank 0 alone tells of them in one line.

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

#include <petscsys.h>

#include <locdyn/distributed/body_registry.hpp>
#include <locdyn/distributed/exchange.hpp>
#include <locdyn/base/instruction_set.hpp>
#include "command.hpp"

namespace locdyn::distributed {
namespace {

// A number that stands for this program and the instructions that its kernels use here.
std::uint64_t build_of_this_rank() {
  std::uint64_t hash = 0;
#if defined(__x86_64__)
  hash = detail::has_avx2() ? 1 : 0;
#endif
  std::ifstream program("/proc/self/exe", std::ios::binary);
  std::uint64_t word = 0;
  while (program.read(reinterpret_cast<char*>(&word), sizeof word)) hash = hash_of(hash ^ word);
  return hash;
}

// Laws are sent as they lie in memory, and kernels of other processors may round otherwise: one build for all.
void agree_on_build(MPI_Comm comm) {
  const std::uint64_t own = build_of_this_rank();
  std::uint64_t first = own;
  MPI_Bcast(&first, 1, MPI_UINT64_T, 0, comm);
  agree(comm, first == own ? ""
                           : "rank " + std::to_string(rank_of(comm)) +
                                 ": expected the program and the kind of processor of rank 0, found others");
}

int run(int argc, char** argv, MPI_Comm comm) {
  CLI::App app("locdyn over many machines: mpirun -n RANKS locdyn_mpi …", "locdyn_mpi");
  app.require_subcommand(1);
  app.footer("Exit status, of all ranks: 0 converged (all), 1 some not converged, 2 bad usage or input.");
  const Command commands[] = {solve_command(app), simulate_command(app), count_command(app), measure_command(app),
                              cut_command(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      if (rank_of(comm) == 0) app.exit(error);
      return kConverged;
    }
    throw std::invalid_argument(std::string(error.what()) + " (locdyn_mpi --help lists what there is)");
  }
  agree_on_build(comm);
  for (const Command& command : commands) {
    if (command.parser->parsed()) return command.run(comm);
  }
  return kBad;
}

}  // namespace
}  // namespace locdyn::distributed

int main(int argc, char** argv) {
  using namespace locdyn::distributed;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  int petsc_argc = 1;
  char** petsc_argv = argv;
  if (PetscInitialize(&petsc_argc, &petsc_argv, nullptr, nullptr) != 0) return kBad;
  PetscPopSignalHandler();
  const MPI_Comm comm = PETSC_COMM_WORLD;
  int status = kBad;
  try {
    status = run(argc, argv, comm);
  } catch (const std::invalid_argument& error) {  // agreed on, or the same on all ranks
    if (rank_of(comm) == 0) std::fprintf(stderr, "locdyn_mpi: %s\n", error.what());
  } catch (const std::exception& error) {  // of this rank alone: the others may be waiting for it
    std::fprintf(stderr, "locdyn_mpi: rank %d: %s\n", rank_of(comm), error.what());
    MPI_Abort(comm, kBad);
  }
  PetscFinalize();
  return status;
}
