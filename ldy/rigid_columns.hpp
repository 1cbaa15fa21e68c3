#pragma once
// The F of told bodies as H of rigid bodies. F of a body is known up to an orthogonal Q, F Q as good as F. If it is a
// rigid body there is one with
//
//   F_α Q = [S_α, N_α/√m],   N_α N_αᵀ = I,
//
// N_α the frame of the contact, which the other body has with the opposite sign, and m its mass; then what works on
// contacts of rigid bodies, four at once in sweeps, works on blocks of which nobody has told the bodies. The three
// columns V of Q that make N_α/√m are least squares where bodies beside it are turned already, √m F_α V = −N_α; else
// Π = V Vᵀ, of trace 3, solves the linear equations F_α Π F_αᵀ = I/m of all its rows, as does Π + β Z for one Z, which
// turns velocities into spins, is without trace and orthogonal to Π; and one row of a body beside it says how it stands
// in space.

#include <cstddef>
#include <vector>

#include <locdyn/ldy/factor_group.hpp>

namespace locdyn::detail {

/// Turns each body for which there is such a Q; the others stay as they are. W has rows in `places` places. Cost: for
/// most bodies a 6×6 solve, for the first of each assemblage an eigenvalue decomposition of 22×22.
void turn_to_rigid_columns(std::vector<FactorGroup>& bodies, std::size_t places);

}  // namespace locdyn::detail
