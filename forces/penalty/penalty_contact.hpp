#pragma once
// Contact by a force that grows with the penetration δ = −gap, at the closest points of two surfaces, in place of the
// law of unilateral contact:
//
//   F_n = max(0, k δ^p + c δ^m δ̇),   F_t = −μ F_n v_t/√(v_t² + ε²)
//
// p = 3/2 is Hertz's elastic contact of round bodies, p = 1 a linear spring; m = 0 is the damper of Kelvin and Voigt,
// m = p that of Hunt and Crossley, which does not jump at first touch. The force never pulls. Friction is regular:
// below about ε it creeps where Coulomb's law would stick. V = k δ^(p+1)/(p+1); the rest of F_n, and F_t, lose energy.
//
// Sources: Johnson, Contact Mechanics (1985), ch. 4 (Hertz); Hunt & Crossley, J. Appl. Mech. 42 (1975) 440–445.

#include <memory>
#include <string>

#include <locdyn/forces/force.hpp>
#include <locdyn/forces/penalty/closest_points.hpp>

namespace locdyn {

/// The numbers of the force.
struct PenaltyLaw {
  double stiffness = 0;         ///< k > 0 [N/m^p]
  double exponent = 1.5;        ///< p ≥ 1
  double damping = 0;           ///< c ≥ 0 [N s/m^(1+m)]
  double damping_exponent = 0;  ///< m ≥ 0
  double friction = 0;          ///< μ ≥ 0
  double slip_speed = 1e-3;     ///< ε > 0 [m/s]
};
/// Throws std::invalid_argument naming the field.
void validate(const PenaltyLaw& law);

/// k of Hertz's contact of two spheres, or of a sphere on a plane with the other radius infinite: 4/3 E* √R* [N/m^1.5],
/// 1/E* = Σ (1 − ν²)/E, 1/R* = Σ 1/R. `young_modulus` [Pa] and `radius` [m] > 0, −1 < ν < ½. Throws
/// std::invalid_argument. Source: Johnson (1985), eq. 4.23.
struct HertzBody {
  double young_modulus, poisson_ratio, radius;  ///< E [Pa], ν, R [m]
};
/// k as above.
[[nodiscard]] double hertz_stiffness(const HertzBody& a, const HertzBody& b);

/// What a contact does now.
struct PenaltyState {
  bool touches = false;                             ///< δ ≥ 0
  ClosestPoints points;                             ///< where it touches
  double normal_force = 0;                          ///< F_n ≥ 0 [N]
  Eigen::Vector3d force = Eigen::Vector3d::Zero();  ///< on the slave, in space [N]
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< where it acts: half-way between the closest points [m]
  Eigen::Vector3d slip = Eigen::Vector3d::Zero();   ///< v_t of the slave relative to the master there [m/s]
  double approach = 0;                              ///< δ̇ [m/s]
};

class PenaltyContact final : public Force {
 public:
  /// Throws std::invalid_argument for a null pointer and what `validate` refuses.
  PenaltyContact(std::unique_ptr<ClosestPointFinder> surfaces, const PenaltyLaw& law);

  /// With the bodies as they are now.
  [[nodiscard]] PenaltyState state(const BodySet& bodies) const;

  [[nodiscard]] std::string_view kind() const noexcept override { return "penalty contact"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return ids_; }
  void attach(const BodySet& bodies) override { surfaces_->attach(bodies); }
  void add_to(BodySet& bodies) override;
  [[nodiscard]] bool depends_on_velocity() const noexcept override { return law_.damping > 0 || law_.friction > 0; }
  [[nodiscard]] double potential_energy(const BodySet& bodies) const override;
  [[nodiscard]] double dissipated_power(const BodySet& bodies) const override;

 private:
  std::unique_ptr<ClosestPointFinder> surfaces_;
  PenaltyLaw law_;
  std::vector<BodyId> ids_;
};

}  // namespace locdyn
