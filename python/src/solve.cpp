// Solvers, what they are asked and what they report.

#include "solve.hpp"

#include <limits>
#include <locdyn/solver/registry.hpp>
#include <stdexcept>

namespace locdyn::python {
namespace {

py::list history(const SolveReport& report) {
  py::list samples;
  for (const auto& sample : report.history)
    samples.append(py::make_tuple(sample.iteration, sample.seconds, sample.residual));
  return samples;
}

std::string spelled(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string repr(const SolveReport& report) {
  return "<locdyn.SolveReport " + std::string(to_string(report.status)) + " by " + report.solver + ": residual " +
         spelled(report.residual.scaled) + ", " + std::to_string(report.iterations) + " iterations, " +
         spelled(report.seconds) + " s>";
}

py::list solver_table() {
  py::list table;
  for (const SolverEntry& solver : solvers()) {
    table.append(py::make_tuple(std::string(solver.name), std::string(solver.summary)));
  }
  return table;
}

}  // namespace

Measure measure_of(const std::string& name) {
  if (name == "scaled") return Measure::scaled;
  if (name == "relative") return Measure::relative;
  if (name == "absolute") return Measure::absolute;
  throw std::invalid_argument("measure: expected scaled, relative or absolute, found " + name);
}

void bind_solve(py::module_& module) {
  py::class_<Residual>(module, "Residual", "What the one judge says of reactions R, from W, b and the laws alone.")
      .def_readonly("scaled", &Residual::scaled,
                    "A velocity over a velocity, the same in any units of force and mass: the one that counts.")
      .def_readonly("relative", &Residual::relative, "The absolute one over the norm of b, as in FCLIB's profiles.")
      .def_readonly("absolute", &Residual::absolute, "Norm of R minus the projection of R - U on the cones.")
      .def_readonly("floor", &Residual::floor, "About what rounding of R alone costs `scaled`.")
      .def_readonly("cone", &Residual::cone, "The farthest that an R lies outside its cone [N].")
      .def_readonly("penetration", &Residual::penetration, "The largest velocity into a contact [m/s].")
      .def_readonly("complementarity", &Residual::complementarity, "The largest product of R_n and U_n [W].")
      .def_property_readonly(
          "worst", [](const Residual& r) { return r.worst == kNone ? -1 : static_cast<long>(r.worst); },
          "The constraint that adds most to `scaled`; -1 where there is none.")
      .def("__repr__", [](const Residual& r) { return "<locdyn.Residual scaled " + spelled(r.scaled) + ">"; });

  py::class_<SolveReport>(module, "SolveReport", "What a solver gives back, whatever happened.")
      .def_property_readonly(
          "status", [](const SolveReport& r) { return to_string(r.status); },
          "converged, max_iterations, max_time, stalled, diverged or failed.")
      .def_property_readonly(
          "converged", [](const SolveReport& r) { return r.status == SolveStatus::converged; },
          "Did the residual meet the tolerance?")
      .def_readonly("solver", &SolveReport::solver, "The solver that finished: of auto, the last that it handed on to.")
      .def_readonly("reason", &SolveReport::reason, "One clause where it did not converge, else empty.")
      .def_readonly("iterations", &SolveReport::iterations, "Sweeps, Newton steps or pivots.")
      .def_readonly("residual", &SolveReport::residual, "The judge's Residual of the reactions left.")
      .def_readonly("own_residual", &SolveReport::own_residual, "What the stopping test saw.")
      .def_readonly("seconds", &SolveReport::seconds, "Of the whole call.")
      .def_readonly("factorisations", &SolveReport::factorisations, "Of whole matrices.")
      .def_readonly("block_products", &SolveReport::block_products, "3x3 block times vector products.")
      .def_property_readonly("work", &SolveReport::work, "Floating point operations at a sweep's speed.")
      .def_property_readonly("history", &history, "(iteration, seconds, residual) of each full residual on the way.")
      .def("__repr__", &repr);

  module.def("solvers", &solver_table, "The solvers by name: a list of (name, one sentence), auto first.");
}

}  // namespace locdyn::python
