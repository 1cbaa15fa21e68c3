#pragma once
// Systems made of points alone, stepped by d'Alembert's principle in the null space of their constraints. All
// coordinates are those of points, x (3N), the mass matrix M is constant, and every rigid distance is quadratic in x:
//
//   point mass          m I
//   link, uniform bar   m/6 [2 1; 1 2] ⊗ I over its two ends: a straight bar moves linearly between them
//   rigid body          M_ij = ∫ρ w_i w_j, X = Σ w_i(X) p_i its matter in barycentric coordinates of four of its
//   points,
//                       which six distances hold together
//   distance            C = (|x_j − x_i|² − l²)/(2 l)
//
// One step of size h (Betsch), with v⁺ = 2 (x⁺ − x)/h − v, P a basis of the null space of G at the mid-point, G P = 0:
//
//   Pᵀ [M (v⁺ − v) − h f̄] = 0,   C(x⁺) = 0
//
// without multipliers; the forces of the constraints follow from what d'Alembert leaves, Gᵀ λ = M (v⁺ − v)/h − f̄.
// Gravity and springs enter by discrete gradients, f̄·(x⁺ − x) = V − V⁺, so that energy is kept to rounding at any h,
// and angular momentum with it; second order.
//
// Source: Betsch, CMAME 194 (2005) 5159–5190; Betsch & Leyendecker, IJNME 67 (2006) 499–552; González, J. Nonlinear
// Sci. 6 (1996) 449–467 (discrete gradients); García de Jalón & Bayo, Kinematic and Dynamic Simulation of Multibody
// Systems (1994) §4.2 (bodies of points).

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <locdyn/bodies/mass_properties.hpp>

namespace locdyn::detail {

class PointSystem {
 public:
  using PointId = std::size_t;
  using RowId = std::size_t;

  // --- what there is; each throws std::invalid_argument for a number without meaning or a point that is not there
  // -----

  /// Mass ≥ 0 [kg]: 0 where links or bodies give it some.
  PointId add_point(const Eigen::Vector3d& position, double mass = 0,
                    const Eigen::Vector3d& velocity = Eigen::Vector3d::Zero());
  /// Held where it is.
  PointId add_fixed_point(const Eigen::Vector3d& position);
  /// A rigid link as long as its ends are apart now (> 0), with uniform mass ≥ 0 [kg]. Returns its row.
  RowId add_link(PointId a, PointId b, double mass = 0);
  /// k (l − l₀) + c l̇, pulling [N]; k, c ≥ 0, l₀ ≥ 0 [m].
  void add_spring(PointId a, PointId b, double stiffness, double rest_length, double damping = 0);
  /// A rigid body through four points that do not lie in a plane, its matter given in space as it lies now
  /// (`properties.center` in space, inertia in axes of space). Returns the first of its six rows.
  RowId add_rigid_body(const std::array<PointId, 4>& points, const MassProperties& properties);

  Eigen::Vector3d gravity = {0, 0, -9.81};  ///< [m/s²]

  // --- state
  // ----------------------------------------------------------------------------------------------------------

  [[nodiscard]] std::size_t size() const noexcept { return fixed_.size(); }
  [[nodiscard]] Eigen::Vector3d position(PointId point) const { return x_.segment<3>(at(point)); }
  [[nodiscard]] Eigen::Vector3d velocity(PointId point) const { return v_.segment<3>(at(point)); }
  void set_velocity(PointId point, const Eigen::Vector3d& velocity);
  [[nodiscard]] double time() const noexcept { return time_; }
  [[nodiscard]] double kinetic_energy() const;
  /// Of weight and springs [J].
  [[nodiscard]] double potential_energy() const { return potential_energy(x_); }
  /// About the origin, from M, x and v [kg m²/s].
  [[nodiscard]] Eigen::Vector3d angular_momentum() const;
  [[nodiscard]] std::size_t rows() const noexcept { return rows_.size(); }
  /// The largest |C| [m].
  [[nodiscard]] double position_error() const;

  // --- motion
  // ---------------------------------------------------------------------------------------------------------

  struct StepReport {
    int iterations = 0;
    Eigen::Index freedoms = 0;         ///< columns of P
    Eigen::VectorXd multipliers = {};  ///< λ (rows) [N], mean over the step, > 0 pushing; least ‖λ‖ where not unique
  };
  /// Takes what velocities have across the constraints away, nearest in M: call it once they are set. Throws
  /// MotionError where M has no inverse, naming a point without mass.
  void project_velocities();
  /// One step of h > 0 [s]. Throws std::invalid_argument for another h, MotionError where it is not solved: the state
  /// is then as it was. Cost: a dense QR of 3N × rows for each iteration.
  StepReport step(double h);

 private:
  struct Row {
    PointId a, b;
    double length;
  };
  struct Spring {
    PointId a, b;
    double stiffness, rest, damping;
  };
  [[nodiscard]] Eigen::Index at(PointId point) const;
  RowId add_row(PointId a, PointId b);
  void add_mass(PointId a, PointId b, double mass);
  [[nodiscard]] Eigen::MatrixXd constraint_gradient(const Eigen::VectorXd& x) const;  // free coordinates
  [[nodiscard]] Eigen::VectorXd constraints(const Eigen::VectorXd& x) const;
  [[nodiscard]] double potential_energy(const Eigen::VectorXd& x) const;
  [[nodiscard]] Eigen::VectorXd mean_force(const Eigen::VectorXd& x, double h) const;
  [[nodiscard]] std::vector<Eigen::Index> free_coordinates() const;
  void require_mass() const;

  Eigen::VectorXd x_, v_;
  Eigen::MatrixXd mass_;  // N×N, of one axis
  std::vector<bool> fixed_;
  std::vector<Row> rows_;
  std::vector<Spring> springs_;
  double time_ = 0;
};

}  // namespace locdyn::detail
