#include <locdyn/io/output/fingerprint.hpp>

#include <bit>
#include <vector>

#include <locdyn/io/output/body_state.hpp>

namespace locdyn::detail {
namespace {

struct AddShape {
  Fnv1a& hash;

  void operator()(const Sphere& s) const { hash.add(s.radius); }
  void operator()(const Box& s) const { hash.add(s.size.data(), 3); }
  void operator()(const Capsule& s) const {
    hash.add(s.radius);
    hash.add(s.length);
  }
  void operator()(const Cylinder& s) const {
    hash.add(s.radius);
    hash.add(s.height);
  }
  void operator()(const ConvexHull& s) const { points(s.points); }
  void operator()(const TriangleMesh& s) const {
    points(s.vertices);
    for (const auto& triangle : s.triangles) {
      for (const int corner : triangle) hash.add(static_cast<std::uint64_t>(corner));
    }
  }
  void operator()(const HeightField& s) const {
    hash.add(static_cast<std::uint64_t>(s.heights.rows()));
    hash.add(s.heights.data(), s.heights.size());
    hash.add(s.spacing.data(), 2);
  }
  void operator()(const Plane&) const {}

  void points(const std::vector<Eigen::Vector3d>& all) const {
    hash.add(static_cast<std::uint64_t>(all.size()));
    for (const Eigen::Vector3d& point : all) hash.add(point.data(), 3);
  }
};

std::uint64_t hash_of_bodies(const BodySet& bodies) {
  Fnv1a hash;
  for (const BodyId id : bodies.ids()) {
    const Body& body = bodies[id];
    hash.add(kind_of(body));
    hash.add(static_cast<std::uint64_t>(body.freedoms()));
    hash.add(body.mass());
    const Eigen::MatrixXd inertia = body.inertia();
    hash.add(inertia.data(), inertia.size());
  }
  return hash.value();
}

std::uint64_t hash_of_colliders(const std::vector<Collider>& colliders) {
  Fnv1a hash;
  for (const Collider& collider : colliders) {
    hash.add(std::uint64_t{collider.body});
    hash.add(static_cast<std::uint64_t>(collider.shape.index()));
    std::visit(AddShape{hash}, collider.shape);
    hash.add(collider.position.data(), 3);
    hash.add(collider.orientation.coeffs().data(), 4);
    hash.add(std::uint64_t{collider.surface});
    hash.add(collider.friction_direction.data(), 3);
    hash.add(std::uint64_t{collider.groups} << 32 | collider.collides_with);
  }
  return hash.value();
}

// Those for life that no step takes away.
std::vector<ConstraintId> lasting_constraints(const System& system) {
  std::vector<ConstraintId> lasting = system.constraints();
  for (const BreakableJoint& joint : system.breakables()) {
    for (const ConstraintId id : joint.constraints) std::erase(lasting, id);
  }
  return lasting;
}

// Whether they are broken is part of the state.
std::uint64_t hash_of_breakables(const std::vector<BreakableJoint>& joints) {
  Fnv1a hash;
  for (const BreakableJoint& joint : joints) {
    hash.add(joint.name);
    hash.add(joint.load.force);
    hash.add(joint.load.moment);
  }
  return hash.value();
}

std::uint64_t hash_of_constraints(const System& system) {
  Fnv1a hash;
  for (const ConstraintId id : lasting_constraints(system)) {
    const Constraint& constraint = system.assembly().constraint(id);
    hash.add(constraint.kind());
    for (const BodyId body : constraint.bodies()) hash.add(std::uint64_t{body});
  }
  return hash.value();
}

std::uint64_t hash_of_forces(const ForceSet& forces) {
  Fnv1a hash;
  for (const ForceId id : forces.ids()) {
    hash.add(forces[id].kind());
    for (const BodyId body : forces[id].bodies()) hash.add(std::uint64_t{body});
  }
  return hash.value();
}

std::uint64_t hash_of_materials(const MaterialTable& materials) {
  Fnv1a hash;
  for (SurfaceId a{0}; a < materials.size(); ++a) {
    for (SurfaceId b{0}; b <= a; ++b) {
      const PairMaterial& pair = materials.pair(a, b);
      for (const double number : {pair.static_friction, pair.kinetic_friction, pair.cross_friction.value_or(-1),
                                  pair.restitution, pair.rolling, pair.torsional, pair.stiffness, pair.hertz_stiffness,
                                  pair.damping, pair.tangential_stiffness, pair.tangential_damping}) {
        hash.add(number);
      }
    }
  }
  return hash.value();
}

}  // namespace

void Fnv1a::add(double number) noexcept {
  add(std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number));
}

std::vector<Fingerprint> fingerprints(const System& system) {
  return {{"bodies", system.bodies().size(), hash_of_bodies(system.bodies())},
          {"colliders", system.colliders().size(), hash_of_colliders(system.colliders())},
          {"constraints", lasting_constraints(system).size(), hash_of_constraints(system)},
          {"breakable", system.breakables().size(), hash_of_breakables(system.breakables())},
          {"forces", system.forces().size(), hash_of_forces(system.forces())},
          {"surfaces", system.materials.size(), hash_of_materials(system.materials)}};
}

}  // namespace locdyn::detail
