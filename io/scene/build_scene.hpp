#pragma once
// From a scene to a System that can be stepped.

#include <memory>

#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/io/scene/scene.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn {

/// The scene with generators and robots written out as bodies and joints. Throws SceneError.
[[nodiscard]] Scene expanded(const Scene& scene);

/// Makes the bodies, colliders, joints, loads and motions, generators and robots included, and holds the start against
/// `allow_overlap`. Throws SceneError with all faults found: mass properties that are not there, a degenerate hull, a
/// mesh that cannot be read, a body inside another.
/// The detector is Bullet's; a scene without shapes needs none.
[[nodiscard]] std::unique_ptr<System> build(const Scene& scene);
/// With a detector of the caller's, which must be empty (or nullptr: then shapes give mass and nothing touches).
[[nodiscard]] std::unique_ptr<System> build(const Scene& scene, std::unique_ptr<ContactDetector> detector);

}  // namespace locdyn
