#pragma once
// Are H, drive and bias of a constraint the derivatives that they should be? Central differences of its C(q, t) along
// each velocity of its bodies, along the motion of time and obstacles, and of its U along the motion of all.

#include <string>

#include <locdyn/ldy/assembly/constraint.hpp>

namespace locdyn::detail {

/// One constraint by itself at the configuration, velocities and time that hold now, its blocks one after the other,
/// its bodies one after the other. Rows that its law does not use are 0.
struct ConstraintRows {
  Eigen::VectorXd error, drive, U;  ///< C where holonomic; what time adds to U; U = H u + drive (3m)
  Eigen::MatrixXd H;                ///< 3m×N
  Eigen::VectorXd bias;             ///< 3m
};
/// `constraint` must be attached to `bodies`. Without `bias` where its kind has none. Throws as `evaluate` does.
[[nodiscard]] ConstraintRows constraint_rows(Constraint& constraint, const BodySet& bodies);

struct DerivativeCheckOptions {
  double step = 1e-5;  ///< of each velocity times time; > 0 [m, rad, s]
};

/// The largest differences found, each over 1 + the largest entry of what it is compared with.
struct DerivativeReport {
  double H = 0, drive = 0, bias = 0;
  std::string worst_H, worst_drive, worst_bias;  ///< "row 2 of block 0, velocity 1 of body 3: expected …, found …"
};

/// Checks the rows that are holonomic (H, drive) and all rows in use (bias). Puts bodies, time and memory back as they
/// were. Throws std::invalid_argument naming the constraint where something is not a number, std::logic_error where its
/// kind has no bias. Cost: 2 N + 4 evaluations.
[[nodiscard]] DerivativeReport check_derivatives(Constraint& constraint, BodySet& bodies,
                                                 const DerivativeCheckOptions& options = {});

}  // namespace locdyn::detail
