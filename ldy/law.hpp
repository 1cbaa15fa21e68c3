#pragma once
// The registry of laws that a constraint of the graph can follow. A law is one file in laws/ that supplies
//
//   kName, kContact                      what it is called in messages; is its first block's third row unilateral?
//   blocks(), rows(k), offset(k)         its 3×3 blocks, the rows in use and what is added to B, σ
//   dual_velocity(U, R, Û), project(z)   what (U, R) must satisfy: K ∋ R ⟂ Û ∈ K*; the judge needs nothing else
//   validate()                           the range of its numbers
//   displacement(errors, normal)         the law of the displacements that close its gap after a step
//
// contacts also violation(R), and discs() where K is the cone of such, what gives way compliance(k) and no
// displacement, joints with bounded reactions bounded_rows(k). Solvers read the functions below and never ask which law
// it is; how one constraint is solved is said in solver/local/law_block.hpp.

#include <span>
#include <variant>

#include <locdyn/ldy/laws/bilateral_law.hpp>
#include <locdyn/ldy/laws/bounded_law.hpp>
#include <locdyn/ldy/laws/compliant_law.hpp>
#include <locdyn/ldy/laws/contact_law.hpp>
#include <locdyn/ldy/laws/elliptic_law.hpp>
#include <locdyn/ldy/laws/rolling_law.hpp>

namespace locdyn {

/// Any law: one alternative for each file in laws/.
using Law = std::variant<ContactLaw, BilateralLaw, EllipticLaw, RollingLaw, CompliantLaw, BoundedLaw>;

/// The most 3×3 diagonal blocks that one law spans.
inline constexpr int kMaxLawBlocks = 2;

/// What a law is called in messages.
[[nodiscard]] inline const char* law_name(const Law& law) {
  return std::visit([](const auto& l) { return l.kName; }, law);
}
/// Does the first block hold a unilateral contact, R_n ≥ 0 with n its third row? Else it is a joint: its rows are
/// bilateral, but for those of `bounded_rows`.
[[nodiscard]] inline bool is_contact(const Law& law) {
  return std::visit([](const auto& l) { return l.kContact; }, law);
}

/// Its 3×3 blocks, and the rows in use of one of them.
[[nodiscard]] inline int block_count(const Law& law) {
  return std::visit([](const auto& l) { return l.blocks(); }, law);
}
[[nodiscard]] inline RowMask rows(const Law& law, int block) {
  return std::visit([block](const auto& l) { return l.rows(block); }, law);
}
/// σ [m/s], added to B before the law is posed.
[[nodiscard]] inline Eigen::Vector3d offset(const Law& law, int block) {
  return std::visit([block](const auto& l) { return l.offset(block); }, law);
}
/// C ≥ 0 [m/(N s)], by which the law puts U + C R in place of U; 0 for what is hard.
[[nodiscard]] inline Eigen::Vector3d compliance(const Law& law, int block) {
  return std::visit(
      [block](const auto& l) -> Eigen::Vector3d {
        if constexpr (requires { l.compliance(block); }) {
          return l.compliance(block);
        } else {
          return Eigen::Vector3d::Zero();
        }
      },
      law);
}
/// Is C > 0 in some row?
[[nodiscard]] inline bool gives_way(const Law& law) {
  return std::visit(
      [](const auto& l) {
        if constexpr (requires { l.compliance(0); }) {
          for (int k = 0; k < l.blocks(); ++k) {
            if (l.compliance(k).maxCoeff() > 0) return true;
          }
        }
        return false;
      },
      law);
}
/// The rows in use of a joint's block whose reaction is bounded (friction, motors of limited force); 0 for most laws.
[[nodiscard]] inline RowMask bounded_rows(const Law& law, int block) {
  return std::visit(
      [block](const auto& l) -> RowMask {
        if constexpr (requires { l.bounded_rows(block); }) {
          return l.bounded_rows(block);
        } else {
          return 0;
        }
      },
      law);
}
/// The rows of a joint's block that hold whatever it takes: in use and not bounded. 0 for contacts.
[[nodiscard]] inline RowMask bilateral_rows(const Law& law, int block) {
  if (is_contact(law)) return 0;
  return static_cast<RowMask>(rows(law, block) & ~bounded_rows(law, block));
}
/// Are all rows bilateral, U + σ + C R = 0 with R free?
[[nodiscard]] inline bool is_bilateral(const Law& law) {
  if (is_contact(law)) return false;
  for (int k = 0; k < block_count(law); ++k) {
    if (bounded_rows(law, k) != 0) return false;
  }
  return true;
}
/// A joint with bilateral rows, none of which gives way: what it has lost in position is closed.
[[nodiscard]] inline bool holds_hard(const Law& law) {
  if (is_contact(law) || gives_way(law)) return false;
  for (int k = 0; k < block_count(law); ++k) {
    if (bilateral_rows(law, k) != 0) return true;
  }
  return false;
}
/// All rows bilateral, and none gives way.
[[nodiscard]] inline bool is_hard_joint(const Law& law) {
  return is_bilateral(law) && !gives_way(law);
}

/// Is K the cone of `discs()`, whatever their number and radii? Else only what solves one constraint at a time knows
/// it.
[[nodiscard]] inline bool has_discs(const Law& law) {
  return std::visit(
      [](const auto& l) {
        return requires {
          l.discs();
        };
      },
      law);
}
/// The friction of a contact; none where the law is bilateral or K is no cone of discs.
[[nodiscard]] inline Friction friction_discs(const Law& law) {
  return std::visit(
      [](const auto& l) {
        if constexpr (requires { l.discs(); }) {
          return l.discs();
        } else {
          return Friction{};
        }
      },
      law);
}
/// A contact of one block whose K is the cone of a circle or, in 2D, of a line: Coulomb's, hard or compliant.
[[nodiscard]] inline bool is_coulomb(const Law& law) {
  const Friction friction = friction_discs(law);
  return has_discs(law) && block_count(law) == 1 && friction.sliding[0] == friction.sliding[1];
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

/// Û from U and R of its blocks, and z ← P_K(z).
inline void dual_velocity(const Law& law, std::span<const Eigen::Vector3d> U, std::span<const Eigen::Vector3d> R,
                          std::span<Eigen::Vector3d> U_hat) {
  std::visit([&](const auto& l) { l.dual_velocity(U, R, U_hat); }, law);
}
inline void project(const Law& law, std::span<Eigen::Vector3d> z) {
  std::visit([&](const auto& l) { l.project(z); }, law);
}

/// The law of displacements that close what is lost: `errors` by block, along a contact's normal `normal`. What gives
/// way has lost nothing: it stays as it is.
[[nodiscard]] inline Law displacement_law(const Law& law, std::span<const Eigen::Vector3d> errors, double normal) {
  return std::visit(
      [&](const auto& l) -> Law {
        if constexpr (requires { l.displacement(errors, normal); }) {
          return l.displacement(errors, normal);
        } else {
          return l;
        }
      },
      law);
}

/// Throws std::invalid_argument naming the number out of range.
inline void validate(const Law& law) {
  std::visit([](const auto& l) { l.validate(); }, law);
}

}  // namespace locdyn
