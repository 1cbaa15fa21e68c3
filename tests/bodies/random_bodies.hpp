#pragma once
// One body of each moving kind with random inertia, configuration and velocity, for property tests.

#include <memory>
#include <random>
#include <vector>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/pseudo_rigid_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>

namespace locdyn::testing {

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double normal() { return normal_(generator_); }
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  Eigen::Vector3d vector() { return {normal(), normal(), normal()}; }
  Eigen::Matrix3d rotation() { return exponential_matrix(2 * vector()); }
  Orientation orientation() { return exponential(2 * vector()); }
  Eigen::VectorXd velocity(int n) {
    return Eigen::VectorXd::NullaryExpr(n, [this] { return normal(); });
  }
  /// A positive definite tensor that is the second moment of some matter.
  Eigen::Matrix3d euler_tensor() {
    const Eigen::Matrix3d Q = rotation();
    const Eigen::Vector3d moments(between(0.1, 1), between(0.1, 1), between(0.1, 1));
    return Q * moments.asDiagonal() * Q.transpose();
  }
  Eigen::Matrix3d inertia() {
    const Eigen::Matrix3d euler = euler_tensor();
    return euler.trace() * Eigen::Matrix3d::Identity() - euler;
  }
  /// F with a determinant well above 0.
  Eigen::Matrix3d deformation() {
    const Eigen::Matrix3d stretch = Eigen::Vector3d(between(0.8, 1.3), between(0.8, 1.3), between(0.8, 1.3)).asDiagonal();
    return rotation() * stretch * rotation();
  }

 private:
  std::mt19937 generator_;
  std::normal_distribution<double> normal_;
};

/// Particle, planar, rigid, pseudo-rigid.
inline std::vector<std::unique_ptr<Body>> one_of_each(Random& random) {
  std::vector<std::unique_ptr<Body>> bodies;
  bodies.push_back(std::make_unique<Particle>(random.between(0.5, 2), random.vector()));
  bodies.push_back(std::make_unique<PlanarBody>(random.between(0.5, 2), random.between(0.1, 1),
                                                Eigen::Vector2d(random.normal(), random.normal()), random.normal()));
  bodies.push_back(std::make_unique<RigidBody>(
      MassProperties{random.between(0.5, 2), Eigen::Vector3d::Zero(), random.inertia()}, random.vector(),
      random.orientation()));
  bodies.push_back(std::make_unique<PseudoRigidBody>(random.between(0.5, 2), random.euler_tensor(),
                                                     ElasticMaterial{10, 0.3}, random.between(0.5, 2), random.vector(),
                                                     random.deformation()));
  for (const auto& body : bodies) body->set_velocity(random.velocity(body->freedoms()));
  return bodies;
}

}  // namespace locdyn::testing
