#include <locdyn/solver/pyramid/pyramid_lemke.hpp>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/ldy/islands.hpp>
#include <locdyn/solver/pyramid/lemke.hpp>
#include <locdyn/solver/pyramid/pyramid_laws.hpp>
#include <locdyn/solver/pyramid/pyramid_residual.hpp>

namespace locdyn::detail {
namespace {

void check_range(const char* field, long value) {
  if (value < 1) {
    throw std::invalid_argument(std::string("pyramid-lemke: ") + field + ": expected at least 1, found " +
                                std::to_string(value));
  }
}

// The constraints of each island, in order of id.
std::vector<std::vector<ConstraintId>> list_islands(const LocalDynamics& ldy) {
  const Islands islands = find_islands(ldy);
  std::vector<std::vector<ConstraintId>> lists(islands.count);
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (ldy.contains(id)) lists[islands.label[id]].push_back(id);
  }
  return lists;
}

// The pivots it took. Of several islands that fail the first is the one told.
long solve_island(LocalDynamics& ldy, const std::vector<ConstraintId>& island, const FrictionPyramid& pyramid,
                  const PyramidLemkeOptions& options, IterateWatch& watch, long before_it) {
  const double before = watch.seconds();
  PyramidProblem problem(ldy, island, pyramid);
  const double made = watch.seconds();
  watch.report().stages.setup += made - before;
  ++watch.report().factorisations;
  watch.report().factorisation_flops += problem.flops();

  long done = 0;
  const auto limit = [&](long pivots) {
    return before_it + done + pivots >= options.stop.max_iterations || watch.out_of_time();
  };
  LemkeResult best;
  for (int attempt = 0; attempt < options.attempts; ++attempt) {
    LemkeResult result = lemke(problem, static_cast<std::uint64_t>(attempt), limit);
    done += result.pivots;
    watch.report().factorisation_flops += result.flops;
    const bool over = result.end == LemkeEnd::solved || result.end == LemkeEnd::limit;
    if (attempt == 0 || over || result.natural < best.natural) best = std::move(result);
    if (over) break;
  }
  problem.write(best.z, ldy);
  watch.report().stages.factorisation += watch.seconds() - made;
  if (best.end == LemkeEnd::limit) {
    (void)watch.allows(before_it + done, 0);
  } else if (best.end != LemkeEnd::solved) {
    const char* how = best.end == LemkeEnd::ray ? "Lemke's method ended on a ray" : "the basis became singular";
    watch.end(SolveStatus::failed, how + (" in the island of constraint " + std::to_string(island.front())));
  }
  return done;
}

}  // namespace

SolveReport solve_pyramid_lemke(LocalDynamics& ldy, const PyramidLemkeOptions& options) {
  check_range("attempts", options.attempts);
  check_range("max_rows", options.max_rows);
  const FrictionPyramid pyramid(options.facets);
  check_pyramid_laws(ldy, "pyramid-lemke");
  IterateWatch watch(ldy, options.stop, "pyramid-lemke", [&pyramid](LocalDynamics& graph, int threads) {
    return evaluate_pyramid_residual(graph, pyramid, threads);
  });
  watch.judge(0);
  if (watch.converged()) return watch.finish(0);

  const auto islands = list_islands(ldy);
  for (const auto& island : islands) {
    const auto rows = PyramidProblem::count_rows(ldy, island);
    if (rows > options.max_rows) {
      return watch.finish(SolveStatus::failed,
                          "the island of constraint " + std::to_string(island.front()) + " has " +
                              std::to_string(rows) +
                              " scalar rows, more than max_rows = " + std::to_string(options.max_rows),
                          0);
    }
  }
  long pivots = 0;
  for (const auto& island : islands) pivots += solve_island(ldy, island, pyramid, options, watch, pivots);

  watch.judge(pivots);
  watch.end(SolveStatus::stalled,
            "the pivots ended, but rounding or bilateral rows that contradict each other leave a residual");
  return watch.finish(pivots);
}

}  // namespace locdyn::detail
