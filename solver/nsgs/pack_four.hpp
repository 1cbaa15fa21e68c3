#pragma once
// Ĥ and W of four contacts, from where the graph has them to the lanes of a `WideContact`.

#include <array>

#include <locdyn/base/lanes_anywhere.hpp>
#include <locdyn/solver/nsgs/wide_contact.hpp>

namespace locdyn::detail::wide {

/// H (columns of four numbers) of a rigid body at a contact, nullptr where it is an obstacle, and √h L⁻ᵀ (3×3, zero
/// below the diagonal) of its angular part, column by column.
struct UnscaledSide {
  const double *H, *root;
};
struct UnpackedContact {
  UnscaledSide first, second;
  const double* W;  ///< 3×3, column by column
};

/// The angular part of Ĥ = √h H L⁻ᵀ, column by column.
LOCDYN_VISIT void scaled_spin(const UnscaledSide& side, FourLanes (&spin)[3]) {
  FourLanes H0, H1, H2;
  load_lanes(side.H, H0);
  load_lanes(side.H + 4, H1);
  load_lanes(side.H + 8, H2);
  const double* root = side.root;
  spin[0] = H0 * root[0];
  spin[1] = H0 * root[3] + H1 * root[4];
  spin[2] = H0 * root[6] + H1 * root[7] + H2 * root[8];
}

/// One column of each of the four becomes three rows of lanes.
LOCDYN_VISIT void put_column(FourLanes (&of_contact)[kLanes], double (*rows)[kLanes]) {
  transpose_lanes(of_contact);
  for (int axis = 0; axis < 3; ++axis) store_lanes(of_contact[axis], rows[axis]);
}

LOCDYN_VISIT void pack(const std::array<UnpackedContact, kLanes>& contacts, WideContact& packed) {
  FourLanes column[kLanes], first[kLanes][3] = {}, second[kLanes][3];
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (contacts[l].first.H != nullptr) scaled_spin(contacts[l].first, first[l]);
    scaled_spin(contacts[l].second, second[l]);
  }
  for (int j = 0; j < 3; ++j) {
    for (std::size_t l = 0; l < kLanes; ++l) load_lanes(contacts[l].second.H + 4 * (3 + j), column[l]);
    put_column(column, packed.H + 3 * j);
    for (std::size_t l = 0; l < kLanes; ++l) column[l] = first[l][j];
    put_column(column, packed.H + 9 + 3 * j);
    for (std::size_t l = 0; l < kLanes; ++l) column[l] = second[l][j];
    put_column(column, packed.H + 18 + 3 * j);
  }
  for (int k = 0; k < 8; k += 4) {
    for (std::size_t l = 0; l < kLanes; ++l) load_lanes(contacts[l].W + k, column[l]);
    transpose_lanes(column);
    for (int i = 0; i < 4; ++i) store_lanes(column[i], packed.W[k + i]);
  }
  for (std::size_t l = 0; l < kLanes; ++l) packed.W[8][l] = contacts[l].W[8];
}

}  // namespace locdyn::detail::wide
