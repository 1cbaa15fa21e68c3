// What it costs not to have the library's bodies: the contact problems of a falling pile, by its System and by a
// ContactProblem that gets the same contacts, one step after the other.
//
//   benchmark_embedding [STEPS [ROUNDS [BODIES…]]]     default 300 3 100 200 300 400
//
// Balls and boxes fall into a pit. Of the System's step its assembly and its solve count; of the ContactProblem's all
// that an embedding program calls: velocities, poses, contacts that came, stayed and went, the solve, velocities read
// back. Detection and who is whose successor are the System's in both. Both run on one thread, in turn, and of each
// step the best round counts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <vector>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/embedding/contact_problem.hpp>
#include <locdyn/simulation/make_bodies.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "measure.hpp"

using namespace locdyn;
using Eigen::Vector3d;

namespace {

constexpr double kStep = 1e-3, kSize = 0.1, kTolerance = 1e-6;  // [s], [m]

// Balls and boxes on a lattice above the floor, each turned and moved a little by its number.
void fill(System& system, int count, SurfaceId surface) {
  const int side = std::max(2, static_cast<int>(std::lround(std::cbrt(count / 2.0))));
  for (int k = 0; k < count; ++k) {
    const Vector3d cell(k % side, k / side % side, k / (side * side));
    const Vector3d shake(std::sin(7.0 * k), std::sin(11.0 * k), std::sin(13.0 * k));
    const Pose pose{.position = kSize * (1.15 * (cell + Vector3d(0.5, 0.5, 0.5)) + 0.05 * shake),
                    .orientation = Orientation(Eigen::AngleAxisd(0.3 * shake.x(), Vector3d::UnitX()))};
    const Matter matter{.density = 1000, .surface = surface};
    if (k % 2 == 0) {
      add_solid(system, Sphere{kSize / 2}, matter, pose);
    } else {
      add_solid(system, Box{{kSize, 0.8 * kSize, 0.6 * kSize}}, matter, pose);
    }
  }
  const double width = 1.15 * kSize * side + 0.02;
  const auto wall = [&](const Vector3d& n, double offset) {
    add_obstacle(system, Plane{}, surface, {offset * n, Orientation::FromTwoVectors(Vector3d::UnitZ(), n)});
  };
  wall(Vector3d::UnitZ(), 0);
  for (const int axis : {0, 1}) {
    wall(Vector3d::Unit(axis), -0.02);
    wall(-Vector3d::Unit(axis), -width);
  }
}

// What an embedding program knows of one step before it solves: where its bodies are at mid-step, their velocities with
// the forces of the step, and what its detection has found.
struct StepInput {
  std::vector<BodyPose> poses;                 // by body
  std::vector<Eigen::Matrix<double, 6, 1>> u;  // by body
  std::vector<std::pair<std::uint64_t, PointContact>> contacts;
};

struct Cost {
  std::vector<double> seconds;  // by step
  long iterations = 0;
  double worst = 0;  // residual
  double speed = 0;  // of all bodies after the last step, squared
};

class Embedding {
 public:
  explicit Embedding(const System& system) {
    for (const BodyId id : system.bodies().ids()) {
      const Body& body = system.bodies()[id];
      if (body.freedoms() == 0) {
        problem_.add_fixed_body();
        continue;
      }
      const Eigen::Matrix3d inertia = body.inertia().topLeftCorner<3, 3>();
      problem_.add_body(rigid_inverse_inertia(body.mass(), inertia));
      moving_.push_back(id);
    }
  }

  // Returns the seconds that it took.
  double step(const StepInput& input, Cost& cost) {
    find_changes(input);
    const double start = benchmark::seconds_now();
    for (const BodyIndex body : moving_) {
      problem_.set_velocity(body, input.u[body]);
      problem_.set_pose(body, input.poses[body]);
    }
    for (const ContactId id : gone_) problem_.remove_contact(id);
    for (const auto& [id, contact] : stayed_) problem_.set_contact(id, *contact);
    for (const PointContact* contact : came_) new_ids_.push_back(problem_.add_contact(*contact));
    const IslandsReport report = problem_.solve({.step = kStep, .stop = {.tolerance = kTolerance}});
    double speed = 0;
    for (const BodyIndex body : moving_) speed += linear_square(problem_.velocity_after(body));
    const double seconds = benchmark::seconds_now() - start;
    cost.iterations += report.iterations;
    cost.worst = std::max(cost.worst, report.residual);
    cost.speed = speed;
    keep_ids();
    return seconds;
  }

 private:
  static double linear_square(std::span<const double> u) { return u[3] * u[3] + u[4] * u[4] + u[5] * u[5]; }

  // The contacts of this step beside those of the last, by the identity that detection gives them.
  void find_changes(const StepInput& input) {
    std::map<std::uint64_t, ContactId> last;
    last.swap(ids_);
    stayed_.clear();
    came_.clear();
    gone_.clear();
    new_ids_.clear();
    new_identities_.clear();
    for (const auto& [identity, contact] : input.contacts) {
      const auto at = last.find(identity);
      if (at == last.end()) {
        came_.push_back(&contact);
        new_identities_.push_back(identity);
      } else {
        stayed_.emplace_back(at->second, &contact);
        ids_.insert(*at);
        last.erase(at);
      }
    }
    for (const auto& [identity, id] : last) gone_.push_back(id);
  }
  void keep_ids() {
    for (std::size_t i = 0; i < new_ids_.size(); ++i) ids_[new_identities_[i]] = new_ids_[i];
  }

  ContactProblem problem_;
  std::vector<BodyIndex> moving_;
  std::map<std::uint64_t, ContactId> ids_;  // by identity
  std::vector<std::pair<ContactId, const PointContact*>> stayed_;
  std::vector<const PointContact*> came_;
  std::vector<ContactId> gone_, new_ids_;
  std::vector<std::uint64_t> new_identities_;
};

// One run of the scene, each step by both.
class Run {
 public:
  explicit Run(int count) {
    const SurfaceId surface = system_.materials.add_surface("stone", {.static_friction = 0.4, .kinetic_friction = 0.4});
    fill(system_, count, surface);
    own_ = std::make_unique<TimeStepper>(
        system_, TimeStepperOptions{
                     .step = kStep, .stop = {.tolerance = kTolerance}, .correction = Correction::none, .sleep = false});
    embedding_ = std::make_unique<Embedding>(system_);
  }
  void step(std::size_t at, Cost& own, Cost& embedded) {
    StepInput input;
    take_poses(input);
    const StepReport report = own_->step();
    take_contacts(input);
    keep_best(own, at, report.seconds.assembly + report.seconds.solve);
    own.iterations += report.iterations;
    own.worst = std::max(own.worst, report.residual);
    own.speed = 0;
    for (const BodyId id : system_.bodies().ids()) {
      const auto& u = system_.bodies()[id].velocity();
      if (u.size() > 0) own.speed += u.tail<3>().squaredNorm();
    }
    keep_best(embedded, at, embedding_->step(input, embedded));
    contacts_ = report.contacts;
  }
  [[nodiscard]] std::size_t contacts() const { return contacts_; }

 private:
  static void keep_best(Cost& cost, std::size_t at, double seconds) {
    if (cost.seconds.size() <= at) cost.seconds.resize(at + 1, std::numeric_limits<double>::infinity());
    cost.seconds[at] = std::min(cost.seconds[at], seconds);
  }
  // At mid-step, where contacts are looked at.
  void take_poses(StepInput& input) const {
    input.poses.resize(system_.bodies().size());
    for (BodyId id{0}; id < input.poses.size(); ++id) {
      const auto* rigid = dynamic_cast<const RigidBody*>(&system_.bodies()[id]);
      if (rigid == nullptr) continue;
      RigidBody moved = *rigid;
      moved.advance(kStep / 2);
      input.poses[id] = {.center = moved.position(), .rotation = moved.rotation()};
    }
  }
  void take_contacts(StepInput& input) const {
    input.u.resize(system_.bodies().size());
    for (BodyId id{0}; id < input.u.size(); ++id) {
      if (system_.bodies()[id].freedoms() == 6) input.u[id] = system_.bodies()[id].free_velocity();
    }
    for (const ActiveContact& contact : own_->contacts()) {
      input.contacts.emplace_back(contact.identity, PointContact{.master = system_.colliders()[contact.master].body,
                                                                 .slave = system_.colliders()[contact.slave].body,
                                                                 .point = contact.point.point,
                                                                 .frame = contact.point.frame,
                                                                 .friction = contact.point.material.friction,
                                                                 .shift = contact.shift});
    }
  }

  System system_{make_bullet_detector()};
  std::unique_ptr<TimeStepper> own_;
  std::unique_ptr<Embedding> embedding_;
  std::size_t contacts_ = 0;
};

double sum(const std::vector<double>& seconds) {
  double total = 0;
  for (const double s : seconds) total += s;
  return total;
}

// One scene, all its rounds. Returns the ratio.
double compare(int bodies, int steps, int rounds) {
  Cost own, embedded;
  std::size_t contacts = 0;
  for (int round = 0; round < rounds; ++round) {
    Run run(bodies);
    own.iterations = embedded.iterations = 0;
    for (int step = 0; step < steps; ++step) run.step(static_cast<std::size_t>(step), own, embedded);
    contacts = run.contacts();
  }
  std::printf("%d bodies, %zu contacts at the end, %d steps, best of %d rounds\n", bodies, contacts, steps, rounds);
  const auto line = [&](const char* name, const Cost& cost) {
    std::printf("  %-14s %9.1f us a step, %8ld iterations, residual %.1e, sum of v^2 %.6f m^2/s^2\n", name,
                1e6 * sum(cost.seconds) / steps, cost.iterations, cost.worst, cost.speed);
  };
  line("System", own);
  line("ContactProblem", embedded);
  const double ratio = sum(embedded.seconds) / sum(own.seconds);
  std::printf("  ContactProblem / System: %.3f\n", ratio);
  return ratio;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int at, int otherwise) { return argc > at ? std::max(1, std::atoi(argv[at])) : otherwise; };
  const int steps = argument(1, 300), rounds = argument(2, 3);
  std::vector<int> sizes;
  for (int i = 3; i < argc; ++i) sizes.push_back(argument(i, 1));
  if (sizes.empty()) sizes = {100, 200, 300, 400};
  double product = 1;
  for (const int bodies : sizes) product *= compare(bodies, steps, rounds);
  const double mean = std::pow(product, 1.0 / static_cast<double>(sizes.size()));
  std::printf("geometric mean %.3f (at most 1.1: %s)\n", mean, mean <= 1.1 ? "yes" : "NO");
  return mean <= 1.1 ? 0 : 1;
}
