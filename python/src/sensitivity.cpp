// Derivatives of steps and of runs, as dictionaries of arrays.

#include <locdyn/sensitivity/rollout.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "ids.hpp"

namespace locdyn::python {
namespace {

// A matrix of n columns is handed over as (n, k), one row each.
Numbers rows_of(const Eigen::MatrixXd& columns) {
  Numbers array({static_cast<py::ssize_t>(columns.cols()), static_cast<py::ssize_t>(columns.rows())});
  std::copy_n(columns.data(), columns.size(), array.mutable_data());
  return array;
}

void read(const py::handle& object, const char* what, Eigen::VectorXd& to) {
  const Numbers given = numbers(object, what, {to.size()});
  std::copy_n(given.data(), to.size(), to.data());
}

void read(const py::handle& object, const char* what, Eigen::MatrixXd& to) {
  const Numbers given = numbers(object, what, {to.cols(), to.rows()});
  std::copy_n(given.data(), to.size(), to.data());
}

py::dict dictionary(const StateVariation& state, const ParameterVariation& parameters) {
  py::dict all;
  all["q"] = array_of(state.q);
  all["u"] = array_of(state.u);
  all["force"] = array_of(parameters.force);
  all["gravity"] = array_of(Eigen::VectorXd(parameters.gravity));
  all["mass"] = array_of(parameters.mass);
  all["inertia"] = rows_of(parameters.inertia);
  all["size"] = rows_of(parameters.size);
  all["position"] = rows_of(parameters.position);
  all["friction"] = array_of(parameters.friction);
  all["restitution"] = array_of(parameters.restitution);
  return all;
}

// What the keywords give; the rest stays 0.
void read_input(const py::kwargs& given, StateVariation& state, ParameterVariation& parameters) {
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    if (name == "q")
      read(value, "q", state.q);
    else if (name == "u")
      read(value, "u", state.u);
    else if (name == "force")
      read(value, "force", parameters.force);
    else if (name == "gravity")
      parameters.gravity = vector3(value, "gravity");
    else if (name == "mass")
      read(value, "mass", parameters.mass);
    else if (name == "inertia")
      read(value, "inertia", parameters.inertia);
    else if (name == "size")
      read(value, "size", parameters.size);
    else if (name == "position")
      read(value, "position", parameters.position);
    else if (name == "friction")
      read(value, "friction", parameters.friction);
    else if (name == "restitution")
      read(value, "restitution", parameters.restitution);
    else
      throw py::type_error(
          "derivatives: expected q, u, force, gravity, mass, inertia, size, position, friction or "
          "restitution, found " +
          name);
  }
}

py::list edges_of(const std::vector<NotStrict>& edges) {
  py::list all;
  for (const NotStrict& e : edges) all.append(py::make_tuple(e.master, e.slave, e.edge));
  return all;
}

py::dict tangent(const DifferentiatedStep& step, const py::kwargs& given) {
  StepInput input = step.no_input();
  read_input(given, input.state, input.parameters);
  const StepResponse response = step.tangent(input);
  py::dict all;
  all["q"] = array_of(response.state.q);
  all["u"] = array_of(response.state.u);
  all["reaction"] = rows_of(response.reaction);
  all["velocity"] = rows_of(response.velocity);
  return all;
}

py::dict adjoint(const DifferentiatedStep& step, const py::object& q, const py::object& u, const py::object& reaction,
                 const py::object& velocity) {
  StepResponse by = step.no_response();
  if (!q.is_none()) read(q, "q", by.state.q);
  if (!u.is_none()) read(u, "u", by.state.u);
  if (!reaction.is_none()) read(reaction, "reaction", by.reaction);
  if (!velocity.is_none()) read(velocity, "velocity", by.velocity);
  const StepInput input = step.adjoint(by);
  return dictionary(input.state, input.parameters);
}

// seed(k) gives None, or (by_q, by_u).
py::dict run_adjoint(Rollout& run, const py::function& seed) {
  const RolloutGradient gradient = run.adjoint([&](long k, StateVariation& by) {
    const py::object given = seed(k);
    if (given.is_none()) return;
    const auto pair = cast_to<std::pair<py::object, py::object>>(given, "seed", "None or (by_q, by_u)");
    StateVariation more{.q = Eigen::VectorXd(by.q.size()), .u = Eigen::VectorXd(by.u.size()), .memory = {}};
    read(pair.first, "seed, by_q", more.q);
    read(pair.second, "seed, by_u", more.u);
    by.q += more.q;
    by.u += more.u;
  });
  py::dict all = dictionary(gradient.initial, gradient.parameters);
  all["steps_not_strict"] = gradient.steps_not_strict;
  all["not_strict"] = edges_of(gradient.not_strict);
  return all;
}

}  // namespace

void bind_sensitivity(py::module_& module) {
  py::class_<DifferentiatedStep>(module, "DifferentiatedStep", "A step that was taken, and its derivatives.")
      .def(py::init([](const std::shared_ptr<System>& system, TimeStepper& stepper, double margin) {
             return std::make_unique<DifferentiatedStep>(*system, stepper, SensitivityOptions{.margin = margin});
           }),
           py::arg("system"), py::arg("stepper"), py::arg("margin") = 1e-6, py::keep_alive<1, 2>(),
           py::keep_alive<1, 3>())
      .def_property_readonly("report", &DifferentiatedStep::report, "The StepReport of the step.")
      .def_property_readonly(
          "not_strict", [](const DifferentiatedStep& step) { return edges_of(step.not_strict()); },
          "(master, slave, what it is on the edge of) of each contact without a derivative, or without an exact one.")
      .def("row", &DifferentiatedStep::row, py::arg("constraint"), py::arg("block") = 0,
           "Row of a constraint's block in reaction and velocity.")
      .def(
          "tangent", &tangent,
          "What the step gives by a change: {q, u, reaction, velocity}. Keywords, each 0 where it is left out: q, u "
          "and "
          "force (N,), gravity (3,), mass by body, inertia (bodies, 9), size and position (colliders, 3), friction and "
          "restitution by pair of surfaces.")
      .def("adjoint", &adjoint, py::kw_only(), py::arg("q") = py::none(), py::arg("u") = py::none(),
           py::arg("reaction") = py::none(), py::arg("velocity") = py::none(),
           "The derivatives of a number by what goes into the step, of those by what it gives: a dictionary with the "
           "keywords of tangent.");
  py::class_<Rollout>(module, "DifferentiableRun", "Steps from where a stepper is, to be gone back through.")
      .def(py::init([](const std::shared_ptr<System>& system, TimeStepper& stepper, long checkpoint_every,
                       double margin) {
             return std::make_unique<Rollout>(
                 *system, stepper, RolloutOptions{.step = {.margin = margin}, .checkpoint_every = checkpoint_every});
           }),
           py::arg("system"), py::arg("stepper"), py::arg("checkpoint_every") = 0, py::arg("margin") = 1e-6,
           py::keep_alive<1, 2>(), py::keep_alive<1, 3>())
      .def_property_readonly("steps", &Rollout::steps, "Taken so far.")
      .def(
          "run", [](Rollout& run, long steps) { run.run(steps); }, py::arg("steps"), "Takes so many steps more.")
      .def("adjoint", &run_adjoint, py::arg("seed"),
           "Back through all steps: seed(k) is called in state k, last first, and gives the derivatives of a number by "
           "its q and u as (by_q, by_u), or None. A dictionary as of DifferentiatedStep.adjoint, q and u those of the "
           "first state, with steps_not_strict and not_strict.");
}

}  // namespace locdyn::python
