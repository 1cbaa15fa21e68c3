#pragma once
// The holonomic saddle point factored once and solved for many right-hand sides: scaled, its redundant rows found, and
// each solve refined to the true residual, by one of three forms that give the same answer.

#include <locdyn/solver/saddle/saddle_factorisation.hpp>

namespace locdyn::detail {

enum class SaddleMethod {
  saddle,      ///< quasi-definite LDLᵀ: the default
  delassus,    ///< sparse Cholesky of G A⁻¹ Gᵀ
  null_space,  ///< QR of Gᵀ
};

/// In which metric the multipliers of redundant rows are least.
enum class MultiplierNorm {
  rows,         ///< ‖λ‖, rows as given
  scaled_rows,  ///< ‖λ̂‖, each row divided by its unit response: independent of units
};

enum class RankCheck {
  always,  ///< SPQR at every `factorise`: redundant rows are named, and treated as promised
  never    ///< the caller knows that no row is redundant; γ that contradicts itself is then not noticed
};

struct SaddleOptions {
  SaddleMethod method = SaddleMethod::saddle;
  MultiplierNorm norm = MultiplierNorm::rows;
  RankCheck rank_check = RankCheck::always;
  double rank_tolerance = 1e-10;  ///< remainder of a scaled row below which it is redundant, in (0, 1)
  double consistency = 1e-8;      ///< contradiction over ‖γ̂‖ that is reported, in (0, 1)
  double regularisation = 1e-11;  ///< δ, in (0, 1e-2]: larger is safer for the factor, slower to refine
  double tolerance = 1e-12;       ///< of the scaled residual for `converged`, > 0; refinement goes on while it gains
  int max_refinements = 60;       ///< ≥ 0
};

/// A row that γ asks something of that no motion can do.
struct Contradiction {
  Eigen::Index row = -1;  ///< of G; the one with the largest share
  SaddleRow name;
  double residual = 0;  ///< γ − G a − C λ of that row, in its own unit
};

struct SaddleSolution {
  Eigen::VectorXd a;       ///< coordinates (n)
  Eigen::VectorXd lambda;  ///< multipliers (m)
  bool converged = false;  ///< the scaled residual, without contradictions, met the tolerance
  double residual = 0;  ///< ‖(f̂, ê, γ̂) residual‖ / (‖f̂‖ + ‖ê‖ + ‖γ̂‖ + ‖z‖ + ‖λ̂‖)
  int refinements = 0;
  /// Where γ is not in the range of [G C] (beyond `consistency`): its worst row; a and λ are then least squares.
  bool contradictory = false;
  Contradiction contradiction;
  /// A massless coordinate with a force that no row can carry; −1: none. That part of the force is left out.
  Eigen::Index unsupported = -1;
};

class SaddleSystem {
 public:
  /// Throws std::invalid_argument naming the option out of range.
  explicit SaddleSystem(const SaddleOptions& options = {});

  /// Scales and factors. Symbolic analyses are kept while the patterns stay. Throws std::invalid_argument where the
  /// problem has no meaning (see ScaledSaddle), std::runtime_error where no factor can be made.
  /// Cost: for a chain or a tree of bodies, linear in their number.
  void factorise(const SaddleProblem& problem);

  /// a and λ for f (n) and γ (m). Throws std::invalid_argument for wrong sizes or numbers that are not finite,
  /// std::logic_error before `factorise`. Cost: one solve with the factor for each refinement, and as much with the QR
  /// of the rank where that does not converge, next to a singular position.
  [[nodiscard]] SaddleSolution solve(const Eigen::VectorXd& f, const Eigen::VectorXd& gamma) const;

  /// Independent rows; m where it was not asked for.
  [[nodiscard]] Eigen::Index rank() const noexcept;
  /// Redundant rows, ascending; `problem().name(row)` names them. Empty where it was not asked for.
  [[nodiscard]] const std::vector<RedundantRow>& redundant() const noexcept;
  /// Rows that have become redundant since `factorise` last had a problem of this size with a larger rank: a singular
  /// position. 0: none.
  [[nodiscard]] Eigen::Index rank_lost() const noexcept { return best_rank_ - rank(); }
  /// Motions that the hard rows leave free; compliant rows hold none.
  [[nodiscard]] Eigen::Index freedoms() const noexcept { return scaled_.with_mass() + scaled_.without_mass() - rank(); }
  /// Massless motions that no row holds, of which `solve` takes none.
  [[nodiscard]] Eigen::Index free_parameters() const noexcept { return massless_.free_parameters(); }
  /// The independent row nearest to being lost. Needs RankCheck::always, else throws std::logic_error.
  [[nodiscard]] WeakestRow weakest() const;

  [[nodiscard]] const SaddleProblem& problem() const noexcept { return problem_; }
  [[nodiscard]] const SaddleOptions& options() const noexcept { return options_; }
  /// Symbolic analyses so far.
  [[nodiscard]] long analyses() const noexcept;

 private:
  struct Residual {
    Eigen::VectorXd force, massless, rows;
    double norm;
  };
  [[nodiscard]] SaddleParts parts() const noexcept;
  [[nodiscard]] Residual residual(const Eigen::VectorXd& f, const Eigen::VectorXd& gamma, const Eigen::VectorXd& a,
                                  const Eigen::VectorXd& lambda) const;
  void refine(const SaddleFactorisation& form, const Eigen::VectorXd& f, const Eigen::VectorXd& gamma,
              SaddleSolution& solution) const;
  void check_load(const Eigen::VectorXd& f, const Eigen::VectorXd& gamma) const;

  SaddleOptions options_;
  SaddleProblem problem_;
  ScaledSaddle scaled_;
  MasslessElimination massless_;
  RowRank rank_;
  std::unique_ptr<SaddleFactorisation> form_;
  Eigen::Index best_rank_ = 0;
  bool factorised_ = false;
};

/// Constraint forces by d'Alembert's principle: the chosen rows are suppressed, and their forces are what would have to
/// push along the motions that then come free, (Z'ᵀ G_cᵀ) λ_c = Z'ᵀ (A a − f), for the motion a that the whole system
/// has. Equal to the multipliers of `solve` where the rows are independent; a chosen row that the others imply frees no
/// motion and gets 0. Returns λ_c (one for each of `chosen`, rows of G). Throws std::invalid_argument for wrong sizes
/// or rows, or a chosen row twice. Cost: one sparse QR, one dense least-squares problem of n × |chosen|.
[[nodiscard]] Eigen::VectorXd suppressed_forces(const SaddleProblem& problem, const Eigen::VectorXd& f,
                                                const Eigen::VectorXd& gamma, const Eigen::VectorXd& a,
                                                std::span<const Eigen::Index> chosen);

}  // namespace locdyn::detail
