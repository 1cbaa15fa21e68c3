#pragma once
// A few shapes, each on a body of its own, and what a fresh detector finds between them.

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>

namespace locdyn::test {

using Eigen::Vector3d;

struct Pose {
  Vector3d position = Vector3d::Zero();
  Orientation orientation = Orientation::Identity();
};

inline Orientation turned(double angle, const Vector3d& axis) {
  return Orientation(Eigen::AngleAxisd(angle, axis.normalized()));
}

inline Orientation random_orientation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Orientation(normal(random), normal(random), normal(random), normal(random)).normalized();
}

inline Vector3d random_vector(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  return {uniform(random), uniform(random), uniform(random)};
}

struct Scene {
  BodySet bodies;
  std::unique_ptr<ContactDetector> detector = make_bullet_detector();

  BodyId moving(const Shape& shape, const Pose& pose) {
    const BodyId body = bodies.emplace<RigidBody>(box_mass(1, {1, 1, 1}), pose.position, pose.orientation);
    detector->add({.body = body, .shape = shape}, bodies);
    return body;
  }
  BodyId fixed(const Shape& shape, const Pose& pose = {}) {
    const BodyId body = bodies.emplace<Obstacle>();
    detector->add({.body = body, .shape = shape, .position = pose.position, .orientation = pose.orientation}, bodies);
    return body;
  }
  /// `reach` is that of each pair.
  std::vector<DetectedContact> detect(double reach) {
    const std::vector<double> reaches(bodies.id_bound(), 0.5 * reach);
    const std::vector<std::uint8_t> moved(bodies.id_bound(), 1);
    const auto found = detector->detect(bodies, reaches, moved);
    return {found.begin(), found.end()};
  }
};

/// Two moving bodies: the first is the master.
inline std::vector<DetectedContact> contacts_of(const Shape& first, const Pose& at, const Shape& second,
                                                const Pose& there, double reach) {
  Scene scene;
  scene.moving(first, at);
  scene.moving(second, there);
  return scene.detect(reach);
}

inline double least_gap(const std::vector<DetectedContact>& contacts) {
  double least = HUGE_VAL;
  for (const DetectedContact& contact : contacts) least = std::min(least, contact.gap);
  return least;
}

/// Area of the convex hull of points that lie about a plane of this normal.
inline double spread(std::vector<DetectedContact> contacts) {
  if (contacts.size() < 3) return 0;
  const Vector3d n = contacts[0].normal;
  Vector3d middle = Vector3d::Zero();
  for (const auto& contact : contacts) middle += contact.point / static_cast<double>(contacts.size());
  const Vector3d u = n.unitOrthogonal(), v = n.cross(u);
  std::sort(contacts.begin(), contacts.end(), [&](const auto& p, const auto& q) {
    const Vector3d a = p.point - middle, b = q.point - middle;
    return std::atan2(a.dot(v), a.dot(u)) < std::atan2(b.dot(v), b.dot(u));
  });
  double area = 0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Vector3d a = contacts[k].point - middle, b = contacts[(k + 1) % contacts.size()].point - middle;
    area += 0.5 * a.cross(b).dot(n);
  }
  return area;
}

}  // namespace locdyn::test
