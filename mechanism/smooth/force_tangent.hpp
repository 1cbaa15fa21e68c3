#pragma once
// How forces answer to the state, by differences.

#include <Eigen/Core>

#include <locdyn/mechanism/smooth/applied_loads.hpp>
#include <locdyn/mechanism/smooth/first_order_form.hpp>

namespace locdyn::detail {

/// ∂f/∂x (n×n) where displacements x come with velocities `rate` x, rate in 1/s; f as in `smooth_forces`. The bodies
/// stay. Throws what `smooth_forces` throws. Cost: n + 1 times that of the forces.
[[nodiscard]] Eigen::MatrixXd force_tangent(FirstOrderForm& form, const AppliedLoads& loads, double rate);

}  // namespace locdyn::detail
