#pragma once
// What a bench showed: who met each accuracy on how many problems, in what time, and how the first solver compares with
// each peer and with the best of all of a peer's solvers on each problem.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench_run.hpp"

namespace locdyn::app {

inline constexpr std::size_t kFewContacts = 20;  ///< problems with fewer count in no ratio

/// By what runs are compared.
struct Judging {
  std::string measure = "scaled";              ///< the residual that this project's own solvers were stopped by
  double BenchRun::*time = &BenchRun::time_s;  ///< or &BenchRun::cpu_s, where others keep the machine busy
};

/// The least time of the runs of one solver on one problem that meet an accuracy. One of this project's own solvers
/// meets it by its run at that tolerance, where it converged and the one judge agrees (scaled residual, or a pyramid's
/// own word); a peer by any run of its ladder whose `scaled` residual is at most the accuracy or the rounding floor.
[[nodiscard]] std::optional<double> time_to(double accuracy, const Judging& judging,
                                            std::span<const BenchRun* const> runs);

/// The ratio of two sets of times, one a problem.
struct TimeRatio {
  double mean = 0;        ///< geometric mean of other/own over the problems that both solve; not-a-number for none
  std::size_t both = 0;   ///< problems in the mean
  std::size_t own = 0;    ///< solved by the first alone
  std::size_t other = 0;  ///< by the other alone
  std::size_t neither = 0;
};
[[nodiscard]] TimeRatio ratio(std::span<const std::optional<double>> own, std::span<const std::optional<double>> other);

/// The table and the sentences below it, as text.
[[nodiscard]] std::string summary(std::span<const BenchRun> runs, std::span<const double> accuracies,
                                  const Judging& judging = {});

}  // namespace locdyn::app
