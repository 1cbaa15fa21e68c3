#pragma once
// A05 of the multibody benchmark set: a flyball governor. A shaft of 1 × 0.01 × 0.01 m turns about z; two rods of the
// same size hang on hinges at its top, at 30° below the horizontal to both sides, each with a point of 5 kg at its end;
// a slider, a cube of 0.1 m, runs along the shaft, 0.5 m below the top, tied to the middle of each rod by a
// spring-damper of 8·10⁵ N/m, 4·10⁴ N s/m and 0.5 m at rest. Density 3000 kg/m³; everything turns at 2π rad/s; g = 9.81
// m/s² along −z; 10 s. Source: González, Dopico, Lugrís & Cuadrado, Multibody Syst. Dyn. 16 (2006) 179–190.

#include <array>
#include <numbers>

#include <locdyn/mechanism/smooth/applied_loads.hpp>

#include "mechanism/linkages.hpp"

namespace locdyn::test {

struct Governor : Linkage {
  static constexpr double kDuration = 10, kStiffness = 8e5, kDamping = 4e4, kRest = 0.5;
  BodyId shaft, slider;
  std::array<BodyId, 2> rods;
  Mechanism mechanism;
  AppliedLoads loads;

  Governor() : mechanism((build(), system)) {
    loads.add = [this](BodySet& set, double) {
      for (std::size_t k = 0; k < 2; ++k) tie(set, k);
    };
    const Vector3d spin(0, 0, 2 * std::numbers::pi);
    for (const BodyId id : system.bodies().ids()) {
      Body& body = system.bodies()[id];
      Eigen::VectorXd u(6);
      const auto& rigid = dynamic_cast<const RigidBody&>(body);
      u << rigid.rotation().transpose() * spin, spin.cross(rigid.position());
      body.set_velocity(u);
    }
  }

  [[nodiscard]] double slider_height() const { return system.bodies()[slider].to_space(Vector3d::Zero()).z(); }
  /// T + V of weight and springs [J]; dampers take from it.
  [[nodiscard]] double energy() const {
    double sum = system.bodies().kinetic_energy() + system.bodies().potential_energy(loads.gravity);
    for (std::size_t k = 0; k < 2; ++k) {
      const double longer = (middle(system.bodies(), k).value - center(system.bodies()).value).norm() - kRest;
      sum += 0.5 * kStiffness * longer * longer;
    }
    return sum;
  }
  [[nodiscard]] double spin_momentum() const {
    double sum = 0;
    for (const BodyId id : system.bodies().ids()) {
      const KinematicBody& body = kinematic(system.bodies(), id);
      const MaterialMotion at = body.point_motion(Vector3d::Zero());
      sum += body.angular_momentum().z() + body.mass() * at.value.cross(at.velocity).z();
    }
    return sum;
  }

 private:
  [[nodiscard]] MaterialMotion middle(const BodySet& set, std::size_t k) const {
    return kinematic(set, rods[k]).point_motion(middle_[k]);
  }
  [[nodiscard]] MaterialMotion center(const BodySet& set) const {
    return kinematic(set, slider).point_motion(Vector3d::Zero());
  }

  void tie(BodySet& set, std::size_t k) const {
    const MaterialMotion a = center(set), b = middle(set, k);
    const Vector3d along = b.value - a.value;
    const double length = along.norm();
    const Vector3d n = along / length;
    const Vector3d force = -(kStiffness * (length - kRest) + kDamping * n.dot(b.velocity - a.velocity)) * n;
    set[rods[k]].add_force(force, b.value);
    set[slider].add_force(-force, a.value);
  }

  void build() {
    const Vector3d z = Vector3d::UnitZ(), top(0, 0, 1);
    shaft = system.emplace<RigidBody>(box_mass(3000, {0.01, 0.01, 1}), Vector3d(0, 0, 0.5));
    slider = system.emplace<RigidBody>(box_mass(3000, {0.1, 0.1, 0.1}), Vector3d(0, 0, 0.5));
    join<Hinge>("bearing", Axis{Vector3d::Zero(), z}, Axis{Vector3d::Zero(), z, shaft});
    join<Prismatic>("slide", Axis{{0, 0, 0.5}, z, shaft}, Axis{{0, 0, 0.5}, z, slider});
    for (std::size_t k = 0; k < 2; ++k) {
      // Along +x and −x, 30° down; the rod's own x axis runs along it.
      const double angle = k == 0 ? std::numbers::pi / 6 : 5 * std::numbers::pi / 6;
      const Orientation turned(Eigen::AngleAxisd(angle, Vector3d::UnitY()));
      const Vector3d along = turned * Vector3d::UnitX();
      const std::array<MassProperties, 2> parts = {box_mass(3000, {1, 0.01, 0.01}),
                                                   MassProperties{5, {0.5, 0, 0}, 1e-12 * Eigen::Matrix3d::Identity()}};
      const MassProperties whole = combined(parts);
      rods[k] = system.emplace<RigidBody>(whole, Vector3d(top + (0.5 + whole.center.x()) * along), turned);
      middle_[k] = -whole.center;
      join<Hinge>("rod " + std::to_string(k), Axis{top, Vector3d::UnitY(), shaft},
                  Axis{top, Vector3d::UnitY(), rods[k]});
    }
  }
  std::array<Vector3d, 2> middle_;
};

}  // namespace locdyn::test
