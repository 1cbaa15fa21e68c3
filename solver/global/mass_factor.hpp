#pragma once
// M of one connected component, factored: dense Cholesky of a rigid body, sparse LDLᵀ of a mesh, dense or sparse LU
// where M is not symmetric positive definite. M is brought to a unit diagonal first, so that no decision depends on a
// unit of mass, and each solve is refined once against M.

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <memory>

#include <locdyn/solver/newton/sparse_lu.hpp>
#include <locdyn/solver/saddle/symmetric_factor.hpp>

namespace locdyn::detail {

class MassFactor {
 public:
  /// M (n×n, compressed). False where M is singular to working precision: no factor refuses all of those by itself, so
  /// that a solve for a known load has to tell. Cost: n³ operations up to 64 unknowns, a sparse factorisation beyond.
  [[nodiscard]] bool factorise(SparseMatrix M);

  /// M⁻¹ F, F (n×k). The last `factorise` returned true.
  [[nodiscard]] Eigen::MatrixXd solve(const Eigen::Ref<const Eigen::MatrixXd>& F) const;

  [[nodiscard]] const SparseMatrix& matrix() const noexcept { return M_; }
  /// |M − Mᵀ| is rounding.
  [[nodiscard]] bool symmetric() const noexcept { return symmetric_; }
  /// Factored by dense Cholesky.
  [[nodiscard]] bool dense_definite() const noexcept { return kind_ == Kind::cholesky; }

 private:
  enum class Kind { none, cholesky, lu, sparse_symmetric, sparse_lu };

  [[nodiscard]] bool factorise_dense(const SparseMatrix& scaled);
  [[nodiscard]] bool factorise_sparse(const SparseMatrix& scaled);
  [[nodiscard]] bool solves_a_known_load() const;
  [[nodiscard]] Eigen::MatrixXd solve_once(const Eigen::MatrixXd& F) const;

  SparseMatrix M_;
  Eigen::VectorXd scale_;  // D: D M D has a unit diagonal
  bool symmetric_ = false;
  Kind kind_ = Kind::none;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  std::unique_ptr<SymmetricFactor> sparse_symmetric_;
  std::unique_ptr<SparseLu> sparse_lu_;
  SparseRows rows_;  // what the sparse LU refines against
};

}  // namespace locdyn::detail
