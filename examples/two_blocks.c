/* Two blocks side by side on an incline of 0.3 in 1: one with friction 0.5 sticks, one with 0.2 slides down.
 * A block of mass m without spin is a contact of its own with W = 1/m and B = g h (slope, 0, -1), up to cos(slope). */
#include <locdyn.h>
#include <math.h>
#include <stdio.h>

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, locdyn_last_error());
  return 1;
}

int main(void) {
  const int row_pointers[7] = {0, 1, 2, 3, 4, 5, 6}, columns[6] = {0, 1, 2, 3, 4, 5};
  const double W[6] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};                     /* 1/m, m = 2 kg */
  const double B[6] = {0.3, 0, -1, 0.3, 0, -1}, friction[2] = {0.5, 0.2}; /* [m/s] */
  double U[6];
  locdyn_problem* problem;
  locdyn_solve_report report = {.size = sizeof report};

  if (locdyn_problem_from_csr(2, row_pointers, columns, W, B, friction, 2, &problem) != LOCDYN_OK)
    return fail("problem");
  if (locdyn_solve(problem, NULL, &report) != LOCDYN_OK) return fail("solve");
  if (locdyn_problem_get_vector(problem, LOCDYN_U, U, 6) != LOCDYN_OK) return fail("U");
  printf("%s by %s: the first block moves at %.6f m/s, the second at %.6f m/s\n", locdyn_outcome_name(report.outcome),
         report.solver, U[0], U[3]); /* 0 and 0.3 - 0.2 = 0.1 */
  locdyn_problem_free(problem);
  return fabs(U[0]) < 1e-6 && fabs(U[3] - 0.1) < 1e-6 ? 0 : 1;
}
