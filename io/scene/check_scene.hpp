#pragma once
// What a scene must obey beyond single objects: names are unique, what they refer to is there, values fit each other.

#include <string>
#include <vector>

#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// All faults, "place: expected …, found …". Names of links of robots are not known yet: those below a robot's name
/// are let through.
[[nodiscard]] std::vector<std::string> find_faults(const Scene& scene);

}  // namespace locdyn::scene_format
