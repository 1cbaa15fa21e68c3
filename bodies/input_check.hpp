#pragma once
// Checks of what a caller hands in: one line that says what was expected and what was found.

#include <Eigen/Core>
#include <string>

namespace locdyn::detail {

/// The shortest spelling of a number that keeps six digits.
[[nodiscard]] std::string spelled(double value);

/// Each throws std::invalid_argument "<what>: expected …, found …".
void require_positive(double value, const char* what);
void require_finite(double value, const char* what);
/// Of numbers not all of which are finite: kept apart, so that the test of a few is inline.
void not_finite(const Eigen::Ref<const Eigen::MatrixXd>& values, const char* what);
template <class Numbers>
void require_finite(const Eigen::DenseBase<Numbers>& values, const char* what) {
  if (!values.allFinite()) [[unlikely]] {
    not_finite(values.derived(), what);
  }
}
/// A configuration of `size` finite numbers.
void require_configuration(const Eigen::Ref<const Eigen::VectorXd>& q, Eigen::Index size);
/// A finite, symmetric (to 1e-10 of its largest entry), positive definite matrix (3×3).
void require_positive_definite(const Eigen::Matrix3d& matrix, const char* what);

}  // namespace locdyn::detail
