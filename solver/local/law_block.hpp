#pragma once
// The registry of one-constraint solves: which block a law prepares for its W. A new law is one more line here.

#include <span>
#include <type_traits>
#include <variant>

#include <locdyn/ldy/law.hpp>
#include <locdyn/solver/local/bilateral_block.hpp>
#include <locdyn/solver/local/bounded_block.hpp>
#include <locdyn/solver/local/contact_block.hpp>
#include <locdyn/solver/local/elliptic_block.hpp>
#include <locdyn/solver/local/planar_block.hpp>
#include <locdyn/solver/local/rolling_block.hpp>

namespace locdyn::detail {

/// Each takes b (σ included) and the warm start in R, one vector a block of the law, and leaves the solution in R.
using LawBlock = std::variant<ContactBlock, PlanarBlock, EllipticBlock, BilateralBlock, RollingBlock, BoundedBlock>;

inline LawBlock block_of(const ContactLaw& law, const Eigen::MatrixXd& W) {
  if (law.planar) return PlanarBlock(W, law.friction);
  return ContactBlock(W, law.friction);
}
inline LawBlock block_of(const BilateralLaw& law, const Eigen::MatrixXd& W) {
  return BilateralBlock(law, W);
}
inline LawBlock block_of(const BoundedLaw& law, const Eigen::MatrixXd& W) {
  return BoundedBlock(law, W);
}
inline LawBlock block_of(const EllipticLaw& law, const Eigen::MatrixXd& W) {
  return EllipticBlock(law, W);
}
inline LawBlock block_of(const RollingLaw& law, const Eigen::MatrixXd& W) {
  return RollingBlock(law, W);
}
inline LawBlock block_of(const CompliantLaw& law, const Eigen::MatrixXd& W) {
  return block_of(ContactLaw{.friction = law.friction, .planar = law.planar},
                  W + Eigen::MatrixXd(law.give.asDiagonal()));
}

/// The law prepared for W (3k×3k, k blocks) [velocity/force].
[[nodiscard]] inline LawBlock law_block(const Law& law, const Eigen::MatrixXd& W) {
  return std::visit([&](const auto& l) { return block_of(l, W); }, law);
}

/// The block of a law of which `is_coulomb` holds in all three rows, W (3×3): compliance adds to W.
[[nodiscard]] inline ContactBlock coulomb_block(const Law& law, const Eigen::Matrix3d& W) {
  const double friction = friction_discs(law).sliding[0];
  if (!gives_way(law)) return {W, friction};
  return {W + Eigen::Matrix3d(compliance(law, 0).asDiagonal()), friction};
}

/// R from b and the warm start that R holds. Returns what a search for it took, in products of a block of W: 0 where
/// the solve costs about as much as a product with a few neighbours, which whoever counts visits knows already.
inline long solve(const LawBlock& block, std::span<const Eigen::Vector3d> b, std::span<Eigen::Vector3d> R) {
  return std::visit(
      [&](const auto& one) -> long {
        if constexpr (std::is_void_v<decltype(one.solve(b, R))>) {
          one.solve(b, R);
          return 0;
        } else {
          return one.solve(b, R);
        }
      },
      block);
}

}  // namespace locdyn::detail
