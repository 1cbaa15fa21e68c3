#pragma once
// The scenes of the registry, one file each. Each fills the bodies, the constraints and h; `make_builtin` does the
// rest. Units SI; z is up; bodies rest unless the scene says otherwise.

#include "builtin/builtin.hpp"

namespace locdyn {

/// n cubes of 1 m one on the other, the top one pushed by 1/20 of its weight. 4n contacts, μ = 0.5.
void build_stack(BuiltinProblem& problem, std::size_t size, const BuiltinOptions& options);

/// A heavy cube on n light ones, pushed by 1/50 of its weight. 4(n + 1) contacts, μ = 0.5, `mass_ratio`.
void build_heavy(BuiltinProblem& problem, std::size_t size, const BuiltinOptions& options);

/// A brick wall in running bond, c courses of b bricks, half bricks at the ends of every second course, head joints
/// open; every brick is pushed along and across the wall by 1/10 of its weight. 4b + 8b(c − 1) contacts, μ = 0.6.
void build_wall(BuiltinProblem& problem, std::size_t size, const BuiltinOptions& options);

/// A tower of n layers of three wooden planks, crosswise, the top layer moving sideways at 0.2 m/s.
/// 12 + 36(n − 1) contacts, μ = 0.4.
void build_tower(BuiltinProblem& problem, std::size_t size, const BuiltinOptions& options);

/// A semicircular arch of n voussoirs between two abutments, thickness 0.2 of the inner radius, a fifth of its weight
/// as a load on the haunch. 4(n + 1) contacts, μ = 0.7.
void build_arch(BuiltinProblem& problem, std::size_t size, const BuiltinOptions& options);

/// Spheres of random radii in a jittered cubic close packing on a floor between four walls, falling with random
/// velocities; gaps are open and closed. About 6 contacts a sphere, μ = 0.4.
void build_spheres(BuiltinProblem& problem, std::size_t size, const BuiltinOptions& options);

/// n links pinned end to end, hanging from a fixed pin down to the floor over a peg in the middle.
/// n pins and 2 contacts, μ = 0.3.
void build_chain(BuiltinProblem& problem, std::size_t size, const BuiltinOptions& options);

/// A platform, moving, on legs of five links: 5 ball joints, 1 more at the knee, and 4 contacts a leg, μ = 0.6.
void build_machine(BuiltinProblem& problem, std::size_t size, const BuiltinOptions& options);

}  // namespace locdyn
