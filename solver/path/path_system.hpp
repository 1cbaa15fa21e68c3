#pragma once
// The equations of the central path of all contacts together, and their linear solves. In the scaled variables of
// `cone_program`, with x, z of `smoothed_pair` and T of `scaled_system`, R = T⁻¹x, Û = T z, and the unknowns v by
// contact, v = R by bilateral row:
//
//   G(v, τ) = T z − s(T z) n − W T⁻¹ x − b − a R = 0,   s = μ (√(‖Û_t‖² + ε²) − ε),
//
// σ = e^τ, and ε² and a² falling with σ. For σ → 0 it is the problem itself: s is not held, W need not be symmetric.

#include <Eigen/Core>
#include <optional>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/newton/sparse_lu.hpp>
#include <locdyn/solver/newton/sparse_rows.hpp>
#include <locdyn/solver/path/smoothed_pair.hpp>
#include <locdyn/solver/path/velocity_elimination.hpp>

namespace locdyn::detail {

class PathSystem {
 public:
  using Vectors = std::vector<Eigen::Vector3d>;  ///< by row of the program

  /// Reads W, b and the laws. `program` outlives it. Cost: one pass over the blocks.
  PathSystem(const LocalDynamics& ldy, const ConeProgram& program);

  /// G at (v, τ), R and what `factorise` needs. Cost: one product with W.
  void evaluate(const Vectors& v, double tau);
  /// Of the last evaluation.
  [[nodiscard]] const Vectors& G() const noexcept { return G_; }
  [[nodiscard]] const Vectors& reaction() const noexcept { return R_; }

  /// Factors −∂G/∂v where G was evaluated last, and takes `slope` there. False where it is singular or memory ran out.
  /// Cost: one sparse LU, of the velocities where the graph knows its factor, else of all rows.
  [[nodiscard]] bool factorise();
  /// d of −∂G/∂v d = right, with the last factor. False where that is not finite.
  [[nodiscard]] bool solve(const Vectors& right, Vectors& d);
  /// dv/dτ along G = const, with the last factor.
  [[nodiscard]] const Vectors& slope() const noexcept { return slope_; }
  /// The sign of det(−∂G/∂v) of the last factor.
  [[nodiscard]] int orientation() const {
    return velocities_ ? velocities_->determinant_sign() : lu_.determinant_sign();
  }

  /// Of all products with W so far.
  [[nodiscard]] double block_products() const noexcept { return block_products_; }
  [[nodiscard]] double flops() const noexcept { return velocities_ ? velocities_->flops() : lu_.flops(); }
  /// Of the next factorisation: what the last one took, or for the first what counts tell.
  [[nodiscard]] double expected_seconds() const noexcept { return seconds_; }

 private:
  struct Block {
    int column;
    Eigen::Matrix3d W;
  };
  struct Derivatives {
    Eigen::Matrix3d reaction = Eigen::Matrix3d::Identity();  // ∂R/∂v
    Eigen::Matrix3d velocity = Eigen::Matrix3d::Zero();      // −∂(Û − s n)/∂v
    Eigen::Vector3d reaction_drift = Eigen::Vector3d::Zero(), velocity_drift = Eigen::Vector3d::Zero();  // ∂/∂τ
  };

  void list_blocks(const LocalDynamics& ldy);
  void lay_out();
  void fill();
  [[nodiscard]] bool factorise_rows();
  [[nodiscard]] bool eliminate_rows();
  [[nodiscard]] bool solve_in_rows(const Vectors& right, Vectors& d);
  [[nodiscard]] bool solve_in_velocities(const Vectors& right, Vectors& d);
  void multiply(const Vectors& R, Vectors& product);
  void differentiate(std::size_t row);

  const ConeProgram& program_;
  std::vector<std::size_t> start_;      // of the blocks of each row
  std::vector<Block> blocks_;           // by row, columns ascending
  std::vector<std::vector<int>> used_;  // components of each row that are unknowns
  Vectors T_, b_;
  Vectors v_, R_, G_, slope_, product_;
  std::vector<Derivatives> derivatives_;
  double tau_ = 0, a_ = 0;
  std::optional<VelocityElimination> velocities_;  // where the graph knows its factor, in place of the next two
  SparseRows matrix_;
  SparseLu lu_;
  std::vector<double> right_, left_;
  double seconds_ = 0, block_products_ = 0;
};

}  // namespace locdyn::detail
