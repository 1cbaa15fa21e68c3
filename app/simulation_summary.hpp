#pragma once
// What a whole simulation tells of itself: the reports of its steps taken together.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <locdyn/simulation/step_report.hpp>
#include <locdyn/simulation/system.hpp>

namespace locdyn::app {

class SimulationSummary {
 public:
  /// Takes the energies that `system` has now, at `time` [s], as those at start.
  SimulationSummary(const System& system, double time);

  void add(const StepReport& report);
  /// A step that was not done: it counts as failed, and `reason` is kept.
  void add_failure(const std::string& reason);

  [[nodiscard]] long steps() const noexcept { return steps_; }
  [[nodiscard]] long failed_steps() const noexcept { return failed_; }
  [[nodiscard]] const StepReport& last() const noexcept { return last_; }

  /// `wall`: seconds that the run took.
  void print(double wall) const;
  [[nodiscard]] nlohmann::ordered_json json(double wall) const;

 private:
  double kinetic_at_start_, potential_at_start_;
  StepReport last_;
  StepReport::Stages seconds_;
  long steps_ = 0, failed_ = 0, in_parts_ = 0;  // in_parts_: converged after the policy `halve`
  std::string first_warning_;
  std::vector<BrokenJoint> broken_;
  std::size_t most_contacts_ = 0;
  double worst_residual_ = 0, penetration_ = 0, correction_ = 0;
};

}  // namespace locdyn::app
