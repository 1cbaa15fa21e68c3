#pragma once
// The map of a joint's block with bounded rows (ldy/laws/bounded_law.hpp): for its hard rows F = U', for the bounded
// ones, with y = f − ρ U' and the set D that the load g(R) allows,
//
//   F = (f − P_D(y))/ρ:   U' where y lies in D (it sticks, follows);   (f − bound)/ρ where it does not (it slides)
//
// g is taken at R, as Jean and Moreau take the radius of a contact's disc.

#include <locdyn/solver/newton/friction_map.hpp>

namespace locdyn::detail {

/// Scale and law of block `block` with W (3×3); the law stays where it is as long as the row is used.
void set_bounded(const BoundedLaw& law, int block, const Eigen::Matrix3d& W, NewtonRow& row);

/// F (3) of the block as it lies in the arena, block 0 of its law before it; E, C and C_before where asked for.
[[nodiscard]] Eigen::Vector3d bounded_map(const NewtonRow& row, double augmentation, const DiagonalBlock& block,
                                          MapDerivative* derivative);

}  // namespace locdyn::detail
