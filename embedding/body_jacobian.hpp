#pragma once
// What a contact sees of one body, as a view of the caller's numbers.

#include <Eigen/Core>

#include <locdyn/embedding/point_contact.hpp>

namespace locdyn {

/// What a contact sees of one body: H (3·blocks × n), the sign inside, U = Σ H u; rows (t1, t2, n) of each block of its
/// law. A view of numbers that lie column by column, and outlive the call that it is made for.
struct BodyJacobian {
  /// Of an Eigen matrix, such as Matrix<double, 3, 6>; not of a temporary one, which might end before the call.
  template <class Matrix>
  BodyJacobian(BodyIndex of, const Eigen::PlainObjectBase<Matrix>& matrix)
      : body(of), H(matrix.derived().data(), matrix.rows(), matrix.cols()) {
    static_assert(!Matrix::IsRowMajor, "H: expected a matrix that lies column by column");
  }
  template <class Matrix>
  BodyJacobian(BodyIndex of, const Eigen::PlainObjectBase<Matrix>&& matrix) = delete;
  /// Of an array of rows · columns numbers.
  BodyJacobian(BodyIndex of, const double* numbers, int rows, int columns) : body(of), H(numbers, rows, columns) {}

  BodyIndex body;                       ///< that moves
  Eigen::Map<const Eigen::MatrixXd> H;  ///< (3·blocks × n), a view: what it points to outlives the call
};

}  // namespace locdyn
