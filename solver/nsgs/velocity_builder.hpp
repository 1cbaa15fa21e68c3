#pragma once
// The velocities that a VelocitySweep streams through, and what turns H into Ĥ.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/solver/nsgs/pack_four.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {

// Lays out the velocities of the bodies that the schedule's constraints act on, and Ĥ of their couplings.
class VelocitySweep::Builder {
 public:
  static constexpr Index kRigidNumbers = 8;  // of a SweptVelocity

  Builder(VelocitySweep& sweep, const DelassusFactor& factor, std::span<const Place> places, int threads)
      : sweep_(sweep), factor_(factor), root_h_(std::sqrt(factor.h)), body_(factor.first_inertia.size(), kNone) {
    const std::vector<const Coupling*> bodies = number_bodies(places);
    const std::int64_t count = std::ssize(bodies);
    rigid_.resize(count);
    roots_.resize(count);
    parallel_for(count, threads, kBodiesAtOnce,
                 [&](std::int64_t body) { rigid_[body] = is_rigid(factor.inertia_of(*bodies[body])) ? 1 : 0; });
    place_velocities(bodies);
    in_parallel(count, threads, kBodiesAtOnce, [&](std::int64_t body) { take_root(*bodies[body], body); });
  }

  [[nodiscard]] Index body_of(const Coupling& c) const { return body_[c.body]; }
  [[nodiscard]] bool rigid(Index body) const { return rigid_[body] != 0; }
  [[nodiscard]] std::uint64_t velocity(Index body) const { return velocity_[body]; }
  [[nodiscard]] Index line(const Coupling& c) const {
    return static_cast<Index>(velocity_[body_of(c)] / kRigidNumbers);
  }
  // By the factor's group; 0 where no constraint of the schedule acts on it.
  [[nodiscard]] std::vector<std::uint64_t> lines() const {
    std::vector<std::uint64_t> lines(body_.size(), 0);
    for (std::size_t group = 0; group < body_.size(); ++group) {
      if (body_[group] != kNone) lines[group] = velocity_[body_[group]] / kRigidNumbers;
    }
    return lines;
  }

  // Ĥ = √h H L⁻ᵀ (3×n).
  [[nodiscard]] Eigen::MatrixXd scaled(const Coupling& c) const {
    const auto n = static_cast<Eigen::Index>(c.freedoms);
    const Root& root = roots_[body_of(c)];
    if (root.general == kNone) {
      Eigen::MatrixXd H(3, n);
      H << factor_.jacobian(c).leftCols<3>() * root.spin, root.linear * factor_.jacobian(c).rightCols<3>();
      return H;
    }
    Eigen::MatrixXd transposed = root_h_ * factor_.jacobian(c).transpose();
    general_[root.general].triangularView<Eigen::Lower>().solveInPlace(transposed);
    return transposed.transpose();
  }
  // H of a rigid body, and what scales its angular part.
  [[nodiscard]] wide::UnscaledSide side(const Coupling& c) const {
    return {factor_.jacobian(c).data(), roots_[body_of(c)].spin.data()};
  }

 private:
  static constexpr std::int64_t kBodiesAtOnce = 128;  // that a thread takes: some 20 µs

  // √h L⁻ᵀ of one body: of a rigid one its angular part and the number of the linear one, else L by its place.
  struct Root {
    Eigen::Matrix3d spin;
    double linear;
    Index general;
  };

  // (J 0; 0 m I).
  static bool is_rigid(const Eigen::Ref<const Eigen::MatrixXd>& A) {
    return A.rows() == 6 && A.topRightCorner<3, 3>().isZero(0) && A.bottomLeftCorner<3, 3>().isZero(0) &&
           A.bottomRightCorner<3, 3>() == Eigen::Matrix3d(A(5, 5) * Eigen::Matrix3d::Identity());
  }

  // L⁻ᵀ, A = L Lᵀ; numbers that are not finite where A is not positive definite.
  static Eigen::Matrix3d inverse_root(const Eigen::Matrix3d& A) {
    const double a = 1 / std::sqrt(A(0, 0));
    const double l10 = A(1, 0) * a, l20 = A(2, 0) * a;
    const double b = 1 / std::sqrt(A(1, 1) - l10 * l10);
    const double l21 = (A(2, 1) - l20 * l10) * b;
    const double c = 1 / std::sqrt(A(2, 2) - l20 * l20 - l21 * l21);
    Eigen::Matrix3d root;
    root << a, -l10 * a * b, (l10 * l21 * b - l20) * a * c,  //
        0, b, -l21 * b * c,                                  //
        0, 0, c;
    return root;
  }

  // In the order in which they are met, each with one of its couplings.
  std::vector<const Coupling*> number_bodies(std::span<const Place> places) {
    std::vector<const Coupling*> bodies;
    bodies.reserve(factor_.group_count());
    for (const Place& place : places) {
      for (const Coupling& c : place.couplings) {
        if (body_[c.body] != kNone) continue;
        body_[c.body] = static_cast<Index>(bodies.size());
        bodies.push_back(&c);
      }
    }
    return bodies;
  }
  // On whole cache lines, so that rigid bodies lie on one each; the first is nobody's: what an obstacle has.
  void place_velocities(std::span<const Coupling* const> bodies) {
    std::size_t size = kRigidNumbers;
    Index general = 0;
    for (std::size_t body = 0; body < bodies.size(); ++body) {
      velocity_.push_back(size);
      if (rigid_[body] != 0) sweep_.scale_at_.push_back(size + 3);
      roots_[body].general = rigid_[body] != 0 ? kNone : general++;
      const std::size_t freedoms = rigid_[body] != 0 ? kRigidNumbers : bodies[body]->freedoms;
      size += (freedoms + kRigidNumbers - 1) / kRigidNumbers * kRigidNumbers;
    }
    general_.resize(general);
    sweep_.velocity_.assign(size, 0.0);
  }
  void take_root(const Coupling& c, std::int64_t body) {
    const auto A = factor_.inertia_of(c);
    Root& root = roots_[body];
    if (root.general == kNone) {
      root.spin = root_h_ * inverse_root(A.topLeftCorner<3, 3>());
      root.linear = root_h_ / std::sqrt(A(5, 5));
      require(c, root.spin.allFinite() && std::isfinite(root.linear));
      sweep_.velocity_[velocity_[body] + 3] = root.linear;
    } else {
      const Eigen::LLT<Eigen::MatrixXd> cholesky(A);
      require(c, cholesky.info() == Eigen::Success);
      general_[root.general] = cholesky.matrixL();
    }
  }
  static void require(const Coupling& c, bool positive) {
    if (positive) return;
    throw std::invalid_argument("velocity sweep: body " + std::to_string(c.body) +
                                ": expected a positive definite inertia, found one that is not");
  }

  VelocitySweep& sweep_;
  const DelassusFactor& factor_;
  double root_h_;
  std::vector<Index> body_;  // by the factor's group
  std::vector<char> rigid_;
  std::vector<std::uint64_t> velocity_;
  Arena<Root> roots_;                     // not filled before `take_root` does
  std::vector<Eigen::MatrixXd> general_;  // L
};

}  // namespace locdyn::detail
