#include <locdyn/io/output/problem_dump.hpp>

#include <cstdio>
#include <vector>

namespace locdyn::detail {
namespace {

bool holds_contact(const LocalDynamics& graph, ConstraintId id) {
  return graph.contains(id) && is_contact(graph.law(id));
}

// The contacts alone, by ascending id, each B gaining W R of the constraints that are left out.
LocalDynamics contacts_of(const LocalDynamics& graph) {
  LocalDynamics contacts;
  std::vector<ConstraintId> place(graph.id_bound(), ConstraintId{kNone});
  for (ConstraintId id{0}; id < graph.id_bound(); ++id) {
    if (holds_contact(graph, id)) place[id] = contacts.insert(graph.law(id));
  }
  const auto arena = graph.diagonal_arena();
  for (ConstraintId id{0}; id < graph.id_bound(); ++id) {
    if (place[id] == kNone) continue;
    for (const auto& block : graph.adjacent(graph.row(id))) {
      const ConstraintId other = place[arena[block.other].constraint];
      if (other != kNone && place[id] < other) contacts.couple(place[id], other);
    }
  }
  for (ConstraintId id{0}; id < graph.id_bound(); ++id) {
    if (place[id] == kNone) continue;
    for (int k = 0; k < block_count(graph.law(id)); ++k) {
      const DiagonalBlock& from = graph.row(id, k);
      DiagonalBlock& row = contacts.row(place[id], k);
      row.W = from.W;
      row.B = from.B;
      row.R = from.R;
      for (const auto& block : graph.adjacent(from)) {
        const DiagonalBlock& column = arena[block.other];
        const ConstraintId other = place[column.constraint];
        if (other == kNone) {
          row.B += block.W * column.R;
        } else {
          const auto within = static_cast<int>(&column - &graph.row(column.constraint));
          contacts.find(place[id], k, other, within)->W = block.W;
        }
      }
    }
  }
  contacts.pack(SweepOrder::by_id);
  return contacts;
}

std::string text(const char* format, double value) {
  char result[64];
  std::snprintf(result, sizeof result, format, value);
  return result;
}

}  // namespace

bool dump_problem(const std::filesystem::path& path, const LocalDynamics& graph, const FclibInfo& info) {
  FclibProblem problem;
  problem.ldy = contacts_of(graph);
  if (problem.ldy.constraint_count() == 0) return false;
  problem.spacedim = uses(rows(problem.ldy.law(ConstraintId{0}), 0), 1) ? 3 : 2;
  problem.info = info;
  problem.solution = solution_of(problem.ldy);
  write_fclib(path, problem);
  return true;
}

FclibInfo info_of(const TimeStepper& stepper, const StepReport& report, const std::string& title) {
  const TimeStepperOptions& options = stepper.options();
  const std::string description = "step " + std::to_string(report.step) + text(" to t = %.17g s", report.time) +
                                  text(", h = %.17g s", options.step) + " in " + std::to_string(report.parts) +
                                  " parts; " + std::to_string(report.contacts) + " contacts of " +
                                  std::to_string(report.constraints) + " constraints, the reactions of the others in q";
  const std::string math_info = "u = W r + q, W = h H A^-1 H^T; solution by " + options.solver + ", " +
                                to_string(report.status) + text(", residual %.3e", report.residual) +
                                text(", tolerance %.3e", options.stop.tolerance);
  return {title.empty() ? "simulation" : title, description, math_info};
}

}  // namespace locdyn::detail
