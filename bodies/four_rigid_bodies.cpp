// Four rigid bodies at a time, one lane of a vector register each.

#include <array>

#include <locdyn/base/instruction_set.hpp>
#include <locdyn/base/lanes_anywhere.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/bodies/small_change.hpp>
#include <locdyn/bodies/turn.hpp>

namespace locdyn {
using namespace detail;

// False where an angle is not small, which leaves all as they are.
[[gnu::always_inline]] inline bool RigidBody::turn_four_anywhere(const std::array<RigidBody*, 4>& bodies, double dt) {
  FourLanes theta[4], q[4], matrix[9];
  for (int i = 0; i < 4; ++i) load_lanes(bodies[i]->velocity_.data(), theta[i]);
  transpose_lanes(theta);
  for (int i = 0; i < 3; ++i) theta[i] *= dt;
  const FourLanes half2 = (theta[0] * theta[0] + (theta[1] * theta[1] + theta[2] * theta[2])) / 4;
  for (int i = 0; i < 4; ++i) {
    if (!(half2[i] <= kSmallHalf2)) return false;
  }
  for (int i = 0; i < 4; ++i) load_lanes(bodies[i]->orientation_.coeffs().data(), q[i]);
  transpose_lanes(q);
  turn_little(q, {theta[0], theta[1], theta[2]}, half2);
  matrix_of(q, matrix);

  // One body after the other again.
  transpose_lanes(q);
  for (int first = 0; first < 8; first += 4) {
    FourLanes numbers[4] = {matrix[first], matrix[first + 1], matrix[first + 2], matrix[first + 3]};
    transpose_lanes(numbers);
    for (int i = 0; i < 4; ++i) store_lanes(numbers[i], bodies[i]->rotation_.data() + first);
  }
  for (int i = 0; i < 4; ++i) {
    bodies[i]->rotation_(2, 2) = matrix[8][i];
    store_lanes(q[i], bodies[i]->orientation_.coeffs().data());
  }
  return true;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] bool RigidBody::turn_four_avx2(const std::array<RigidBody*, 4>& bodies, double dt) {
  return turn_four_anywhere(bodies, dt);
}
#endif

bool RigidBody::turn_four(const std::array<RigidBody*, 4>& bodies, double dt) {
#if defined(__x86_64__)
  if (has_avx2()) return turn_four_avx2(bodies, dt);
#endif
  return turn_four_anywhere(bodies, dt);
}

[[gnu::always_inline]] inline unsigned RigidBody::spin_four_anywhere(const std::array<RigidBody*, 4>& bodies, double h,
                                                                     Scheme scheme) {
  FourLanes omega[4], first[4], last[4];
  for (int i = 0; i < 4; ++i) {
    load_lanes(bodies[i]->velocity_.data(), omega[i]);
    load_lanes(bodies[i]->inertia_.data(), first[i]);     // J_00, J_10, J_20, …
    load_lanes(bodies[i]->inertia_.data() + 5, last[i]);  // J_21, …, J_22
  }
  transpose_lanes(omega);
  transpose_lanes(first);
  transpose_lanes(last);
  const FourLanes J11 = {bodies[0]->inertia_(1, 1), bodies[1]->inertia_(1, 1), bodies[2]->inertia_(1, 1),
                         bodies[3]->inertia_(1, 1)};
  SmallChange<FourLanes> change = {
      {first[0], first[1], first[2], J11, last[0], last[3]}, {omega[0], omega[1], omega[2]}, {}};
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d& torque = bodies[i]->torque_;
    if (torque[0] == 0 && torque[1] == 0 && torque[2] == 0) continue;
    const Eigen::Vector3d impulse = h * (bodies[i]->rotation_.transpose() * torque);
    for (int k = 0; k < 3; ++k) change.impulse[k][i] = impulse[k];
  }
  SmallChange<FourLanes>::Truth found;
  change.solve(part_before(scheme) * h, part_after(scheme) * h, found);
  unsigned bits = 0;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) bodies[i]->free_velocity_[k] = change.omega[k][i];
    bits |= found[i] != 0 ? 1u << i : 0u;
  }
  return bits;
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] unsigned RigidBody::spin_four_avx2(const std::array<RigidBody*, 4>& bodies, double h,
                                                           Scheme scheme) {
  return spin_four_anywhere(bodies, h, scheme);
}
#endif

unsigned RigidBody::spin_four(const std::array<RigidBody*, 4>& bodies, double h, Scheme scheme) {
#if defined(__x86_64__)
  if (has_avx2()) return spin_four_avx2(bodies, h, scheme);
#endif
  return spin_four_anywhere(bodies, h, scheme);
}

unsigned RigidBody::predict_four(const std::array<RigidBody*, 4>& bodies, double h, const Eigen::Vector3d& gravity,
                                 Scheme scheme) {
  for (RigidBody* body : bodies) body->predict_centre(h, gravity);
  return spin_four(bodies, h, scheme);
}

void RigidBody::advance_four(const std::array<RigidBody*, 4>& bodies, double dt) {
  if (turn_four(bodies, dt)) {
    for (RigidBody* body : bodies) body->position_ += dt * body->velocity_.tail<3>();
  } else {
    for (RigidBody* body : bodies) body->advance(dt);
  }
}

}  // namespace locdyn
