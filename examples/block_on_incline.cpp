// Own bodies, own contacts, many steps: a box with four corner contacts on an incline, μ = 0.5, just below and just
// above the angle of friction. By hand: it stays for tan θ = 0.49; for tan θ = 0.51 it slides ½ a t² with
// a = g (sin θ − μ cos θ), which the half-step scheme meets to rounding.

#include <cmath>
#include <cstdio>
#include <vector>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/contact/local_frame.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/solver/auto.hpp>

namespace {

using Eigen::Vector3d;

constexpr double kGravity = 9.81, kFriction = 0.5, kStep = 1e-2;
constexpr int kSteps = 50;

// How far the box slides down a plane through the origin in kSteps steps from rest [m].
double slide(double slope) {
  const double theta = std::atan(slope);
  const Eigen::Matrix3d frame = locdyn::local_frame({std::sin(theta), 0, std::cos(theta)});  // (t1 downhill, t2, n)

  // A box of 1 × 0.6 × 0.4 m that lies on the plane.
  locdyn::BodySet bodies;
  const auto plane = bodies.emplace<locdyn::Obstacle>();
  const auto box = bodies.emplace<locdyn::RigidBody>(locdyn::box_mass(1000, {1, 0.6, 0.4}), 0.2 * frame.col(2),
                                                     locdyn::Orientation(frame));
  const std::vector<Vector3d> corners = {
      {-0.5, -0.3, -0.2}, {0.5, -0.3, -0.2}, {0.5, 0.3, -0.2}, {-0.5, 0.3, -0.2}};  // in the box

  // A contact at each corner, where it lies now.
  const auto contact_at = [&](const Vector3d& corner) {
    const Vector3d x = bodies[box].to_space(corner);
    return locdyn::ContactPoint{.master = plane,
                                .slave = box,
                                .point = x,
                                .frame = frame,
                                .gap = frame.col(2).dot(x),
                                .material = {.friction = kFriction}};
  };
  locdyn::LocalDynamics ldy;
  locdyn::Assembly assembly(bodies, ldy);
  for (const Vector3d& corner : corners) assembly.emplace<locdyn::Contact>(contact_at(corner));

  const Vector3d start = bodies[box].to_space(Vector3d::Zero());
  for (int step = 0; step < kSteps; ++step) {
    // To the middle of the step, where contacts and free velocities are taken.
    bodies.advance(kStep / 2);
    for (locdyn::ConstraintId id{0}; id < corners.size(); ++id) {
      dynamic_cast<locdyn::Contact&>(assembly.constraint(id)).set_point(contact_at(corners[id]), bodies);
    }
    bodies.predict(kStep, {0, 0, -kGravity});
    assembly.update(kStep);

    // Reactions from those of the last step, to rounding, and on to the end of the step.
    (void)locdyn::solve_auto(ldy, {.stop = {.tolerance = 1e-14}});
    assembly.apply_reactions();
    bodies.advance(kStep / 2);
  }
  return frame.col(0).dot(bodies[box].to_space(Vector3d::Zero()) - start);
}

}  // namespace

int main() {
  const double t = kSteps * kStep;
  bool right = true;
  for (const double slope : {0.49, 0.51}) {
    const double theta = std::atan(slope);
    const double a = kGravity * std::fmax(0, std::sin(theta) - kFriction * std::cos(theta));
    const double distance = slide(slope);
    std::printf("tan θ = %.2f: slid %.9f m in %g s, by hand %.9f m\n", slope, distance, t, a * t * t / 2);
    right = right && std::abs(distance - a * t * t / 2) < 1e-10;
  }
  return right ? 0 : 1;
}
