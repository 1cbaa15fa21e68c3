#pragma once
// Which laws a friction pyramid stands for: Coulomb's contact, and what is bilateral.

#include <stdexcept>
#include <string>
#include <string_view>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// Throws std::invalid_argument naming the first constraint whose law has no pyramid: elliptic or rolling friction, a
/// contact that gives way, or reactions of joints that are bounded.
inline void check_pyramid_laws(const LocalDynamics& ldy, std::string_view solver) {
  for (const DiagonalBlock& row : ldy.rows()) {
    const Law& law = ldy.law(row.constraint);
    if (is_bilateral(law) || (is_coulomb(law) && !gives_way(law))) continue;
    throw std::invalid_argument(std::string(solver) + ": constraint " + std::to_string(row.constraint) +
                                ": expected Coulomb friction, which a pyramid can stand for, found " + law_name(law));
  }
}

}  // namespace locdyn::detail
