#include <locdyn/io/scene/make_body.hpp>

#include <cmath>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/pseudo_rigid_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/io/scene/mass_of_body.hpp>
#include <locdyn/io/scene/mesh_source.hpp>
#include <locdyn/io/scene/placement.hpp>

namespace locdyn::scene_format {
namespace {

// One for each kind: makes the body, and says where the reference coordinates lie in its body coordinates.
struct BodyMaker {
  const SceneBody& scene;
  const std::vector<Shape>& shapes;
  std::unique_ptr<Body> body = nullptr;
  ScenePlacement reference = {};

  [[nodiscard]] Eigen::Vector3d in_space(const Eigen::Vector3d& X) const {
    return scene.placement.position + scene.placement.orientation * X;
  }

  void operator()(const SceneRigid& rigid) {
    MassProperties mass;
    if (rigid.inertia) {
      mass = {*rigid.mass, rigid.mass_center, *rigid.inertia};
    } else {
      mass = mass_of_shapes(scene, shapes, {rigid.density, rigid.mass});
    }
    const Orientation& orientation = scene.placement.orientation;
    body = std::make_unique<RigidBody>(mass, in_space(mass.center), orientation);
    Eigen::VectorXd u(6);
    u << orientation.conjugate() * rigid.angular_velocity, rigid.velocity;
    body->set_velocity(u);
    reference.position = -mass.center;
  }

  void operator()(const SceneObstacle&) {
    body = std::make_unique<Obstacle>();
    Eigen::VectorXd q(10);  // it turns about the origin of its reference coordinates
    q << scene.placement.position, coefficients(scene.placement.orientation), scene.placement.position;
    body->set_configuration(q);
  }

  void operator()(const SceneParticle& particle) {
    body = std::make_unique<Particle>(particle.mass, scene.placement.position);
    body->set_velocity(particle.velocity);
    reference.orientation = scene.placement.orientation;  // its coordinates keep the axes of space
  }

  void operator()(const ScenePlanar& planar) {
    MassProperties mass;
    if (planar.inertia) {
      mass.mass = *planar.mass;
      mass.inertia(2, 2) = *planar.inertia;
      mass.center.head<2>() = planar.mass_center;
    } else {
      mass = mass_of_shapes(scene, shapes, {planar.density, planar.mass});
    }
    const Orientation& q = scene.placement.orientation;
    body = std::make_unique<PlanarBody>(mass.mass, mass.inertia(2, 2), in_space(mass.center).head<2>(),
                                        2 * std::atan2(q.z(), q.w()));
    body->set_velocity(Eigen::Vector3d(planar.velocity.x(), planar.velocity.y(), planar.angular_velocity));
    reference.position = {-mass.center.x(), -mass.center.y(), 0};  // points keep their z
  }

  void operator()(const ScenePseudoRigid& soft) {
    const double volume = volume_of_shapes();
    const MassProperties mass = mass_of_shapes(scene, shapes, {soft.density, soft.mass});
    const Eigen::Matrix3d F = scene.placement.orientation.toRotationMatrix();
    body = std::make_unique<PseudoRigidBody>(mass.mass, euler_tensor(mass),
                                             ElasticMaterial{soft.young_modulus, soft.poisson_ratio}, volume,
                                             in_space(mass.center), F);
    const Eigen::Matrix3d F_rate = skew(soft.angular_velocity) * F;
    Eigen::VectorXd u(12);  // row by row
    u << F_rate.row(0).transpose(), F_rate.row(1).transpose(), F_rate.row(2).transpose(), soft.velocity;
    body->set_velocity(u);
    reference.position = -mass.center;
  }

  [[nodiscard]] double volume_of_shapes() const {
    double volume = 0;
    for (const Shape& shape : shapes) volume += mass_properties(shape, 1).mass;
    return volume;
  }
};

}  // namespace

MadeBody make_body(const SceneBody& scene) {
  MadeBody made;
  for (const SceneShape& shape : scene.shapes) made.shapes.push_back(make_shape(shape.geometry));
  BodyMaker maker{scene, made.shapes};
  std::visit(maker, scene.kind);
  made.body = std::move(maker.body);
  for (const SceneShape& shape : scene.shapes) made.placements.push_back(within(maker.reference, shape.placement));
  return made;
}

}  // namespace locdyn::scene_format
