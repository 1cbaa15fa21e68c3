#pragma once
// A scene of this project in the words that the engines of benchmarks/peers understand, lengths and gravity scaled by
// one factor s so that its bodies are about a metre: Bullet's margins and thresholds (centimetres) and MuJoCo's
// impedance (over a millimetre) are made for such. Times, angles, velocities over lengths, friction, and so the motion
// and the scaled residual stay what they are (Froude similarity): v → s v, g → s g, m → s³ m, J → s⁵ J, F → s⁴ F.

#include <locdyn/io/scene/scene.hpp>

#include "../peers/scene.hpp"

namespace locdyn::peers {

/// Obstacles of several shapes become several fixed bodies, planes large boxes (Bullet's plane gives a box on it one
/// point a step). Throws std::invalid_argument saying what the engines have no words for: joints, applied forces, other
/// kinds of bodies, several shapes on a body that moves, meshes, friction that is not one number a surface.
[[nodiscard]] Scene peer_scene(const locdyn::Scene& scene);

}  // namespace locdyn::peers
