#pragma once
// The blocks of W in one row, W_αβ = Σ_k H_αk Y_βk over the moving bodies that both rows act on: the kernel of assembly.

#include <locdyn/ldy/assembly/kinematics.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

/// Fills W_αα and W_αβ of the row at arena index `at` from H and Y = h A⁻¹ Hᵀ. Sums run over the bodies of row α in
/// order. Cost of a block: one comparison of ids for each pair of couplings, 9 n products for each shared body. Picks
/// AVX2 at run time; both versions round alike and give the same bits.
void assemble_row(LocalDynamics& ldy, const Kinematics& kinematics, Index at);

}  // namespace locdyn
