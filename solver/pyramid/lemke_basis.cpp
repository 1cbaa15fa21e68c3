#include <locdyn/solver/pyramid/lemke_basis.hpp>

#include <Eigen/LU>
#include <cmath>

namespace locdyn::detail {

LemkeBasis::LemkeBasis(const PyramidProblem& problem, const Eigen::VectorXd& cover, int row)
    : problem_(problem),
      cover_(cover),
      rows_{row},
      columns_{kArtificial},
      row_place_(problem.size(), -1),
      column_place_(problem.size(), -1),
      inverse_(Eigen::MatrixXd::Constant(1, 1, 1 / cover[row])) {
  row_place_[row] = 0;
}

void LemkeBasis::solve(const Eigen::VectorXd& right, Eigen::VectorXd& solution) const {
  solution.noalias() = inverse_ * right;
}

void LemkeBasis::entering_column(int s, Eigen::VectorXd& column) const {
  column.resize(static_cast<Eigen::Index>(rows_.size()));
  for (std::size_t i = 0; i < rows_.size(); ++i) column[static_cast<Eigen::Index>(i)] = problem_.entry(rows_[i], s);
}

Eigen::RowVectorXd LemkeBasis::row_times_inverse(int row) const {
  Eigen::RowVectorXd c(columns_.size());
  for (std::size_t j = 0; j < columns_.size(); ++j) c[static_cast<Eigen::Index>(j)] = entry(row, columns_[j]);
  return c * inverse_;
}

void LemkeBasis::set_column(int place, int column) {
  columns_[place] = column;
  (column == kArtificial ? artificial_place_ : column_place_[column]) = place;
}

void LemkeBasis::set_row(int place, int row) {
  rows_[place] = row;
  row_place_[row] = place;
}

// Column p of C becomes a: row p of C⁻¹ is divided by y_p, and taken y_j times from each other row j.
bool LemkeBasis::replace_column(int leaving_z, int entering_z, const Eigen::VectorXd& y) {
  const int p = column_place_[leaving_z];
  if (y[p] == 0) return false;
  const Eigen::RowVectorXd pivot_row = inverse_.row(p) / y[p];
  inverse_.noalias() -= y * pivot_row;
  inverse_.row(p) = pivot_row;
  column_place_[leaving_z] = -1;
  set_column(p, entering_z);
  flops_ += 2.0 * static_cast<double>(inverse_.size());
  return true;
}

// Row p of C becomes c: with v = c C⁻¹, column p of C⁻¹ is divided by v_p, and taken v_i times from each other column.
bool LemkeBasis::replace_row(int entering_w, int leaving_w) {
  const int p = row_place_[entering_w];
  const Eigen::RowVectorXd v = row_times_inverse(leaving_w);
  if (v[p] == 0) return false;
  const Eigen::VectorXd pivot_column = inverse_.col(p) / v[p];
  inverse_.noalias() -= pivot_column * v;
  inverse_.col(p) = pivot_column;
  row_place_[entering_w] = -1;
  set_row(p, leaving_w);
  flops_ += 4.0 * static_cast<double>(inverse_.size());
  return true;
}

// C becomes [C a; c m]: with v = c C⁻¹ and S = m − c y, C⁻¹ becomes [C⁻¹ + y v / S, −y / S; −v / S, 1 / S].
bool LemkeBasis::border(int entering_z, int leaving_w, const Eigen::VectorXd& y) {
  const Eigen::RowVectorXd v = row_times_inverse(leaving_w);
  double schur = problem_.entry(leaving_w, entering_z);
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    schur -= entry(leaving_w, columns_[j]) * y[static_cast<Eigen::Index>(j)];
  }
  if (schur == 0) return false;
  const Eigen::Index m = inverse_.rows();
  inverse_.noalias() += (y / schur) * v;
  inverse_.conservativeResize(m + 1, m + 1);
  inverse_.col(m).head(m) = -y / schur;
  inverse_.row(m).head(m) = -v / schur;
  inverse_(m, m) = 1 / schur;
  columns_.push_back(entering_z);
  rows_.push_back(leaving_w);
  set_column(static_cast<int>(m), entering_z);
  set_row(static_cast<int>(m), leaving_w);
  flops_ += 4.0 * static_cast<double>(inverse_.size());
  return true;
}

// The inverse of border: with the pivot P = (C⁻¹)_pr, the rest of C⁻¹ loses column r times row p over P.
bool LemkeBasis::shrink(int entering_w, int leaving_z) {
  const int r = row_place_[entering_w];
  const int p = column_place_[leaving_z];
  const double pivot = inverse_(p, r);
  if (pivot == 0) return false;
  const Eigen::VectorXd column = inverse_.col(r) / pivot;
  const Eigen::RowVectorXd row = inverse_.row(p);
  inverse_.noalias() -= column * row;

  // The last place moves into the one left free.
  const auto last = static_cast<int>(rows_.size()) - 1;
  column_place_[leaving_z] = -1;
  row_place_[entering_w] = -1;
  if (p != last) {
    inverse_.row(p) = inverse_.row(last);
    set_column(p, columns_[last]);
  }
  if (r != last) {
    inverse_.col(r) = inverse_.col(last);
    set_row(r, rows_[last]);
  }
  columns_.pop_back();
  rows_.pop_back();
  inverse_.conservativeResize(last, last);
  flops_ += 2.0 * static_cast<double>(inverse_.size());
  return true;
}

bool LemkeBasis::factor() {
  const auto m = static_cast<Eigen::Index>(rows_.size());
  Eigen::MatrixXd C(m, m);
  for (Eigen::Index j = 0; j < m; ++j) {
    for (Eigen::Index i = 0; i < m; ++i) C(i, j) = entry(rows_[i], columns_[j]);
  }
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(C);
  const auto n = static_cast<double>(m);
  flops_ += 8.0 / 3.0 * n * n * n;
  const Eigen::VectorXd pivots = lu.matrixLU().diagonal().cwiseAbs();
  if (!(pivots.minCoeff() > 0)) return false;
  inverse_ = lu.inverse();
  return inverse_.allFinite();
}

}  // namespace locdyn::detail
