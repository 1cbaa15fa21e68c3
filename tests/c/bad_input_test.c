/* Whatever is wrong: one line, a status, no crash, and nothing changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "two_contacts.h"

static locdyn_problem* good_problem(void) {
  locdyn_problem* problem = NULL;
  CHECK_OK(locdyn_problem_from_csr(2, kRowPointers, kColumns, kValues, kB, kFriction, 1, &problem));
  return problem;
}

static const char kEmpty[] = "{\"step\": 1e-3, \"duration\": 1}";

static void null_pointers(void) {
  locdyn_problem* problem = good_problem();
  locdyn_scene* scene = NULL;
  const locdyn_status bad = LOCDYN_BAD_INPUT;
  double six[6];
  CHECK_OK(locdyn_scene_parse(kEmpty, NULL, &scene));
  CHECK_REFUSED(bad, "row_pointers: expected a pointer, found NULL",
                locdyn_problem_from_csr(2, NULL, kColumns, kValues, kB, kFriction, 1, &problem));
  CHECK_REFUSED(bad, "columns", locdyn_problem_from_csr(2, kRowPointers, NULL, kValues, kB, kFriction, 1, &problem));
  CHECK_REFUSED(bad, "values", locdyn_problem_from_csr(2, kRowPointers, kColumns, NULL, kB, kFriction, 1, &problem));
  CHECK_REFUSED(bad, "b: ", locdyn_problem_from_csr(2, kRowPointers, kColumns, kValues, NULL, kFriction, 1, &problem));
  CHECK_REFUSED(bad, "friction", locdyn_problem_from_csr(2, kRowPointers, kColumns, kValues, kB, NULL, 1, &problem));
  CHECK_REFUSED(bad, "problem", locdyn_problem_from_csr(2, kRowPointers, kColumns, kValues, kB, kFriction, 1, NULL));
  CHECK_REFUSED(bad, "path", locdyn_problem_read(NULL, &problem));
  CHECK_REFUSED(bad, "path", locdyn_problem_write(problem, NULL, 0));
  CHECK_REFUSED(bad, "problem: expected a live problem, found NULL", locdyn_solve(NULL, NULL, NULL));
  CHECK_REFUSED(bad, "sizes", locdyn_problem_get_size(problem, NULL));
  CHECK_REFUSED(bad, "row_pointers", locdyn_problem_get_matrix(problem, NULL, NULL, six));
  CHECK_REFUSED(bad, "values", locdyn_problem_get_vector(problem, LOCDYN_R, NULL, 6));
  CHECK_REFUSED(bad, "friction", locdyn_problem_get_friction(problem, NULL, 2));
  CHECK_REFUSED(bad, "residual", locdyn_problem_residual(problem, NULL));
  CHECK_REFUSED(bad, "options", locdyn_solve_options_init(NULL, sizeof(locdyn_solve_options)));
  CHECK_REFUSED(bad, "text", locdyn_scene_parse(NULL, NULL, &scene));
  CHECK_REFUSED(bad, "scene", locdyn_scene_read("scene.json", NULL));
  CHECK_REFUSED(bad, "scene: expected a live scene, found NULL", locdyn_scene_step(NULL, NULL));
  CHECK_REFUSED(bad, "count", locdyn_scene_get_body_count(scene, NULL));
  CHECK_REFUSED(bad, "name", locdyn_scene_find_body(scene, NULL, NULL));
  CHECK_REFUSED(bad, "contacts", locdyn_scene_get_contacts(scene, NULL, sizeof(locdyn_contact), 1, (size_t[]){0}));
  CHECK_REFUSED(bad, "path", locdyn_scene_write_checkpoint(scene, NULL));
  CHECK_OK(locdyn_problem_free(NULL));
  CHECK_OK(locdyn_scene_free(NULL));
  CHECK_OK(locdyn_problem_free(problem));
  CHECK_OK(locdyn_scene_free(scene));
}

static void wrong_handles(void) {
  locdyn_problem* problem = good_problem();
  locdyn_scene* scene = NULL;
  double time = -1;
  CHECK_OK(locdyn_scene_parse(kEmpty, NULL, &scene));
  CHECK_REFUSED(LOCDYN_BAD_INPUT, "expected a live scene, found a problem",
                locdyn_scene_get_time((locdyn_scene*)(void*)problem, &time, NULL, NULL));
  CHECK_REFUSED(LOCDYN_BAD_INPUT, "expected a live problem, found a scene",
                locdyn_problem_free((locdyn_problem*)(void*)scene));
  CHECK_OK(locdyn_problem_free(problem));
  CHECK_REFUSED(LOCDYN_BAD_INPUT, "freed", locdyn_problem_free(problem));
  CHECK_REFUSED(LOCDYN_BAD_INPUT, "freed", locdyn_solve(problem, NULL, NULL));
  CHECK_OK(locdyn_scene_free(scene));
  CHECK_REFUSED(LOCDYN_BAD_INPUT, "freed", locdyn_scene_step(scene, NULL));
  CHECK(time == -1);
}

static void matrix_out_of_range(void) {
  locdyn_problem* problem = NULL;
  const int falling[7] = {0, 1, 0, 3, 4, 5, 6}, negative[7] = {0, 1, 2, 3, 4, 5, -1}, far[6] = {0, 1, 2, 3, 4, 6};
  const double not_finite[6] = {2, 2, 2, 2, NAN, 2}, minus[2] = {0.5, -1}, no_friction[1] = {NAN};
  const locdyn_status bad = LOCDYN_BAD_INPUT;
  CHECK_REFUSED(bad, "row pointers",
                locdyn_problem_from_csr(2, falling, kColumns, kValues, kB, kFriction, 1, &problem));
  CHECK_REFUSED(bad, "row_pointers[6]",
                locdyn_problem_from_csr(2, negative, kColumns, kValues, kB, kFriction, 1, &problem));
  CHECK_REFUSED(bad, "columns", locdyn_problem_from_csr(2, kRowPointers, far, kValues, kB, kFriction, 1, &problem));
  CHECK_REFUSED(bad, "values of W[4]: expected a finite number",
                locdyn_problem_from_csr(2, kRowPointers, kColumns, not_finite, kB, kFriction, 1, &problem));
  CHECK_REFUSED(bad, "b[4]",
                locdyn_problem_from_csr(2, kRowPointers, kColumns, kValues, not_finite, kFriction, 1, &problem));
  CHECK_REFUSED(bad, "friction[1]",
                locdyn_problem_from_csr(2, kRowPointers, kColumns, kValues, kB, minus, 2, &problem));
  CHECK_REFUSED(bad, "friction[0]",
                locdyn_problem_from_csr(2, kRowPointers, kColumns, kValues, kB, no_friction, 1, &problem));
  CHECK_REFUSED(bad, "friction", locdyn_problem_from_csr(2, kRowPointers, kColumns, kValues, kB, kValues, 3, &problem));
  CHECK_REFUSED(bad, "contacts",
                locdyn_problem_from_csr((size_t)-1, kRowPointers, kColumns, kValues, kB, kFriction, 1, &problem));
  CHECK(problem == NULL);
}

static void sizes_and_options(void) {
  locdyn_problem* problem = good_problem();
  locdyn_solve_options options;
  locdyn_solve_report report;
  locdyn_residual residual;
  double values[6] = {0, 0, INFINITY, 0, 0, 0};
  const locdyn_status bad = LOCDYN_BAD_INPUT;
  CHECK_REFUSED(bad, "count: expected 6, found 5", locdyn_problem_get_vector(problem, LOCDYN_R, values, 5));
  CHECK_REFUSED(bad, "which", locdyn_problem_get_vector(problem, 7, values, 6));
  CHECK_REFUSED(bad, "which", locdyn_problem_set_vector(problem, LOCDYN_U, values, 6));
  CHECK_REFUSED(bad, "values[2]", locdyn_problem_set_vector(problem, LOCDYN_R, values, 6));
  CHECK_REFUSED(bad, "size", locdyn_solve_options_init(&options, 3));
  CHECK_OK(locdyn_solve_options_init(&options, sizeof options));
  options.size = 0;
  CHECK_REFUSED(bad, "options.size", locdyn_solve(problem, &options, NULL));
  CHECK_OK(locdyn_solve_options_init(&options, sizeof options));
  options.tolerance = NAN;
  CHECK_REFUSED(bad, "tolerance", locdyn_solve(problem, &options, NULL));
  CHECK_OK(locdyn_solve_options_init(&options, sizeof options));
  options.measure = 3;
  CHECK_REFUSED(bad, "options.measure", locdyn_solve(problem, &options, NULL));
  options.measure = LOCDYN_SCALED;
  options.threads = 0;
  CHECK_REFUSED(bad, "threads", locdyn_solve(problem, &options, NULL));
  options.threads = 1;
  options.solver = "simplex";
  CHECK_REFUSED(bad, "simplex", locdyn_solve(problem, &options, NULL));
  options.solver = "pyramid-pgs";
  options.facets = 1;
  CHECK_REFUSED(bad, "facets", locdyn_solve(problem, &options, NULL));
  report.size = residual.size = 1;
  CHECK_REFUSED(bad, "report.size", locdyn_solve(problem, NULL, &report));
  CHECK_REFUSED(bad, "residual.size", locdyn_problem_residual(problem, &residual));
  CHECK_OK(locdyn_problem_get_vector(problem, LOCDYN_R, values, 6));
  CHECK(values[2] == 0); /* nobody has solved */
  CHECK_OK(locdyn_problem_free(problem));
}

static void files(void) {
  locdyn_problem *problem = good_problem(), *none = NULL;
  locdyn_scene* scene = NULL;
  FILE* damaged = fopen("damaged.hdf5", "w");
  CHECK(damaged != NULL);
  fputs("no HDF5", damaged);
  fclose(damaged);
  CHECK_REFUSED(LOCDYN_FILE_ERROR, "no_such_file.hdf5", locdyn_problem_read("no_such_file.hdf5", &none));
  CHECK_REFUSED(LOCDYN_FILE_ERROR, "damaged.hdf5", locdyn_problem_read("damaged.hdf5", &none));
  CHECK_REFUSED(LOCDYN_FILE_ERROR, "no/folder", locdyn_problem_write(problem, "no/folder/out.hdf5", 1));
  CHECK_REFUSED(LOCDYN_FILE_ERROR, "no_such_scene.json", locdyn_scene_read("no_such_scene.json", &scene));
  CHECK(none == NULL && scene == NULL);
  CHECK_OK(locdyn_problem_free(problem));
}

static void scenes(const char* mechanism) {
  locdyn_scene* scene = NULL;
  size_t body = 7, count = 7;
  const char* name = NULL;
  locdyn_step_report report;
  CHECK_REFUSED(LOCDYN_FILE_ERROR, "scene", locdyn_scene_parse("{", NULL, &scene));
  CHECK_REFUSED(LOCDYN_FILE_ERROR, "step", locdyn_scene_parse("{\"step\": -1, \"colour\": 3}", NULL, &scene));
  CHECK_REFUSED(
      LOCDYN_FILE_ERROR, "robots[0].urdf: expected a file in the folder of the scene",
      locdyn_scene_parse("{\"step\": 1, \"duration\": 1, \"robots\": [{\"name\": \"r\", \"urdf\": \"../r.urdf\"}]}",
                         NULL, &scene));
  CHECK_REFUSED(LOCDYN_FILE_ERROR, "no_such_scene.json", locdyn_scene_read_trusted("no_such_scene.json", &scene));
  CHECK_REFUSED(LOCDYN_BAD_INPUT, "scene", locdyn_scene_read_trusted("scene.json", NULL));
  CHECK_REFUSED(LOCDYN_FILE_ERROR, "kinematics: expected a scene of time steps", locdyn_scene_read(mechanism, &scene));
  CHECK(scene == NULL);
  CHECK_OK(locdyn_scene_parse(kEmpty, NULL, &scene));
  CHECK_REFUSED(LOCDYN_BAD_INPUT, "body", locdyn_scene_get_body_name(scene, 0, &name));
  CHECK_REFUSED(LOCDYN_BAD_INPUT, "nobody", locdyn_scene_find_body(scene, "nobody", &body));
  CHECK_REFUSED(LOCDYN_BAD_INPUT, "bodies: expected 0, found 3",
                locdyn_scene_get_states(scene, 3, NULL, NULL, NULL, NULL));
  CHECK_REFUSED(LOCDYN_BAD_INPUT, "item_size", locdyn_scene_get_contacts(scene, NULL, 8, 0, &count));
  report.size = 4;
  CHECK_REFUSED(LOCDYN_BAD_INPUT, "report.size", locdyn_scene_step(scene, &report));
  CHECK_REFUSED(LOCDYN_FILE_ERROR, "damaged.hdf5", locdyn_scene_read_checkpoint(scene, "damaged.hdf5"));
  CHECK_REFUSED(LOCDYN_FILE_ERROR, "no/folder", locdyn_scene_write_checkpoint(scene, "no/folder/out.h5"));
  CHECK(body == 7 && count == 7 && name == NULL);
  CHECK_OK(locdyn_scene_free(scene));
}

/* A ball heavier than double precision can square, under policy "stop": the step is refused, the report tells. */
static void step_that_cannot_be_taken(void) {
  static const char kFast[] =
      "{\"step\": 1, \"duration\": 1, \"gravity\": [0, 0, -1e308], \"bodies\": [{\"name\": \"ball\","
      " \"density\": 1000, \"velocity\": [0, 0, -1e308], \"shape\": {\"type\": \"sphere\", \"radius\": 1}}]}";
  locdyn_scene* scene = NULL;
  double time = -1;
  CHECK_OK(locdyn_scene_parse(kFast, NULL, &scene));
  CHECK_REFUSED(LOCDYN_STEP_FAILED, "step 1", locdyn_scene_step(scene, NULL));
  CHECK_OK(locdyn_scene_get_time(scene, &time, NULL, NULL));
  CHECK(time == 0);
  CHECK_OK(locdyn_scene_free(scene));
}

int main(int count, char** arguments) {
  null_pointers();
  wrong_handles();
  matrix_out_of_range();
  sizes_and_options();
  files();
  if (count == 2) scenes(arguments[1]);
  CHECK(count == 2);
  step_that_cannot_be_taken();
  return check_failures;
}
