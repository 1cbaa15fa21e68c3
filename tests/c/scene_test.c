/* The README's box that slides and stops, from a text; a scene of a file; a checkpoint. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char kSlide[] =
    "{\"step\": 1e-3, \"duration\": 1, \"surfaces\": {\"wood\": {\"friction\": 0.5}},"
    " \"bodies\": [{\"name\": \"floor\", \"kind\": \"obstacle\", \"surface\": \"wood\", \"shape\": {\"type\": "
    "\"plane\"}},"
    "  {\"name\": \"box\", \"position\": [0, 0, 0.1], \"density\": 700, \"surface\": \"wood\", \"velocity\": [2, 0, 0],"
    "   \"shape\": {\"type\": \"box\", \"size\": [0.4, 0.3, 0.2]}}]}";

static locdyn_scene* slide(void) {
  locdyn_scene* scene = NULL;
  CHECK_OK(locdyn_scene_parse(kSlide, NULL, &scene));
  return scene;
}

static double step_to(locdyn_scene* scene, double end) {
  double time = 0, step = 0;
  locdyn_step_report report;
  report.size = sizeof report;
  CHECK_OK(locdyn_scene_get_time(scene, &time, &step, NULL));
  while (time < end - 0.5 * step) {
    CHECK_OK(locdyn_scene_step(scene, &report));
    CHECK(report.outcome == LOCDYN_CONVERGED && report.warning[0] == '\0');
    if (check_failures > 0) return time;
    time = report.time;
  }
  return time;
}

static void box_slides_as_far_as_friction_lets_it(void) {
  locdyn_scene* scene = slide();
  size_t bodies = 0, box = 9;
  double positions[6], orientations[8], velocities[6], spins[6], duration = 0;
  const char* name = NULL;
  CHECK_OK(locdyn_scene_get_body_count(scene, &bodies));
  CHECK(bodies == 2);
  CHECK_OK(locdyn_scene_find_body(scene, "box", &box));
  CHECK(box == 1);
  CHECK_OK(locdyn_scene_get_body_name(scene, box, &name));
  CHECK(strcmp(name, "box") == 0);
  CHECK_OK(locdyn_scene_get_time(scene, NULL, NULL, &duration));
  CHECK(duration == 1);
  CHECK(fabs(step_to(scene, duration) - 1) < 1e-9);
  CHECK_OK(locdyn_scene_get_states(scene, 2, positions, orientations, velocities, spins));
  CHECK(fabs(positions[3] - 2 * 2 / (2 * 0.5 * 9.81)) < 1e-5); /* v^2 / (2 mu g), to six digits as the README says */
  CHECK(fabs(orientations[4] - 1) < 1e-9);
  CHECK(fabs(velocities[3]) < 1e-8 && fabs(spins[4]) < 1e-8);
  CHECK_OK(locdyn_scene_free(scene));
}

static void contacts_carry_the_weight(void) {
  locdyn_scene* scene = slide();
  locdyn_contact contacts[8], first;
  size_t count = 0, k;
  int loaded = 0;
  double weight = 0, friction = 0;
  step_to(scene, 0.1);
  CHECK_OK(locdyn_scene_get_contacts(scene, NULL, sizeof *contacts, 0, &count));
  CHECK(count == 4);
  CHECK_OK(locdyn_scene_get_contacts(scene, contacts, sizeof *contacts, 8, &count));
  for (k = 0; k < count; ++k) {
    const locdyn_contact* contact = &contacts[k];
    CHECK(contact->master == 0 && contact->slave == 1);
    /* Two corners across can carry the box: what the others carry is not determined. */
    CHECK(contact->state == (contact->reaction[2] > 0 ? LOCDYN_SLIDES : LOCDYN_OPEN));
    loaded += contact->state == LOCDYN_SLIDES;
    CHECK(fabs(contact->n[2] - 1) < 1e-9);
    weight += contact->reaction[2];
    friction += contact->reaction[0] * contact->t1[0] + contact->reaction[1] * contact->t2[0];
  }
  CHECK(loaded >= 2);
  CHECK(fabs(weight - 700 * 0.4 * 0.3 * 0.2 * 9.81) < 1e-6 * weight); /* [N] */
  CHECK(fabs(friction + 0.5 * weight) < 1e-6 * weight);
  CHECK_OK(locdyn_scene_get_contacts(scene, &first, sizeof first, 1, &count)); /* what fits, and how many there are */
  CHECK(count == 4 && first.identity == contacts[0].identity);
  CHECK_OK(locdyn_scene_free(scene));
}

static void checkpoint_goes_on_bit_for_bit(void) {
  locdyn_scene *straight = slide(), *restored = slide();
  double a[6], b[6];
  step_to(straight, 0.05);
  CHECK_OK(locdyn_scene_write_checkpoint(straight, "slide.h5"));
  CHECK_OK(locdyn_scene_read_checkpoint(restored, "slide.h5"));
  step_to(straight, 0.1);
  step_to(restored, 0.1);
  CHECK_OK(locdyn_scene_get_states(straight, 2, a, NULL, NULL, NULL));
  CHECK_OK(locdyn_scene_get_states(restored, 2, b, NULL, NULL, NULL));
  CHECK(memcmp(a, b, sizeof a) == 0);
  CHECK_OK(locdyn_scene_free(straight));
  CHECK_OK(locdyn_scene_free(restored));
}

static void scene_of_a_file(const char* path) {
  locdyn_scene* scene = NULL;
  locdyn_step_report report;
  size_t bodies = 0;
  report.size = sizeof report;
  CHECK_OK(locdyn_scene_read(path, &scene));
  CHECK_OK(locdyn_scene_get_body_count(scene, &bodies));
  CHECK(bodies == 21); /* twenty dominoes and the table */
  CHECK_OK(locdyn_scene_step(scene, &report));
  CHECK(report.step == 1 && report.contacts > 0 && report.kinetic_energy >= 0);
  CHECK_OK(locdyn_scene_free(scene));
  CHECK_OK(locdyn_scene_read_trusted(path, &scene));
  CHECK_OK(locdyn_scene_get_body_count(scene, &bodies));
  CHECK(bodies == 21);
  CHECK_OK(locdyn_scene_free(scene));
}

int main(int count, char** arguments) {
  box_slides_as_far_as_friction_lets_it();
  contacts_carry_the_weight();
  checkpoint_goes_on_bit_for_bit();
  if (count == 2) scene_of_a_file(arguments[1]);
  CHECK(count == 2);
  return check_failures;
}
