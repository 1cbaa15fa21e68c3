#pragma once
// Seeded random one-contact problems (W, μ, b): what bodies give, and what rounding, files and bad scaling make of it.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace locdyn::testing {

enum class BlockKind { one_body, two_bodies, diagonal_scaling, rank_two, rank_one, painleve, round };
inline constexpr int kBlockKinds = 7;

struct ContactCase {
  Eigen::Matrix3d W;
  Eigen::Vector3d b;
  double friction;
  BlockKind kind;
  bool singular;  ///< to rounding: then b is one that has a solution
};

class RandomContacts {
 public:
  explicit RandomContacts(std::uint64_t seed) : state_(seed) {}

  /// Uniform in [0, 1). Source: Steele, Lea & Flood, OOPSLA 2014 (splitmix64).
  double uniform() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double log_uniform(double low, double high) { return low * std::pow(high / low, uniform()); }
  int pick(int count) { return std::min(count - 1, static_cast<int>(uniform() * count)); }
  Eigen::Vector3d vector() { return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; }
  Eigen::Vector2d direction() {
    const double angle = uniform(0, 6.283185307179586);
    return {std::cos(angle), std::sin(angle)};
  }
  Eigen::Matrix3d rotation() {
    Eigen::Quaterniond q(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    return q.normalized().toRotationMatrix();
  }

  /// One body's part of W: I/m − [r] J⁻¹ [r], lever arms r up to 1e3 times the body's size.
  Eigen::Matrix3d body(double mass) {
    const Eigen::Matrix3d Q = rotation();
    const Eigen::Vector3d inertia = mass * Eigen::Vector3d(log_uniform(1e-2, 1), log_uniform(1e-2, 1), log_uniform(1e-2, 1));
    const Eigen::Vector3d r = log_uniform(1e-3, 1e3) * vector();
    Eigen::Matrix3d cross;
    cross << 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0;
    const Eigen::Matrix3d half = inertia.cwiseSqrt().cwiseInverse().asDiagonal() * Q.transpose() * cross;
    return Eigen::Matrix3d::Identity() / mass + half.transpose() * half;
  }

  /// A block of the kind, symmetric and positive semidefinite to rounding.
  Eigen::Matrix3d block(BlockKind kind) {
    switch (kind) {
      case BlockKind::one_body: return body(1);
      case BlockKind::two_bodies: return body(1) + body(log_uniform(1e-8, 1e8));
      case BlockKind::diagonal_scaling: {
        const Eigen::Vector3d d(log_uniform(1e-3, 1e3), log_uniform(1e-3, 1e3), log_uniform(1e-3, 1e3));
        return d.asDiagonal() * gram(3) * d.asDiagonal();
      }
      case BlockKind::rank_two: return gram(2);
      case BlockKind::rank_one: return gram(1);
      case BlockKind::painleve: return painleve();
      default: return Eigen::Matrix3d::Identity() + uniform(0, 0.1) * gram(3);
    }
  }

  /// W + skew part of at most `share` √(W_ii W_jj): the symmetric part stays as it is.
  Eigen::Matrix3d unsymmetric(Eigen::Matrix3d W, double share) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < i; ++j) {
        const double skew = uniform(-share, share) * std::sqrt(W(i, i) * W(j, j));
        W(i, j) += skew;
        W(j, i) -= skew;
      }
    }
    return W;
  }

  double friction() {
    switch (pick(8)) {
      case 0: return 0;
      case 1: return 10;
      case 2: return log_uniform(1e-6, 10);
      case 3: return uniform(0, 10);
      default: return uniform(0, 1);
    }
  }

  /// b of any region and border: at random, from a reaction that sticks or slides, or with zeros in it.
  Eigen::Vector3d load(const Eigen::Matrix3d& W, double friction) {
    const Eigen::Vector2d d = direction();
    const double normal = log_uniform(1e-3, 1e3);
    switch (pick(12)) {
      case 0: return {0, 0, uniform(-1, 1)};
      case 1: return {d[0], d[1], 0};
      case 2: return {d[0], d[1], -log_uniform(1e-16, 1e-2)};
      case 3: return pick(20) == 0 ? Eigen::Vector3d::Zero().eval() : vector();
      case 4:
      case 5: return stick(W, friction, d, normal, uniform());                            // inside
      case 6: return stick(W, friction, d, normal, 1 + uniform(-1, 1) * 1e-12);           // about the border
      case 7:
      case 8: return stick(W, friction, d, normal, 1) - slip(W, d, normal);     // a slide
      case 9: {
        const Eigen::Vector3d v = vector();
        return {v[0], v[1], -std::abs(v[2])};
      }
      default: return vector();
    }
  }

  /// b of W that is singular: where b is outside the range of W there may be no solution.
  Eigen::Vector3d load_in_range(const Eigen::Matrix3d& W, double friction) {
    const Eigen::Vector2d d = direction();
    const double normal = log_uniform(1e-3, 1e3);
    switch (pick(4)) {
      case 0: return stick(W, friction, d, normal, uniform());
      case 1: return stick(W, friction, d, normal, 1);
      case 2: return stick(W, friction, d, normal, 1) - slip(W, d, normal);
      default: return W * vector();
    }
  }

  /// A case of any kind, skew by at most `asymmetry`, in units of W from 1e-12 to 1e12 and of b from 1e-18 to 1e18.
  ContactCase next(double asymmetry) {
    ContactCase c;
    c.kind = static_cast<BlockKind>(pick(kBlockKinds));
    c.W = block(c.kind);
    c.singular = c.kind == BlockKind::rank_one || c.kind == BlockKind::rank_two;
    if (c.singular && pick(2) == 0) {
      c.W += log_uniform(1e-13, 1e-4) * Eigen::Matrix3d::Identity();
      c.singular = false;
    }
    if (asymmetry > 0 && pick(2) == 0) c.W = unsymmetric(c.W, asymmetry);
    c.friction = friction();
    c.b = c.singular ? load_in_range(c.W, c.friction) : load(c.W, c.friction);
    if (pick(4) == 0) {
      c.W *= log_uniform(1e-12, 1e12);
      c.b *= log_uniform(1e-18, 1e18);
    }
    return c;
  }

 private:
  Eigen::Matrix3d gram(int rank) {
    Eigen::Matrix3d G = Eigen::Matrix3d::Zero();
    for (int k = 0; k < rank; ++k) {
      const Eigen::Vector3d v = vector();
      G += v * v.transpose();
    }
    return G;
  }

  // A rod's end: small W_nn coupled with a large tangent part as strongly as a W that is positive beyond rounding allows.
  Eigen::Matrix3d painleve() {
    const double a = uniform(0.5, 2), ratio = log_uniform(1e-8, 1), n = a * ratio;
    const double c = std::sqrt(a * n) * (1 - log_uniform(1e-13 / ratio, 1e-1));
    const Eigen::Vector2d d = direction();
    Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
    W.topLeftCorner<2, 2>() = a * d * d.transpose() + uniform(0.1, 1) * (Eigen::Matrix2d::Identity() - d * d.transpose());
    W(2, 2) = n;
    W(2, 0) = W(0, 2) = c * d[0];
    W(2, 1) = W(1, 2) = c * d[1];
    return W;
  }
  static Eigen::Vector3d stick(const Eigen::Matrix3d& W, double friction, const Eigen::Vector2d& d, double normal,
                               double share) {
    return -W * Eigen::Vector3d(share * friction * normal * d[0], share * friction * normal * d[1], normal);
  }
  Eigen::Vector3d slip(const Eigen::Matrix3d& W, const Eigen::Vector2d& d, double normal) {
    const double speed = W.trace() * normal * log_uniform(1e-6, 1e3);
    return {speed * d[0], speed * d[1], 0};
  }

  std::uint64_t state_;
};

}  // namespace locdyn::testing
