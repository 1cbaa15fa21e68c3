#pragma once
// One step of a System and its derivatives at the solution, by the implicit function theorem. The step is
//
//   q* = q ⊕ h/2 u;   H, gaps, frames at q*;   U = B + W R with the laws;   u⁺ = u_free + A⁻¹ h Hᵀ R;   q⁺ = q* ⊕ h/2
//   u⁺
//
// and where every contact's state is strict (open, sticks, slides) the laws are smooth equations F(R, U) = 0: what they
// make of changes is one linear system in the space of velocities (solver/sensitivity/active_system.hpp). All that
// depends on q* is in it: ∂H/∂q at fixed R and u, gaps, points, normals and frames at fixed features, restitution, σ_t
// with what the step before left, joints and drives.
//
//   tangent   δ(q⁺, u⁺, R, U) of δ(q, u, parameters):   a Jacobian times a vector
//   adjoint   the derivatives of a number by (q, u, parameters) of those by (q⁺, u⁺, R, U):   a vector times a Jacobian
//
// Source: the implicit function theorem; Facchinei & Pang (2003) ch. 5; Griewank & Walther, Evaluating Derivatives (2nd
// ed. 2008) (tangent and adjoint).

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include <locdyn/sensitivity/variation.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn {

/// What counts as at rest, and how near an edge a state is listed.
struct SensitivityOptions {
  /// 0 < margin < 1: what moves less than margin times the largest free velocity does not move, and a reaction that
  /// changes velocities by less is none. States within it of an edge are listed.
  double margin = 1e-6;
};

/// A contact that has no derivative, or none that is exact.
struct NotStrict {
  ConstraintId constraint{kNone};  ///< in the graph of the step
  BodyId master{0};                ///< its bodies
  BodyId slave{0};                 ///< the other one
  std::string edge;                ///< what it is on the edge of
};

/// What a step gives.
struct StepResponse {
  StateVariation state;      ///< q⁺, u⁺ and what contacts hand on
  Eigen::MatrixXd reaction;  ///< R, 3 × rows of the graph as `DifferentiatedStep::row` counts them, in their frames [N]
  Eigen::MatrixXd velocity;  ///< U, the same [m/s]
};

/// What a step depends on.
struct StepInput {
  StateVariation state;                    ///< q, u and what contacts remember
  ParameterVariation parameters;           ///< masses, shapes, materials, forces
  std::vector<ContactVariation> contacts;  ///< by contact, or empty for none
};

class DifferentiatedStep {
 public:
  /// Takes one step. `stepper` moves `system`; both outlive this, and the derivatives hold until the next step or
  /// change of either: later calls throw std::logic_error.
  ///
  /// Throws std::invalid_argument, before the step, for a margin out of range, pyramids, sleep, forces that depend on
  /// velocities, position correction by projection where there are constraints for life, and kinds of bodies other than
  /// particles, planar bodies, rigid bodies and obstacles; after it for
  /// contacts with a stiffness; std::runtime_error after it where the step did not converge,
  /// was done in parts, corrected positions, or where the active laws do not determine the velocities: the step is then
  /// taken. Loads are taken as fixed in space. ∂f/∂q of applied forces, and what constraints for life that are no
  /// contacts do as they move, are central differences of them, exact to about 1e-9.
  /// Cost: a sparse factorisation in the pattern of bodies, and about a microsecond or two a contact.
  DifferentiatedStep(System& system, TimeStepper& stepper, const SensitivityOptions& options = {});
  ~DifferentiatedStep();
  DifferentiatedStep(DifferentiatedStep&&) noexcept;
  DifferentiatedStep& operator=(DifferentiatedStep&&) noexcept;

  /// Of the step that was taken.
  [[nodiscard]] const StepReport& report() const noexcept;
  /// Contacts of the step in the order of `ContactVariation`s, contacts among the constraints for life after those
  /// that were detected; those have identity 0.
  [[nodiscard]] const std::vector<ActiveContact>& contacts() const noexcept;
  /// Where derivatives do not exist, or are not exact; empty where all is strict. What is asked for is then that of the
  /// state the contact counts as.
  [[nodiscard]] const std::vector<NotStrict>& not_strict() const noexcept;
  /// Column of a constraint's block in reactions and velocities. Throws std::invalid_argument where it is not there.
  [[nodiscard]] Eigen::Index row(ConstraintId constraint, int block = 0) const;

  /// Zeros of the right sizes.
  [[nodiscard]] StepInput no_input() const;
  [[nodiscard]] StepResponse no_response() const;

  /// δ of what the step gives. Where W lacks rank the change of R is that of least norm where contacts stick; that of
  /// the velocities is unique. Throws std::invalid_argument for sizes that are not those of `no_input` and numbers that
  /// are not finite, std::runtime_error where redundant contacts would have to contradict each other.
  /// Cost: some solves with the factor.
  [[nodiscard]] StepResponse tangent(const StepInput& change) const;
  /// The derivatives by the input of a number whose derivatives by what the step gives are `by_response`. Errors as of
  /// `tangent`, std::runtime_error also where it depends on a part of R that is not unique.
  [[nodiscard]] StepInput adjoint(const StepResponse& by_response) const;

  /// Most solves with the factor that one of these has taken so far.
  [[nodiscard]] long most_solves() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace locdyn
