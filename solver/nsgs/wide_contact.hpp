#pragma once
// Four contacts of rigid bodies at once, no two of which share a body: one lane of a vector register each. A visit
// waits for what the visit before it wrote, and one contact leaves most of the arithmetic units idle; four side by side
// do not. The law is solved as in `ContactBlock`: open, a slide that turns the warm start's direction, the stick R =
// −adj(W) b / det W, each accepted on its own residual; what that leaves in a lane goes to `ContactBlock::solve`.
// Compiled for each instruction set from this one source without contraction, so that all give the same bits.

#include <array>
#include <cmath>
#include <cstdint>

#include <locdyn/solver/local/contact_block.hpp>
#include <locdyn/solver/nsgs/rigid_contact.hpp>

namespace locdyn::detail {

constexpr std::size_t kLanes = 4;

/// Four contacts, each number of all of them together.
struct alignas(64) WideContact {
  double H[27][kLanes];  ///< as in RigidContact
  double W[9][kLanes];   ///< column by column
  double load[3][kLanes], friction[kLanes], inverse_rho[kLanes];
  std::array<Index, kLanes> first, second;   ///< places of velocities; `first` of an obstacle is a line of zeros
  std::array<std::uint8_t, kLanes> coupled;  ///< 0 where `first` is an obstacle
};

/// R of the four, apart from what a sweep only reads: a pass over all R is one over a few lines.
struct alignas(32) WideReaction {
  double R[3][kLanes];
};

/// C of the four, where contacts give way: U + σ + C R stands in their law, and W has C in it.
struct alignas(32) WideCompliance {
  double C[3][kLanes];
};

namespace wide {

using Lane = FourLanes;
using Mask = FourTruths;
using rigid::load;
using rigid::store;

/// The velocities of one side: spin (3) and √(h/m), linear (3).
struct BodySide {
  Lane spin[4], linear[4];
};
LOCDYN_VISIT void gather(const std::array<Index, kLanes>& at, const SweptVelocity* velocities, BodySide& side) {
  const SweptVelocity &v0 = velocities[at[0]], &v1 = velocities[at[1]], &v2 = velocities[at[2]],
                      &v3 = velocities[at[3]];
  load(v0.spin, side.spin[0]);
  load(v1.spin, side.spin[1]);
  load(v2.spin, side.spin[2]);
  load(v3.spin, side.spin[3]);
  load(v0.linear, side.linear[0]);
  load(v1.linear, side.linear[1]);
  load(v2.linear, side.linear[2]);
  load(v3.linear, side.linear[3]);
  transpose_lanes(side.spin);
  transpose_lanes(side.linear);
}
LOCDYN_VISIT void put(const Lane& spin, const Lane& linear, SweptVelocity& v) {
  store(spin, v.spin);
  store(linear, v.linear);
}
LOCDYN_VISIT void scatter(const std::array<Index, kLanes>& at, const std::array<std::uint8_t, kLanes>& moves,
                          SweptVelocity* velocities, BodySide& side) {
  transpose_lanes(side.spin);
  transpose_lanes(side.linear);
  if (moves[0] != 0) put(side.spin[0], side.linear[0], velocities[at[0]]);
  if (moves[1] != 0) put(side.spin[1], side.linear[1], velocities[at[1]]);
  if (moves[2] != 0) put(side.spin[2], side.linear[2], velocities[at[2]]);
  if (moves[3] != 0) put(side.spin[3], side.linear[3], velocities[at[3]]);
}
LOCDYN_VISIT void load_nine(const double (*M)[kLanes], Lane* m) {
  load(M[0], m[0]);
  load(M[1], m[1]);
  load(M[2], m[2]);
  load(M[3], m[3]);
  load(M[4], m[4]);
  load(M[5], m[5]);
  load(M[6], m[6]);
  load(M[7], m[7]);
  load(M[8], m[8]);
}
// r (3) += M x, and r (3) += Mᵀ x.
LOCDYN_VISIT void add_product(const double (*M)[kLanes], const Lane* x, Lane* r) {
  Lane m[9];
  load_nine(M, m);
  r[0] += m[0] * x[0] + m[3] * x[1] + m[6] * x[2];
  r[1] += m[1] * x[0] + m[4] * x[1] + m[7] * x[2];
  r[2] += m[2] * x[0] + m[5] * x[1] + m[8] * x[2];
}
LOCDYN_VISIT void add_transposed(const double (*M)[kLanes], const Lane* x, Lane* r) {
  Lane m[9];
  load_nine(M, m);
  r[0] += m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
  r[1] += m[3] * x[0] + m[4] * x[1] + m[5] * x[2];
  r[2] += m[6] * x[0] + m[7] * x[1] + m[8] * x[2];
}

/// As ContactBlock::slide_from: steps on the direction of the warm start in the lanes `slid`, to `exactness` of ‖b‖. R
/// where it was accepted. A warm start that momentum has carried on from two that slid lies outside the cone, which is
/// convex.
/// Vectors go by reference: by value the calling convention differs between instruction sets, which Clang refuses.
LOCDYN_VISIT void slide(const Lane (&W)[9], const Lane& mu, const Lane& inverse_rho, const Lane (&b)[3],
                        const Mask& slid, double exactness, Lane (&R)[3], Mask& accepted) {
  Mask open = slid;
  const Lane one = Lane{} + 1;
  const Lane limit = mu * R[2];
  const Lane inverse = one / (open ? limit : one);
  Lane x = open ? R[0] * inverse : one, y = open ? R[1] * inverse : Lane{};
  {
    const Lane e = (x * x + y * y) - one;
    Lane scale = (one - 0.5 * e) + 0.375 * e * e;
    const Mask outside = e > kOnCone;
    if (any_lane(outside)) {
      Lane length = outside ? one + e : one;
      for (std::size_t l = 0; l < kLanes; ++l) length[l] = std::sqrt(length[l]);
      scale = outside ? one / length : scale;
    }
    x *= scale;
    y *= scale;
  }
  const Lane v0 = W[8] * b[0] - b[2] * W[6], v1 = W[8] * b[1] - b[2] * W[7];
  const Lane w0 = mu * W[2], w1 = mu * W[5], f = mu * b[2];
  const Lane m00 = w0 * b[0] - f * W[0], m01 = w1 * b[0] - f * W[3];
  const Lane m10 = w0 * b[1] - f * W[1], m11 = w1 * b[1] - f * W[4];
  Lane p, q, r, s;
  absolute_lanes(v0, p);
  absolute_lanes(v1, q);
  absolute_lanes(m00 - m11, r);
  absolute_lanes(m10 + m01, s);
  const Lane bound = (p + q) + 4 * (r + s);
  absolute_lanes(b[0], p);
  absolute_lanes(b[1], q);
  const Lane size = p + q - b[2];
  absolute_lanes(w0, p);
  absolute_lanes(w1, q);
  const Lane span = W[8] + (p + q);

  constexpr int kSteps = 5;
  constexpr double kLargestReaction = 200;
  for (int step = 0; step < kSteps && any_lane(open); ++step) {
    const Lane p0 = m00 * x + m01 * y, p1 = m10 * x + m11 * y, q0 = m01 * x - m00 * y, q1 = m11 * x - m10 * y;
    const Lane V0 = v0 + p0, V1 = v1 + p1;
    const Lane g = x * V1 - y * V0, along = -(x * V0 + y * V1), drift = -g - (x * q0 + y * q1);
    const Lane slope = along + (x * q1 - y * q0), bend = drift - (x * (q0 + p1) + y * (q1 - p0));
    open &= (along >= 0) & (slope > 0);
    const Lane inverse_slope = one / (open ? slope : one);
    const Lane newton = -g * inverse_slope, curvature = 0.5 * bend * inverse_slope;
    Lane ratio, cube;
    absolute_lanes(curvature * newton, ratio);
    absolute_lanes(newton * newton * newton, cube);
    const Mask near = ratio <= 0.1;
    const Lane c = near ? curvature : Lane{};
    const Lane t = newton - c * newton * newton;

    // Turned by atan t and brought to length 1: 1/√(1 + e) by one step of Newton from its series, to rounding for steps
    // that are not large.
    const Lane e = (x * x + y * y) * (one + t * t) - one;
    Lane far;
    absolute_lanes(e, far);
    open &= far <= 0.03;
    const Lane e2 = e * e;
    Lane scale = (one - 0.5 * e) + e2 * ((0.375 - 0.3125 * e) + 0.2734375 * e2);
    scale *= 1.5 - (0.5 * (one + e)) * (scale * scale);
    const Lane turned = (x - t * y) * scale;
    y = (y + t * x) * scale;
    x = turned;

    const Lane D = W[8] + (w0 * x + w1 * y);
    const Lane left = cube * ((2.4 * c * c + 0.45) * slope + 0.25 * bound);
    const Mask good = open & near & ((one + mu) * left <= exactness * size * D) & (along + t * drift >= bound * t * t);
    if (any_lane(good)) {
      const Lane normal = -b[2] / (good ? D : one);
      const Lane tangent = mu * normal;
      const Mask take = good & (100 * D > span) & ((normal + tangent) * 3 * inverse_rho <= kLargestReaction * size);
      R[0] = take ? tangent * x : R[0];
      R[1] = take ? tangent * y : R[1];
      R[2] = take ? normal : R[2];
      accepted |= take;
      open &= ~good;
    }
  }
}

/// R = −W⁻¹ b in the lanes `open`, accepted where it lies in the cone and U is small.
LOCDYN_VISIT void stick(const Lane (&W)[9], const Lane& mu, const Lane (&b)[3], const Mask& open, Lane (&R)[3],
                        Mask& accepted) {
  const Lane a00 = W[4] * W[8] - W[7] * W[5], a01 = W[6] * W[5] - W[3] * W[8], a02 = W[3] * W[7] - W[6] * W[4];
  const Lane a10 = W[7] * W[2] - W[1] * W[8], a11 = W[0] * W[8] - W[6] * W[2], a12 = W[6] * W[1] - W[0] * W[7];
  const Lane a20 = W[1] * W[5] - W[4] * W[2], a21 = W[3] * W[2] - W[0] * W[5], a22 = W[0] * W[4] - W[3] * W[1];
  const Lane det = W[0] * a00 + W[3] * a10 + W[6] * a20;
  const Mask definite = open & (det > 0);
  const Lane inverse = -1.0 / (definite ? det : Lane{} + 1);
  const Lane r0 = (a00 * b[0] + a01 * b[1] + a02 * b[2]) * inverse;
  const Lane r1 = (a10 * b[0] + a11 * b[1] + a12 * b[2]) * inverse;
  const Lane r2 = (a20 * b[0] + a21 * b[1] + a22 * b[2]) * inverse;
  Lane u0, u1, u2, b0, b1;
  absolute_lanes(b[0] + (W[0] * r0 + W[3] * r1 + W[6] * r2), u0);
  absolute_lanes(b[1] + (W[1] * r0 + W[4] * r1 + W[7] * r2), u1);
  absolute_lanes(b[2] + (W[2] * r0 + W[5] * r1 + W[8] * r2), u2);
  absolute_lanes(b[0], b0);
  absolute_lanes(b[1], b1);
  constexpr double kStickTolerance = 3e-13;
  const Mask take = definite & (r2 > 0) & (r0 * r0 + r1 * r1 <= mu * mu * r2 * r2) &
                    ((1.0 + mu) * (u0 + u1 + u2) <= kStickTolerance * (b0 + b1 - b[2]));
  R[0] = open ? r0 : R[0];
  R[1] = open ? r1 : R[1];
  R[2] = open ? r2 : R[2];
  accepted |= take;
}

constexpr std::array<std::uint8_t, kLanes> kAll = {1, 1, 1, 1};

/// What ΔR does to the two sides: v̂ += Ĥᵀ ΔR.
LOCDYN_VISIT void add_change(const WideContact& c, const Lane (&change)[3], BodySide& first, BodySide& second) {
  Lane pull[3] = {};
  add_transposed(c.H, change, pull);
  add_transposed(c.H + 9, change, first.spin);
  add_transposed(c.H + 18, change, second.spin);
  first.linear[0] -= first.spin[3] * pull[0];
  first.linear[1] -= first.spin[3] * pull[1];
  first.linear[2] -= first.spin[3] * pull[2];
  second.linear[0] += second.spin[3] * pull[0];
  second.linear[1] += second.spin[3] * pull[1];
  second.linear[2] += second.spin[3] * pull[2];
}
/// U += Ĥ v̂.
LOCDYN_VISIT void add_motion(const WideContact& c, const BodySide& first, const BodySide& second, Lane (&U)[3]) {
  Lane apart[3];
  apart[0] = second.spin[3] * second.linear[0] - first.spin[3] * first.linear[0];
  apart[1] = second.spin[3] * second.linear[1] - first.spin[3] * first.linear[1];
  apart[2] = second.spin[3] * second.linear[2] - first.spin[3] * first.linear[2];
  add_product(c.H, apart, U);
  add_product(c.H + 9, first.spin, U);
  add_product(c.H + 18, second.spin, U);
}

/// v̂ += Ĥᵀ R of all four.
LOCDYN_VISIT void push(const WideContact& c, const WideReaction& r, SweptVelocity* velocities) {
  BodySide first, second;
  gather(c.first, velocities, first);
  gather(c.second, velocities, second);
  Lane R[3];
  for (int k = 0; k < 3; ++k) load(r.R[k], R[k]);
  add_change(c, R, first, second);
  scatter(c.first, c.coupled, velocities, first);
  scatter(c.second, kAll, velocities, second);
}

/// Ĥ v̂ of all four.
LOCDYN_VISIT void motion_of(const WideContact& c, const SweptVelocity* velocities, double (&U)[3][kLanes]) {
  BodySide first, second;
  gather(c.first, velocities, first);
  gather(c.second, velocities, second);
  Lane sum[3] = {};
  add_motion(c, first, second, sum);
  for (int k = 0; k < 3; ++k) store(sum[k], U[k]);
}

// One lane after the other, out of line and through memory, so that the lanes stay in registers elsewhere. Each is
// prepared anew: of 58 million visits in moving scenes 0.6 % came here.
struct Spilled {
  double b[3][kLanes], before[3][kLanes], R[3][kLanes];
  long long done[kLanes];
};
[[gnu::noinline]] inline void solve_left(const WideContact& c, Spilled& s) {
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (s.done[l] != 0) continue;
    Eigen::Matrix3d W;
    for (int k = 0; k < 9; ++k) W.data()[k] = c.W[k][l];
    const ContactBlock block(W, c.friction[l]);
    const Eigen::Vector3d r =
        block.solve({s.b[0][l], s.b[1][l], s.b[2][l]}, {s.before[0][l], s.before[1][l], s.before[2][l]}).R;
    for (int k = 0; k < 3; ++k) s.R[k][l] = r[k];
  }
}
// R ← P_K(before + ω (R − before)).
LOCDYN_VISIT void relax(const Lane& mu, const Lane& relaxation, const Lane (&before)[3], Lane (&R)[3]) {
  const Lane one = Lane{} + 1, steep = one / (one + mu * mu);  // waits for no R
  for (int k = 0; k < 3; ++k) R[k] = before[k] + relaxation * (R[k] - before[k]);
  Lane s = R[0] * R[0] + R[1] * R[1];
  for (std::size_t l = 0; l < kLanes; ++l) s[l] = std::sqrt(s[l]);
  const Mask outside = s > mu * R[2], none = mu * s <= -R[2];
  const Lane inverse = one / (s > 0 ? s : one);
  const Lane normal = (mu * s + R[2]) * steep;
  const Lane share = (mu * normal) * inverse;
  R[0] = none ? Lane{} : (outside ? share * R[0] : R[0]);
  R[1] = none ? Lane{} : (outside ? share * R[1] : R[1]);
  R[2] = none ? Lane{} : (outside ? normal : R[2]);
}

/// Visits the four. compliance: nullptr where none gives way. relaxation (4): ω. change2 (4): ‖ΔR‖² / ρ².
LOCDYN_VISIT void visit(const WideContact& c, const WideCompliance* compliance, WideReaction& reaction,
                        SweptVelocity* velocities, double exactness, const double* relaxation, double* change2) {
  BodySide first, second;
  gather(c.first, velocities, first);
  gather(c.second, velocities, second);
  Lane W[9], R[3], b[3], mu, inverse_rho;
  load_nine(c.W, W);
  load(reaction.R[0], R[0]);
  load(reaction.R[1], R[1]);
  load(reaction.R[2], R[2]);
  load(c.friction, mu);
  load(c.inverse_rho, inverse_rho);

  // b = U + σ + C R − W R.
  load(c.load[0], b[0]);
  load(c.load[1], b[1]);
  load(c.load[2], b[2]);
  b[0] -= W[0] * R[0] + W[3] * R[1] + W[6] * R[2];
  b[1] -= W[1] * R[0] + W[4] * R[1] + W[7] * R[2];
  b[2] -= W[2] * R[0] + W[5] * R[1] + W[8] * R[2];
  if (compliance != nullptr) {
    for (int k = 0; k < 3; ++k) {
      Lane C;
      load(compliance->C[k], C);
      b[k] += C * R[k];
    }
  }
  add_motion(c, first, second, b);

  // The law.
  const Lane before[3] = {R[0], R[1], R[2]};
  Mask done = b[2] >= 0;
  if (!any_lane(~done | (R[0] != 0) | (R[1] != 0) | (R[2] != 0))) {  // all open, as before
    store(Lane{}, change2);
    return;
  }
  const Lane limit = mu * R[2];
  const Mask slid = ~done & (limit > 0) & (R[0] * R[0] + R[1] * R[1] >= (1 - kOnCone) * limit * limit);
  R[0] = done ? Lane{} : R[0];
  R[1] = done ? Lane{} : R[1];
  R[2] = done ? Lane{} : R[2];
  const Mask smooth = ~done & (mu == 0);
  if (any_lane(smooth)) {
    R[0] = smooth ? Lane{} : R[0];
    R[1] = smooth ? Lane{} : R[1];
    R[2] = smooth ? -b[2] * (1.0 / W[8]) : R[2];
    done |= smooth;
  }
  if (any_lane(slid)) slide(W, mu, inverse_rho, b, slid, exactness, R, done);
  if (any_lane(~done)) stick(W, mu, b, ~done, R, done);
  // What begins to slide does so near the direction in which it would have to be held.
  const Mask begins = ~done & (R[2] > 0) & (mu > 0);
  if (any_lane(begins)) slide(W, mu, inverse_rho, b, begins, exactness, R, done);
  if (any_lane(~done)) {
    Spilled s;
    for (int k = 0; k < 3; ++k) {
      store(b[k], s.b[k]);
      store(before[k], s.before[k]);
      store(R[k], s.R[k]);
    }
    for (std::size_t l = 0; l < kLanes; ++l) s.done[l] = done[l];
    solve_left(c, s);
    for (int k = 0; k < 3; ++k) load(s.R[k], R[k]);
  }

  Lane omega;
  load(relaxation, omega);
  if (any_lane(omega != 1)) relax(mu, omega, before, R);

  // v̂ += Ĥᵀ ΔR.
  const Lane change[3] = {R[0] - before[0], R[1] - before[1], R[2] - before[2]};
  add_change(c, change, first, second);
  store(R[0], reaction.R[0]);
  store(R[1], reaction.R[1]);
  store(R[2], reaction.R[2]);
  scatter(c.first, c.coupled, velocities, first);
  scatter(c.second, kAll, velocities, second);
  const Lane sum = (change[0] * change[0] + change[1] * change[1] + change[2] * change[2]) * inverse_rho * inverse_rho;
  store(sum, change2);
}

}  // namespace wide
}  // namespace locdyn::detail
