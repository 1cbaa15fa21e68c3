#include <locdyn/bodies/kinematic_body.hpp>

#include <stdexcept>
#include <string>

namespace locdyn {

const KinematicBody& kinematic(const BodySet& bodies, BodyId id) {
  if (const KinematicBody* body = bodies[id].kinematics()) return *body;
  throw std::invalid_argument("body " + std::to_string(id) +
                              ": expected one that tells how its points move (KinematicBody), found one that does not");
}

}  // namespace locdyn
