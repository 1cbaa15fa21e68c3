#pragma once
// Which reactions a solution determines. Where there are more rows than velocities, other reactions give the same
// motion: those that differ by a δ with W δ = 0 that leaves every contact in its state,
//
//   open, Û_n > 0:  δ = 0;     slides:  δ_t = −δ_n E² U_t/‖E U_t‖, E = diag(μ_1, μ_2);     sticks, or bilateral:  any
//   δ.
//
// A reaction, or any sum of reactions, is unique where all these δ leave it as it is. Their space is felt out by random
// vectors y taken into it by inverse iteration, y ← ε (A + ε I)⁻¹ y with A = Pᵀ W P, P the directions above in scaled
// rows: what all samples leave alone is unique but for an accident of measure zero.
//
// A contact that neither presses nor opens counts as one that could press, one that sticks at the edge of its cone as
// one that could give: "unique" is always true, "not unique" may be wrong where states are not strict.
//
// Source: Halko, Martinsson & Tropp, SIAM Review 53 (2011) 217–288 (spaces felt out by random vectors); the states are
// those of Moreau's and Coulomb's laws.

#include <Eigen/Core>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

/// Of one sample, δ by place of the row in the graph's arena, (t1, t2, n), of size 1 where all of it is free: forces,
/// and in the second block of a law moments over its length ℓ. Zero where reactions are unique, to about 1e-9.
using FreeReaction = std::vector<Eigen::Vector3d>;

/// What counts as zero of a sample.
inline constexpr double kUniqueReaction = 1e-6;

/// Samples of the reactions that the U in the graph, those of a solution, leave open: the same at every call. What
/// moves less than `slow` [m/s] sticks. Throws std::invalid_argument where `slow` is not a finite number ≥ 0,
/// std::runtime_error where memory runs out. Cost: one sparse Cholesky factorisation of the rows that press, and six
/// solves a sample.
[[nodiscard]] std::vector<FreeReaction> free_reactions(const LocalDynamics& ldy, double slow);

/// The same where what is slower than 1e-6 of the largest ‖B + σ‖ sticks.
[[nodiscard]] std::vector<FreeReaction> free_reactions(const LocalDynamics& ldy);

}  // namespace locdyn
