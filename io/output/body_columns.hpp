#pragma once
// Where the moving bodies are and how they move, as columns of a table: of each its mass centre, its velocity and its
// acceleration, in space, and its turning where it turns (an angle in the plane, else a quaternion, scalar first).

#include <Eigen/Core>
#include <string>
#include <vector>

#include <locdyn/mechanism/mechanism.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

/// "crank x [m]", "crank y [m]", "crank angle [rad]", …; a body without a name is called "body 3".
[[nodiscard]] std::vector<std::string> body_columns(const System& system);

/// Appends the numbers of all those columns, for u̇ (n) and the state that holds now. The angular acceleration of a body
/// that deforms is that of u̇ alone.
void append_bodies(const Mechanism& mechanism, const Eigen::VectorXd& acceleration, std::vector<double>& numbers);

}  // namespace locdyn::detail
