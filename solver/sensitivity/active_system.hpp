#pragma once
// The laws of a solved graph as one linear system, and solves with it and with its transpose by one sparse factor. With
// F of every law (law_linearisation.hpp), y the change of velocities by δR and right-hand sides a, c,
//
//   A/h y − Hᵀ δR = a,   E H y + C δR = c,
//
// a graph of any rank: rows beyond the freedoms make the equation for δR singular, never that for y. A proximal weight
// w gives G = (C + w E)⁻¹ row by row and (A/h + Hᵀ G E H) in the space of velocities, factored once; what w adds is
// taken back by refinement, each step one solve with the factor, which converges as w/(w + λ) where λ is the least
// eigenvalue but 0 of W. From δR = 0 it ends at reactions in the range of W: those of least norm where contacts stick.
// Where contacts that stick hold every body, as in a wall at rest, and nothing is asked of reactions (c = 0), y = 0 and
// those reactions are H z with Hᵀ H z = ±a: w is small then, and two solves are enough.
//
// The transpose has the same factor: A/h λ + Hᵀ Eᵀ ρ = a, −H λ + Cᵀ ρ = c.
//
// Source: the implicit function theorem; Rockafellar, SIAM J. Control Optim. 14 (1976) 877–898 (proximal refinement);
// de Avila Belbute-Peres et al., NeurIPS 31 (2018) (derivatives of contact by its active equations).

#include <Eigen/Core>
#include <span>
#include <vector>

#include <locdyn/solver/newton/velocity_matrix.hpp>
#include <locdyn/solver/sensitivity/law_linearisation.hpp>

namespace locdyn::detail {

class ActiveSystem {
 public:
  /// The graph holds a solution, knows its factor, outlives the system and does not change. `margin`: what is slower
  /// than margin times the largest ‖B + σ‖ does not move. Throws std::invalid_argument where the graph has no factor,
  /// std::runtime_error where the matrix is singular or memory runs out. Cost: one sparse factorisation of the pattern
  /// of bodies.
  ActiveSystem(const LocalDynamics& ldy, double margin);

  /// By constraint id; of ids that are not there nothing is meant.
  [[nodiscard]] const LawLinearisation& law(ConstraintId id) const { return laws_[id]; }
  /// What does not move [m/s].
  [[nodiscard]] double slow() const noexcept { return slow_; }
  /// Unknowns of y, and where those of a coupling's group begin.
  [[nodiscard]] std::size_t unknowns() const noexcept { return matrix_.unknowns(); }
  [[nodiscard]] int first_unknown(const Coupling& c) const noexcept { return matrix_.first_unknown(c); }

  /// What a solve finds: y (`unknowns`) and δR (3 a place of the arena), or of the transpose λ and ρ.
  struct Solution {
    std::vector<double> velocity;
    std::vector<Eigen::Vector3d> reaction;
    double residual = 0;        ///< of the equations, relative to the right-hand sides
    ConstraintId worst{kNone};  ///< where it is largest
    long solves = 0;            ///< with the factor
  };
  /// a (`unknowns`), c (3 a place of the arena). Where the residual stays above 1e-9 the equations contradict each
  /// other: the caller says of what. Throws std::runtime_error where the factor gives no solution.
  [[nodiscard]] Solution solve(std::span<const double> a, std::span<const Eigen::Vector3d> c);
  [[nodiscard]] Solution solve_transposed(std::span<const double> a, std::span<const Eigen::Vector3d> c);

  /// −Eᵀ ρ of a solution of the transpose, a column a place of the arena.
  void by_velocity(const Solution& solution, Eigen::MatrixXd& columns) const;
  /// A/h y.
  [[nodiscard]] std::vector<double> impulse(std::span<const double> y) const;

 private:
  // What the solves read of a constraint of N rows: F, and G. With P, M, C and G by side both are one system,
  //
  //   A/h y − Hᵀ P x = a,   M H y + C x = c:   P = 1, M = E;   transposed: P = −Eᵀ, M = −1, and Cᵀ, Gᵀ.
  template <int N>
  struct Rows {
    static constexpr int kRows = N;
    using Vector = Eigen::Matrix<double, N, 1>;
    ConstraintId constraint;
    Index place;
    Eigen::Matrix<double, N, N> E, C, G;

    template <bool kTransposed>
    [[nodiscard]] Vector pulled(const Vector& x) const {
      if constexpr (kTransposed) return -(E.transpose() * x);
      return x;
    }
    template <bool kTransposed>
    [[nodiscard]] Vector moved(const Vector& Hy) const {
      if constexpr (kTransposed) return -Hy;
      return E * Hy;
    }
    template <bool kTransposed>
    [[nodiscard]] Vector by_C(const Vector& x) const {
      if constexpr (kTransposed) return C.transpose() * x;
      return C * x;
    }
    template <bool kTransposed>
    [[nodiscard]] Vector by_G(const Vector& x) const {
      if constexpr (kTransposed) return G.transpose() * x;
      return G * x;
    }
  };
  // The same where E = 1 and C = 0: a contact that sticks, as most do in what is at rest.
  struct HeldRows {
    static constexpr int kRows = 3;
    using Vector = Eigen::Vector3d;
    ConstraintId constraint;
    Index place;
    double weight;

    template <bool kTransposed>
    [[nodiscard]] Vector pulled(const Vector& x) const {
      return kTransposed ? Vector(-x) : x;
    }
    template <bool kTransposed>
    [[nodiscard]] Vector moved(const Vector& Hy) const {
      return kTransposed ? Vector(-Hy) : Hy;
    }
    template <bool>
    [[nodiscard]] Vector by_C(const Vector&) const {
      return Vector::Zero();
    }
    template <bool>
    [[nodiscard]] Vector by_G(const Vector& x) const {
      return x / weight;
    }
  };
  void linearise(double margin);
  void factorise();
  bool holds_all();
  template <int N>
  void add_rows(const LawLinearisation& F, const HeldRows& at, std::vector<Rows<N>>& all);
  template <bool kTransposed>
  Solution refined(std::span<const double> a, std::span<const Eigen::Vector3d> c);
  template <bool kTransposed>
  void residual(std::span<const double> a, std::span<const Eigen::Vector3d> c, Solution& solution);
  template <bool kTransposed>
  void begin(std::span<const double> a, std::span<const Eigen::Vector3d> c, Solution& solution);
  template <bool kTransposed>
  void hold(std::span<const double> a, double forces, Solution& solution);
  template <bool kTransposed>
  void begin_pull();
  template <bool kTransposed>
  void solve_for_change();
  template <bool kTransposed>
  double correct(Solution& solution);
  template <class Visit>
  void each_constraint(const Visit& visit) const;

  const LocalDynamics& ldy_;
  VelocityMatrix matrix_;
  std::vector<LawLinearisation> laws_;  // by id
  std::vector<HeldRows> held_;          // each in the order of the arena
  std::vector<Rows<3>> single_;         // the other constraints of one block
  std::vector<Rows<6>> twofold_;        // those of two
  double slow_ = 0;
  double response_ = 0;    // [velocity/force] of a row, in the mean
  bool all_held_ = false;  // by contacts that stick, beside which none but open ones are there
  // Of the solve that is going on: what is left of the equations, the right-hand side made of it, and its solution.
  std::vector<double> left_velocity_, pull_, change_;
  std::vector<Eigen::Vector3d> left_reaction_;
  double row_scale_ = 0;    // what residuals of rows are divided by
  bool by_pivots_ = false;  // solves are refined one by one
};

}  // namespace locdyn::detail
