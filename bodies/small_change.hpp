#pragma once
// The equation of momentum_update.hpp where little changes in a step, as in most, of one body or of four, a lane of a
// vector register each: one source, so that both give the same bits. With Ω⁺ = Ω + δ and π = J Ω + p,
//
//   J δ = p + (exp(−τ (Ω + δ)) − 1) π.
//
// All of it is small beside J Ω: double finds δ to less than the rounding of Ω⁺. Newton keeps the slope at δ = 0, to
// the second order of the angle, and ends where the step to come, in the ratio of the last two, is below that rounding
// (Hairer & Wanner, Solving ODEs II, §IV.8).

#include <cmath>

#include <locdyn/base/lanes_anywhere.hpp>

namespace locdyn::detail {

/// What is true of one body, or of each of four.
template <class Number>
struct TruthOf;
template <>
struct TruthOf<double> {
  using Type = bool;
};
template <>
struct TruthOf<FourLanes> {
  using Type = FourTruths;
};

template <class Number>
class SmallChange {
 public:
  using Truth = typename TruthOf<Number>::Type;

  /// J, its six different numbers (00, 01, 02, 11, 12, 22), and Ω [rad/s].
  Number J[6], omega[3];
  /// h T.
  Number impulse[3];

  /// Ω ← Ω⁺ where it was found; `found` says where. `before` and `tau` as `momentum_keeping_velocity` has them.
  [[gnu::always_inline]] inline void solve(double before, double tau, Truth& found) {
    Number momentum[3], p[3], pi[3], residual[3], turned[3], angle[3], factors[2], inverse[9], change[3], last;
    Number speed2;
    dot(omega, omega, speed2);
    series(before * before * speed2, factors);
    times_J(omega, momentum);
    for (int i = 0; i < 3; ++i) angle[i] = -before * omega[i];
    turn_change(angle, momentum, factors, p);
    for (int i = 0; i < 3; ++i) {
      p[i] += impulse[i];
      pi[i] = momentum[i] + p[i];
      angle[i] = -tau * omega[i];
    }
    if (before != tau) series(tau * tau * speed2, factors);
    turn_change(angle, pi, factors, residual);
    for (int i = 0; i < 3; ++i) {
      residual[i] += p[i];
      turned[i] = momentum[i] + residual[i];  // exp(−τ Ω) π
    }
    invert_slope(turned, tau, inverse);
    multiply(inverse, residual, change);
    dot(change, change, last);
    root(last);

    Number speed = speed2, size = Number{},
           condition = J[0] * J[0] + J[3] * J[3] + J[5] * J[5] + 2 * (J[1] * J[1] + J[2] * J[2] + J[4] * J[4]);
    for (const Number& number : inverse) size += number * number;
    condition *= size;
    root(speed);
    root(condition);
    Truth open = condition * ((before + tau) * speed2 + last) <= kSmallChange * speed;
    found = Truth{};
    for (int chord = 0; chord < kChords && any(open); ++chord) {
      Number ahead[3], step[3], length2;
      for (int i = 0; i < 3; ++i) angle[i] = -tau * (omega[i] + change[i]);
      dot(angle, angle, length2);
      series(length2, factors);
      turn_change(angle, pi, factors, residual);
      times_J(change, ahead);
      for (int i = 0; i < 3; ++i) residual[i] = (p[i] + residual[i]) - ahead[i];
      multiply(inverse, residual, step);
      dot(step, step, length2);
      for (int i = 0; i < 3; ++i) change[i] = open ? change[i] + step[i] : change[i];
      const Truth ends = open & (length2 <= kBelowRounding * speed * last);
      found |= ends;
      open ^= ends;
      last = length2;
      root(last);
    }
    for (int i = 0; i < 3; ++i) omega[i] = found ? omega[i] + change[i] : omega[i];
  }

 private:
  // Of the condition of J times the angle [rad] and the relative change of Ω: so far the change in double is as good as
  // extended precision, on average 0.40 units in the last place of Ω⁺ off (0.39 is its rounding), with axes 1:100 too.
  static constexpr double kSmallChange = 0.25;
  static constexpr int kChords = 8;                  // one or two as a rule
  static constexpr double kBelowRounding = 0x1p-58;  // of Ω

  using Vector = Number[3];

  [[gnu::always_inline]] static bool any(bool truth) { return truth; }
  [[gnu::always_inline]] static bool any(const FourTruths& truth) { return any_lane(truth); }
  [[gnu::always_inline]] static void root(double& x) { x = std::sqrt(x); }
  [[gnu::always_inline]] static void root(FourLanes& x) {
    for (int lane = 0; lane < 4; ++lane) x[lane] = std::sqrt(x[lane]);
  }
  [[gnu::always_inline]] static void dot(const Vector& a, const Vector& b, Number& sum) {
    sum = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }
  [[gnu::always_inline]] static void cross(const Vector& a, const Vector& b, Vector& c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
  }
  [[gnu::always_inline]] static void multiply(const Number (&M)[9], const Vector& a, Vector& b) {
    for (int i = 0; i < 3; ++i) b[i] = M[3 * i] * a[0] + M[3 * i + 1] * a[1] + M[3 * i + 2] * a[2];
  }
  [[gnu::always_inline]] void times_J(const Vector& a, Vector& b) const {
    b[0] = J[0] * a[0] + J[1] * a[1] + J[2] * a[2];
    b[1] = J[1] * a[0] + J[3] * a[1] + J[4] * a[2];
    b[2] = J[2] * a[0] + J[4] * a[1] + J[5] * a[2];
  }
  // (sin x)/x and (1 − cos x)/x² by s = x², to rounding for s <= 1/16; beyond nothing here is accepted.
  [[gnu::always_inline]] static void series(const Number& s, Number (&factors)[2]) {
    factors[0] =
        1 - s * (1.0 / 6) * (1 - s * (1.0 / 20) * (1 - s * (1.0 / 42) * (1 - s * (1.0 / 72) * (1 - s * (1.0 / 110)))));
    factors[1] =
        0.5 * (1 - s * (1.0 / 12) *
                       (1 - s * (1.0 / 30) * (1 - s * (1.0 / 56) * (1 - s * (1.0 / 90) * (1 - s * (1.0 / 132))))));
  }
  // exp(θ) v − v.
  [[gnu::always_inline]] static void turn_change(const Vector& theta, const Vector& v, const Number (&factors)[2],
                                                 Vector& change) {
    Vector across, twice;
    cross(theta, v, across);
    cross(theta, across, twice);
    for (int i = 0; i < 3; ++i) change[i] = factors[0] * across[i] + factors[1] * twice[i];
  }
  // Of J − τ [t]× + τ²/2 (Ω tᵀ − t·Ω), t = exp(−τ Ω) π, row by row.
  [[gnu::always_inline]] void invert_slope(const Vector& t, double tau, Number (&inverse)[9]) const {
    const double half = 0.5 * tau * tau;
    Number along;
    dot(t, omega, along);
    Vector w;
    for (int i = 0; i < 3; ++i) w[i] = half * omega[i];
    along *= half;
    const Number a = J[0] + w[0] * t[0] - along, b = J[1] + tau * t[2] + w[0] * t[1],
                 c = J[2] - tau * t[1] + w[0] * t[2];
    const Number d = J[1] - tau * t[2] + w[1] * t[0], e = J[3] + w[1] * t[1] - along,
                 f = J[4] + tau * t[0] + w[1] * t[2];
    const Number g = J[2] + tau * t[1] + w[2] * t[0], k = J[4] - tau * t[0] + w[2] * t[1],
                 l = J[5] + w[2] * t[2] - along;
    const Number A = e * l - f * k, B = f * g - d * l, C = d * k - e * g;
    const Number scale = 1 / (a * A + b * B + c * C);
    inverse[0] = A * scale;
    inverse[1] = (c * k - b * l) * scale;
    inverse[2] = (b * f - c * e) * scale;
    inverse[3] = B * scale;
    inverse[4] = (a * l - c * g) * scale;
    inverse[5] = (c * d - a * f) * scale;
    inverse[6] = C * scale;
    inverse[7] = (b * g - a * k) * scale;
    inverse[8] = (a * e - b * d) * scale;
  }
};

}  // namespace locdyn::detail
