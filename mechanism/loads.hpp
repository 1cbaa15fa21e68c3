#pragma once
// Loads on a mechanism as generalised forces f (n), f·u their power; and what holds them in rest:
//
//   f + Gᵀ λ = 0
//
// where λ are the reactions of all rows, those of held drives among them: −Kᵀ f (drive_transmission.hpp), by another
// way.

#include <Eigen/Core>
#include <string>

#include <locdyn/mechanism/mechanism.hpp>

namespace locdyn {

class Loads {
 public:
  /// None yet. The mechanism must outlive it.
  explicit Loads(const Mechanism& mechanism)
      : mechanism_(mechanism), f_(Eigen::VectorXd::Zero(mechanism.coordinates())) {}

  /// A force [N] in space at the point that lies at X in the body's coordinates, as it lies now. Each throws
  /// std::invalid_argument for numbers that are not finite.
  void add_force(BodyId body, const Eigen::Vector3d& X, const Eigen::Vector3d& force);
  /// A torque [N m] in space.
  void add_torque(BodyId body, const Eigen::Vector3d& torque);
  /// The weight of all bodies under g [m/s²], at their mass centres.
  void add_gravity(const Eigen::Vector3d& gravity);

  /// f (n), the sum of what was added.
  [[nodiscard]] const Eigen::VectorXd& f() const noexcept { return f_; }
  /// f·u [W] at the velocities that the bodies have.
  [[nodiscard]] double power() const { return f_.dot(mechanism_.velocity()); }

 private:
  const Mechanism& mechanism_;
  Eigen::VectorXd f_;
};

/// What holds a load in rest.
struct StaticReport {
  Eigen::VectorXd reactions =
      {};  ///< λ (m) [N]; the moment of a scaled row is ℓ times its own. Least ‖λ‖ where not unique
  Eigen::VectorXd drives = {};  ///< what each drive gives (k) [N m, or N]; 0 for one that is released
  bool balanced = false;        ///< no: the load moves what the rows leave free
  double unbalanced = 0;        ///< ‖f + Gᵀ λ‖/(‖f‖ + ‖Gᵀ λ‖)
};

/// Reactions of the rows and forces of the drives that hold f (n) where the bodies are now. Throws
/// std::invalid_argument for a wrong size, and as `Mechanism::factorise` does.
[[nodiscard]] StaticReport static_reactions(Mechanism& mechanism, const Eigen::VectorXd& f);

}  // namespace locdyn
