#pragma once
// A small scene with a shape of each kind, and what a test needs around it.

#include <signal.h>
#include <sys/resource.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include <ldy/raw_problem.hpp>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn::test {

namespace fs = std::filesystem;
using Eigen::Vector3d;

/// A floor, and on it a box on a box, a sphere that rolls, and a capsule pinned to space.
struct FloorScene {
  System system{make_bullet_detector()};

  explicit FloorScene(double side = 1) {
    system.materials.set_pair(SurfaceId{0}, SurfaceId{0}, {.static_friction = 0.5, .kinetic_friction = 0.5});
    const BodyId floor = system.add(std::make_unique<Obstacle>(), "floor");
    system.add_collider({.body = floor, .shape = Plane{}});
    add(Box{{side, side, side}}, {0, 0, 0.5 * side}, "lower");
    add(Box{{side, side, side}}, {0.1, 0, 1.5 * side}, "upper");
    const BodyId ball = add(Sphere{0.5}, {3, 0, 0.5}, "ball");
    Eigen::VectorXd u(6);
    u << 0, 2, 0, 1, 0, 0;
    system.bodies()[ball].set_velocity(u);
    const BodyId capsule = add(Capsule{0.1, 0.5}, {-3, 0, 2}, "capsule & <pin>");
    system.add_constraint(std::make_unique<FixedPoint>(Anchor{Vector3d(-3, 0.2, 2), capsule}), "pin");
  }

  BodyId add(const Shape& shape, const Vector3d& position, const std::string& name) {
    const BodyId body = system.add(std::make_unique<RigidBody>(mass_properties(shape, 1000), position), name);
    system.add_collider({.body = body, .shape = shape});
    return body;
  }
};

inline std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// While this lives no file of this process may grow beyond so many bytes: a disk that is full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_ = {};
  void (*handler_)(int) = SIG_DFL;
};

}  // namespace locdyn::test
