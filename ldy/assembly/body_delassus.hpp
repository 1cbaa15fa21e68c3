#pragma once
// W without its blocks: U = H (h A⁻¹ Σ Hᵀ R), through the velocity changes of the bodies. The product costs O(1) a row
// whatever its neighbours, where the explicit blocks cost one product a neighbour.

#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/delassus_operator.hpp>

namespace locdyn::detail {

/// Holds until the graph changes or the assembly is updated; built from the kinematics of its last `update`.
class BodyDelassus final : public DelassusOperator {
 public:
  /// The assembly must outlive the operator. Throws std::invalid_argument for threads < 1, std::logic_error where the
  /// graph has changed since the last `update`. Cost: one pass over rows and bodies.
  explicit BodyDelassus(const Assembly& assembly, int threads = 1);

  [[nodiscard]] std::size_t row_count() const noexcept override { return sequence_.size(); }
  /// Cost: 18 n products for each body of each constraint. Never allocates.
  void apply(const Eigen::Ref<const Eigen::VectorXd>& R, Eigen::Ref<Eigen::VectorXd> U) override;

 private:
  const Kinematics& kinematics_;
  int threads_;
  std::vector<Index> sequence_;  // arena index of the i-th row in sweep order
  std::vector<Index> place_;     // its inverse, by arena index
  Eigen::VectorXd change_;       // of the velocities of all bodies
};

}  // namespace locdyn::detail
