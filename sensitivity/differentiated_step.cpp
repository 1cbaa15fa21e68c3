#include <locdyn/sensitivity/differentiated_step.hpp>

#include <cmath>
#include <stdexcept>
#include <utility>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/sensitivity/step_linearisation.hpp>
#include <locdyn/solver/registry.hpp>

namespace locdyn {
using namespace detail;
namespace {

void check_before(const System& system, const TimeStepper& stepper, const SensitivityOptions& options) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("derivatives: " + what); };
  if (!(options.margin > 0 && options.margin < 1)) {
    refuse("margin: expected a number between 0 and 1, found " + spelled(options.margin));
  }
  if (&stepper.system() != &system) refuse("stepper: expected the one that moves the system, found another's");
  if (find_solver(stepper.options().solver).pyramid) {
    refuse("solver: expected one of round cones, found " + stepper.options().solver);
  }
  if (stepper.options().sleep) refuse("sleep: expected off, since what sleeps has no derivatives, found on");
  if (system.forces().depends_on_velocity()) {
    refuse("forces: expected ones that do not depend on velocities, found one that does");
  }
  if (stepper.options().correction == Correction::projection && !system.constraints().empty()) {
    refuse("correction: expected none or baumgarte where there are constraints for life, found projection");
  }
}

}  // namespace

struct DifferentiatedStep::Parts : StepLinearisation {
  using StepLinearisation::StepLinearisation;
};

DifferentiatedStep::DifferentiatedStep(System& system, TimeStepper& stepper, const SensitivityOptions& options) {
  check_before(system, stepper, options);
  parts_ = std::make_unique<Parts>(system, stepper, options);
  parts_->remember();
  for (const BodyId id : system.bodies().ids()) {
    if (has_linearisation(system.bodies()[id])) continue;
    throw std::invalid_argument("derivatives: body " + std::to_string(id.value()) +
                                ": expected a particle, a planar body, a rigid body or an obstacle, found another kind "
                                "with " +
                                std::to_string(system.bodies()[id].freedoms()) + " velocities");
  }
  parts_->report = stepper.step();
  if (parts_->report.status != SolveStatus::converged || parts_->report.parts != 1) {
    throw std::runtime_error(
        "derivatives: expected a step that converges as a whole, found " +
        (parts_->report.warning.empty() ? std::string(to_string(parts_->report.status)) : parts_->report.warning));
  }
  parts_->linearise();
}

DifferentiatedStep::~DifferentiatedStep() = default;
DifferentiatedStep::DifferentiatedStep(DifferentiatedStep&&) noexcept = default;
DifferentiatedStep& DifferentiatedStep::operator=(DifferentiatedStep&&) noexcept = default;

const StepReport& DifferentiatedStep::report() const noexcept {
  return parts_->report;
}
const std::vector<ActiveContact>& DifferentiatedStep::contacts() const noexcept {
  return parts_->contacts;
}
const std::vector<NotStrict>& DifferentiatedStep::not_strict() const noexcept {
  return parts_->edges;
}
long DifferentiatedStep::most_solves() const noexcept {
  return parts_->most_solves;
}

Eigen::Index DifferentiatedStep::row(ConstraintId constraint, int block) const {
  const LocalDynamics& ldy = parts_->system.graph();
  if (!ldy.contains(constraint) || block < 0 || block >= block_count(ldy.law(constraint))) {
    throw std::invalid_argument("derivatives: expected a constraint of the step and one of its blocks, found " +
                                std::to_string(constraint.value()) + ", " + std::to_string(block));
  }
  return static_cast<Eigen::Index>(parts_->place_of(constraint)) + block;
}

StepInput DifferentiatedStep::no_input() const {
  return {.state = no_state(parts_->system),
          .parameters = no_parameters(parts_->system),
          .contacts = std::vector<ContactVariation>(parts_->touching.size())};
}

StepResponse DifferentiatedStep::no_response() const {
  const auto rows = static_cast<Eigen::Index>(parts_->system.graph().diagonal_arena().size());
  return {.state = no_state(parts_->system),
          .reaction = Eigen::MatrixXd::Zero(3, rows),
          .velocity = Eigen::MatrixXd::Zero(3, rows)};
}

StepResponse DifferentiatedStep::tangent(const StepInput& change) const {
  parts_->require_fresh();
  validate(change.state, parts_->system);
  validate(change.parameters, parts_->system);
  if (!change.contacts.empty() && change.contacts.size() != parts_->touching.size()) {
    throw std::invalid_argument("contacts: expected none or " + std::to_string(parts_->touching.size()) + ", found " +
                                std::to_string(change.contacts.size()));
  }
  for (const ContactVariation& c : change.contacts) {
    const double sum =
        c.point.sum() + c.frame.sum() + c.gap + c.friction + c.cross_friction + c.restitution + c.rolling + c.torsional;
    if (!std::isfinite(sum)) throw std::invalid_argument("contacts: expected finite numbers, found one that is not");
  }
  return parts_->tangent(change);
}

StepInput DifferentiatedStep::adjoint(const StepResponse& by_response) const {
  parts_->require_fresh();
  validate(by_response.state, parts_->system);
  const auto rows = static_cast<Eigen::Index>(parts_->system.graph().diagonal_arena().size());
  for (const auto& [values, what] :
       {std::pair(&by_response.reaction, "reaction"), {&by_response.velocity, "velocity"}}) {
    if (values->rows() != 3 || values->cols() != rows) {
      throw std::invalid_argument(std::string(what) + ": expected 3 x " + std::to_string(rows) + " numbers, found " +
                                  std::to_string(values->rows()) + " x " + std::to_string(values->cols()));
    }
    if (!values->allFinite()) {
      throw std::invalid_argument(std::string(what) + ": expected finite numbers, found one that is not");
    }
  }
  return parts_->adjoint(by_response);
}

}  // namespace locdyn
