#pragma once
// Where a drive cannot go on: along the curve of configurations, in its own arc length, s has an extreme.

#include <optional>

#include <locdyn/mechanism/closing.hpp>
#include <locdyn/mechanism/mechanism.hpp>

namespace locdyn::detail {

/// Follows the curve from where the bodies are, s growing (`direction` 1) or falling (−1), past the next extreme of s
/// and returns its value, to rounding: the bodies are then there and the drive asks for it. None where s passes `bound`
/// first or the curve is lost: all is then as it was. `tangent` is q′; `length` the step to begin with, in the metric.
/// Cost: some sixty sparse factorisations.
[[nodiscard]] std::optional<double> find_dead_point(Mechanism& mechanism, DriveId drive, const Eigen::VectorXd& tangent,
                                                    double direction, double bound, double length,
                                                    const CloseOptions& options);

}  // namespace locdyn::detail
