// Contacts that give way along the surface while they stick, and Hertz's contact from its material to the motion.

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/simulation/contact_forces.hpp>
#include <locdyn/simulation/make_bodies.hpp>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

constexpr double kHeld = 0.4, kSpringMass = 2, kSpringPress = 9.81;
constexpr double kNormalSpring = 1e6, kAlongSpring = 5e3;

PairMaterial springy(double tangential_damping) {
  return {.static_friction = kHeld,
          .kinetic_friction = kHeld,
          .stiffness = kNormalSpring,
          .damping = 2e3,
          .tangential_stiffness = kAlongSpring,
          .tangential_damping = tangential_damping};
}

// A ball that does not turn, at rest on its spring, pulled along x.
struct SpringPuck : FloorScene {
  BodyId puck;

  explicit SpringPuck(const PairMaterial& material) : FloorScene(material) {
    puck = system.emplace<Particle>(kSpringMass, Vector3d(0, 0, 0.05 - kSpringMass * kSpringPress / kNormalSpring));
    system.add_collider({.body = puck, .shape = Sphere{0.05}});
    pull(0);
  }
  void pull(double force) { system.gravity = {force / kSpringMass, 0, -kSpringPress}; }
  [[nodiscard]] double x() const { return system.bodies()[puck].to_space(Vector3d::Zero())[0]; }
  [[nodiscard]] double u() const { return system.bodies()[puck].velocity()[0]; }
};

void pass_springs(TimeStepper& stepper, int steps) {
  for (int i = 0; i < steps; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
}

// |x − F/k_t (1 − cos ω t)| after a period and a half, over F/k_t, of a puck that a force meets at rest.
double swing_along_error(double h) {
  SpringPuck scene(springy(0));
  const double force = 0.2 * kHeld * kSpringMass * kSpringPress, omega = std::sqrt(kAlongSpring / kSpringMass);
  scene.pull(force);
  TimeStepper stepper(scene.system, {.step = h, .stop = {.tolerance = 1e-12}, .sleep = false});
  double worst = 0;
  for (int i = 1; i * h < 3 * std::numbers::pi / omega; ++i) {
    pass_springs(stepper, 1);
    worst = std::max(worst, std::abs(scene.x() * kAlongSpring / force - (1 - std::cos(omega * i * h))));
  }
  return worst;
}

}  // namespace

TEST_CASE("spring along the surface: below the cone a puck gives way by F/k_t, comes back and does not creep") {
  SpringPuck scene(springy(2 * std::sqrt(kAlongSpring * kSpringMass)));
  TimeStepper stepper(scene.system, {.step = 1e-3, .stop = {.tolerance = 1e-13}, .sleep = false});
  const double bears = kHeld * kSpringMass * kSpringPress;
  // A force that meets it at rest is carried with 13 % more for a moment: share + 0.13 of the change stays below 1.
  for (const double share : {0.3, 0.85, -0.6, 0.0, 0.85, 0.95, 0.98}) {
    CAPTURE(share);
    scene.pull(share * bears);
    pass_springs(stepper, 1500);
    CHECK(std::abs(scene.x() - share * bears / kAlongSpring) < 1e-9 * bears / kAlongSpring);
  }
  // At 98 % of what friction bears, for long.
  const double before = scene.x();
  pass_springs(stepper, 3000);
  CHECK(std::abs(scene.x() - before) < 1e-12);
}

TEST_CASE("spring along the surface: beyond the cone it slides under μ m g, and springs back by the stretch it kept") {
  SpringPuck scene(springy(2 * std::sqrt(kAlongSpring * kSpringMass)));
  const double bears = kHeld * kSpringMass * kSpringPress;
  TimeStepper stepper(scene.system, {.step = 1e-3, .stop = {.tolerance = 1e-13}, .sleep = false});
  scene.pull(1.5 * bears);
  pass_springs(stepper, 200);
  const double speed = scene.u();
  pass_springs(stepper, 100);
  CHECK(scene.u() - speed == doctest::Approx(0.5 * bears / kSpringMass * 0.1).epsilon(1e-7));
  CHECK(state_of(stepper.contacts()[0]) == ContactState::slides);
  // Without the pull it slides to a stop and comes back to where its spring, at rest, hangs: nothing is left in it.
  scene.pull(0);
  pass_springs(stepper, 2000);
  CHECK(std::abs(scene.u()) < 1e-9);
  CHECK(stepper.contacts()[0].reaction.head<2>().norm() < 1e-6);
  CHECK(state_of(stepper.contacts()[0]) == ContactState::sticks);
}

TEST_CASE("spring along the surface: a swing on it has the frequency √(k_t/m), to second order in the step") {
  const double coarse = swing_along_error(2e-3), fine = swing_along_error(1e-3);
  CHECK(coarse < 0.02);
  CHECK(coarse / fine == doctest::Approx(4).epsilon(0.15));
}

TEST_CASE("spring along the surface: towards the hard contact the way back is linear in 1/k_t") {
  std::vector<double> give;
  for (const double k : {1e4, 1e6, 1e8}) {
    PairMaterial material = springy(0);
    material.tangential_stiffness = k;
    SpringPuck scene(material);
    const double force = 0.5 * kHeld * kSpringMass * kSpringPress;
    scene.pull(force);
    TimeStepper stepper(scene.system, {.step = 1e-2, .stop = {.tolerance = 1e-13}, .sleep = false});
    pass_springs(stepper, 400);
    give.push_back(scene.x());
    CHECK(scene.x() == doctest::Approx(force / k).epsilon(k > 1e5 ? 1e-6 : 1.01));
  }
  CHECK(give[1] / give[2] == doctest::Approx(100).epsilon(1e-4));
}

TEST_CASE("spring along the surface: a shaken floor takes its puck along without creep") {
  // The floor swings along x with 60 % of what friction bears; after whole periods the puck is where it was on it.
  SpringPuck scene(springy(200));
  constexpr double kPeriod = 0.25, kRate = 2 * std::numbers::pi / kPeriod;
  const double reach = 0.6 * kHeld * kSpringPress / (kRate * kRate);
  const auto place = [=](double t) { return reach * std::sin(kRate * t); };
  double floor_at = 0;
  scene.system.add_drive(scene.floor, [&](double t, double h) {
    floor_at = place(t + h);
    return ObstacleMotion{.velocity = {(place(t + h) - place(t)) / h, 0, 0}};
  });
  TimeStepper stepper(scene.system, {.step = 1e-3, .stop = {.tolerance = 1e-12}});
  pass_springs(stepper, 2000);
  const double before = scene.x() - floor_at;
  pass_springs(stepper, 4000);
  CHECK(std::abs(scene.x() - floor_at - before) < 1e-9);
}

TEST_CASE("spring along the surface: a run goes on from its state bit for bit") {
  const auto made = [] {
    PairMaterial material = springy(100);
    material.hertz_stiffness = 3e7;
    auto scene = std::make_unique<FloorScene>(material);
    for (int k = 0; k < 3; ++k) {
      const BodyId box = add_solid(scene->system, Box{{0.2, 0.15, 0.1}}, {0.3 * k, 0, 0.06}, Orientation::Identity());
      set_velocity(scene->system, box, {0, 0, 2}, {0.4, 0.1 * k, 0});
    }
    return scene;
  };
  const auto first = made();
  TimeStepper stepper(first->system, {.step = 2e-3});
  pass_springs(stepper, 80);
  const StepperState saved = stepper.state();
  pass_springs(stepper, 80);
  for (const int threads : {1, 2}) {
    const auto fresh = made();
    TimeStepper again(fresh->system, {.step = 2e-3, .stop = {.threads = threads}});
    again.restore(saved);
    pass_springs(again, 80);
    check_same(again.state(), stepper.state());
  }
}

namespace {

// A steel-like ball of radius R on a plane of the same: K = 4/3 E* √R, E* = E/(2 (1 − ν²)).
constexpr double kYoung = 2e9, kPoisson = 0.3, kBallRadius = 0.02;
const double kHertzConstant = 4.0 / 3 * kYoung / (2 * (1 - kPoisson * kPoisson)) * std::sqrt(kBallRadius);

struct HertzScene : FloorScene {
  BodyId ball;
  double mass;

  HertzScene(double height, double speed, double damping, double stiffness = std::numeric_limits<double>::infinity())
      : FloorScene({.stiffness = stiffness, .hertz_stiffness = kHertzConstant, .damping = damping}) {
    ball = add_solid(system, Sphere{kBallRadius}, {0, 0, kBallRadius + height});
    mass = system.bodies()[ball].mass();
    set_velocity(system, ball, Vector3d::Zero(), {0, 0, speed});
  }
  [[nodiscard]] double depth() const { return kBallRadius - system.bodies()[ball].to_space(Vector3d::Zero())[2]; }
  [[nodiscard]] double speed() const { return system.bodies()[ball].velocity()[5]; }
};

}  // namespace

TEST_CASE("Hertz's contact: a ball at rest sinks in by (m g/K)^{2/3}, behind a linear spring by m g/k more") {
  for (const double k : {std::numeric_limits<double>::infinity(), 1e5}) {
    for (const double h : {1e-5, 1e-3}) {  // resolved, and far too stiff for the step
      CAPTURE(k);
      CAPTURE(h);
      HertzScene scene(0, 0, h < 1e-4 ? 60 : 0, k);
      TimeStepper stepper(scene.system, {.step = h, .stop = {.tolerance = 1e-12}, .sleep = false});
      for (int i = 0; i < 1500; ++i) REQUIRE(!stepper.step().failed());
      const double weight = scene.mass * 9.81;
      CHECK(scene.depth() == doctest::Approx(weight / k + std::pow(weight / kHertzConstant, 2.0 / 3)).epsilon(1e-6));
      CHECK(std::abs(scene.speed()) < 1e-8);
      CHECK(stepper.contacts()[0].reaction[2] == doctest::Approx(weight).epsilon(1e-5));
    }
  }
}

TEST_CASE("Hertz's contact: deepest point and time of an impact against Hertz's, to second order in the step") {
  constexpr double kMeets = 0.5;
  double depth_error[2], time_error[2], lost[2];
  for (int fine = 0; fine < 2; ++fine) {
    HertzScene scene(1e-6, -kMeets, 0);
    scene.system.gravity.setZero();
    const double deepest = std::pow(1.25 * scene.mass * kMeets * kMeets / kHertzConstant, 0.4);
    const double duration = 2.94328 * deepest / kMeets;  // 2 ∫ dx/√(1 − x^{5/2}) = 2.94328
    const double h = duration / (fine == 0 ? 100 : 400);
    TimeStepper stepper(scene.system, {.step = h, .stop = {.tolerance = 1e-10}, .sleep = false});
    double most = 0, from = -1, until = 0, before = 0;
    for (int i = 0; i * h < 1.5 * duration; ++i) {
      REQUIRE(!stepper.step().failed());
      const double now = scene.depth(), t = stepper.time();
      most = std::max(most, now);
      if (before <= 0 && now > 0 && from < 0) from = t - h * now / (now - before);
      if (before > 0 && now <= 0) until = t - h * now / (now - before);
      before = now;
    }
    depth_error[fine] = std::abs(most / deepest - 1);
    time_error[fine] = std::abs((until - from) / duration - 1);
    lost[fine] = std::abs(scene.speed() / kMeets - 1);
    MESSAGE("Hertz, " << duration / h << " steps an impact: depth off by " << depth_error[fine] << ", time by "
                      << time_error[fine] << ", speed after by " << lost[fine]);
  }
  CHECK(depth_error[1] < 1e-4);
  CHECK(time_error[1] < 1e-3);
  CHECK(lost[1] < 1e-3);
  CHECK(depth_error[0] < 2e-3);
  CHECK(lost[1] < lost[0] / 2);
}

TEST_CASE("Hertz's contact: one too stiff for the step gains no energy and comes to rest") {
  for (const double h : {1e-4, 1e-3, 3e-3, 1e-2}) {
    CAPTURE(h);
    HertzScene scene(0.01, 0, 0);
    TimeStepper stepper(scene.system, {.step = h, .stop = {.tolerance = 1e-10}});
    double highest = scene.depth();
    for (int i = 0; i < 2000; ++i) {
      REQUIRE(!stepper.step().failed());
      highest = std::min(highest, scene.depth());
    }
    CHECK(highest > -0.01 * (1 + 1e-3));
    if (h > 1e-3) CHECK(std::abs(scene.speed()) < 1e-7);
  }
}

TEST_CASE("Hertz's contact: blocks in a stack, soft on hard on Hertz's, sink each as its own law has it") {
  System system(make_bullet_detector());
  const SurfaceId hard = system.materials.add_surface("hard", rough(0.5));
  PairMaterial linear = rough(0.5), spheres = rough(0.5);
  linear.stiffness = 4e5;
  linear.damping = 2e3;
  spheres.hertz_stiffness = 1e8;
  spheres.damping = 2e3;
  const SurfaceId soft = system.materials.add_surface("soft", linear);
  const SurfaceId round = system.materials.add_surface("round", spheres);
  system.materials.set_pair(hard, soft, linear);
  system.materials.set_pair(soft, round, spheres);
  system.add_collider({.body = system.add(std::make_unique<Obstacle>()), .shape = Plane{}, .surface = hard});
  std::vector<BodyId> blocks;
  for (const SurfaceId surface : {soft, round, round, hard}) {
    const double z = 0.1 + 0.2 * static_cast<double>(blocks.size());
    const Shape box = Box{{0.2, 0.2, 0.2}};
    blocks.push_back(system.add(
        std::make_unique<RigidBody>(mass_properties(box, 1000), Vector3d(0, 0, z), Orientation::Identity())));
    system.add_collider({.body = blocks.back(), .shape = box, .surface = surface});
  }
  TimeStepper stepper(system, {.step = 2e-3, .stop = {.tolerance = 1e-11}});
  for (int i = 0; i < 1500; ++i) REQUIRE(!stepper.step().failed());
  const double weight = 8 * 9.81;
  // Four corners each. Hard on round is Hertz's of 2 K, round on round of K.
  const double give[] = {4 * weight / (4 * 4e5), std::pow(3 * weight / (4 * 1e8), 2.0 / 3),
                         std::pow(2 * weight / (4 * 1e8), 2.0 / 3), std::pow(weight / (4 * 2e8), 2.0 / 3)};
  double under = -0.1;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CAPTURE(i);
    const double z = system.bodies()[blocks[i]].to_space(Vector3d::Zero())[2];
    CHECK(under + 0.2 - z == doctest::Approx(give[i]).epsilon(1e-6));
    under = z;
  }
}
