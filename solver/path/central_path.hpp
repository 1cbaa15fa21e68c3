#pragma once
// The central path of `path_system`, from large σ, where there is one point and Newton finds it, towards σ = 0.
// Friction makes the problem non-monotone, and σ does not fall steadily along the path: it turns back at folds, where
// no method that lets σ alone fall can go on. So the path is followed by its arc length: a step along the tangent,
// Newton back to the path across it, and the way ahead told by the sign of the determinant, which changes at every
// fold.
//
// Source: Keller, Numerical solution of bifurcation and nonlinear eigenvalue problems (1977) (arc length); Allgower &
// Georg, Numerical Continuation Methods (1990) §2 (orientation), §6.1 (step lengths); Deuflhard, Newton Methods for
// Nonlinear Problems (2004) §2.1 (simplified corrections as the test of a step).

#include <Eigen/Core>
#include <functional>
#include <vector>

#include <locdyn/solver/path/path_system.hpp>

namespace locdyn::detail {

class CentralPath {
 public:
  using Vectors = PathSystem::Vectors;
  enum class End { on_path, limit, stuck };
  /// Asked before each factorisation, with the seconds that it will about take.
  using Permission = std::function<bool(double)>;

  /// `program` outlives it.
  CentralPath(const LocalDynamics& ldy, const ConeProgram& program);

  /// Goes to the path at a large σ. Cost: some ten factorisations.
  [[nodiscard]] End start(const Permission& may_factorise);
  /// One step ahead. Cost: one or two factorisations as a rule.
  [[nodiscard]] End step(const Permission& may_factorise);

  /// √σ, in units where b is about 1.
  [[nodiscard]] double smoothing() const;
  /// R by row of the program, inside all cones.
  [[nodiscard]] const Vectors& reaction() const noexcept { return system_.reaction(); }
  [[nodiscard]] long factorisations() const noexcept { return factorisations_; }
  [[nodiscard]] double flops() const noexcept { return system_.flops(); }
  [[nodiscard]] double block_products() const noexcept { return system_.block_products(); }

 private:
  struct Point {
    Vectors v;
    double tau = 0;
  };
  struct Size {
    double most;  // over contacts, and of dτ
    double norm;
  };
  enum class Correction { done, missed, limit };

  [[nodiscard]] bool factorise(const Permission& may_factorise);
  void measure();
  void find_tangent();
  [[nodiscard]] bool find_tangent_here(const Permission& may_factorise);
  [[nodiscard]] Size size(const Vectors& dv, double dtau) const;
  [[nodiscard]] double inner(const Vectors& a, double a_tau, const Vectors& b, double b_tau) const;
  [[nodiscard]] bool orthogonal_step(Vectors& dv, double& dtau);
  void move(const Vectors& dv, double dtau, double length);
  [[nodiscard]] Correction correct(const Permission& may_factorise);

  const ConeProgram& program_;
  PathSystem system_;
  Point at_;
  Vectors tangent_;
  double tangent_tau_ = 0;  // 0 before the first step
  std::vector<PairMetric> metric_;
  double weight_ = 1;  // of dτ² in a squared length
  int start_orientation_ = 1;
  double length_;  // of the next step, the most that it turns a contact
  long factorisations_ = 0;
  bool out_of_time_ = false;
  bool stale_ = false;  // the factor is of another point
};

}  // namespace locdyn::detail
