// The shortest use of everything, shown in the README: one mass on a plane under tilted gravity, one step.
// By hand: 2 kg and (6, 0, −8) m/s² press with 16 N and push with 12 N; friction holds back 0.5 · 16 = 8 N, so the mass
// gains (12 − 8)/2 = 2 m/s² for a millisecond.

#include <cmath>
#include <cstdio>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/solver/auto.hpp>

int main() {
  locdyn::BodySet bodies;
  const auto ground = bodies.emplace<locdyn::Obstacle>();
  const auto block = bodies.emplace<locdyn::Particle>(2.0, Eigen::Vector3d::Zero());  // 2 kg at the origin

  locdyn::LocalDynamics ldy;
  locdyn::Assembly assembly(bodies, ldy);
  const auto contact = assembly.emplace<locdyn::Contact>(
      locdyn::ContactPoint{.master = ground, .slave = block, .material = {.friction = 0.5}});  // there too, n = e_z

  bodies.predict(1e-3, {6, 0, -8});                 // u_free after a step of 1 ms under tilted gravity
  assembly.update(1e-3);                            // W, B and the laws
  const auto report = locdyn::solve_auto(ldy, {});  // R, and how good it is
  assembly.apply_reactions();                       // u⁺

  const Eigen::Vector3d R = ldy.row(contact).R;      // (−8, 0, 16) N
  const double speed = bodies[block].velocity()[0];  // 2e-3 m/s

  std::printf("R = (%g, %g, %g) N, speed %g m/s, %s, residual %.0e\n", R[0], R[1], R[2], speed,
              to_string(report.status), report.residual.scaled);
  return (R - Eigen::Vector3d(-8, 0, 16)).norm() < 1e-12 && std::abs(speed - 2e-3) < 1e-15 ? 0 : 1;
}
