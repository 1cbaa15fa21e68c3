#pragma once
// All of a step's parts, linearised, and the two products with them: what `DifferentiatedStep` holds.

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <locdyn/sensitivity/contact_linearisation.hpp>
#include <locdyn/sensitivity/differentiated_step.hpp>
#include <locdyn/sensitivity/numeric_linearisation.hpp>
#include <locdyn/simulation/stepping/contact_tracker.hpp>
#include <locdyn/solver/sensitivity/active_system.hpp>

namespace locdyn::detail {

struct StepLinearisation {
  System& system;
  TimeStepper& stepper;
  SensitivityOptions options;
  double h = 0, time = 0;
  StepReport report;
  std::vector<ActiveContact> contacts;
  std::vector<NotStrict> edges;
  std::vector<double> extent;                    // by body [m]
  std::vector<BodyBefore> before;                // by body
  std::map<std::uint64_t, TrackedContact> past;  // by identity
  std::vector<BodyLinearisation> bodies;         // by body
  std::vector<BodyId> moving;
  Eigen::Index freedoms = 0;
  std::vector<ContactLinearisation> touching;
  std::vector<ConstraintLinearisation> tied;
  std::vector<ForceLinearisation> forces;
  std::unique_ptr<ActiveSystem> active;
  std::vector<int> first_unknown;  // by body, −1 where no row acts on it
  long steps = 0;
  std::uint64_t changes = 0;
  long most_solves = 0;

  StepLinearisation(System& moved, TimeStepper& by, const SensitivityOptions& chosen)
      : system(moved), stepper(by), options(chosen), h(by.options().step) {}

  void remember();
  void linearise();
  void linearise_bodies();
  void linearise_contacts();
  [[nodiscard]] ContactBefore before_of(const ActiveContact& contact, const TrackedContact& was) const;
  void linearise_constraints();
  void note_edges();
  void check_positions() const;
  void require_fresh() const;
  void check(const ActiveSystem::Solution& solution, const char* what);

  [[nodiscard]] Index place_of(ConstraintId id) const {
    return static_cast<Index>(&system.graph().row(id) - system.graph().diagonal_arena().data());
  }
  [[nodiscard]] BodyLinearisation& of(BodyId id) { return bodies[id.value()]; }

  StepResponse tangent(const StepInput& change);
  StepInput adjoint(const StepResponse& by_response);

  // Of the bodies of a pair or of many, out of a vector with 6 numbers a body, and back.
  using ByBody = std::vector<BodyVector>;
  PairVector pair(const ContactLinearisation& c, const ByBody& v) const;
  static void add_pair(const ContactLinearisation& c, const PairVector& d, ByBody& v);
  Eigen::VectorXd many(const std::vector<BodyId>& ids, const ByBody& v) const;
  void add_many(const std::vector<BodyId>& ids, const Eigen::VectorXd& d, ByBody& v) const;
  ByBody spread(const Eigen::VectorXd& all) const;
  Eigen::VectorXd gathered(const ByBody& v) const;
  std::vector<double> unknowns_of(const ByBody& v) const;

  [[nodiscard]] ShapeVector shapes(const ContactLinearisation& c, const ParameterVariation& p) const;
  void add_shapes(const ContactLinearisation& c, const ShapeVector& d, ParameterVariation& p) const;
  [[nodiscard]] ContactVariation own(const ContactLinearisation& c, std::size_t k, const StepInput& change) const;
};

}  // namespace locdyn::detail
