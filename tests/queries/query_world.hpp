#pragma once
// What tests of queries ask about: every solid with its distance function, and a system to put shapes into.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <memory>
#include <random>
#include <vector>

namespace locdyn {

using Distance =
    std::function<double(const Eigen::Vector3d&)>;  // to the surface, < 0 inside, in coordinates of the shape

inline double box_distance(const Eigen::Vector3d& p, const Eigen::Vector3d& half) {
  const Eigen::Vector3d q = p.cwiseAbs() - half;
  return q.cwiseMax(0).norm() + std::min(q.maxCoeff(), 0.0);
}

struct Case {
  const char* name;
  Shape shape;
  Distance distance;
};

inline std::vector<Case> cases() {
  ConvexHull hull;
  for (int k = 0; k < 8; ++k)
    hull.points.push_back(0.5 * Eigen::Vector3d(k & 1 ? 1 : -1, k & 2 ? 0.8 : -0.8, k & 4 ? 0.6 : -0.6));
  return {
      {"sphere", Sphere{0.5}, [](const Eigen::Vector3d& p) { return p.norm() - 0.5; }},
      {"box", Box{{1, 0.8, 0.6}},
       [](const Eigen::Vector3d& p) {
         return box_distance(p, {0.5, 0.4, 0.3});
       }},
      {"capsule", Capsule{0.3, 0.8},
       [](const Eigen::Vector3d& p) { return (p - Eigen::Vector3d(0, 0, std::clamp(p[2], -0.4, 0.4))).norm() - 0.3; }},
      {"cylinder", Cylinder{0.4, 0.9},
       [](const Eigen::Vector3d& p) {
         const Eigen::Vector2d q(p.head<2>().norm() - 0.4, std::abs(p[2]) - 0.45);
         return q.cwiseMax(0).norm() + std::min(q.maxCoeff(), 0.0);
       }},
      {"hull", hull, [](const Eigen::Vector3d& p) {
         return box_distance(p, {0.5, 0.4, 0.3});
       }}};
}

struct World {
  System system{make_bullet_detector()};

  BodyId add(const Shape& shape, const Eigen::Vector3d& x = Eigen::Vector3d::Zero(),
             const Orientation& Q = Orientation::Identity()) {
    const BodyId body = system.add(std::make_unique<RigidBody>(mass_properties(Box{{1, 1, 1}}, 1), x, Q));
    system.add_collider({.body = body, .shape = shape});
    return body;
  }
  BodyId add_fixed(const Shape& shape, const Eigen::Vector3d& x = Eigen::Vector3d::Zero()) {
    const BodyId body = system.add(std::make_unique<Obstacle>());
    system.add_collider({.body = body, .shape = shape, .position = x});
    return body;
  }
};

inline Eigen::Vector3d random_vector(std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  return {number(random), number(random), number(random)};
}

}  // namespace locdyn
