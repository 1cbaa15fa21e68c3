#include <locdyn/queries/placed_colliders.hpp>

#include <Eigen/LU>
#include <stdexcept>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn::detail {

std::vector<PlacedCollider> placed_colliders(const System& system, const char* who) {
  system.require_readable(who);
  std::vector<PlacedCollider> placed;
  const std::vector<Collider>& colliders = system.colliders();
  for (ColliderId id{0}; id < colliders.size(); ++id) {
    if (!system.contains(id)) continue;
    const Collider& collider = colliders[id];
    const Body& body = system.bodies()[collider.body];
    const Eigen::Vector3d middle = body.to_space(Eigen::Vector3d::Zero());
    Eigen::Matrix3d turn;
    for (int axis = 0; axis < 3; ++axis) turn.col(axis) = body.to_space(Eigen::Vector3d::Unit(axis)) - middle;
    PlacedCollider at{.id = id, .body = collider.body, .groups = collider.groups, .Q = {}, .inverse = {}, .middle = {}};
    at.Q = turn * collider.orientation.toRotationMatrix();
    at.middle = middle + turn * collider.position;
    at.inverse = at.Q.inverse();
    if (!at.middle.allFinite() || !at.inverse.allFinite()) {
      throw std::invalid_argument(std::string(who) + ": body " + std::to_string(collider.body.value()) +
                                  ": expected a finite position, found " + spelled_vector(at.middle));
    }
    placed.push_back(at);
  }
  return placed;
}

std::string spelled_vector(const Eigen::Vector3d& v) {
  return '(' + spelled(v[0]) + ", " + spelled(v[1]) + ", " + spelled(v[2]) + ')';
}

Bounds moved(const Bounds& local, const Eigen::Matrix3d& Q, const Eigen::Vector3d& middle) {
  const Eigen::Vector3d at = middle + Q * (0.5 * (local.low + local.high));
  const Eigen::Vector3d half = Q.cwiseAbs() * (0.5 * (local.high - local.low));
  return {at - half, at + half};
}

}  // namespace locdyn::detail
