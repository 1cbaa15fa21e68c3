#include "carried.hpp"

namespace locdyn::peers {
namespace {

// From an obstacle's coordinates to space.
Orientation turn_of(const Obstacle& obstacle) {
  return orientation_of(Eigen::Vector4d(obstacle.configuration().segment<4>(3)));
}

}  // namespace

Carried::Carried(const Scene& scene) : carriers_(scene.carriers), motions_(scene.carriers.size()) {
  for (const SceneBody& body : scene.bodies) {
    parts_.push_back({body.carrier, Eigen::Vector3d::Zero(), Orientation::Identity()});
    if (body.carrier < 0) continue;
    const Obstacle& obstacle = carriers_[static_cast<std::size_t>(body.carrier)].obstacle;
    parts_.back().X = obstacle.to_body(body.position);
    parts_.back().orientation = turn_of(obstacle).conjugate() * body.orientation;
    bodies_.push_back(static_cast<int>(parts_.size()) - 1);
  }
}

void Carried::advance(double t, double h) {
  for (std::size_t k = 0; k < carriers_.size(); ++k) {
    Obstacle& obstacle = carriers_[k].obstacle;
    motions_[k] = carriers_[k].drive(t, h);
    obstacle.set_motion(motions_[k].velocity, motions_[k].angular_velocity, obstacle.to_space(Eigen::Vector3d::Zero()));
    obstacle.advance(h);
  }
}

BodyState Carried::state(int body) const {
  const Part& part = parts_[static_cast<std::size_t>(body)];
  const auto k = static_cast<std::size_t>(part.carrier);
  const Obstacle& obstacle = carriers_[k].obstacle;
  const Eigen::Vector3d position = obstacle.to_space(part.X), origin = obstacle.to_space(Eigen::Vector3d::Zero());
  const ObstacleMotion& motion = motions_[k];
  return {position, (turn_of(obstacle) * part.orientation).normalized(),
          motion.velocity + motion.angular_velocity.cross(position - origin), motion.angular_velocity};
}

}  // namespace locdyn::peers
