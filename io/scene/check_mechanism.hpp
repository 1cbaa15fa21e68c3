#pragma once
// What a scene must obey to move as a mechanism, beyond single objects.

#include <vector>

#include <locdyn/io/scene/read_values.hpp>
#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// Notes what cannot take part in a smooth motion or a path, with what to use instead, options of another integrator,
/// a drive that is not there or has a motor of its own, a path of length zero; of any other scene rigid links whose
/// length is not that of their points. Joints of robots are not known before they are read: their names are let
/// through.
void check_mechanism(const Scene& scene, ReadContext& context);

/// Times > 0 at which what loads, motors and rotating frames do has a corner, ascending [s]: a motion is integrated
/// from one to the next.
[[nodiscard]] std::vector<double> corners(const Scene& scene);

}  // namespace locdyn::scene_format
