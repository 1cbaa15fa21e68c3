// Two hard blocks on a soft cushion, itself a block between them and the ground: its foam gives way at each corner by a
// spring and a damper, the blocks between themselves do not. Then the foam in other hands: Hertz's spring, and stiffer
// ones, which reach the hard contact in proportion to 1/k.
// By hand: the foam under the cushion carries three weights W, that above it two, on four corners each. It sinks by
// n W/(4 k), 22.0725 and 14.715 mm for k = 1e4 N/m; by (n W/(4 K))^{2/3} for Hertz's K = 1e5 N/m^{3/2}, 16.9525 and
// 12.9372 mm; stone into stone by nothing.

#include <array>
#include <cmath>

#include "run.hpp"

using namespace example;
using Eigen::Vector3d;

namespace {

constexpr double kSize = 0.2, kWeight = 30 * kGravity;  // edge [m] and W [N] of each block

// How far cushion into ground, stone into cushion and stone into stone sink [m].
std::array<double, 3> sunk(const locdyn::PairMaterial& foam) {
  locdyn::System system(locdyn::make_bullet_detector());
  const auto stone = system.materials.add_surface("stone", friction(0.5));
  const auto soft = system.materials.add_surface("foam", foam);
  system.materials.set_pair(stone, soft, foam);  // the numbers above are those of stone on foam
  add_obstacle(system, locdyn::Plane{}, stone);
  std::array<locdyn::BodyId, 3> blocks{};
  for (std::size_t k = 0; k < 3; ++k) {
    blocks[k] = add_solid(system, locdyn::Box{Vector3d::Constant(kSize)},
                          {.density = kWeight / kGravity / std::pow(kSize, 3), .surface = k == 0 ? soft : stone},
                          {.position = {0, 0, kSize * (static_cast<double>(k) + 0.5)}});
  }
  locdyn::TimeStepper stepper(system, {.step = 2e-3, .stop = {.tolerance = 1e-11}});
  run(stepper, 4);
  std::array<double, 3> give{};
  double under = -kSize / 2;
  for (std::size_t k = 0; k < 3; ++k) {
    const double z = position_of(system, blocks[k]).z();
    give[k] = under + kSize - z;
    under = z;
  }
  return give;
}

}  // namespace

int main() {
  bool right = true;
  for (const double k : {1e4, 1e5, 1e6}) {  // [N/m]
    locdyn::PairMaterial foam = friction(0.5);
    foam.stiffness = k;
    foam.damping = 6 * std::sqrt(k);  // [N s/m]
    const std::array<double, 3> give = sunk(foam);
    std::printf("k = %.0e N/m\n", k);
    right &= agrees("cushion into ground [m]", give[0], 3 * kWeight / (4 * k), 1e-8);
    right &= agrees("stone into cushion [m]", give[1], 2 * kWeight / (4 * k), 1e-8);
    right &= agrees("stone into stone [m]", give[2], 0, 1e-8);
  }
  locdyn::PairMaterial foam = friction(0.5);
  foam.hertz_stiffness = 1e5;  // [N/m^{3/2}]
  foam.damping = 600;
  const std::array<double, 3> give = sunk(foam);
  std::printf("Hertz's K = 1e5 N/m^1.5\n");
  right &= agrees("cushion into ground [m]", give[0], std::pow(3 * kWeight / 4e5, 2.0 / 3), 1e-8);
  right &= agrees("stone into cushion [m]", give[1], std::pow(2 * kWeight / 4e5, 2.0 / 3), 1e-8);
  return right ? 0 : 1;
}
