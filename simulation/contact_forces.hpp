#pragma once
// What contacts do: the reactions of a step summed over pairs of bodies or surfaces, or over any two groups of shapes.

#include <Eigen/Core>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <locdyn/simulation/system.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn {

/// What a contact does.
enum class ContactState : std::uint8_t {
  open,    ///< R_n = 0
  sticks,  ///< it presses and does not move
  slides   ///< R is on the edge of the cone, to 1e-6 of μ R_n, and U_t + σ_t is not 0
};
/// Where reactions are not unique one that rests may lie on the edge, too: what is slower than `slip_speed` [m/s],
/// which is to be more than the solver's tolerance leaves, sticks.
[[nodiscard]] ContactState state_of(const ActiveContact& contact, double slip_speed = 1e-6) noexcept;

/// The sum of some contacts.
struct ContactForce {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< Σ R, in space [N]
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< Σ R_n n, its part along the normals [N]
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();  ///< about the origin of space, of rolling and torsion too [N m]
  double pressure = 0;                               ///< Σ R_n ≥ 0 [N]
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< of pressure, Σ R_n x / Σ R_n [m]; 0 where nothing presses
  int open = 0, sticking = 0, sliding = 0;           ///< contacts

  /// What friction gives [N].
  [[nodiscard]] Eigen::Vector3d friction() const { return force - normal; }
  /// The moment about a point x of space [m].
  [[nodiscard]] Eigen::Vector3d moment_about(const Eigen::Vector3d& x) const;

  /// Sums; the centre by pressure.
  ContactForce& operator+=(const ContactForce& other);
};

/// Shapes of a system, by which contacts are chosen: those that it has when the group is made. Cost: one look at each.
class ColliderGroup {
 public:
  /// Every shape.
  [[nodiscard]] static ColliderGroup all(const System& system);
  /// Throw std::out_of_range naming what the system does not have.
  [[nodiscard]] static ColliderGroup of_body(const System& system, BodyId body);
  [[nodiscard]] static ColliderGroup of_bodies(const System& system, std::span<const BodyId> bodies);
  [[nodiscard]] static ColliderGroup of_surface(const System& system, SurfaceId surface);

  /// Is the shape one of them?
  [[nodiscard]] bool contains(ColliderId id) const noexcept { return id < holds_.size() && holds_[id] != 0; }

 private:
  std::vector<std::uint8_t> holds_;  // by collider
};

/// What the shapes of `first` do to those of `second`, from `TimeStepper::contacts`. A contact of which both sides are
/// in both groups is inside: it counts for nothing. Cost: one look at each contact.
[[nodiscard]] ContactForce force_between(std::span<const ActiveContact> contacts, const ColliderGroup& first,
                                         const ColliderGroup& second);

/// Two bodies that touch, or nearly do, and what the first does to the second.
struct BodyPairForce {
  BodyId first, second;    ///< first < second
  ContactForce on_second;  ///< what the first does to the second
};
/// Every pair of bodies with a contact, ascending. Cost: O(c log c) for c contacts.
[[nodiscard]] std::vector<BodyPairForce> forces_by_body(std::span<const ActiveContact> contacts);

/// The same of surfaces: first ≤ second. Of a surface with itself, what the contacts' masters do to their slaves.
struct SurfacePairForce {
  SurfaceId first, second;  ///< first ≤ second
  ContactForce on_second;   ///< what the first does to the second
};
/// Every pair of surfaces with a contact, ascending. Cost: O(c log c) for c contacts.
[[nodiscard]] std::vector<SurfacePairForce> forces_by_surface(std::span<const ActiveContact> contacts,
                                                              const System& system);

/// A force averaged over the last seconds, since that of one step rattles where contacts come and go.
class MeanContactForce {
 public:
  /// Throws std::invalid_argument where `window` [s] is not a finite number > 0.
  explicit MeanContactForce(double window);

  /// That of a step of h > 0 [s]. Throws std::invalid_argument for another h.
  void add(const ContactForce& force, double h);
  /// Weighted by h over the steps that the window holds, at least the last; contacts are counted in the last. Zero
  /// before the first. Cost: one look at each step.
  [[nodiscard]] ContactForce mean() const;

 private:
  struct Step {
    double h;
    ContactForce force;
  };
  double window_;
  double held_ = 0;  // Σ h
  std::deque<Step> steps_;
};

}  // namespace locdyn
