#pragma once
// The visit of a contact of rigid bodies in a sweep through velocities: what it reads and writes lies together, and its
// products are made of columns of four numbers, one vector register each, the fourth without meaning. Compiled for each
// instruction set from this one source without contraction, so that all give the same bits.

#include <array>
#include <cstdint>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/base/lanes_anywhere.hpp>
#include <locdyn/solver/local/contact_block.hpp>

#define LOCDYN_VISIT [[gnu::always_inline]] inline

namespace locdyn::detail {

/// The velocity of a rigid body, one cache line: Lᵀ v / √h of its angular part, √(h/m), ẋ √(m/h).
struct SweptVelocity {
  double spin[3], scale;
  double linear[3], unused;
};

/// A contact of one or two rigid bodies. Eight cache lines.
struct alignas(64) RigidContact {
  double H[28];    ///< column by column (3×3 each): the linear part of H of `second` (that of `first` is its
                   ///< negative), the angular parts of Ĥ of `first` and of `second`; one number of padding
  double load[4];  ///< B + σ
  double R[4];     ///< the last number zero
  ContactBlock block;
  double inverse_rho;
  Index first, second;  ///< places of their velocities; `first` kNone where it is an obstacle
};
static_assert(sizeof(RigidContact) == 512 && sizeof(SweptVelocity) == 64);

namespace rigid {

// Three numbers and one without meaning. Never passed by value: how that is done depends on the instruction set.
using Column = FourLanes;

LOCDYN_VISIT void load(const double* from, Column& c) {
  load_lanes(from, c);
}
LOCDYN_VISIT void store(const Column& c, double* to) {
  store_lanes(c, to);
}
// sum = M x, M (3×3) column by column with one number behind it.
LOCDYN_VISIT void product(const double* M, const double* x, Column& sum) {
  Column a, b, c;
  load(M, a);
  load(M + 3, b);
  load(M + 6, c);
  sum = a * x[0] + b * x[1] + c * x[2];
}
// sum = Mᵀ x, the fourth number zero.
LOCDYN_VISIT void transposed_product(const double* M, const Column& x, Column& sum) {
  Column a, b, c;
  load(M, a);
  load(M + 3, b);
  load(M + 6, c);
  a *= x;
  b *= x;
  c *= x;
  const Column even = __builtin_shufflevector(a, b, 0, 4, 2, 6), odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Column swapped = __builtin_shufflevector(c, c, 1, 0, 3, 2);
  const Column first = __builtin_shufflevector(even, c, 0, 1, 4, 5);
  const Column second = __builtin_shufflevector(odd, swapped, 0, 1, 4, 5);
  const Column third = __builtin_shufflevector(even, c, 2, 3, 6, 7);
  const Column all = (first + second) + third;
  sum = __builtin_shufflevector(all, Column{}, 0, 1, 2, 7);
}

/// v̂ += Ĥᵀ ΔR; `change` (4), the last number zero.
LOCDYN_VISIT void push(const RigidContact& c, const double* change, SweptVelocity* velocities) {
  Column R, pull, turn, v;
  load(change, R);
  SweptVelocity& second = velocities[c.second];
  transposed_product(c.H, R, pull);
  transposed_product(c.H + 18, R, turn);
  load(second.spin, v);
  v += turn;
  store(v, second.spin);
  load(second.linear, v);
  v += pull * second.scale;
  store(v, second.linear);
  if (c.first == kNone) return;
  SweptVelocity& first = velocities[c.first];
  transposed_product(c.H + 9, R, turn);
  load(first.spin, v);
  v += turn;
  store(v, first.spin);
  load(first.linear, v);
  v -= pull * first.scale;
  store(v, first.linear);
}

/// Ĥ v̂, what the velocities give the contact.
LOCDYN_VISIT void motion_of(const RigidContact& c, const SweptVelocity* velocities, Column& sum) {
  const SweptVelocity& second = velocities[c.second];
  Column apart, part;
  load(second.linear, apart);
  apart *= second.scale;
  product(c.H + 18, second.spin, sum);
  if (c.first != kNone) {
    const SweptVelocity& first = velocities[c.first];
    Column linear;
    load(first.linear, linear);
    apart -= linear * first.scale;
    product(c.H + 9, first.spin, part);
    sum += part;
  }
  std::array<double, 4> x;
  store(apart, x.data());
  product(c.H, x.data(), part);
  sum += part;
}

/// U + σ − W R (4) of a contact.
LOCDYN_VISIT void load_of(const RigidContact& c, const SweptVelocity* velocities, double* b) {
  // What does not wait for the velocities.
  const double* W = c.block.W().data();
  Column w0, w1, w2, own, sum;
  load(W, w0);
  load(W + 3, w1);
  load(W + 5, w2);
  w2 = __builtin_shufflevector(w2, w2, 1, 2, 3, 3);
  load(c.load, own);
  own -= w0 * c.R[0] + w1 * c.R[1] + w2 * c.R[2];
  motion_of(c, velocities, sum);
  sum += own;
  store(sum, b);
}

}  // namespace rigid
}  // namespace locdyn::detail
