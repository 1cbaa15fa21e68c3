#include <locdyn/solver/interior/scaled_system.hpp>

#include <cmath>

namespace locdyn {
namespace {

constexpr int kPasses = 2;  // a solve and one refinement

}  // namespace

Eigen::Vector3d cone_scale(double friction) noexcept {
  if (friction == 0) return Eigen::Vector3d::Ones();
  const double root = std::sqrt(friction);
  return {1 / root, 1 / root, root};
}

ScaledSystem::ScaledSystem(const ConeProgram& program) : program_(program) {
  const std::size_t rows = program.rows().size();
  G_.assign(rows, Eigen::Matrix3d::Zero());
  V_ = G_;
  diagonal_.assign(rows, Eigen::Vector3d::Zero());
  step_ = product_ = diagonal_;
  right_.resize(static_cast<std::size_t>(program.unknowns()));
  left_.resize(right_.size());
  lay_out();
  factor_.analyse(matrix_);
}

// Column by column: the lower triangle of the diagonal block, then the blocks below it.
void ScaledSystem::lay_out() {
  const auto& rows = program_.rows();
  const auto& blocks = program_.blocks();
  matrix_.start.assign(1, 0);
  at_.resize(blocks.size());
  for (std::size_t first = 0; first < blocks.size();) {
    const ConeProgram::Row& column = rows[blocks[first].column];
    std::size_t end = first;
    while (end < blocks.size() && blocks[end].column == blocks[first].column) ++end;
    for (int k = 0; k < column.count; ++k) {
      for (std::size_t b = first; b < end; ++b) {
        const ConeProgram::Row& row = rows[blocks[b].row];
        if (k == 0) at_[b] = static_cast<int>(matrix_.row.size());
        for (int l = b == first ? k : 0; l < row.count; ++l) matrix_.row.push_back(row.first + l);
      }
      matrix_.start.push_back(static_cast<int>(matrix_.row.size()));
    }
    first = end;
  }
  matrix_.value.resize(matrix_.row.size());
}

void ScaledSystem::choose_axes(const std::vector<NesterovTodd>& scaling) {
  const auto& rows = program_.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ConeProgram::Row& row = rows[i];
    V_[i].setZero();
    if (row.contact && row.count > 1) {
      V_[i].leftCols(row.count) = scaling[i].axes().leftCols(row.count);
      diagonal_[i] = scaling[i].eigenvalues().cwiseAbs2().cwiseInverse();
    } else if (row.contact) {
      V_[i](2, 0) = 1;
      diagonal_[i][0] = 1 / (scaling[i].eigenvalues()[2] * scaling[i].eigenvalues()[2]);
    } else {
      int unknown = 0;
      for (int k = 0; k < 3; ++k) {
        if (row.in_use[k] == 0) continue;
        V_[i](k, unknown) = 1;
        diagonal_[i][unknown++] = row.stiffness[k];
      }
    }
    G_[i] = V_[i];
    if (row.contact) G_[i] = cone_scale(row.friction).cwiseInverse().asDiagonal() * V_[i];
  }
}

bool ScaledSystem::factorise(const std::vector<NesterovTodd>& scaling, double weight) {
  weight_ = weight;
  choose_axes(scaling);
  const auto& rows = program_.rows();
  const auto& blocks = program_.blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto& [alpha, beta, W] = blocks[b];
    const ConeProgram::Row& row = rows[alpha];
    const ConeProgram::Row& column = rows[beta];
    Eigen::Matrix3d K = G_[alpha].transpose() * W * G_[beta];
    if (alpha == beta) {
      K += weight * G_[alpha].transpose() * G_[alpha];
      K.diagonal() += diagonal_[alpha];
    }
    int at = at_[b];
    for (int k = 0; k < column.count; ++k) {
      const int from = alpha == beta ? k : 0;
      for (int l = from; l < row.count; ++l) matrix_.value[at + l - from] = K(l, k);
      const int unknown = column.first + k;
      // The block in the next column: one entry less of the diagonal block before it, or of itself.
      at += matrix_.start[unknown + 1] - matrix_.start[unknown] - (alpha == beta ? 0 : 1);
    }
  }
  return factor_.factorise(matrix_);
}

void ScaledSystem::solve(const std::vector<Eigen::Vector3d>& r, const std::vector<Eigen::Vector3d>& q,
                         std::vector<Eigen::Vector3d>& dR) {
  const auto& rows = program_.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Eigen::Vector3d right = G_[i].transpose() * r[i] + V_[i].transpose() * q[i];
    for (int k = 0; k < rows[i].count; ++k) right_[rows[i].first + k] = right[k];
    dR[i].setZero();
    step_[i].setZero();
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    // What is left of the right-hand side, from W itself.
    left_ = right_;
    if (pass > 0) {
      program_.multiply(dR, product_);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Eigen::Vector3d done =
            G_[i].transpose() * (product_[i] + weight_ * dR[i]) + diagonal_[i].cwiseProduct(step_[i]);
        for (int k = 0; k < rows[i].count; ++k) left_[rows[i].first + k] -= done[k];
      }
    }
    factor_.solve(left_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (int k = 0; k < rows[i].count; ++k) step_[i][k] += left_[rows[i].first + k];
      dR[i] = G_[i] * step_[i];
    }
  }
}

}  // namespace locdyn
