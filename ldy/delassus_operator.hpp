#pragma once
// The Delassus operator W as a product U = W R, so that a solver need not know how W is held: as the blocks of the
// graph, through H and block-diagonal A⁻¹ (assembly/body_delassus.hpp), or through a factored mass matrix
// (solver/global/global_delassus.hpp).

#include <Eigen/Core>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn::detail {

/// W of size 3m×3m for m rows. Vectors hold 3 numbers a row, (t1, t2, n), rows in sweep order.
class DelassusOperator {
 public:
  virtual ~DelassusOperator() = default;

  /// m: the number of 3×3 rows.
  [[nodiscard]] virtual std::size_t row_count() const noexcept = 0;

  /// U (3m) ← W R, R (3m); U and R must not overlap. One caller at a time: an operator may keep scratch space.
  /// Throws std::invalid_argument for wrong sizes. The same bits on any number of threads.
  virtual void apply(const Eigen::Ref<const Eigen::VectorXd>& R, Eigen::Ref<Eigen::VectorXd> U) = 0;

 protected:
  /// Throws std::invalid_argument unless R and U both have 3m numbers.
  void require_sizes(Eigen::Index R, Eigen::Index U) const;
};

/// W as the explicit blocks of a graph. Holds until the graph is changed symbolically or packed.
class GraphDelassus final : public DelassusOperator {
 public:
  /// The graph must outlive the operator. Cost: one pass over the rows. Throws std::invalid_argument for threads < 1.
  explicit GraphDelassus(const LocalDynamics& ldy, int threads = 1);

  [[nodiscard]] std::size_t row_count() const noexcept override { return sequence_.size(); }
  /// Cost: one block product for each block of the graph. Never allocates.
  void apply(const Eigen::Ref<const Eigen::VectorXd>& R, Eigen::Ref<Eigen::VectorXd> U) override;

 private:
  const LocalDynamics& ldy_;
  int threads_;
  std::vector<Index> sequence_;  // arena index of the i-th row in sweep order
  std::vector<Index> place_;     // its inverse, by arena index
};

}  // namespace locdyn::detail
