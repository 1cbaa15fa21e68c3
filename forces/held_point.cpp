#include <locdyn/forces/held_point.hpp>

#include <algorithm>
#include <stdexcept>

#include <locdyn/bodies/kinematic_body.hpp>

namespace locdyn::detail {

std::vector<BodyId> bodies_of(std::span<const Anchor> anchors) {
  std::vector<BodyId> ids;
  for (const Anchor& anchor : anchors) {
    if (anchor.body && std::find(ids.begin(), ids.end(), *anchor.body) == ids.end()) ids.push_back(*anchor.body);
  }
  if (ids.empty()) throw std::invalid_argument("points: expected one of a body, found points in space alone");
  return ids;
}

MaterialMotion motion_of(const BodySet& bodies, const MaterialPoint& p) {
  if (p.body) return kinematic(bodies, *p.body).point_motion(p.X);
  return {p.X, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
}

Eigen::Vector3d velocity_at(const BodySet& bodies, std::optional<BodyId> body, const Eigen::Vector3d& x) {
  if (!body) return Eigen::Vector3d::Zero();
  return bodies[*body].velocity_at(x);
}

void add_force(BodySet& bodies, std::optional<BodyId> body, const Eigen::Vector3d& force, const Eigen::Vector3d& x) {
  if (body) bodies[*body].add_force(force, x);
}

}  // namespace locdyn::detail
