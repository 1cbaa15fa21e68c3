/* A problem from arrays, solved, judged, read back, through a file and back. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "two_contacts.h"

static locdyn_problem* two_contacts(void) {
  locdyn_problem* problem = NULL;
  CHECK_OK(locdyn_problem_from_csr(2, kRowPointers, kColumns, kValues, kB, kFriction, 1, &problem));
  return problem;
}

static void check_vector(locdyn_problem* problem, locdyn_vector which, const double* expected) {
  double found[6];
  int k;
  CHECK_OK(locdyn_problem_get_vector(problem, (int)which, found, 6));
  for (k = 0; k < 6; ++k) CHECK(fabs(found[k] - expected[k]) < 4e-8); /* 1e-8 |b| */
}

static void sizes_and_matrix(void) {
  locdyn_problem* problem = two_contacts();
  locdyn_problem_size sizes;
  int row_pointers[3], columns[2];
  double values[18], friction[2];
  sizes.size = sizeof sizes;
  CHECK_OK(locdyn_problem_get_size(problem, &sizes));
  CHECK(sizes.contacts == 2 && sizes.constraints == 2 && sizes.rows == 2 && sizes.blocks == 2);
  CHECK_OK(locdyn_problem_get_matrix(problem, row_pointers, columns, values));
  CHECK(row_pointers[0] == 0 && row_pointers[1] == 1 && row_pointers[2] == 2);
  CHECK(columns[0] == 0 && columns[1] == 1);
  CHECK(values[0] == 2 && values[1] == 0 && values[4] == 2 && values[17] == 2);
  CHECK_OK(locdyn_problem_get_friction(problem, friction, 2));
  CHECK(friction[0] == 0.25 && friction[1] == 0.25);
  check_vector(problem, LOCDYN_B, kB);
  CHECK_OK(locdyn_problem_free(problem));
}

/* Every solver that is there, but the pyramids, which solve another problem. */
static void solve_by_name(const char* name) {
  locdyn_problem* problem = two_contacts();
  locdyn_solve_options options;
  locdyn_solve_report report;
  locdyn_residual residual;
  CHECK_OK(locdyn_solve_options_init(&options, sizeof options));
  options.solver = name;
  report.size = sizeof report;
  residual.size = sizeof residual;
  CHECK_OK(locdyn_solve(problem, &options, &report));
  CHECK(report.outcome == LOCDYN_CONVERGED);
  CHECK(strcmp(report.reason, "") == 0);
  CHECK(strcmp(report.solver, "") != 0);
  CHECK_OK(locdyn_problem_residual(problem, &residual));
  CHECK(residual.scaled <= 1e-8);
  check_vector(problem, LOCDYN_R, kR);
  check_vector(problem, LOCDYN_U, kU);
  CHECK_OK(locdyn_problem_free(problem));
}

static void all_solvers(void) {
  size_t k;
  CHECK(locdyn_solver_count() > 2);
  CHECK(strcmp(locdyn_solver_name(0), "auto") == 0);
  CHECK(locdyn_solver_name(locdyn_solver_count()) == NULL);
  for (k = 0; k < locdyn_solver_count(); ++k) {
    if (strstr(locdyn_solver_name(k), "pyramid") == NULL) solve_by_name(locdyn_solver_name(k));
  }
}

static void warm_start_costs_nothing(void) {
  locdyn_problem* problem = two_contacts();
  locdyn_solve_report report;
  report.size = sizeof report;
  CHECK_OK(locdyn_problem_set_vector(problem, LOCDYN_R, kR, 6));
  CHECK_OK(locdyn_solve(problem, NULL, &report));
  CHECK(report.outcome == LOCDYN_CONVERGED && report.iterations == 0);
  CHECK_OK(locdyn_problem_free(problem));
}

static void limits_are_told(void) {
  locdyn_problem* problem = two_contacts();
  locdyn_solve_options options;
  locdyn_solve_report report;
  CHECK_OK(locdyn_solve_options_init(&options, sizeof options));
  options.max_iterations = 0;
  report.size = sizeof report;
  CHECK_OK(locdyn_solve(problem, &options, &report));
  CHECK(report.outcome == LOCDYN_MAX_ITERATIONS);
  CHECK(strcmp(report.reason, "") != 0);
  CHECK(strcmp(locdyn_outcome_name((int)report.outcome), "max_iterations") == 0);
  CHECK(strcmp(locdyn_outcome_name(99), "unknown") == 0);
  CHECK_OK(locdyn_problem_free(problem));
}

static void through_a_file(void) {
  locdyn_problem *problem = two_contacts(), *again = NULL;
  locdyn_problem_size sizes;
  CHECK_OK(locdyn_solve(problem, NULL, NULL));
  CHECK_OK(locdyn_problem_write(problem, "two_contacts.hdf5", 1));
  CHECK_OK(locdyn_problem_read("two_contacts.hdf5", &again));
  sizes.size = sizeof sizes;
  CHECK_OK(locdyn_problem_get_size(again, &sizes));
  CHECK(sizes.contacts == 2);
  check_vector(again, LOCDYN_B, kB);
  CHECK_OK(locdyn_solve(again, NULL, NULL));
  check_vector(again, LOCDYN_R, kR);
  CHECK_OK(locdyn_problem_free(problem));
  CHECK_OK(locdyn_problem_free(again));
}

static void blocks_and_rows_are_one_matrix(void) {
  const int row_pointers[3] = {0, 1, 2}, columns[2] = {0, 1};
  double values[18] = {0};
  locdyn_problem* problem = NULL;
  int k;
  for (k = 0; k < 2; ++k) values[9 * k] = values[9 * k + 4] = values[9 * k + 8] = 2;
  CHECK_OK(locdyn_problem_from_bsr(2, row_pointers, columns, values, kB, kFriction, 1, &problem));
  CHECK_OK(locdyn_solve(problem, NULL, NULL));
  check_vector(problem, LOCDYN_R, kR);
  CHECK_OK(locdyn_problem_free(problem));
}

static void nothing_to_solve(void) {
  const int row_pointers[1] = {0};
  locdyn_problem* problem = NULL;
  locdyn_solve_report report;
  report.size = sizeof report;
  CHECK_OK(locdyn_problem_from_csr(0, row_pointers, NULL, NULL, NULL, kFriction, 1, &problem));
  CHECK_OK(locdyn_solve(problem, NULL, &report));
  CHECK(report.outcome == LOCDYN_CONVERGED);
  CHECK_OK(locdyn_problem_free(problem));
}

int main(void) {
  CHECK(strcmp(locdyn_last_error(), "") == 0);
  CHECK(strncmp(locdyn_version(), "0.", 2) == 0);
  sizes_and_matrix();
  all_solvers();
  warm_start_costs_nothing();
  limits_are_told();
  through_a_file();
  blocks_and_rows_are_one_matrix();
  nothing_to_solve();
  return check_failures;
}
