// Contact detection of a moving pile beside Bullet's own collision step on the same bodies, in one run.
//
//   benchmark_detection [BODIES]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include <btBulletCollisionCommon.h>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>

#include "measure.hpp"

using namespace locdyn;
using Eigen::Vector3d;

namespace {

constexpr double kReach = 0.01;

// Half spheres, half boxes, on a loose grid: each touches about six others.
struct Pile {
  BodySet bodies;
  std::unique_ptr<ContactDetector> detector = make_bullet_detector();
  std::vector<std::uint8_t> moved;
  std::vector<double> reach;

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad_phase;
  btCollisionWorld world{&dispatcher, &broad_phase, &configuration};
  btSphereShape sphere{0.5};
  btBoxShape box{btVector3(0.5, 0.5, 0.5)};
  std::vector<std::unique_ptr<btCollisionObject>> objects;

  explicit Pile(int count) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    const int side = static_cast<int>(std::ceil(std::cbrt(count)));
    sphere.setUserIndex(0);
    for (int k = 0; k < count; ++k) {
      const Vector3d x(k % side, k / side % side, k / side / side);
      const Orientation q = Orientation(normal(random), normal(random), normal(random), normal(random)).normalized();
      const BodyId body = bodies.emplace<RigidBody>(box_mass(1, {1, 1, 1}), 1.06 * x, q);
      if (k % 2) {
        detector->add({.body = body, .shape = Box{{1, 1, 1}}}, bodies);
      } else {
        detector->add({.body = body, .shape = Sphere{0.5}}, bodies);
      }
      auto object = std::make_unique<btCollisionObject>();
      object->setCollisionShape(k % 2 ? static_cast<btCollisionShape*>(&box) : &sphere);
      object->setContactProcessingThreshold(2 * kReach);
      objects.push_back(std::move(object));
      show(body);
      world.addCollisionObject(objects.back().get());
    }
    moved.assign(bodies.size(), 1);
    reach.assign(bodies.size(), kReach);
  }
  ~Pile() {
    for (auto& object : objects) world.removeCollisionObject(object.get());
  }

  void show(BodyId body) {
    const auto& rigid = static_cast<const RigidBody&>(bodies[body]);
    const Vector3d& x = rigid.position();
    const Orientation& q = rigid.orientation();
    objects[body]->setWorldTransform(
        btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), btVector3(x[0], x[1], x[2])));
  }

  void shake(std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-1e-3, 1e-3);
    for (const BodyId body : bodies.ids()) {
      Eigen::VectorXd q = bodies[body].configuration();
      for (int k = 0; k < 3; ++k) q[k] += uniform(random);
      bodies[body].set_configuration(q);
      show(body);
    }
  }

  [[nodiscard]] int bullet_contacts() {
    int count = 0;
    for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
      count += dispatcher.getManifoldByIndexInternal(m)->getNumContacts();
    }
    return count;
  }
};

}  // namespace

int main(int argc, char** argv) {
  Pile pile(argc > 1 ? std::atoi(argv[1]) : 2000);
  std::mt19937 random(2);
  double ours = 1e300, bullets = 1e300, still = 1e300;
  std::size_t contacts = 0;
  const std::vector<std::uint8_t> none(pile.bodies.size(), 0);
  for (int step = 0; step < 50; ++step) {
    pile.shake(random);
    double start = benchmark::thread_seconds_now();
    contacts = pile.detector->detect(pile.bodies, pile.reach, pile.moved).size();
    ours = std::min(ours, benchmark::thread_seconds_now() - start);
    start = benchmark::thread_seconds_now();
    benchmark::keep(pile.detector->detect(pile.bodies, pile.reach, none));
    still = std::min(still, benchmark::thread_seconds_now() - start);
    start = benchmark::thread_seconds_now();
    pile.world.performDiscreteCollisionDetection();
    bullets = std::min(bullets, benchmark::thread_seconds_now() - start);
  }
  std::printf("%zu bodies, all moving: %zu contacts in %.3f ms (%.2f µs each); Bullet %d in %.3f ms; ratio %.2f\n",
              pile.bodies.size(), contacts, 1e3 * ours, 1e6 * ours / static_cast<double>(contacts),
              pile.bullet_contacts(), 1e3 * bullets, ours / bullets);
  std::printf("none moving: %.4f ms\n", 1e3 * still);
  return 0;
}
