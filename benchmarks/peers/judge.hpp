#pragma once
// One judge for all engines: the local dynamics of a step, built from the scene's bodies as they were before the step
// and from the engine's own contact points and normals, and the residual that the engine's own forces leave in it.

#include <span>

#include <locdyn/ldy/residual.hpp>

#include "engine.hpp"

namespace locdyn::peers {

struct Verdict {
  double residual = 0;  ///< `scaled`, of the contact law with σ = gap/h where open, 0 where closed
  double own = 0;  ///< the same with the σ of the engine's own law: of its position correction, its energy balance
  /// As `own`, with the velocities that the engine ended with in place of B + W R: what its solver left alone, whatever
  /// its free motion (damping, gyroscopic terms). For engines whose contacts lie where the step begins.
  double solved = 0;
  double cone = 0;  ///< largest ‖R_t‖ − μ R_n over the largest R_n
};

/// `before`: of each body of the scene, when the step began, at time `t` [s]. Forces of two fixed bodies are left out.
/// Restitution is no part of the law that is judged.
[[nodiscard]] Verdict judge(const Scene& scene, std::span<const BodyState> before, const Engine& engine, double t);

}  // namespace locdyn::peers
