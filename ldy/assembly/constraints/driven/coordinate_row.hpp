#pragma once
// What the constraints of one coordinate share.

#include <functional>

#include <locdyn/ldy/assembly/constraints/joint_friction.hpp>
#include <locdyn/ldy/law.hpp>

namespace locdyn::detail {

/// Throws std::invalid_argument naming `what` where the function is empty.
void require_given(const std::function<double(double)>& f, const char* what);

/// The row n of the bilateral law `held` with its reaction within `force`; of an angle the row is times `length` ℓ.
[[nodiscard]] Law bounded_by(const ForceRange& force, double length, const Law& held);

}  // namespace locdyn::detail
