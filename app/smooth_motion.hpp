#pragma once
// The motion of a scene by the integrator that it names, from one corner of its loads and motors to the next: a step
// over a corner would not see it, nor a pulse within it.

#include <Eigen/Core>
#include <functional>
#include <string>

#include <locdyn/io/scene/scene.hpp>
#include <locdyn/mechanism/mechanism.hpp>
#include <locdyn/mechanism/smooth/motion_error.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::app {

/// Where an output is due: the bodies are there.
struct SmoothPoint {
  double time = 0;                                ///< [s]
  double position_error = 0, velocity_error = 0;  ///< the largest |C| [m] and |G u + d| [m/s]
  Eigen::VectorXd reactions = {};                 ///< λ (m)
};

/// What is known so far, of a motion that stops too.
struct SmoothMotion {
  long steps = 0, rejected = 0, evaluations = 0;  ///< with error control; of pieces that came to their end
  long iterations = 0;                            ///< of fixed steps
  double position_error = 0, velocity_error = 0;  ///< the largest
  double weakest = 1, weakest_time = 0;           ///< the position nearest to a singular one
  std::string weakest_row = {};
};

/// Throws SceneError where the scene's integrator is not in this build.
void require_integrator(const Scene& scene);

/// From time 0 to the scene's duration, visited every `output_step` from 0 on and at the end. Throws MotionError,
/// std::invalid_argument, and what the visit throws.
void smooth_motion(const Scene& scene, System& system, Mechanism& mechanism, double output_step, SmoothMotion& motion,
                   const std::function<void(const SmoothPoint&)>& visit);

}  // namespace locdyn::app
