// The saddle point on its multipliers alone, as the Schur complement of the mass: (G' G'ᵀ + δI) ν = γ' − G' f', with G'
// = ZᵀĜ the rows that are left when coordinates without mass are gone.

#include <stdexcept>

#include <locdyn/solver/saddle/saddle_factorisation.hpp>

namespace locdyn::detail {
namespace {

class DelassusForm final : public SaddleFactorisation {
 public:
  void factorise(const SaddleParts& parts) override {
    G_ = parts.massless.Z().transpose() * parts.scaled.G();
    SparseMatrix W = G_ * SparseMatrix(G_.transpose());
    SparseMatrix shift(W.rows(), W.cols());
    shift.setIdentity();
    W += parts.regularisation * shift;
    if (!factor_.factorise(W.triangularView<Eigen::Lower>())) {
      throw std::runtime_error("saddle point: expected G A^-1 G^T positive definite, found a pivot that is not");
    }
  }

  [[nodiscard]] ScaledSolution solve(const SaddleParts& parts, const Eigen::VectorXd& f, const Eigen::VectorXd& e,
                                     const Eigen::VectorXd& gamma) const override {
    const MasslessElimination& massless = parts.massless;
    ScaledSolution x;
    x.lambda = massless.carrying(e);
    const Eigen::VectorXd force = f + parts.scaled.G().transpose() * x.lambda;
    const Eigen::VectorXd nu = factor_.solve(massless.Z().transpose() * gamma - G_ * force);
    x.z = force + G_.transpose() * nu;
    x.lambda += massless.Z() * nu;
    x.s = massless.parameters(gamma - parts.scaled.G() * x.z);
    return x;
  }

  [[nodiscard]] long analyses() const noexcept override { return factor_.analyses(); }

 private:
  SparseMatrix G_;  // ZᵀĜ
  SymmetricFactor factor_;
};

}  // namespace

std::unique_ptr<SaddleFactorisation> make_delassus_form() {
  return std::make_unique<DelassusForm>();
}

}  // namespace locdyn::detail
