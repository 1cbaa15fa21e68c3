#pragma once
// Motion told in a frame that turns with Ω(t) about a point o that stays in inertial space: each element of mass dm at
// x, with the velocity v relative to the frame, feels
//
//   dF = −(Ω × (Ω × r) + 2 Ω × v + Ω̇ × r) dm,   r = x − o      (centrifugal, Coriolis, Euler)
//
// and a body the integral of that, not the force at its mass centre alone: a rigid one with inertia J in the frame's
// axes and spin ω relative to the frame is turned by
//
//   M = −Ω × J Ω − 2 (E Ω) × ω − J Ω̇,   E = ½ tr(J) I − J
//
// The centrifugal part has the potential V = −½ ∫|Ω × r|² dm; Coriolis forces do no work, so that T + V is kept where Ω
// is constant. All configurations, velocities and forces of the system, gravity too, are then those in the frame.
//
// Source: Landau & Lifshitz, Mechanics (1976), §39; the moment from the same integral over a rigid body.

#include <functional>
#include <vector>

#include <locdyn/forces/force.hpp>

namespace locdyn {

/// Ω and Ω̇ in the axes of the frame, in which both change alike: d/dt (Ω) is the same seen from either.
struct FrameRotation {
  std::function<Eigen::Vector3d(double)> velocity;      ///< Ω(t) [rad/s]
  std::function<Eigen::Vector3d(double)> acceleration;  ///< Ω̇(t) [rad/s²]; none: 0
};
/// Ω that stays.
[[nodiscard]] FrameRotation steady_rotation(const Eigen::Vector3d& velocity);

class RotatingFrame final : public Force {
 public:
  /// `origin`: o in the frame [m]. `bodies`: those that are told in the frame; none: all of the system, those that come
  /// later too. Throws std::invalid_argument where Ω has no function or the origin is not finite; when evaluated, where
  /// Ω or Ω̇ is not finite, or not along z for a planar body.
  explicit RotatingFrame(FrameRotation rotation, const Eigen::Vector3d& origin = Eigen::Vector3d::Zero(),
                         std::vector<BodyId> bodies = {});

  [[nodiscard]] std::string_view kind() const noexcept override { return "rotating frame"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return ids_; }
  void attach(const BodySet&) override {}
  void add_to(BodySet& bodies) override;
  [[nodiscard]] bool depends_on_velocity() const noexcept override { return true; }
  /// Of the centrifugal forces, at Ω now.
  [[nodiscard]] double potential_energy(const BodySet& bodies) const override;

 private:
  struct Motion {
    Eigen::Vector3d velocity, acceleration;
  };
  [[nodiscard]] Motion motion_at(double time) const;
  template <class Act>
  void for_each(const BodySet& bodies, const Act& act) const;

  FrameRotation rotation_;
  Eigen::Vector3d origin_;
  std::vector<BodyId> ids_;
};

}  // namespace locdyn
