// Scenes: from JSON, stepped, and what is in them.

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/io/output/body_state.hpp>
#include <locdyn/io/output/checkpoint.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/simulation/contact_forces.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "boundary.hpp"
#include "outcome.hpp"

struct locdyn_scene {
  double duration;
  std::unique_ptr<locdyn::System> system;
  locdyn::TimeStepper stepper;
};

namespace locdyn::c {
namespace {

locdyn_scene& live(locdyn_scene* handle) {
  require_live(handle, Kind::scene);
  return *handle;
}

locdyn_scene* make(const Scene& scene) {
  if (scene.is_mechanism()) {
    throw FileError(scene.file, scene.smooth ? "smooth" : "kinematics", "a scene of time steps with contacts",
                    "a mechanism");
  }
  std::unique_ptr<System> system = build(scene);
  System& bodies = *system;
  std::unique_ptr<locdyn_scene> made(new locdyn_scene{scene.duration, std::move(system), {bodies, scene.stepping}});
  enter(made.get(), Kind::scene);
  return made.release();
}

void fill(locdyn_step_report& target, const StepReport& report) {
  target.step = report.step;
  target.time = report.time;
  target.contacts = report.contacts;
  target.constraints = report.constraints;
  target.islands = report.islands;
  target.sleeping = report.sleeping;
  target.outcome = outcome_of(report.status);
  copy_text(report.warning, target.warning);
  target.iterations = report.iterations;
  target.residual = report.residual;
  target.penetration = report.penetration;
  target.joint_error = report.joint_error;
  target.kinetic_energy = report.kinetic_energy;
  target.potential_energy = report.potential_energy;
  target.seconds = report.seconds.total();
}

void step(locdyn_scene& scene, locdyn_step_report* report) {
  try {
    const StepReport done = scene.stepper.step();
    if (report != nullptr) fill(*report, done);
  } catch (const StepFailure& failure) {
    if (report != nullptr) fill(*report, failure.report());
    throw StepFault(failure.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {  // no velocity, numbers out of range
    throw StepFault("step " + std::to_string(scene.stepper.steps() + 1) + ": " + failure.what());
  }
}

const Body& body_of(const locdyn_scene& scene, std::size_t body) {
  const BodySet& bodies = scene.system->bodies();
  if (body < bodies.id_bound()) return bodies[static_cast<BodyId>(body)];
  refuse("body", "less than " + std::to_string(bodies.size()), std::to_string(body));
}

// The next numbers of an array that was asked for.
void put(const auto& numbers, double*& next) {
  if (next != nullptr) next = std::ranges::copy(numbers, next).out;
}

locdyn_contact contact_of(const ActiveContact& from) {
  locdyn_contact to{};
  const auto copy = [](const auto& vector, double* target) { std::ranges::copy(vector, target); };
  const Eigen::Matrix3d& frame = from.point.frame;
  to.identity = from.identity;
  to.master = from.point.master;
  to.slave = from.point.slave;
  copy(from.point.point, to.point);
  copy(frame.col(0), to.t1);
  copy(frame.col(1), to.t2);
  copy(frame.col(2), to.n);
  to.gap = from.point.gap;
  copy(from.reaction, to.reaction);
  copy(from.moment, to.moment);
  const ContactState state = state_of(from);
  to.state = state == ContactState::open ? LOCDYN_OPEN : state == ContactState::sticks ? LOCDYN_STICKS : LOCDYN_SLIDES;
  return to;
}

}  // namespace
}  // namespace locdyn::c

using namespace locdyn;
using namespace locdyn::c;

locdyn_status locdyn_scene_read(const char* path, locdyn_scene** scene) {
  return guarded([&] {
    require(path, "path");
    require(scene, "scene");
    *scene = make(read_scene(path));
  });
}

locdyn_status locdyn_scene_read_trusted(const char* path, locdyn_scene** scene) {
  return guarded([&] {
    require(path, "path");
    require(scene, "scene");
    *scene = make(read_scene(path, SceneFiles::anywhere));
  });
}

locdyn_status locdyn_scene_parse(const char* text, const char* folder, locdyn_scene** scene) {
  return guarded([&] {
    require(text, "text");
    require(scene, "scene");
    *scene = make(parse_scene(text, std::filesystem::path(folder != nullptr ? folder : "") / "scene"));
  });
}

locdyn_status locdyn_scene_free(locdyn_scene* scene) {
  return guarded([&] {
    if (scene == nullptr) return;
    leave(scene, Kind::scene);
    delete scene;
  });
}

locdyn_status locdyn_scene_step(locdyn_scene* scene, locdyn_step_report* report) {
  return guarded([&] {
    locdyn_scene& stepped = live(scene);
    if (report != nullptr) require_size("report.size", sizeof *report, report->size);
    step(stepped, report);
  });
}

locdyn_status locdyn_scene_get_time(locdyn_scene* scene, double* time, double* step, double* duration) {
  return guarded([&] {
    const locdyn_scene& asked = live(scene);
    if (time != nullptr) *time = asked.stepper.time();
    if (step != nullptr) *step = asked.stepper.options().step;
    if (duration != nullptr) *duration = asked.duration;
  });
}

locdyn_status locdyn_scene_get_body_count(locdyn_scene* scene, size_t* count) {
  return guarded([&] {
    const locdyn_scene& asked = live(scene);
    require(count, "count");
    *count = asked.system->bodies().size();
  });
}

locdyn_status locdyn_scene_get_body_name(locdyn_scene* scene, size_t body, const char** name) {
  return guarded([&] {
    const locdyn_scene& asked = live(scene);
    require(name, "name");
    static_cast<void>(body_of(asked, body));
    *name = asked.system->name(static_cast<BodyId>(body)).c_str();
  });
}

locdyn_status locdyn_scene_find_body(locdyn_scene* scene, const char* name, size_t* body) {
  return guarded([&] {
    const locdyn_scene& asked = live(scene);
    require(name, "name");
    require(body, "body");
    *body = asked.system->find(name);
  });
}

locdyn_status locdyn_scene_get_states(locdyn_scene* scene, size_t bodies, double* positions, double* orientations,
                                      double* velocities, double* angular_velocities) {
  return guarded([&] {
    const BodySet& set = live(scene).system->bodies();
    require_size("bodies", set.size(), bodies);
    for (const BodyId id : set.ids()) {
      const detail::BodyState state = detail::state_of(set[id]);
      const Orientation& q = state.orientation;
      put(state.position, positions);
      put(std::array{q.w(), q.x(), q.y(), q.z()}, orientations);
      put(state.velocity, velocities);
      put(state.angular_velocity, angular_velocities);
    }
  });
}

locdyn_status locdyn_scene_get_contacts(locdyn_scene* scene, locdyn_contact* contacts, size_t item_size,
                                        size_t capacity, size_t* count) {
  return guarded([&] {
    const locdyn_scene& asked = live(scene);
    require(count, "count");
    require_size("item_size", sizeof(locdyn_contact), item_size);
    const std::span<locdyn_contact> room = items_of(contacts, capacity, "contacts");
    const std::vector<ActiveContact> active = asked.stepper.contacts();
    const std::size_t fit = std::min(active.size(), room.size());
    std::transform(active.begin(), active.begin() + static_cast<std::ptrdiff_t>(fit), room.begin(), contact_of);
    *count = active.size();
  });
}

locdyn_status locdyn_scene_write_checkpoint(locdyn_scene* scene, const char* path) {
  return guarded([&] {
    const locdyn_scene& from = live(scene);
    require(path, "path");
    const FileTurn turn;
    write_checkpoint(path, from.stepper);
  });
}

locdyn_status locdyn_scene_read_checkpoint(locdyn_scene* scene, const char* path) {
  return guarded([&] {
    locdyn_scene& target = live(scene);
    require(path, "path");
    const FileTurn turn;
    const StepperState state = read_checkpoint(path, *target.system);
    try {
      target.stepper.restore(state);
    } catch (const std::invalid_argument& fault) {
      throw FileError(std::string(path) + ": " + fault.what());
    }
  });
}
