#pragma once
// How all rows of a Newton step answer to reactions q on few of them, in the matrix M of its linear system: with the
// change of velocities y = M⁻¹ Σ H_bᵀ q_b a pressed row steps by −K H y more, K as in the step, and those few by q_b
// beside that.

#include <Eigen/Core>
#include <span>

#include <locdyn/ldy/arena.hpp>
#include <locdyn/solver/newton/newton_system.hpp>

namespace locdyn::detail {

/// Rows that may be asked for together. Steps of twelve scenes at 1e-8, each from the same state: 4, 8 and 12
/// take 1.00, 0.99 and 1.02 of the time.
inline constexpr int kMostFewRows = 6;
/// Three equations each; nothing is allocated.
using FewRowsMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3 * kMostFewRows, 3 * kMostFewRows>;
using FewRowsVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3 * kMostFewRows, 1>;

class RowResponses {
 public:
  virtual ~RowResponses() = default;

  /// The blocks Z_bc = H_b M⁻¹ H_cᵀ of `few` rows, by place in the arena, at most kMostFewRows. What rows at the
  /// beginning of the last list asked since the last step are still there is not found again. False where the last
  /// step's factor has no such answer. Cost: for each new row half of a solve of six columns, on its bodies' paths.
  [[nodiscard]] virtual bool find_responses(std::span<const Index> few, FewRowsMatrix& Z) = 0;
  /// K (3×3) of a row in the last step; 0 where that is open.
  [[nodiscard]] virtual Eigen::Matrix3d yield(const LinearisedRow& row, Index place) const = 0;
  /// q (3 a row) on the few of the last `find_responses`: what that adds to each row's dR and to W dR, by place. Cost:
  /// half of a solve.
  virtual void respond(std::span<const LinearisedRow> rows, const FewRowsVector& q, std::span<Eigen::Vector3d> step,
                       std::span<Eigen::Vector3d> motion) = 0;
};

}  // namespace locdyn::detail
