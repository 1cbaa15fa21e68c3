#pragma once
// Penetration and closing errors taken back by a projection of positions: the least change of position (in the kinetic
// metric) that closes them,
//
//   min ½ δᵀ A δ   with  H_n δ + gap ≥ 0 (contacts),  H δ + error = 0 (bilateral)
//
// which is one more problem of local dynamics, U = W R, with gaps for shifts and no friction. No velocity changes.
//
// Source: Cline & Pai, ICRA (2003) (post-stabilisation); Tasora & Anitescu, Meccanica 48 (2013) (its place in the
// step).

#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

struct CorrectionReport {
  double energy = 0;         ///< potential energy added, of bodies [J]
  double largest_error = 0;  ///< before [m]
  std::size_t islands = 0;   ///< corrected
};

struct CorrectionOptions {
  double slop = 0;        ///< what may stay open or closed too far [m]
  long sweep_budget = 0;  ///< of each island of contacts alone, ≥ 0; 0 for as many as it takes
  int threads = 1;        ///< ≥ 1; the bits do not depend on it
};

/// At the end of a step of size h, whose graph still holds U: contacts deeper than the slop are brought back to half
/// of it, bilateral errors beyond it to zero. Islands without such an error stay as they are. Cost: the graph's rows
/// once, and some ten to a hundred sweeps over the islands at fault.
CorrectionReport correct_positions(System& system, double h, const CorrectionOptions& options);

}  // namespace locdyn::detail
