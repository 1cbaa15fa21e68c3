#include <locdyn/solver/pyramid/pyramid_problem.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include <locdyn/ldy/residual.hpp>

namespace locdyn::detail {
namespace {

// A largest set of rows of K, with diagonals of one, that is independent to 1e-12: in order. A plain Cholesky factor
// where all are; else the pivots of LDLᵀ say which.
std::vector<Eigen::Index> independent_rows(const Eigen::MatrixXd& K) {
  constexpr double kDependent = 1e-12;
  const Eigen::MatrixXd symmetric = 0.5 * (K + K.transpose());
  std::vector<Eigen::Index> rows(K.rows());
  for (Eigen::Index i = 0; i < K.rows(); ++i) rows[i] = i;

  const Eigen::LLT<Eigen::MatrixXd> cholesky(symmetric);
  if (cholesky.info() == Eigen::Success) {
    const Eigen::VectorXd diagonal = cholesky.matrixLLT().diagonal();
    if (diagonal.size() == 0 || diagonal.minCoeff() > std::sqrt(kDependent)) return rows;
  }
  const Eigen::LDLT<Eigen::MatrixXd> factor(symmetric);
  Eigen::VectorXi order(K.rows());
  for (Eigen::Index i = 0; i < K.rows(); ++i) order[i] = static_cast<int>(i);
  order = factor.transpositionsP() * order;
  const Eigen::VectorXd pivots = factor.vectorD();
  rows.clear();
  for (Eigen::Index i = 0; i < K.rows() && pivots[i] > kDependent; ++i) rows.push_back(order[i]);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

Eigen::Index PyramidProblem::count_rows(const LocalDynamics& ldy, const std::vector<ConstraintId>& island) {
  Eigen::Index count = 0;
  for (ConstraintId id : island) {
    const Law& law = ldy.law(id);
    if (is_contact(law) && friction_discs(law).sliding[0] == 0) {
      count += 1;
    } else {
      for (int k = 0; k < block_count(law); ++k) count += locdyn::rows_in_use(rows(law, k));
    }
  }
  return count;
}

PyramidProblem::PyramidProblem(LocalDynamics& ldy, const std::vector<ConstraintId>& island,
                               const FrictionPyramid& pyramid)
    : pyramid_(pyramid) {
  for (ConstraintId id : island) {
    const Law& law = ldy.law(id);
    const DiagonalBlock& block = ldy.row(id);
    const auto row = static_cast<Index>(&block - ldy.diagonal_arena().data());
    is_contact(law) ? list_contact(row, law, block) : list_bilateral(row, law, &block);
  }
  Eigen::MatrixXd W;
  fill(ldy, W);
  eliminate(W);
  fill_q();
}

void PyramidProblem::list_contact(Index row, const Law& law, const DiagonalBlock& block) {
  const double friction = friction_discs(law).sliding[0];
  const bool planar = locdyn::rows(law, 0) == kRowsPlanar;
  Contact contact{};
  contact.row = row;
  contact.first = static_cast<int>(contact_b_.size());
  contact.tangents = friction == 0 ? 0 : planar ? 1 : 2;
  contact.variable = size();
  contact.directions = contact.tangents == 0 ? 0 : planar ? 2 : pyramid_.facets();
  contact.friction = friction;
  contact.scale = std::sqrt(row_scale(block.W, locdyn::rows(law, 0)));
  const Eigen::Vector3d b = block.B + offset(law, 0);
  for (int axis = 0; axis < contact.tangents; ++axis) contact_b_.push_back(contact.scale * b[axis]);
  contact_b_.push_back(contact.scale * b[2]);
  contact_scale_.resize(contact_b_.size(), contact.scale);

  const int index = static_cast<int>(contacts_.size());
  variables_.push_back({Variable::normal, index, Eigen::Vector2d::Zero()});
  for (int j = 0; j < contact.directions; ++j) {
    const Eigen::Vector2d d = planar ? Eigen::Vector2d(j == 0 ? 1 : -1, 0) : pyramid_.direction(j);
    variables_.push_back({Variable::facet, index, d});
  }
  if (contact.directions > 0) variables_.push_back({Variable::slip, index, Eigen::Vector2d::Zero()});
  contacts_.push_back(contact);
}

void PyramidProblem::list_bilateral(Index row, const Law& law, const DiagonalBlock* block) {
  for (int k = 0; k < block_count(law); ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      if (!uses(locdyn::rows(law, k), axis)) continue;
      bilateral_.push_back({row + static_cast<Index>(k), axis});
      bilateral_b_.push_back(block[k].B[axis] + offset(law, k)[axis]);
      compliance_.push_back(compliance(law, k)[axis]);
    }
  }
}

// All the island's rows, the contacts' first, with the contacts' scale.
void PyramidProblem::fill(const LocalDynamics& ldy, Eigen::MatrixXd& W) const {
  const auto contact_rows = static_cast<int>(contact_b_.size());
  std::unordered_map<Index, std::array<int, 3>> place;  // of each scalar row in W, −1 where it is not used
  for (const Contact& c : contacts_) {
    place[c.row] = {c.tangents > 0 ? c.first : -1, c.tangents > 1 ? c.first + 1 : -1, c.normal()};
  }
  for (std::size_t i = 0; i < bilateral_.size(); ++i) {
    const auto at = place.try_emplace(bilateral_[i].row, std::array<int, 3>{-1, -1, -1}).first;
    at->second[bilateral_[i].axis] = contact_rows + static_cast<int>(i);
  }

  const auto rows = static_cast<Eigen::Index>(contact_b_.size() + bilateral_.size());
  W.setZero(rows, rows);
  const auto add = [&](const std::array<int, 3>& to, const std::array<int, 3>& from, const Eigen::Matrix3d& block) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (to[i] >= 0 && from[j] >= 0) W(to[i], from[j]) = block(i, j);
      }
    }
  };
  for (const auto& [row, to] : place) {
    const DiagonalBlock& diagonal = ldy.diagonal_arena()[row];
    add(to, to, diagonal.W);
    for (const OffDiagonalBlock& block : ldy.adjacent(diagonal)) {
      const auto from = place.find(block.other);
      if (from != place.end()) add(to, from->second, block.W);
    }
  }
  const Eigen::Map<const Eigen::VectorXd> scale(contact_scale_.data(), contact_rows);
  W.topRows(contact_rows).array().colwise() *= scale.array();
  W.leftCols(contact_rows).array().rowwise() *= scale.transpose().array();
}

void PyramidProblem::eliminate(const Eigen::MatrixXd& W) {
  const auto nc = static_cast<Eigen::Index>(contact_b_.size());
  const auto nb = static_cast<Eigen::Index>(bilateral_.size());
  W_ = W.topLeftCorner(nc, nc);
  b_ = Eigen::Map<const Eigen::VectorXd>(contact_b_.data(), nc);
  bilateral_free_.setZero(nb);
  bilateral_by_R_.setZero(nb, nc);
  if (nb == 0) return;

  // K = t (W_bb + C) t with diagonals of one.
  Eigen::MatrixXd K = W.bottomRightCorner(nb, nb);
  K.diagonal() += Eigen::Map<const Eigen::VectorXd>(compliance_.data(), nb);
  const Eigen::VectorXd t = K.diagonal().unaryExpr([](double w) { return w > 0 ? 1 / std::sqrt(w) : 0.0; });
  K = t.asDiagonal() * K * t.asDiagonal();
  const std::vector<Eigen::Index> rows = independent_rows(K);
  if (rows.empty()) return;

  // R_b = −t K⁻¹ t (b_b + W_bc R') over the independent rows, one step of refinement.
  const Eigen::VectorXd t_rows = t(rows);
  const Eigen::MatrixXd K_rows = K(rows, rows);
  Eigen::MatrixXd right(rows.size(), nc + 1);
  right.leftCols(nc) = W.bottomLeftCorner(nb, nc)(rows, Eigen::all);
  right.col(nc) = Eigen::Map<const Eigen::VectorXd>(bilateral_b_.data(), nb)(rows);
  right = t_rows.asDiagonal() * right;
  const Eigen::PartialPivLU<Eigen::MatrixXd> factor(K_rows);
  Eigen::MatrixXd solution = factor.solve(right);
  solution += factor.solve(right - K_rows * solution);
  solution = -(t_rows.asDiagonal() * solution);
  bilateral_by_R_(rows, Eigen::all) = solution.leftCols(nc);
  bilateral_free_(rows) = solution.col(nc);

  const Eigen::MatrixXd W_cb = W.topRightCorner(nc, nb);
  W_.noalias() += W_cb * bilateral_by_R_;
  b_.noalias() += W_cb * bilateral_free_;
  const auto n = static_cast<double>(rows.size());
  flops_ += n * n * n + 6 * n * n * static_cast<double>(nc + 1) + 2 * n * static_cast<double>(nc * nc);
}

void PyramidProblem::fill_q() {
  magnitude_ = b_.size() > 0 ? b_.cwiseAbs().maxCoeff() : 0;
  if (!(magnitude_ > 0)) magnitude_ = 1;
  b_ /= magnitude_;
  q_.setZero(size());
  for (int i = 0; i < size(); ++i) {
    const Contact& contact = contacts_[variables_[i].contact];
    if (variables_[i].kind == Variable::normal) q_[i] = b_[contact.normal()];
    if (variables_[i].kind == Variable::facet) {
      q_[i] = variables_[i].direction.head(contact.tangents).dot(b_.segment(contact.first, contact.tangents));
    }
  }
  W_sparse_ = W_.sparseView(0.0, 0.0);
  R_.setZero(b_.size());
  U_.setZero(b_.size());
}

double PyramidProblem::entry(int i, int j) const noexcept {
  const Variable& row = variables_[i];
  const Variable& column = variables_[j];
  const Contact& a = contacts_[row.contact];
  const Contact& b = contacts_[column.contact];
  if (row.kind == Variable::slip || column.kind == Variable::slip) {
    if (row.contact != column.contact || row.kind == column.kind) return 0;
    if (row.kind == Variable::facet) return 1;
    if (column.kind == Variable::facet) return -1;
    return row.kind == Variable::slip ? a.friction : 0;
  }
  const auto along = [&](int r) {  // row r of W' times the column's direction
    if (column.kind == Variable::normal) return W_(r, b.normal());
    double product = W_(r, b.first) * column.direction[0];
    if (b.tangents == 2) product += W_(r, b.first + 1) * column.direction[1];
    return product;
  };
  if (row.kind == Variable::normal) return along(a.normal());
  double product = row.direction[0] * along(a.first);
  if (a.tangents == 2) product += row.direction[1] * along(a.first + 1);
  return product;
}

void PyramidProblem::reactions(const Eigen::VectorXd& z) {
  for (const Contact& c : contacts_) {
    R_[c.normal()] = z[c.variable];
    for (int axis = 0; axis < c.tangents; ++axis) R_[c.first + axis] = 0;
    for (int j = 1; j <= c.directions; ++j) {
      const double beta = z[c.variable + j];
      if (beta == 0) continue;
      for (int axis = 0; axis < c.tangents; ++axis) {
        R_[c.first + axis] += beta * variables_[c.variable + j].direction[axis];
      }
    }
  }
}

void PyramidProblem::multiply(const Eigen::VectorXd& z, Eigen::VectorXd& w) {
  reactions(z);
  U_.noalias() = W_sparse_ * R_;
  w.resize(size());
  for (const Contact& c : contacts_) {
    w[c.variable] = U_[c.normal()];
    if (c.directions == 0) continue;
    const int slip = c.variable + c.directions + 1;
    double sum = 0;
    for (int j = 1; j <= c.directions; ++j) {
      const Variable& v = variables_[c.variable + j];
      double along = v.direction[0] * U_[c.first];
      if (c.tangents == 2) along += v.direction[1] * U_[c.first + 1];
      w[c.variable + j] = along + z[slip];
      sum += z[c.variable + j];
    }
    w[slip] = c.friction * z[c.variable] - sum;
  }
}

void PyramidProblem::write(const Eigen::VectorXd& z, LocalDynamics& ldy) {
  reactions(z);
  R_ *= magnitude_;
  for (const Contact& c : contacts_) {
    Eigen::Vector3d& R = ldy.diagonal_arena()[c.row].R;
    R.setZero();
    for (int axis = 0; axis < c.tangents; ++axis) R[axis] = c.scale * R_[c.first + axis];
    R[2] = c.scale * R_[c.normal()];
  }
  const Eigen::VectorXd R_b = bilateral_free_ + bilateral_by_R_ * R_;
  for (std::size_t i = 0; i < bilateral_.size(); ++i) {
    ldy.diagonal_arena()[bilateral_[i].row].R[bilateral_[i].axis] = R_b[static_cast<Eigen::Index>(i)];
  }
}

}  // namespace locdyn::detail
