#pragma once
// The gap between any two shapes where they lie: convex ones, half-spaces, surfaces triangle by triangle.

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <variant>

#include <locdyn/contact/shape.hpp>
#include <locdyn/queries/bounds_tree.hpp>
#include <locdyn/queries/convex_core.hpp>
#include <locdyn/queries/convex_distance.hpp>
#include <locdyn/queries/triangle_tree.hpp>

namespace locdyn::detail {

using GapForm = std::variant<ConvexCore, Plane, std::shared_ptr<const TriangleTree>>;

/// Of a valid shape.
[[nodiscard]] GapForm gap_form_of(const Shape& shape);

/// x = Q X + middle takes coordinates of the form to space. `form` outlives it.
struct PosedForm {
  const GapForm* form;
  Eigen::Matrix3d Q;
  Eigen::Vector3d middle;

  [[nodiscard]] Bounds bounds() const;
};

/// None where they are farther apart than `most`, or both are planes.
[[nodiscard]] std::optional<Gap> gap_of(const PosedForm& first, const PosedForm& second, double most);

/// When a convex first one, moved along the unit vector u, touches the second: t ≤ most, or none.
[[nodiscard]] std::optional<Meeting> meeting_of(const PosedForm& first, const Eigen::Vector3d& u, double most,
                                                const PosedForm& second);

}  // namespace locdyn::detail
