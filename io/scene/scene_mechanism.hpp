#pragma once
// How a scene moves as a mechanism, without contacts: by its equations of motion, or along the path of one drive.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>

namespace locdyn {

/// With error control the first three, in steps of one size the others.
enum class SceneIntegrator { runge_kutta, bdf, adams, generalised_alpha, half_step };
/// How an integrator is kept on the constraints (stabilisation.hpp).
enum class SceneStabilisation { projection, baumgarte };

/// With error control, or in steps of the scene's `step` (generalised_alpha, half_step). What is absent is the
/// integrator's own.
struct SceneSmooth {
  SceneIntegrator integrator = SceneIntegrator::runge_kutta;  ///< which one
  std::optional<double> rtol, atol;                           ///< with error control: 1e-9, 1e-11
  std::optional<double> max_step;                             ///< with error control [s]; absent: none
  std::optional<SceneStabilisation> stabilisation;            ///< with error control: projection
  std::optional<double> alpha, beta;                          ///< of Baumgarte [1/s]: 10
  std::optional<double> spectral_radius;                      ///< of generalised_alpha: 0.8

  /// Is it one without error control?
  [[nodiscard]] bool fixed_step() const noexcept {
    return integrator == SceneIntegrator::generalised_alpha || integrator == SceneIntegrator::half_step;
  }
};

/// A point of a body, or of space.
struct SceneAnchor {
  std::string body;                      ///< empty: space
  std::optional<Eigen::Vector3d> point;  ///< in space at start; absent: the body's mass centre
};

/// From the first vector to the second, each from point to point, about `normal` in space by the right hand.
struct SceneAngle {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< in space
  // Not the first: Clang 14 crashes on `T value{}` that begins with an array of arrays of what has a destructor.
  std::array<std::array<SceneAnchor, 2>, 2> vectors;  ///< the first and the second, each from point to point
};

/// The drive is one of joint, angle and distance.
struct SceneKinematics {
  std::string joint;  ///< a hinge or screw (its angle), or a prismatic joint (its displacement); empty: another
  std::optional<SceneAngle> angle;                     ///< between two vectors
  std::optional<std::array<SceneAnchor, 2>> distance;  ///< between two points
  double from = 0, to = 0, step = 0;                   ///< of the drive [rad or m]
  double rate = 1;                                     ///< > 0, with which it goes from `from` to `to` [rad/s or m/s]
};

}  // namespace locdyn
