// A vehicle of four sprung and driven wheels on uneven ground. What does each wheel press with?
// By hand: at rest on the flat each wheel bears a quarter of the weight, and its spring gives way by what it carries
// over its stiffness; while it drives, the forces of all pairs of wheel and ground add up to what the vehicle weighs
// and what its momentum gains, whatever the ground: Σ h F = m g t + Σ m (v − v₀).

#include <array>
#include <numbers>

#include <locdyn/ldy/assembly/constraints/driven/coordinate_joints.hpp>
#include <locdyn/ldy/assembly/constraints/driven/servo.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/serial_joint.hpp>
#include <locdyn/simulation/contact_forces.hpp>

#include "run.hpp"

using namespace example;
using Eigen::Vector3d;

namespace {

constexpr double kRadius = 0.2, kWheel = 5, kChassis = 100, kStiffness = 8e3, kDamping = 600;  // [m], [kg], [N/m]
constexpr double kSpeed = 2, kTorque = 40, kStep = 4e-3;                                       // [m/s], [N m], [s]

// Flat, then waves that differ on the two sides.
double terrain(double x, double y) {
  const double along = std::max(x - 2, 0.0);
  return 0.04 * (1 - std::cos(2.5 * along)) + 0.03 * y * std::sin(1.7 * along);
}

Vector3d momentum(const locdyn::System& system, std::span<const locdyn::BodyId> bodies) {
  Vector3d sum = Vector3d::Zero();
  for (const auto body : bodies) sum += system.bodies()[body].mass() * velocity_of(system, body).linear;
  return sum;
}

}  // namespace

int main() {
  locdyn::System system(locdyn::make_bullet_detector());
  const auto rubber = system.materials.add_surface("rubber", friction(0.8));
  locdyn::HeightField field{.heights = Eigen::MatrixXd(201, 9), .spacing = {0.1, 0.25}};
  for (int i = 0; i < field.heights.rows(); ++i) {
    for (int j = 0; j < field.heights.cols(); ++j) field.heights(i, j) = terrain(0.1 * i - 2, 0.25 * j - 1);
  }
  const auto ground = add_obstacle(system, field, rubber, {.position = {8, 0, 0}});  // centred on its position

  const Vector3d hull(1.4, 0.5, 0.2);
  std::array<locdyn::BodyId, 5> bodies{
      add_solid(system, locdyn::Box{hull}, {.density = kChassis / hull.prod()}, {.position = {0, 0, 0.45}})};
  const locdyn::Orientation across(Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), Vector3d::UnitY()));
  for (std::size_t k = 0; k < 4; ++k) {
    const Vector3d center(k < 2 ? 0.5 : -0.5, k % 2 == 0 ? 0.4 : -0.4, kRadius);
    const double density = kWheel / locdyn::cylinder_mass(1, kRadius, 0.1).mass;
    bodies[k + 1] = add_solid(system, locdyn::Cylinder{kRadius, 0.1}, {.density = density, .surface = rubber},
                              {.position = center, .orientation = across});
    // A strut along z that carries the axle.
    const locdyn::SerialChain strut(bodies[0], bodies[k + 1],
                                    {{false, center, Vector3d::UnitZ()}, {true, center, Vector3d::UnitY()}});
    system.add_constraint(std::make_unique<locdyn::SerialJoint>(strut));
    system.add_constraint(std::make_unique<locdyn::CoordinateSpring>(
        serial_coordinate(strut, 0), locdyn::SpringProperties{kStiffness, kDamping}, 0));
    const auto speed = [](double t) { return t > 2 ? std::min(t - 2, 1.0) * kSpeed / kRadius : 0; };
    const auto rate = [](double t) { return t > 2 && t < 3 ? kSpeed / kRadius : 0; };
    system.add_constraint(std::make_unique<locdyn::VelocityMotor>(
        serial_coordinate(strut, 1), speed, rate, locdyn::ForceRange{.lower = -kTorque, .upper = kTorque}));
    system.exclude_pair(bodies[0], bodies[k + 1]);
  }

  locdyn::TimeStepper stepper(system, {.step = kStep});
  std::array<Vector3d, 5> impulse{};  // of the ground on each body, by its pair
  const auto collect = [&](const locdyn::StepReport&) {
    for (const auto& pair : forces_by_body(stepper.contacts())) {
      const auto at = std::find(bodies.begin(), bodies.end(), pair.second);
      if (pair.first == ground) impulse[static_cast<std::size_t>(at - bodies.begin())] += kStep * pair.on_second.force;
    }
  };
  const double weight = (kChassis + 4 * kWheel) * kGravity;
  run(stepper, 2);
  bool right = agrees("strut gives way by [m]", 0.45 - position_of(system, bodies[0]).z(),
                      kChassis * kGravity / (4 * kStiffness), 1e-4);
  for (Vector3d& p : impulse) p.setZero();
  const Vector3d before = momentum(system, bodies);
  run(stepper, 6, collect);
  double total = 0, gained = momentum(system, bodies).z() - before.z();
  for (std::size_t k = 1; k < 5; ++k) {
    std::printf("wheel %zu: mean load %.3f N\n", k, impulse[k].z() / 4);
    total += impulse[k].z();
  }
  std::printf("driven to x = %.2f m\n", position_of(system, bodies[0]).x());
  right &= agrees("wheels' mean load in all [N]", total / 4, weight + gained / 4, 1e-9 * weight);
  return right ? 0 : 1;
}
