#pragma once
// The equations of accelerations.hpp solved over and over along a motion.

#include <vector>

#include <locdyn/mechanism/smooth/accelerations.hpp>
#include <locdyn/solver/saddle/saddle_system.hpp>

namespace locdyn::detail {

/// Accelerations of a mechanism over and over: what it learns of a rank in one place tells a singular one in the next.
class Accelerations {
 public:
  /// The mechanism must outlive it.
  explicit Accelerations(Mechanism& mechanism) : mechanism_(mechanism), A_(inertia(mechanism)) {}

  /// Where the bodies are, for their velocities, which should meet the rows, and the time that holds. Throws
  /// std::invalid_argument as `Mechanism::evaluate`, `Mechanism::bias` and `smooth_forces` do. Cost: one sparse QR and
  /// one factorisation.
  [[nodiscard]] AccelerationReport solve(const AppliedLoads& loads);

  /// Rows that repeat no others, ascending, where it was solved last.
  [[nodiscard]] std::vector<Eigen::Index> independent() const;

 private:
  void describe_rank(AccelerationReport& report);

  Mechanism& mechanism_;
  SparseMatrix A_;
  SaddleSystem system_;
  std::vector<Eigen::Index> usual_;  // rows redundant in the best position so far
};

}  // namespace locdyn::detail
