#pragma once
// locdyn simulate, a scene with "smooth": a mechanism in motion without contacts.

#include <locdyn/io/scene/scene.hpp>

#include "mechanism_run.hpp"

namespace locdyn::app {

/// Returns the exit status: 1 where the motion did not come to its end. Throws SceneError, FileError and UsageError.
[[nodiscard]] int run_smooth(const Scene& scene, const MechanismRun& how);

}  // namespace locdyn::app
