#pragma once
// Loads and motions of a scene as a System takes them: means over each step.

#include <locdyn/io/scene/scene.hpp>
#include <locdyn/ldy/assembly/quantities/body_quantities.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::scene_format {

/// The force acts at the material point that lies at `load.point` now.
[[nodiscard]] Load make_load(const SceneLoad& load, BodyId body, const BodySet& bodies);

/// The motion that takes the obstacle over each step from where the series has it to where the series has it, so that
/// errors do not add up.
[[nodiscard]] Drive make_drive(const SceneMotion& motion);

/// The series with its slope, at a corner that of the piece that comes, and without a second derivative.
[[nodiscard]] TimeFunction make_function(const TimeSeries<double>& series);

}  // namespace locdyn::scene_format
