#include <locdyn/io/output/body_state.hpp>

#include <Eigen/SVD>
#include <array>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/pseudo_rigid_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/bodies/rotor.hpp>

namespace locdyn::detail {
namespace {

template <class Kind>
bool is(const Body& body) {
  return dynamic_cast<const Kind*>(&body) != nullptr;
}

struct KindName {
  std::string_view name;
  bool (*fits)(const Body&);
};
constexpr std::array kKinds{KindName{"rigid body", is<RigidBody>},
                            KindName{"obstacle", is<Obstacle>},
                            KindName{"particle", is<Particle>},
                            KindName{"planar body", is<PlanarBody>},
                            KindName{"pseudo-rigid body", is<PseudoRigidBody>},
                            KindName{"rotor", is<Rotor>}};

// The rotation nearest to how the body lies: exact where the body keeps a quaternion.
Orientation orientation_of_any(const Body& body) {
  if (const auto* rigid = dynamic_cast<const RigidBody*>(&body)) return rigid->orientation();
  if (is<Obstacle>(body)) return orientation_of(body.configuration().segment<4>(3));
  const Eigen::Vector3d origin = body.to_space(Eigen::Vector3d::Zero());
  Eigen::Matrix3d F;
  for (int k = 0; k < 3; ++k) F.col(k) = body.to_space(Eigen::Vector3d::Unit(k)) - origin;
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return Orientation(Eigen::Matrix3d(svd.matrixU() * svd.matrixV().transpose())).normalized();
}

}  // namespace

std::string_view kind_of(const Body& body) noexcept {
  for (const KindName& kind : kKinds) {
    if (kind.fits(body)) return kind.name;
  }
  return "other";
}

BodyState state_of(const Body& body) {
  BodyState state;
  state.position = body.to_space(Eigen::Vector3d::Zero());
  state.orientation = orientation_of_any(body);
  state.velocity = body.velocity_at(state.position);
  if (body.freedoms() > 0) {
    PointJacobian H(3, body.freedoms());
    body.spin_jacobian(Eigen::Matrix3d::Identity(), H);
    state.angular_velocity = H * body.velocity();
  } else {  // ω = ½ Σ e × (v(x + e) − v(x)) over the unit vectors e
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d e = Eigen::Vector3d::Unit(k);
      state.angular_velocity += 0.5 * e.cross(body.prescribed_velocity(state.position + e) - state.velocity);
    }
  }
  return state;
}

}  // namespace locdyn::detail
