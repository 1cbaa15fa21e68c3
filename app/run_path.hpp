#pragma once
// locdyn simulate, a scene with "kinematics": a mechanism along the path of one drive.

#include <locdyn/io/scene/scene.hpp>

#include "mechanism_run.hpp"

namespace locdyn::app {

/// Returns the exit status: 1 where the path did not come to its end. Throws SceneError, FileError and UsageError.
[[nodiscard]] int run_path(const Scene& scene, const MechanismRun& how);

}  // namespace locdyn::app
