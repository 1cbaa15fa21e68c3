// Jenga: a tower of blocks (75 × 25 × 15 mm), three to a layer; the middle one of a layer is pulled out at 0.25 m/s.
// By hand: while it slides, the pull is μ (N above + N below); at the end the tower stands, and the ground carries one
// block less. Argument: layers (6).

#include <cstdlib>

#include <locdyn/ldy/assembly/constraints/prescribed_velocity.hpp>

#include "run.hpp"

using namespace example;

int main(int argc, char** argv) {
  const int layers = argc > 1 ? std::atoi(argv[1]) : 6;
  constexpr double kFriction = 0.4, kSpeed = 0.25;
  const Eigen::Vector3d block(0.075, 0.025, 0.015);
  const double weight = block.prod() * 600 * kGravity;
  locdyn::System system(locdyn::make_bullet_detector());
  const auto wood = system.materials.add_surface("wood", friction(kFriction));
  const auto ground = add_obstacle(system, locdyn::Plane{}, wood);

  locdyn::BodyId pulled, top;
  for (int layer = 0; layer < layers; ++layer) {
    for (int k = -1; k <= 1; ++k) {
      const bool across = layer % 2 == 1;
      const Eigen::Vector3d size = across ? Eigen::Vector3d(block.y(), block.x(), block.z()) : block;
      top =
          add_solid(system, locdyn::Box{size}, {.density = 600, .surface = wood},
                    {.position = {across ? block.y() * k : 0, across ? 0 : block.y() * k, block.z() * (layer + 0.5)}});
      if (layer == 2 && k == 0) pulled = top;
    }
  }
  const Eigen::Vector3d start = position_of(system, top);

  const auto pull = system.add_constraint(std::make_unique<locdyn::PrescribedVelocity>(
      locdyn::Anchor{position_of(system, pulled), pulled}, Eigen::Vector3d::UnitX(), kSpeed));
  locdyn::TimeStepper stepper(system, {.step = 4e-3, .stop = {.max_iterations = 500}});
  bool right = true;
  run(stepper, 0.32, [&](const locdyn::StepReport& report) {
    if (report.step != 20) return;
    double pressed = 0;  // on both faces
    for (const locdyn::ActiveContact& contact : stepper.contacts()) {
      if (contact.point.master == pulled || contact.point.slave == pulled) pressed += contact.reaction[2];
    }
    std::printf("  at 20 mm the block bears %.1f blocks\n", (pressed / weight - 1) / 2);
    right &= agrees("pull [N]", system.graph().row(pull).R[2], kFriction * pressed, 1e-4);
  });

  // Out of the tower it falls, still held along x.
  right &= agrees("ground carries [blocks]", carried_by(stepper, ground).z() / weight, 3 * layers - 1, 0.01);
  right &= agrees("the top has moved by [m]", (position_of(system, top) - start).norm(), 0, 2e-3);
  return right ? 0 : 1;
}
