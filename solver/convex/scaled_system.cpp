#include <locdyn/solver/convex/scaled_system.hpp>

#include <cmath>

namespace locdyn::detail {
namespace {

constexpr int kPasses = 2;  // a solve and one refinement

}  // namespace

Eigen::Vector3d cone_scale(double friction) noexcept {
  if (friction == 0) return Eigen::Vector3d::Ones();
  const double root = std::sqrt(friction);
  return {1 / root, 1 / root, root};
}

ScaledSystem::ScaledSystem(const ConeProgram& program) : program_(program), triangle_(program) {
  const std::size_t rows = program.rows().size();
  G_.assign(rows, Eigen::Matrix3d::Zero());
  V_ = G_;
  diagonal_.assign(rows, Eigen::Vector3d::Zero());
  step_ = product_ = diagonal_;
  right_.resize(static_cast<std::size_t>(program.unknowns()));
  left_.resize(right_.size());
  factor_.analyse(triangle_.matrix());
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
  const auto& blocks = program_.blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto& [alpha, beta, W] = blocks[b];
    Eigen::Matrix3d K = G_[alpha].transpose() * W * G_[beta];
    if (alpha == beta) {
      K += weight * G_[alpha].transpose() * G_[alpha];
      K.diagonal() += diagonal_[alpha];
    }
    triangle_.put(b, K);
  }
  return factor_.factorise(triangle_.matrix());
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

}  // namespace locdyn::detail
