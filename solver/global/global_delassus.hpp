#pragma once
// W of a global problem without its blocks: U = Hᵀ K H R through the factors of M and G. On a mesh W is dense, and the
// product costs one solve instead of a block for every pair of contacts.

#include <locdyn/ldy/delassus_operator.hpp>
#include <locdyn/solver/global/global_condensation.hpp>

namespace locdyn::detail {

class GlobalDelassus final : public DelassusOperator {
 public:
  /// `ldy` is the graph of `condensed`, wherever it was moved to; vectors are in its order and its scaled moments.
  /// `condensed` outlives the operator. Throws std::invalid_argument where their rows differ in number.
  GlobalDelassus(const GlobalCondensation& condensed, const LocalDynamics& ldy);

  [[nodiscard]] std::size_t row_count() const noexcept override { return place_.size(); }
  /// Cost: a solve with the factors for each component. Allocates.
  void apply(const Eigen::Ref<const Eigen::VectorXd>& R, Eigen::Ref<Eigen::VectorXd> U) override;

 private:
  const GlobalCondensation& condensed_;
  std::vector<Eigen::Index> place_;  // of the i-th row in sweep order: its block in the problem
  std::vector<double> length_;       // ℓ of a moment row, else 1
  Eigen::VectorXd r_;
};

}  // namespace locdyn::detail
