#pragma once
// Anderson mixing around a sweep. With x = R/ρ, one sweep G and its step F = G(x) − x at the last few x, the next x is
//
//   x ← P_K(G(x) − Σ cᵢ ΔGᵢ),   c = argmin ‖F − Σ cᵢ ΔFᵢ‖² + λ ‖F‖² ‖c‖²,
//
// which on a linear problem is a Krylov method and on contacts that have found their state of stick and slip nearly so.
// Each island has its own c: what one needs says nothing of another. A mixed x is kept where the step of the sweep
// after it is not much longer than the one before and than the shortest so far; else the island goes back to where it
// was, forgets, and λ grows by 10; λ halves where it is kept. A few plain sweeps between two mixings wash out what the
// projection has cut off.
//
// Source: Anderson, J. ACM 12 (1965) 547–560; Walker & Ni, SIAM J. Numer. Anal. 49 (2011) 1715–1735; the penalty λ‖F‖²
// after Ouyang, Peng, Yao, Zhang & Deng, J. Sci. Comput. 85 (2020) 6; sweeps between mixings: Pratapa, Suryanarayana &
// Pask, J. Comput. Phys. 306 (2016) 43–54.

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

class Anderson {
 public:
  /// Lays out the islands of the graph, which outlives it. Memory: 26 vectors of its rows. The bits do not depend on
  /// `threads`.
  explicit Anderson(LocalDynamics& ldy, int threads = 1);

  /// Takes x from the graph: a sweep over all constraints follows.
  void before_sweep();
  /// Takes G(x) from the graph, and leaves the next x there. Cost: some 30 passes over the rows.
  void after_sweep();
  /// Forgets the steps: somebody else has changed R.
  void restart();

 private:
  static constexpr int kMemory = 10;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMemory, 1>;

  struct Island {
    Eigen::Index first, size;                   // of its numbers in the vectors
    std::size_t first_constraint, constraints;  // in constraints_
    int kept = 0, next = 0;                     // steps in memory, and where the next goes
    bool known = false;                         // the step before this one
    bool mixed = false;                         // x is not what a sweep has left
    double step = 0;                            // ‖F‖ before the mixing
    double least = 0;                           // ‖F‖ so far
    double penalty = 0;                         // λ
    Eigen::Matrix<double, kMemory, kMemory> gram = Eigen::Matrix<double, kMemory, kMemory>::Zero();
  };

  template <class Work>
  void for_each_run(const Island& island, const Work& work) const;
  [[nodiscard]] double read_step(const Island& island);
  [[nodiscard]] Small products(const Island& island, const Eigen::VectorXd& vector) const;
  void read(Eigen::Index first, Eigen::Index size, Eigen::VectorXd& x) const;
  void write(Eigen::Index first, Eigen::Index size, const Eigen::VectorXd& x);
  void project_all(const Island& island);
  void advance(Island& island);
  void remember(Island& island);
  void mix(Island& island);

  LocalDynamics& ldy_;
  int threads_;
  std::vector<Island> islands_;
  std::vector<ConstraintId> constraints_;                // of one island after the other
  std::vector<Index> place_;                             // of their rows, in that order
  std::vector<double> rho_;                              // of each row
  Eigen::VectorXd x_, G_, F_, last_G_, last_F_, mixed_;  // R/ρ, three numbers a row
  std::array<Eigen::VectorXd, kMemory> dG_, dF_;
};

}  // namespace locdyn::detail
