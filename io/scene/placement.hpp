#pragma once
// Coordinates within coordinates.

#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

/// What `inner`, given in the coordinates of `outer`, is in those around `outer`.
[[nodiscard]] inline ScenePlacement within(const ScenePlacement& outer, const ScenePlacement& inner) {
  return {outer.position + outer.orientation * inner.position, (outer.orientation * inner.orientation).normalized()};
}

}  // namespace locdyn::scene_format
