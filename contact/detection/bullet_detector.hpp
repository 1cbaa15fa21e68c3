#pragma once
// Contact detection for every shape, with Bullet's collision library.

#include <memory>

#include <locdyn/contact/contact_detector.hpp>

namespace locdyn {

/// Broad phase and the distance of general convex shapes by Bullet; polytopes, and the points of every contact, in
/// closed form, exact to rounding. A shape may sit on any kind of body but a pseudo-rigid one, which changes its shape:
/// `add` throws std::invalid_argument. `detect` throws it where a body's position is not finite, a reach is negative or
/// not finite, or a span has the wrong size. Cost of `detect`: for what moved, O(n log n) and about a microsecond a
/// pair; nothing where nothing has moved.
[[nodiscard]] std::unique_ptr<ContactDetector> make_bullet_detector();

}  // namespace locdyn
