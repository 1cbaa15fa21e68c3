#pragma once
// One body of a scene as a Body, and where its shapes lie in the coordinates of that.

#include <memory>
#include <vector>

#include <locdyn/bodies/body.hpp>
#include <locdyn/io/scene/scene.hpp>

namespace locdyn::scene_format {

struct MadeBody {
  std::unique_ptr<Body> body;
  std::vector<Shape> shapes;
  std::vector<ScenePlacement> placements;  ///< of the shapes, in body coordinates
};

/// Throws std::invalid_argument or FileError for mass properties or shapes that have no meaning.
[[nodiscard]] MadeBody make_body(const SceneBody& body);

}  // namespace locdyn::scene_format
