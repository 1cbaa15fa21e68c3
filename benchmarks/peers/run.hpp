#pragma once
// Runs engines on a scene in turn and measures them.

#include <limits>
#include <string>
#include <vector>

#include "engine.hpp"

namespace locdyn::peers {

struct Figures {
  std::string engine;
  int warm_up = 0, timed = 0;  ///< steps done, fewer than the scene's where the time ran out
  double contacts = 0;         ///< median of the steps timed
  double step_seconds = std::numeric_limits<double>::quiet_NaN();  ///< median, processor time
  double mean_seconds = 0;
  double speed = 0;        ///< largest ‖v‖ or ‖ω‖·extent of any body in any step timed [m/s]
  double drift = 0;        ///< largest way of a mass centre over the steps timed, by their duration [m/s]
  double penetration = 0;  ///< largest −gap in any step timed [m]
  double residual = 0;     ///< by judge.hpp: median over the steps judged
  double own = 0;          ///< the same with the engine's own position correction in the law
  double cone = 0;
  std::string remark;  ///< of the last step, or why the engine went no further
};

struct RunOptions {
  double budget = 120;  ///< processor time of an engine's warm-up, and of its steps timed [s]
  int rounds = 10;      ///< the steps timed of each engine are done in so many parts, the engines in turn
};

/// `makers` are called one after the other; an engine that throws leaves its figures with the message as remark.
[[nodiscard]] std::vector<Figures> run(const Scene& scene, const std::vector<EngineMaker>& makers,
                                       const RunOptions& options);

/// A line of headings and one for each engine; ratios to the first.
void print(const Scene& scene, const std::vector<Figures>& figures);

}  // namespace locdyn::peers
