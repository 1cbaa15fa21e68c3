// doctest under mpirun: every rank runs every case, and the whole fails where a case fails on any rank. An exception
// that leaves a case on one rank alone would let the others wait: the run is ended then.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <petscsys.h>

int main(int argc, char** argv) {
  int petsc_argc = 1;
  char** petsc_argv = argv;
  if (PetscInitialize(&petsc_argc, &petsc_argv, nullptr, nullptr) != 0) return 2;
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  doctest::Context context(argc, argv);
  if (rank != 0) context.setOption("minimal", true);  // rank 0 tells of what passed, all tell of what failed
  int status = context.run();
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  PetscFinalize();
  return status;
}
