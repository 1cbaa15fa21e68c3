// Models in MJCF beside MuJoCo's own reading of them:
//
//   benchmark_robots [--floor] [FILE or FOLDER]…      /usr/share/mujoco/model where none is named
//
// For each file: what of it is refused, by name; else the largest differences of masses, mass centres, inertia tensors,
// poses at random coordinates, accelerations there, and poses after a motion of 0.2 s, without contacts and limits,
// each divided by the size of what is compared. MuJoCo keeps an inertia tensor as moments and axes,
// by a diagonalisation that leaves off-diagonal entries of some 1e-12 kg m² aside: so much tensors may differ by, and
// accelerations by what that share of a tensor is. --floor steps the
// model with its contacts in both, and prints the time of a step, the residual of the contact law and the penetration.
// Ends with 1 where a difference is beyond 1e-9, with 2 where there is no model.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/io/scene/build_mechanism.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/joints.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/mechanism/smooth/integrate/integrate.hpp>
#include <locdyn/simulation/time_stepper.hpp>

#include "mujoco_peer.hpp"

namespace {

using namespace locdyn;
using Eigen::Vector3d;
namespace fs = std::filesystem;

constexpr double kAllowed = 1e-9, kTime = 0.2;
constexpr double kLeftAside = 1e-11;  // by MuJoCo's diagonalisation [kg m²]

// Reads "#include"d parts as well as models: those without bodies of their own are skipped by MuJoCo's errors.
std::vector<fs::path> files_of(std::vector<std::string> names) {
  if (names.empty()) names.emplace_back("/usr/share/mujoco/model");
  std::vector<fs::path> files;
  for (const std::string& name : names) {
    if (!fs::is_directory(name)) {
      files.emplace_back(name);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(name)) {
      if (entry.path().extension() == ".xml") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Scene scene_of(const fs::path& file) {
  Scene scene;
  scene.allow_overlap = 10;
  SceneRobot& robot = scene.robots.emplace_back();
  robot.name = std::string("r");
  robot.mjcf = file;
  if (robots::MujocoPeer::weighs_boxes()) robot.mesh_inertia = SceneMeshInertia::box;
  return scene;
}

struct Difference {
  double worst = 0;
  void note(double difference, double size) { worst = std::max(worst, difference / std::max(size, 1.0)); }
};

// Bodies of the model that move and have a name, in the scene and in the system.
struct Compared {
  const SceneBody* scene;
  const RigidBody* body;
  std::string name;
  BodyId id;
};

std::vector<Compared> compared(const Scene& flat, const System& system) {
  std::vector<Compared> list;
  for (const SceneBody& body : flat.bodies) {
    const std::string name = body.name.substr(2);
    if (!std::holds_alternative<SceneRigid>(body.kind) || name.starts_with("body[")) continue;
    const BodyId id = system.find(body.name);
    list.push_back({&body, dynamic_cast<const RigidBody*>(&system.bodies()[id]), name, id});
  }
  return list;
}

double masses(const std::vector<Compared>& bodies, const robots::MujocoPeer& peer) {
  Difference of;
  for (const Compared& one : bodies) {
    const auto& rigid = std::get<SceneRigid>(one.scene->kind);
    const MassProperties other = peer.mass(one.name);
    of.worst = std::max(of.worst, std::abs(*rigid.mass - other.mass) / other.mass);
    of.note((rigid.mass_center - other.center).norm(), 0);
  }
  return of.worst;
}

// What the tensors differ by, over their size; infinite where it is more than MuJoCo leaves aside.
double tensors(const std::vector<Compared>& bodies, const robots::MujocoPeer& peer) {
  double worst = 0;
  for (const Compared& one : bodies) {
    const Eigen::Matrix3d other = peer.mass(one.name).inertia;
    const double difference = (*std::get<SceneRigid>(one.scene->kind).inertia - other).norm();
    if (difference > kLeftAside + kAllowed * other.norm()) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, difference / other.norm());
  }
  return worst;
}

double poses(const std::vector<Compared>& bodies, const robots::MujocoPeer& peer) {
  Difference of;
  for (const Compared& one : bodies) {
    const auto other = peer.body(one.name);
    const Vector3d center = std::get<SceneRigid>(one.scene->kind).mass_center;
    of.note((one.body->to_space(-center) - other.position).norm(), other.position.norm());
    of.note(one.body->orientation().angularDistance(other.orientation), 1);
  }
  return of.worst;
}

double rates(const std::vector<Compared>& bodies, const robots::MujocoPeer& peer, const Mechanism& mechanism,
             const Eigen::VectorXd& acceleration) {
  Difference of;
  for (const Compared& one : bodies) {
    const auto other = peer.body(one.name);
    const Vector3d arm = other.orientation * std::get<SceneRigid>(one.scene->kind).mass_center;
    const Vector3d& w = other.angular_velocity;
    const Vector3d expected = other.acceleration + other.angular_acceleration.cross(arm) + w.cross(w.cross(arm));
    const auto own = acceleration.segment<6>(mechanism.first(one.id));
    of.note((one.body->velocity().tail<3>() - other.velocity - w.cross(arm)).norm(), other.velocity.norm());
    of.note((own.tail<3>() - expected).norm(), expected.norm());
    of.note((one.body->orientation() * Vector3d(own.head<3>()) - other.angular_acceleration).norm(),
            other.angular_acceleration.norm());
  }
  return of.worst;
}

// Is it the same?
bool compare(const fs::path& file) {
  robots::MujocoPeer peer(file);
  peer.move_freely();
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto numbers = [&](int count) {
    std::vector<double> list(static_cast<std::size_t>(count));
    std::generate(list.begin(), list.end(), [&] { return number(random); });
    return list;
  };
  double mass = 0, tensor = 0, pose = 0, rate = 0, motion = 0;
  std::size_t count = 0;
  for (int trial = 0; trial < 3; ++trial) {
    const std::vector<double> qpos = peer.state_near_reference(numbers(peer.coordinates()));
    const std::vector<double> qvel = numbers(peer.velocities());
    Scene scene = scene_of(file);
    scene.smooth.emplace();  // without ranges, which the random state may leave
    scene.robots[0].leave_out = true;
    scene.robots[0].qpos = qpos;
    scene.robots[0].qvel = qvel;
    Scene flat = expanded(scene);
    for (SceneBody& body : flat.bodies) body.shapes.clear();
    const auto system = build_mechanism(flat);
    const std::vector<Compared> bodies = compared(flat, *system);
    count = bodies.size();
    peer.set_state(qpos, qvel);
    Mechanism mechanism(*system);
    const AppliedLoads loads = loads_of(*system);
    mass = std::max(mass, masses(bodies, peer));
    tensor = std::max(tensor, tensors(bodies, peer));
    pose = std::max(pose, poses(bodies, peer));
    const AccelerationReport report = accelerations(mechanism, loads);
    if (!report.met) std::printf("  accelerations not met: %s\n", report.at_fault.c_str());
    rate = std::max(rate, rates(bodies, peer, mechanism, report.acceleration));
    if (trial > 0 || bodies.empty()) continue;
    IntegrateOptions options;
    options.until = kTime;
    options.rtol = 1e-12;
    options.atol = 1e-13;
    integrate(mechanism, loads, options);
    peer.integrate(kTime, 2e-5);
    motion = poses(bodies, peer);
  }
  std::printf(
      "  %zu bodies that move   masses %.1e   inertia %.1e   poses %.1e   velocities and accelerations %.1e   motion "
      "%.1e\n",
      count, mass, tensor, pose, rate, motion);
  return std::max({mass, pose, motion}) <= kAllowed && rate <= kAllowed + tensor;
}

void on_floor(const fs::path& file) {
  constexpr int kSteps = 400, kFrom = 200;
  robots::MujocoPeer peer(file);
  const double h = peer.timestep();
  const robots::PeerRun other = peer.run(h, kSteps, kFrom);
  std::printf(
      "  floor, h %.0e s   MuJoCo  %8.3f ms/step   residual %.1e (worst %.1e)   penetration %.1e m   contacts %.1f\n",
      h, 1e3 * other.step_time, other.residual, other.worst_residual, other.penetration, other.contacts);
  Scene scene = scene_of(file);
  scene.stepping.step = h;
  const Scene flat = expanded(scene);
  const auto system = build(flat);
  TimeStepperOptions options = scene.stepping;
  TimeStepper stepper(*system, options);
  robots::PeerRun run;
  double seconds = 0;
  long failed = 0;
  for (int step = 0; step < kSteps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    const StepReport report = stepper.step();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    run.penetration = std::max(run.penetration, report.penetration);
    run.contacts += static_cast<double>(report.contacts) / kSteps;
    failed += report.failed() ? 1 : 0;
    if (step < kFrom) continue;
    run.residual += report.residual / (kSteps - kFrom);
    run.worst_residual = std::max(run.worst_residual, report.residual);
  }
  std::printf(
      "  floor, h %.0e s   locdyn  %8.3f ms/step   residual %.1e (worst %.1e)   penetration %.1e m   contacts %.1f", h,
      1e3 * seconds / kSteps, run.residual, run.worst_residual, run.penetration, run.contacts);
  std::printf(failed > 0 ? "   %ld steps not converged\n" : "\n", failed);
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> names(arguments + 1, arguments + count);
  const bool floor = std::erase(names, "--floor") > 0;
  int loaded = 0, refused = 0, wrong = 0;
  for (const fs::path& file : files_of(names)) {
    if (!fs::exists(file)) {
      std::fprintf(stderr, "benchmark_robots: %s: expected a model or a folder of models, found nothing there\n",
                   file.c_str());
      return 2;
    }
    std::printf("%s\n", file.c_str());
    try {
      static_cast<void>(expanded(scene_of(file)));
    } catch (const SceneError& error) {
      std::printf("  refused: %s%s\n", error.faults().front().c_str(), error.faults().size() > 1 ? ", and more" : "");
      ++refused;
      continue;
    }
    ++loaded;
    try {
      if (!compare(file)) ++wrong;
      if (floor) on_floor(file);
    } catch (const std::exception& error) {
      std::printf("  %s\n", error.what());
      ++wrong;
    }
  }
  if (loaded + refused == 0) {
    std::fprintf(stderr, "benchmark_robots: expected models in MJCF, found none\n");
    return 2;
  }
  std::printf("%d loaded, %d refused by name, %d that differ from MuJoCo by more than %.0e\n", loaded, refused, wrong,
              kAllowed);
  return wrong > 0 ? 1 : 0;
}
