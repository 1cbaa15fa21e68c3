#pragma once
// A way to solve the scaled saddle point. Each gives the same answer; what they cost differs.
//
//   quasi-definite   one sparse LDLᵀ of [I Ĝᵀ; Ĝ −δI]; grows with the mechanism's tree, whatever holds on a body
//   Delassus         one sparse LDLᵀ of ĜĜᵀ + δI: fewer unknowns, but full among all joints of one body
//   null space       QR of Ĝᵀ; particular solution and ZᵀAZ = I in these units; no δ, most work
//
// Sources: Vanderbei, SIAM J. Optim. 5 (1995) 100–113; Rockafellar, Math. Oper. Res. 1 (1976) 97–116 (the proximal
// method of multipliers that δ stands for); Benzi, Golub & Liesen (2005) §5, §6; Gill, Murray & Wright, Practical
// Optimization (1981) §5.1.

#include <memory>

#include <locdyn/solver/saddle/massless_elimination.hpp>
#include <locdyn/solver/saddle/row_rank.hpp>

namespace locdyn::detail {

/// What a form starts from; all of it outlives the form's use.
struct SaddleParts {
  const ScaledSaddle& scaled;
  const MasslessElimination& massless;
  const RowRank* rank;    ///< nullptr where it was not asked for
  double regularisation;  ///< δ
  double rank_tolerance;
};

struct ScaledSolution {
  Eigen::VectorXd z, s, lambda;
};

class SaddleFactorisation {
 public:
  virtual ~SaddleFactorisation() = default;
  /// Throws std::runtime_error where no factor can be made.
  virtual void factorise(const SaddleParts& parts) = 0;
  /// One solve for f̂ (p), ê (q) and a γ̂ (m) without contradiction, exact to δ; refinement is the caller's.
  [[nodiscard]] virtual ScaledSolution solve(const SaddleParts& parts, const Eigen::VectorXd& f,
                                             const Eigen::VectorXd& e, const Eigen::VectorXd& gamma) const = 0;
  /// Symbolic analyses so far.
  [[nodiscard]] virtual long analyses() const noexcept = 0;
};

[[nodiscard]] std::unique_ptr<SaddleFactorisation> make_quasi_definite_form();
[[nodiscard]] std::unique_ptr<SaddleFactorisation> make_delassus_form();
[[nodiscard]] std::unique_ptr<SaddleFactorisation> make_null_space_form();

}  // namespace locdyn::detail
