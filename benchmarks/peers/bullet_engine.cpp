// Bullet's rigid bodies, double precision: sequential impulses. At its defaults 10 iterations, one friction direction a
// contact (along the slip), warm start at 0.85. Friction of a pair is the product of both: √μ each.

#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "carried.hpp"
#include "engine.hpp"

namespace locdyn::peers {
namespace {

Eigen::Vector3d from(const btVector3& v) {
  return {v.x(), v.y(), v.z()};
}
btVector3 to(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

btTransform transform(const Eigen::Vector3d& position, const Orientation& q) {
  return btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()), to(position));
}

std::unique_ptr<btCollisionShape> make_shape(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return std::make_unique<btSphereShape>(sphere->radius);
  if (const auto* box = std::get_if<Box>(&shape)) return std::make_unique<btBoxShape>(to(0.5 * box->size));
  if (const auto* points = std::get_if<ConvexHull>(&shape)) {
    auto hull = std::make_unique<btConvexHullShape>();
    for (const Eigen::Vector3d& point : points->points) hull->addPoint(to(point), false);
    hull->recalcLocalAabb();
    // Contacts face against face and no layer about the hull: as exact as Bullet can have it.
    hull->setMargin(0);
    hull->initializePolyhedralFeatures();
    return hull;
  }
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    return std::make_unique<btCapsuleShapeZ>(capsule->radius, capsule->length);
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    return std::make_unique<btCylinderShapeZ>(btVector3(cylinder->radius, cylinder->radius, 0.5 * cylinder->height));
  }
  throw std::invalid_argument("shape: expected sphere, box, capsule, cylinder or hull");
}

btScalar larger_restitution(const btCollisionObject* a, const btCollisionObject* b) {
  return std::max(a->getRestitution(), b->getRestitution());
}

class BulletEngine final : public Engine {
 public:
  BulletEngine(const Scene& scene, const BulletSettings& settings)
      : h_(scene.h), forces_(scene.forces), carried_(scene) {
    gCalculateCombinedRestitutionCallback = larger_restitution;
    world_.setGravity(to(scene.gravity));
    btContactSolverInfo& info = world_.getSolverInfo();
    info.m_numIterations = settings.iterations;
    if (settings.two_directions) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    name_ = "Bullet, " + std::to_string(info.m_numIterations) + (settings.two_directions ? ", two directions" : "");
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) add(scene.bodies[i], std::sqrt(scene.friction_of(i)));
  }
  ~BulletEngine() override {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  const std::string& name() const override { return name_; }
  // A kinematic body goes to the end of the step first: Bullet takes its velocity from the way. Forces are Bullet's
  // for one step.
  void step() override {
    carried_.advance(time_, h_);
    for (const int i : carried_.bodies()) {
      const BodyState pose = carried_.state(i);
      bodies_[static_cast<std::size_t>(i)]->setCenterOfMassTransform(transform(pose.position, pose.orientation));
    }
    for (const AppliedForce& applied : forces_) {
      btRigidBody& body = *bodies_[static_cast<std::size_t>(applied.body)];
      body.applyForce(to(applied.force(time_, h_)), body.getWorldTransform().getBasis() * to(applied.point));
      body.applyTorque(to(applied.torque(time_, h_)));
    }
    world_.stepSimulation(h_, 0);
    time_ += h_;
  }

  BodyState state(int i) const override {
    if (std::find(carried_.bodies().begin(), carried_.bodies().end(), i) != carried_.bodies().end()) {
      return carried_.state(i);
    }
    const btRigidBody& body = *bodies_[static_cast<std::size_t>(i)];
    const btQuaternion q = body.getCenterOfMassTransform().getRotation();
    return {from(body.getCenterOfMassPosition()), Orientation(q.w(), q.x(), q.y(), q.z()).normalized(),
            from(body.getLinearVelocity()), from(body.getAngularVelocity())};
  }

  // Bullet's normal points from its second body to its first.
  std::vector<EngineContact> contacts() const override {
    std::vector<EngineContact> result;
    const btContactSolverInfo& info = world_.getSolverInfo();
    const double push = info.m_erp2 / h_;
    for (int m = 0; m < dispatcher_.getNumManifolds(); ++m) {
      const btPersistentManifold& manifold = *dispatcher_.getManifoldByIndexInternal(m);
      for (int k = 0; k < manifold.getNumContacts(); ++k) {
        const btManifoldPoint& point = manifold.getContactPoint(k);
        const btVector3 impulse = point.m_appliedImpulse * point.m_normalWorldOnB +
                                  point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1 +
                                  point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2;
        const double gap = point.getDistance();
        const Eigen::Vector3d normal = from(point.m_normalWorldOnB);
        result.push_back({.master = manifold.getBody1()->getUserIndex(),
                          .slave = manifold.getBody0()->getUserIndex(),
                          .point = 0.5 * from(point.getPositionWorldOnA() + point.getPositionWorldOnB()),
                          .normal = normal,
                          .gap = gap,
                          .force = from(impulse) / h_,
                          .shift = std::nullopt});
        // What lies deeper than the threshold is moved apart by split impulses, which are no velocities.
        const bool split = info.m_splitImpulse != 0 && gap <= info.m_splitImpulsePenetrationThreshold;
        if (gap < 0 && !split) result.back().shift = gap * push * normal;
      }
    }
    return result;
  }

 private:
  void add(const SceneBody& body, double friction) {
    shapes_.push_back(make_shape(body.shape));
    const btVector3 inertia = body.fixed ? btVector3(0, 0, 0) : to(body.mass.inertia.diagonal());
    btRigidBody::btRigidBodyConstructionInfo info(body.fixed ? 0 : body.mass.mass, nullptr, shapes_.back().get(),
                                                  inertia);
    info.m_friction = friction;
    info.m_restitution = body.restitution;
    info.m_startWorldTransform = transform(body.position, body.orientation);
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    bodies_.back()->setLinearVelocity(to(body.velocity));
    bodies_.back()->setAngularVelocity(to(body.angular_velocity));
    if (body.carrier >= 0) {
      bodies_.back()->setCollisionFlags(bodies_.back()->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    }
    if (body.slides) {
      bodies_.back()->setLinearFactor(to(body.slides->cwiseAbs()));
      bodies_.back()->setAngularFactor(btVector3(0, 0, 0));
    }
    bodies_.back()->setUserIndex(static_cast<int>(bodies_.size()) - 1);
    world_.addRigidBody(bodies_.back().get());
  }

  double h_, time_ = 0;
  std::vector<AppliedForce> forces_;
  Carried carried_;
  std::string name_;
  btDefaultCollisionConfiguration configuration_;
  mutable btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  mutable btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace

EnginePtr make_bullet(const Scene& scene, const BulletSettings& settings) {
  return std::make_unique<BulletEngine>(scene, settings);
}

}  // namespace locdyn::peers
