// What we write is what libfclib reads, and the other way round. Built where Debian's libfclib-dev is there.

#include <doctest/doctest.h>

extern "C" {  // the header does not say so itself
#include <fclib.h>
}

#include <ldy/raw_problem.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>

using namespace locdyn;

TEST_CASE("libfclib reads what we write") {
  const test::ScratchFolder folder;
  test::two_contacts().write(folder / "problem.hdf5");
  FclibProblem problem = read_fclib(folder / "problem.hdf5");
  problem.ldy.row(ConstraintId{0}).R = {1, 2, 3};
  problem.solution = solution_of(problem.ldy);
  problem.guesses = {*problem.solution};
  const std::string path = folder / "ours.hdf5";
  write_fclib(path, problem);

  fclib_local* local = fclib_read_local(path.c_str());
  REQUIRE(local != nullptr);
  CHECK(local->spacedim == 3);
  CHECK(local->W->nz == -2);
  CHECK(local->W->m == 6);
  CHECK(local->W->nzmax == 36);
  const double first_row[] = {2, 0, 0.5, 0, 0, 0};
  for (int column = 0; column < 6; ++column) {
    CHECK(local->W->i[column] == column);
    CHECK(local->W->x[column] == first_row[column]);
  }
  CHECK(local->q[0] == -1.0);
  CHECK(local->mu[1] == 0.6);
  CHECK(std::string(local->info->title) == "two contacts");

  fclib_solution* solution = fclib_read_solution(path.c_str());
  REQUIRE(solution != nullptr);
  CHECK(solution->r[0] == 3.0);
  CHECK(solution->r[1] == 1.0);
  CHECK(solution->u[0] == 2.0 * 3 + 0.5 * 2 - 1);
  int guesses = 0;
  fclib_solution* first = fclib_read_guesses(path.c_str(), &guesses);
  CHECK(guesses == 1);
  CHECK(first[0].r[2] == 2.0);

  // And back: libfclib writes what it read.
  const std::string theirs = folder / "theirs.hdf5";
  REQUIRE(fclib_write_local(local, theirs.c_str()) == 1);
  REQUIRE(fclib_write_solution(solution, theirs.c_str()) == 1);
  const FclibProblem again = read_fclib(theirs);
  CHECK(again.ldy.row(ConstraintId{0}).W == problem.ldy.row(ConstraintId{0}).W);
  CHECK(again.ldy.row(ConstraintId{1}).B == problem.ldy.row(ConstraintId{1}).B);
  REQUIRE(again.solution);
  CHECK(again.solution->R[0] == problem.solution->R[0]);
  CHECK(again.info.title == "two contacts");
}
