#pragma once
// The registry of laws that a constraint of the graph can follow: a new law is a new file in laws/ and one more
// alternative here. A law says what (U, R) must satisfy; the solvers know how to satisfy it.

#include <span>
#include <variant>

#include <locdyn/ldy/laws/bilateral_law.hpp>
#include <locdyn/ldy/laws/contact_law.hpp>
#include <locdyn/ldy/laws/elliptic_law.hpp>
#include <locdyn/ldy/laws/rolling_law.hpp>

namespace locdyn {

using Law = std::variant<ContactLaw, BilateralLaw, EllipticLaw, RollingLaw>;

/// The most 3×3 diagonal blocks that one law spans.
inline constexpr int kMaxLawBlocks = 2;

[[nodiscard]] inline int block_count(const Law& law) {
  return std::visit([](const auto& l) { return l.blocks(); }, law);
}
[[nodiscard]] inline RowMask rows(const Law& law, int block) {
  return std::visit([block](const auto& l) { return l.rows(block); }, law);
}
[[nodiscard]] inline Eigen::Vector3d offset(const Law& law, int block) {
  return std::visit([block](const auto& l) { return l.offset(block); }, law);
}
inline void dual_velocity(const Law& law, std::span<const Eigen::Vector3d> U, std::span<const Eigen::Vector3d> R,
                          std::span<Eigen::Vector3d> U_hat) {
  std::visit([&](const auto& l) { l.dual_velocity(U, R, U_hat); }, law);
}
inline void project(const Law& law, std::span<Eigen::Vector3d> z) {
  std::visit([&](const auto& l) { l.project(z); }, law);
}
/// Does the first block hold a unilateral contact, R_n ≥ 0 with n its third row?
[[nodiscard]] inline bool is_contact(const Law& law) {
  return !std::holds_alternative<BilateralLaw>(law);
}
/// How far R lies outside the cone of a contact [N]; 0 for what is bilateral.
[[nodiscard]] inline double cone_violation(const Law& law, std::span<const Eigen::Vector3d> R) {
  return std::visit(
      [&](const auto& l) {
        if constexpr (requires { l.violation(R); }) {
          return l.violation(R);
        } else {
          return 0.0;
        }
      },
      law);
}
/// What a law is called in messages.
[[nodiscard]] inline const char* law_name(const Law& law) {
  constexpr const char* kNames[] = {"a contact", "a bilateral law", "a contact with elliptic friction",
                                    "a contact with rolling friction"};
  return kNames[law.index()];
}
/// Bilateral, and no row gives way.
[[nodiscard]] inline bool is_hard(const Law& law) {
  const auto* bilateral = std::get_if<BilateralLaw>(&law);
  if (bilateral == nullptr) return false;
  for (int k = 0; k < bilateral->blocks(); ++k) {
    if (bilateral->block[k].compliance.maxCoeff() > 0) return false;
  }
  return true;
}
inline void validate(const Law& law) {
  std::visit([](const auto& l) { l.validate(); }, law);
}

}  // namespace locdyn
