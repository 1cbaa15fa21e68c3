#pragma once
// How an integrator is kept where C = 0 and G u + d = 0 (first_order_form.hpp).
//
// Source: Eich, SIAM J. Numer. Anal. 30 (1993) 1467–1482 (projection); Baumgarte, CMAME 1 (1972) 1–16.

namespace locdyn {

/// By what.
enum class Stabilisation {
  projection,  ///< after each step
  baumgarte  ///< γ − 2α Ċ − β² C, and γ − α (D u + d) in rows posed on velocities alone; nothing is projected
};

/// By what, and how strongly.
struct StabilisationOptions {
  Stabilisation kind = Stabilisation::projection;  ///< by what
  double alpha = 10;                               ///< ≥ 0 [1/s]: Baumgarte only
  double beta = 10;                                ///< ≥ 0 [1/s]; β = α damps critically
};

}  // namespace locdyn
