// The saddle point by QR of G'ᵀ, G' = ZᵀĜ: z = Q₁ R₁₁⁻ᵀ γ' + Q₂ Q₂ᵀ f'. Q₂ is a basis of the motions left, orthonormal
// in the metric of the mass, so that the reduced matrix Q₂ᵀ A Q₂ is the identity.

#include <locdyn/solver/saddle/saddle_factorisation.hpp>

namespace locdyn::detail {
namespace {

class NullSpaceForm final : public SaddleFactorisation {
 public:
  void factorise(const SaddleParts& parts) override {
    // Where all coordinates have mass, the rank's QR is the one.
    shared_ = parts.scaled.without_mass() == 0 && parts.rank != nullptr;
    if (shared_) return;
    const SparseMatrix transposed = parts.scaled.G().transpose() * parts.massless.Z();
    own_.factorise(transposed, parts.rank_tolerance);
  }

  [[nodiscard]] ScaledSolution solve(const SaddleParts& parts, const Eigen::VectorXd& f, const Eigen::VectorXd& e,
                                     const Eigen::VectorXd& gamma) const override {
    const MasslessElimination& massless = parts.massless;
    const SparseQr& qr = shared_ ? parts.rank->qr() : own_;
    const Eigen::Index rank = qr.rank();
    ScaledSolution x;
    x.lambda = massless.carrying(e);
    const Eigen::VectorXd force = f + parts.scaled.G().transpose() * x.lambda;
    Eigen::VectorXd turned = qr.apply_transpose(force);
    const Eigen::VectorXd particular = qr.solve_upper_transpose(massless.Z().transpose() * gamma);
    x.lambda += massless.Z() * qr.solve_upper(particular - turned.head(rank));
    turned.head(rank) = particular;
    x.z = qr.apply(turned);
    x.s = massless.parameters(gamma - parts.scaled.G() * x.z);
    return x;
  }

  [[nodiscard]] long analyses() const noexcept override { return own_.analyses(); }

 private:
  SparseQr own_;
  bool shared_ = false;
};

}  // namespace

std::unique_ptr<SaddleFactorisation> make_null_space_form() {
  return std::make_unique<NullSpaceForm>();
}

}  // namespace locdyn::detail
