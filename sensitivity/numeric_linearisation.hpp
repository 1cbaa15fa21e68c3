#pragma once
// What is known by its values alone, constraints for life other than contacts and applied forces, linearised by central
// differences about q*, exact to about 1e-9: each body in turn goes a small way along each of its velocities. The
// bodies are copies; the system is not touched.

#include <Eigen/Core>
#include <memory>
#include <vector>

#include <locdyn/sensitivity/body_linearisation.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

/// Copies of a system's bodies at q* of the step just taken, at u, by the same ids.
[[nodiscard]] std::unique_ptr<BodySet> bodies_at_middle(const System& system, const std::vector<BodyBefore>& before,
                                                        double time, double h);

/// Columns are the velocities of the constraint's bodies, one after the other.
struct ConstraintLinearisation {
  ConstraintId constraint{kNone};
  Index place = kNone;
  std::vector<BodyId> bodies;
  Eigen::MatrixXd H;         ///< 3 × blocks rows
  Eigen::MatrixXd U_q, V_q;  ///< of H u⁺ + drive and of H u + drive
  Eigen::MatrixXd P_q;       ///< of Hᵀ R
  Eigen::MatrixXd S_q, S_V;  ///< of σ + C R at fixed R
};

/// Of a constraint in the graph, whose reactions are those of the step. It remembers what it did before.
[[nodiscard]] ConstraintLinearisation linearise_constraint(System& system, ConstraintId id, BodySet& middle,
                                                           const std::vector<BodyLinearisation>& bodies, double h);

/// ∂f/∂q* of an applied force, the generalised forces of its bodies by their changes.
struct ForceLinearisation {
  std::vector<BodyId> bodies;
  Eigen::MatrixXd by_q;
  Eigen::VectorXd value;
};
[[nodiscard]] ForceLinearisation linearise_force(Force& force, BodySet& middle);

}  // namespace locdyn::detail
