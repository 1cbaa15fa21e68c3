#include <doctest/doctest.h>

#include <cmath>

#include <locdyn/bodies/particle.hpp>

using namespace locdyn;

namespace {

const Eigen::Vector3d kGravity(0, 0, -9.81);

void fall(Particle& stone, double h, int steps, Scheme scheme) {
  for (int i = 0; i < steps; ++i) {
    stone.advance(part_before(scheme) * h);
    stone.predict(h, kGravity, scheme);
    stone.receive_impulse(Eigen::Vector3d::Zero());
    stone.advance(part_after(scheme) * h);
  }
}

// A particle on a spring of stiffness 1 to the origin for t = 3, from x = 1 at rest: x = cos t.
double spring_error(double h, Scheme scheme) {
  Particle particle(1, {1, 0, 0});
  const int steps = static_cast<int>(std::lround(3 / h));
  for (int i = 0; i < steps; ++i) {
    particle.advance(part_before(scheme) * h);
    particle.clear_forces();
    particle.add_force(-particle.position(), particle.position());
    particle.predict(h, Eigen::Vector3d::Zero(), scheme);
    particle.receive_impulse(Eigen::Vector3d::Zero());
    particle.advance(part_after(scheme) * h);
  }
  return std::hypot(particle.position()[0] - std::cos(3.0), particle.velocity()[0] + std::sin(3.0));
}

}  // namespace

TEST_CASE("free fall: the half-step scheme is exact, energy included, semi-implicit Euler is off by g t h/2") {
  const double t = 2;
  const double exact = 100 + 3 * t - 0.5 * 9.81 * t * t;
  for (const int steps : {1, 10, 1000}) {
    const double h = t / steps;
    Particle stone(0.3, {1, 2, 100});
    stone.set_velocity(Eigen::Vector3d(0.5, 0, 3));
    const double energy = stone.kinetic_energy() + stone.potential_energy(kGravity);
    Particle late = stone;
    fall(stone, h, steps, Scheme::half_step);
    // Rounding of `steps` sums.
    CHECK((stone.position() - Eigen::Vector3d(2, 2, exact)).norm() < 1e-11);
    CHECK(std::abs(stone.kinetic_energy() + stone.potential_energy(kGravity) - energy) < 1e-12 * energy);
    fall(late, h, steps, Scheme::semi_implicit_euler);
    CHECK(late.position()[2] - exact == doctest::Approx(-0.5 * 9.81 * t * h).epsilon(1e-8));
  }
}

TEST_CASE("a spring: order 2 against order 1") {
  CHECK(spring_error(0.01, Scheme::half_step) / spring_error(0.005, Scheme::half_step) ==
        doctest::Approx(4).epsilon(0.02));
  CHECK(spring_error(0.01, Scheme::semi_implicit_euler) / spring_error(0.005, Scheme::semi_implicit_euler) ==
        doctest::Approx(2).epsilon(0.02));
}
