// What a detector promises as a whole: no memory, no order of insertion in the answer, groups, exclusions, faults.
#include <doctest/doctest.h>

#include <cstring>
#include <stdexcept>

#include <locdyn/bodies/mass_properties.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/pseudo_rigid_body.hpp>

#include "ids.hpp"
#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

// A loose pile of every shape on a floor.
void fill(Scene& scene, unsigned seed) {
  std::mt19937 random(seed);
  scene.fixed(Plane{});
  scene.fixed(Box{{1, 1, 1}}, {{0.2, 0.1, 0.3}});
  scene.fixed(TriangleMesh{{{-3, -3, 0.2}, {3, -3, 0.1}, {0, 3, 0}}, {{0, 1, 2}}});
  const ConvexHull hull{{{0.3, 0, 0}, {-0.3, 0.1, 0}, {0, -0.3, 0.1}, {0, 0.2, 0.4}, {0.1, 0.1, -0.3}}};
  for (int k = 0; k < 60; ++k) {
    const Shape shapes[]{Sphere{0.3}, Box{{0.5, 0.4, 0.3}}, Capsule{0.2, 0.4}, Cylinder{0.2, 0.5}, hull};
    const Vector3d x = random_vector(random, 1.2);
    scene.moving(shapes[k % 5], {{x[0], x[1], x[2] + 1.2}, random_orientation(random)});
  }
}

bool same_bits(const std::vector<DetectedContact>& a, const std::vector<DetectedContact>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k].master != b[k].master || a[k].slave != b[k].slave) return false;
    if (std::memcmp(a[k].point.data(), b[k].point.data(), 24) != 0) return false;
    if (std::memcmp(a[k].normal.data(), b[k].normal.data(), 24) != 0) return false;
    if (std::memcmp(&a[k].gap, &b[k].gap, 8) != 0) return false;
  }
  return true;
}

void shake(BodySet& bodies, std::mt19937& random, double size, std::vector<std::uint8_t>* moved = nullptr) {
  for (const BodyId body : bodies.ids()) {
    if (bodies[body].freedoms() == 0 || (moved != nullptr && random() % 3 != 0)) continue;
    Eigen::VectorXd q = bodies[body].configuration();
    q.head<3>() += random_vector(random, size);
    bodies[body].set_configuration(q);
    if (moved != nullptr) (*moved)[body] = 1;
  }
}

}  // namespace

TEST_CASE("the answer has no memory: after any history it has the bits of a fresh detector") {
  Scene scene;
  fill(scene, 1);
  std::mt19937 random(2);
  for (int step = 0; step < 40; ++step) {
    CAPTURE(step);
    shake(scene.bodies, random, step % 10 == 9 ? 1 : 0.01);
    const auto found = scene.detect(0.05);
    REQUIRE(found.size() > 50);
    Scene fresh;
    fill(fresh, 1);
    for (const BodyId body : scene.bodies.ids()) {
      if (scene.bodies[body].freedoms() > 0) fresh.bodies[body].set_configuration(scene.bodies[body].configuration());
    }
    CHECK(same_bits(found, fresh.detect(0.05)));
  }
}

TEST_CASE("what has not moved is taken over, what has moved is not") {
  Scene scene, mirror;
  fill(scene, 3);
  fill(mirror, 3);
  std::mt19937 random(4), twin(4);
  std::vector<double> reach(scene.bodies.size(), 0.02);
  std::vector<std::uint8_t> all(scene.bodies.size(), 1);
  static_cast<void>(scene.detector->detect(scene.bodies, reach, all));
  for (int step = 0; step < 20; ++step) {
    CAPTURE(step);
    std::vector<std::uint8_t> moved(scene.bodies.size(), 0), ignored(moved);
    shake(scene.bodies, random, 0.05, &moved);
    shake(mirror.bodies, twin, 0.05, &ignored);
    if (step == 10) reach[20] = 0.1;  // a body that reaches farther counts as moved
    const auto partly = scene.detector->detect(scene.bodies, reach, moved);
    const auto whole = mirror.detector->detect(mirror.bodies, reach, all);
    CHECK(same_bits({partly.begin(), partly.end()}, {whole.begin(), whole.end()}));
  }
  // The promise is believed: a body that moves under moved = 0 shows its old points.
  const auto before = scene.detector->detect(scene.bodies, reach, all);
  const std::vector<DetectedContact> kept(before.begin(), before.end());
  shake(scene.bodies, random, 0.5);
  const auto after = scene.detector->detect(scene.bodies, reach, std::vector<std::uint8_t>(reach.size(), 0));
  CHECK(same_bits(kept, {after.begin(), after.end()}));
}

TEST_CASE("detection among some bodies finds what concerns them, wherever they were before") {
  Scene scene, mirror;
  fill(scene, 5);
  fill(mirror, 5);
  std::mt19937 random(6), twin(6);
  std::vector<BodyId> body_of;  // each has one collider
  for (const BodyId body : scene.bodies.ids()) body_of.push_back(body);
  std::vector<double> reach(scene.bodies.size(), 0.02);
  const std::vector<std::uint8_t> all(scene.bodies.size(), 1);
  static_cast<void>(scene.detector->detect_among(scene.bodies, body_of, reach, all));
  std::size_t checked = 0;
  for (int step = 0; step < 30; ++step) {
    CAPTURE(step);
    std::vector<std::uint8_t> moved(scene.bodies.size(), 0), ignored(moved);
    shake(scene.bodies, random, 0.05, &moved);
    shake(mirror.bodies, twin, 0.05, &ignored);
    std::vector<BodyId> active;  // those that moved, and some others
    for (const BodyId body : body_of) {
      if (moved[body] != 0 || (step + body) % 5 == 0) active.push_back(body);
    }
    const auto among = scene.detector->detect_among(scene.bodies, active, reach, moved);
    std::vector<DetectedContact> expected;
    for (const DetectedContact& contact : mirror.detector->detect(mirror.bodies, reach, all)) {
      const auto is_active = [&](ColliderId id) {
        return std::binary_search(active.begin(), active.end(), body_of[id]);
      };
      if (is_active(contact.master) || is_active(contact.slave)) expected.push_back(contact);
    }
    CHECK(same_bits({among.begin(), among.end()}, expected));
    checked += expected.size();
  }
  CHECK(checked > 1000);
  CHECK(scene.detector->detect_among(scene.bodies, {}, reach, all).empty());
  CHECK_THROWS_AS((void)scene.detector->detect_among(scene.bodies, ids<BodyId>({1000}), reach, all),
                  std::invalid_argument);
}

TEST_CASE("a column told from below, one ball taken out before the first look and one set on top after it") {
  Scene scene;
  constexpr int kBalls = 3000, kGone = 1500;
  const auto add = [&](int k) { scene.moving(Sphere{0.5}, {{0, 0, 0.99 * k}}); };
  for (int k = 0; k < kBalls; ++k) add(k);
  scene.detector->remove(ColliderId{kGone});
  const auto touching = [&](std::size_t pairs) {
    const auto found = scene.detect(0);
    CHECK(found.size() == pairs);
    for (const DetectedContact& contact : found) {
      CHECK(contact.slave == contact.master + 1);
      CHECK(contact.gap == doctest::Approx(-0.01));
      CHECK((contact.master != kGone && contact.slave != kGone));
    }
  };
  touching(kBalls - 3);
  add(kBalls);
  touching(kBalls - 2);
  scene.detector->remove(ColliderId{0});
  touching(kBalls - 3);
}

TEST_CASE("contacts come sorted by master and slave, the obstacle or the lower id first") {
  Scene scene;
  const BodyId ball = scene.moving(Sphere{0.5}, {{0, 0, 0.5}});
  scene.moving(Sphere{0.5}, {{0, 0, 1.5}});
  scene.fixed(Plane{});
  scene.fixed(Box{{9, 9, 1}}, {{0, 0, -0.5}});  // obstacles do not meet each other
  static_cast<void>(ball);
  const auto found = scene.detect(0.01);
  REQUIRE(found.size() == 3);
  CHECK((found[0].master == 0 && found[0].slave == 1));
  CHECK((found[1].master == 2 && found[1].slave == 0));
  CHECK((found[2].master == 3 && found[2].slave == 0));
  for (const auto& contact : found) CHECK((contact.normal - Vector3d::UnitZ()).norm() < 1e-12);
}

TEST_CASE("groups, exclusions and several colliders on a body") {
  Scene scene;
  const BodyId floor = scene.fixed(Plane{});
  const BodyId body = scene.moving(Sphere{0.5}, {{0, 0, 1}});
  scene.detector->add({.body = body, .shape = Sphere{0.5}, .position = {0.3, 0, -0.5}}, scene.bodies);
  scene.detector->add({.body = body, .shape = Sphere{0.5}, .position = {-0.3, 0, -0.5}, .groups = 2}, scene.bodies);
  CHECK(scene.detect(0.01).size() == 2);  // the two low ones, and none between parts of one body
  scene.detector->add({.body = floor, .shape = Box{{9, 9, 1}}, .position = {0, 0, -0.5}, .collides_with = 2},
                      scene.bodies);
  const auto found = scene.detect(0.01);
  REQUIRE(found.size() == 3);
  CHECK((found[2].master == 4 && found[2].slave == 3));
  CHECK((found[1].point - Vector3d(-0.3, 0, 0)).norm() < 1e-12);
  scene.detector->exclude(body, floor);
  CHECK(scene.detect(0.01).empty());
}

TEST_CASE("moving the whole scene moves the points alone") {
  std::mt19937 random(9);
  const Box a{{1, 0.8, 0.6}};
  const Cylinder b{0.4, 0.7};
  for (int trial = 0; trial < 5000; ++trial) {
    CAPTURE(trial);
    const Pose at{Vector3d(0, 0, 0), random_orientation(random)};
    const Pose there{random_vector(random, 0.8), random_orientation(random)};
    const Orientation Q = random_orientation(random);
    const Vector3d x = random_vector(random, 10);
    const auto here = contacts_of(a, at, b, there, 0.2);
    const auto carried =
        contacts_of(a, {x, Q * at.orientation}, b, {x + Q * there.position, Q * there.orientation}, 0.2);
    REQUIRE(here.empty() == carried.empty());
    if (here.empty()) continue;
    CHECK(std::abs(least_gap(here) - least_gap(carried)) < 1e-6);  // a rim on an edge is as exact as GJK
  }
}

TEST_CASE("a detector refuses what it cannot work with") {
  BodySet bodies;
  const BodyId stone = bodies.emplace<RigidBody>(box_mass(1, {1, 1, 1}), Vector3d(0, 0, 0));
  const BodyId jelly = bodies.emplace<PseudoRigidBody>(1.0, Eigen::Matrix3d::Identity(),
                                                       ElasticMaterial{.E = 1e5, .nu = 0.3}, 1.0, Vector3d(0, 0, 0));
  auto detector = make_bullet_detector();
  CHECK_THROWS_WITH_AS(detector->add({.body = jelly, .shape = Sphere{1}}, bodies),
                       "body: expected one that keeps its shape, found pseudo-rigid body 1", std::invalid_argument);
  CHECK_THROWS_AS(detector->add({.body = stone, .shape = Sphere{0}}, bodies), std::invalid_argument);
  CHECK(detector->add({.body = stone, .shape = Sphere{1}}, bodies) == 0);  // nothing was taken before
  std::vector<double> reach{0.1, 0.1};
  const std::vector<std::uint8_t> moved{1, 1};
  CHECK_THROWS_WITH_AS(static_cast<void>(detector->detect(bodies, std::vector<double>{0.1}, moved)),
                       "reach: expected one entry a body, 2, found 1", std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(detector->detect(bodies, reach, std::vector<std::uint8_t>{1})),
                  std::invalid_argument);
  reach[1] = NAN;
  CHECK_THROWS_WITH_AS(static_cast<void>(detector->detect(bodies, reach, moved)),
                       "reach: expected a finite number >= 0, found nan for body 1", std::invalid_argument);
}
