// Contacts over time: they keep their identity, and their frames do not jump.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

double angle_between(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) {
  return Eigen::AngleAxisd(a.transpose() * b).angle();
}

double angle_between(const Vector3d& a, const Vector3d& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

std::map<std::uint64_t, ActiveContact> by_identity(const TimeStepper& stepper) {
  std::map<std::uint64_t, ActiveContact> contacts;
  for (const ActiveContact& contact : stepper.contacts()) {
    CHECK(contacts.emplace(contact.identity, contact).second);  // each identity once
  }
  return contacts;
}

// Steps, and hands each contact that was there before to `work(before, now)`. Returns how many identities there were,
// none of which came back after it had gone.
template <class Work>
std::size_t follow(TimeStepper& stepper, int steps, const Work& work) {
  std::set<std::uint64_t> seen;
  auto before = by_identity(stepper);
  for (int i = 0; i < steps; ++i) {
    CAPTURE(i);
    (void)stepper.step();
    auto now = by_identity(stepper);
    for (const auto& [identity, contact] : now) {
      const auto at = before.find(identity);
      if (at == before.end()) {
        CHECK(seen.insert(identity).second);
      } else {
        work(at->second, contact);
      }
    }
    before = std::move(now);
  }
  return seen.size();
}

constexpr auto kNothing = [](const ActiveContact&, const ActiveContact&) {};

}  // namespace

TEST_CASE("a sliding box has the same four contacts for as long as it slides") {
  FloorScene scene(rough(0.1));
  const BodyId box = add_solid(scene.system, Box{{1, 1, 0.2}}, {0, 0, 0.1});
  set_velocity(scene.system, box, Vector3d::Zero(), {2, 1, 0});
  TimeStepper stepper(scene.system, {.step = 2e-3});
  const std::size_t count = follow(stepper, 500, [&](const ActiveContact& before, const ActiveContact& now) {
    CHECK(now.point.frame == before.point.frame);  // the plane does not turn
    const Body& body = scene.system.bodies()[box];
    // The same corner of the box (it moves on by half a step after detection).
    CHECK((body.to_body(now.point.point) - body.to_body(before.point.point)).norm() < 0.02);
  });
  CHECK(count == 4);
  CHECK(scene.system.bodies()[box].configuration()[0] > 1);
}

TEST_CASE("a box that slides over the joints between tiles of another body loses no contact there") {
  FloorScene scene(rough(0.2));
  const BodyId slab = scene.system.add(std::make_unique<Obstacle>());
  scene.system.add_collider({.body = slab, .shape = Box{{20, 2, 1}}, .position = {0, 0, 2}});
  const BodyId box = add_solid(scene.system, Box{{0.5, 0.5, 0.2}}, {0, 0, 2.6});
  set_velocity(scene.system, box, Vector3d::Zero(), {3, 0, 0});
  TimeStepper stepper(scene.system, {.step = 2e-3});
  CHECK(follow(stepper, 300, kNothing) == 4);
}

TEST_CASE("a rolling sphere has one contact") {
  FloorScene scene(rough(0.5));
  const BodyId ball = add_solid(scene.system, Sphere{0.2}, {0, 0, 0.2});
  set_velocity(scene.system, ball, {0, 5, 0}, {1, 0, 0});
  TimeStepper stepper(scene.system, {.step = 2e-3});
  const std::size_t count = follow(stepper, 500, [](const ActiveContact& before, const ActiveContact& now) {
    CHECK(now.point.frame == before.point.frame);
  });
  CHECK(count == 1);
  CHECK(scene.system.bodies()[ball].configuration()[0] == doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("a frame turns with its normal and never about it") {
  // A ball rolls from the top of a fixed one, past directions where frames made from the normal alone would jump.
  System system(make_bullet_detector());
  system.materials.set_pair(SurfaceId{0}, SurfaceId{0}, rough(1));
  system.gravity = {0, 0, 9.81};  // it hangs from the pole opposite to e_z: n = −e_z there
  const BodyId fixed = system.add(std::make_unique<Obstacle>());
  system.add_collider({.body = fixed, .shape = Sphere{1}});
  const BodyId ball = add_solid(system, Sphere{0.2}, Vector3d(0.05, 0.02, 0) - 1.2 * Vector3d::UnitZ());
  set_velocity(system, ball, Vector3d::Zero(), {-0.5, -0.3, 0});
  TimeStepper stepper(system, {.step = 1e-3});
  double turned = 0;
  const std::size_t count = follow(stepper, 300, [&](const ActiveContact& before, const ActiveContact& now) {
    const double of_normal = angle_between(before.point.frame.col(2).eval(), now.point.frame.col(2).eval());
    CHECK(angle_between(before.point.frame, now.point.frame) <= of_normal + 1e-7);
    CHECK((now.point.frame.transpose() * now.point.frame - Eigen::Matrix3d::Identity()).norm() < 1e-12);
    turned += of_normal;
  });
  CHECK(count == 1);
  CHECK(turned > 0.09);
}

TEST_CASE("a tumbling box keeps what stays in touch: no corner takes another's identity") {
  FloorScene scene(rough(0.5));
  const BodyId box =
      add_solid(scene.system, Box{{0.4, 0.5, 0.6}}, {0, 0, 0.6}, Orientation(0.9, 0.3, 0.1, 0.2).normalized());
  set_velocity(scene.system, box, {3, 8, 1}, {2, 0, 0});
  TimeStepper stepper(scene.system, {.step = 1e-3});
  const Body& body = scene.system.bodies()[box];
  int followed = 0;
  double fastest = 0;
  const std::size_t count = follow(stepper, 1500, [&](const ActiveContact& before, const ActiveContact& now) {
    CHECK(now.point.frame == before.point.frame);
    // A corner stays where it is on the body; seen from where the body is now, it has moved on by a step's turn.
    fastest = std::max(fastest, body.velocity().head<3>().norm());
    CHECK((body.to_body(now.point.point) - body.to_body(before.point.point)).norm() < 0.05);
    ++followed;
  });
  CHECK(fastest > 1);
  CHECK(count > 4);   // it did tumble
  CHECK(count < 60);  // and did not lose its contacts at each step
  CHECK(followed > 1000);
}

TEST_CASE("a contact that stays keeps its reaction: a settled step starts next to its solution") {
  FloorScene scene(rough(0.5));
  for (int i = 0; i < 5; ++i) add_solid(scene.system, Box{{1, 1, 1}}, {0.1 * i, 0, 0.5 + i});
  TimeStepper stepper(scene.system, {.step = 2e-3});
  const long from_zero = stepper.step().iterations;
  for (int i = 0; i < 20; ++i) (void)stepper.step();
  long settled = 0;
  for (int i = 0; i < 100; ++i) settled += stepper.step().iterations;
  CAPTURE(from_zero);
  CAPTURE(settled);
  CHECK(from_zero >= 10);
  CHECK(settled <= 100 * 4);  // a velocity of the size of the tolerance is taken back now and then
}

TEST_CASE("a pile stepped by sweeps never has the off-diagonal blocks of W made") {
  PileScene scene;
  TimeStepper stepper(scene.system, {.step = 4e-3, .solver = "nsgs", .stop = {.tolerance = 1e-3}});
  std::size_t most = 0;
  for (int i = 0; i < 150; ++i) {
    CAPTURE(i);
    most = std::max(most, stepper.step().contacts);
    CHECK(!scene.system.graph().has_blocks());
  }
  CHECK(most > 60);
}
