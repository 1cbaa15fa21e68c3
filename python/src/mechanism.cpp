// Mechanisms: rows of all joints at once; velocities, accelerations, reactions and paths, from a scene.

#include <locdyn/io/output/body_state.hpp>
#include <locdyn/io/scene/build_mechanism.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/mechanism/closing.hpp>
#include <locdyn/mechanism/loads.hpp>
#include <locdyn/mechanism/mechanism.hpp>
#include <locdyn/mechanism/path.hpp>
#include <locdyn/mechanism/rates.hpp>
#include <locdyn/mechanism/smooth/accelerations.hpp>
#include <locdyn/mechanism/smooth/applied_loads.hpp>
#include <memory>
#include <optional>
#include <stdexcept>

#include "bindings.hpp"
#include "scene_source.hpp"

namespace locdyn::python {
namespace {

// A mechanism with the system that its bodies are in, and the drive that the scene's "kinematics" names.
struct HeldMechanism {
  std::shared_ptr<System> system;
  std::unique_ptr<Mechanism> view;
  std::optional<DriveId> drive;
};

HeldMechanism of_system(const std::shared_ptr<System>& system) {
  return {system, std::make_unique<Mechanism>(*system), {}};
}

HeldMechanism of_scene(const SceneSource& source) {
  const Scene scene = expanded(source.read());
  HeldMechanism held{build_mechanism(scene), nullptr, {}};
  held.view = std::make_unique<Mechanism>(*held.system);
  if (scene.kinematics) held.drive = held.view->add_drive(driven_coordinate(scene, *held.system), "kinematics");
  return held;
}

Eigen::VectorXd coordinates(const py::handle& object, const char* what, const Mechanism& mechanism) {
  const Numbers values = numbers(object, what, {mechanism.coordinates()});
  return Eigen::Map<const Eigen::VectorXd>(values.data(), values.size());
}

// Rates that are not met are a fault that names the row.
Eigen::VectorXd met(const RateReport& report, const char* what) {
  if (report.met) return report.value;
  throw std::invalid_argument(std::string(what) + ": expected rows that agree, found " + report.at_fault + " off by " +
                              std::to_string(report.residual));
}

Eigen::VectorXd solve_velocity(HeldMechanism& held, std::optional<double> rate) {
  if (rate) {
    if (!held.drive) throw std::invalid_argument("rate: expected a mechanism with a drive, found one without");
    held.view->set_drive(*held.drive, DriveMotion{.value = held.view->drive_value(*held.drive), .rate = *rate});
  }
  return met(solve_velocities(*held.view), "velocities");
}

py::tuple accelerate(HeldMechanism& held) {
  held.view->require_complete();
  const AccelerationReport report = accelerations(*held.view, loads_of(*held.system));
  if (!report.met)
    throw std::invalid_argument("accelerations: expected rows that agree, found " + report.at_fault + " off");
  return py::make_tuple(array_of(report.acceleration), array_of(report.multipliers));
}

py::tuple static_balance(HeldMechanism& held) {
  Loads loads(*held.view);
  loads.add_gravity(held.system->gravity);
  const StaticReport report = static_reactions(*held.view, loads.f());
  return py::make_tuple(array_of(report.reactions), array_of(report.drives), report.balanced);
}

// (row, column, value) of G.
py::tuple rows_of(HeldMechanism& held) {
  held.view->evaluate();
  const SparseMatrix& G = held.view->G();
  std::vector<int> row, column;
  std::vector<double> value;
  for (int k = 0; k < G.outerSize(); ++k) {
    for (SparseMatrix::InnerIterator entry(G, k); entry; ++entry) {
      row.push_back(static_cast<int>(entry.row()));
      column.push_back(static_cast<int>(entry.col()));
      value.push_back(entry.value());
    }
  }
  return py::make_tuple(value, row, column, G.rows(), G.cols());
}

// (values of the drive, positions (p, n, 3), orientations (p, n, 4), velocities (p, coordinates), message).
py::tuple follow_drive(HeldMechanism& held, double from, double to, double step, double rate) {
  if (!held.drive) throw std::invalid_argument("follow: expected a mechanism with \"kinematics\", found one without");
  std::vector<double> values, positions, orientations, velocities;
  const auto visit = [&](const PathPoint& point) {
    values.push_back(point.value);
    for (const BodyId id : held.system->bodies().ids()) {
      const detail::BodyState body = detail::state_of(held.system->bodies()[id]);
      const Eigen::Vector4d turned = coefficients(body.orientation);
      positions.insert(positions.end(), body.position.begin(), body.position.end());
      orientations.insert(orientations.end(), turned.begin(), turned.end());
    }
    const Eigen::VectorXd u = held.view->velocity();
    velocities.insert(velocities.end(), u.begin(), u.end());
  };
  const PathReport report =
      follow(*held.view, *held.drive, {.from = from, .to = to, .step = step, .rate = rate}, visit);
  const auto points = static_cast<py::ssize_t>(values.size());
  const auto bodies = static_cast<py::ssize_t>(held.system->bodies().size());
  return py::make_tuple(Numbers(points, values.data()), Numbers({points, bodies, py::ssize_t{3}}, positions.data()),
                        Numbers({points, bodies, py::ssize_t{4}}, orientations.data()),
                        Numbers({points, py::ssize_t{held.view->coordinates()}}, velocities.data()), report.message());
}

}  // namespace

void bind_mechanism(py::module_& module) {
  using namespace py::literals;
  py::class_<HeldMechanism>(module, "_Mechanism", "The compiled half of Mechanism.")
      .def_static("of_system", &of_system, "system"_a)
      .def_static("of_scene", &of_scene, "source"_a)
      .def_readonly("system", &HeldMechanism::system)
      .def_property_readonly("coordinates", [](const HeldMechanism& m) { return m.view->coordinates(); })
      .def_property_readonly("rows", [](const HeldMechanism& m) { return m.view->rows().size(); })
      .def_property_readonly("row_names",
                             [](const HeldMechanism& m) {
                               py::list names;
                               for (std::size_t k = 0; k < m.view->rows().size(); ++k) {
                                 names.append(m.view->spelled(static_cast<Eigen::Index>(k)));
                               }
                               return names;
                             })
      .def_property_readonly("left_out",
                             [](const HeldMechanism& m) {
                               py::list names;
                               for (const LeftOut& one : m.view->left_out()) names.append(one.name);
                               return names;
                             })
      .def_property_readonly("drive_value",
                             [](const HeldMechanism& m) -> py::object {
                               if (!m.drive) return py::none();
                               return py::float_(m.view->drive_value(*m.drive));
                             })
      .def_property(
          "velocity", [](const HeldMechanism& m) { return array_of(m.view->velocity()); },
          [](HeldMechanism& m, const py::object& u) { m.view->set_velocity(coordinates(u, "velocity", *m.view)); })
      .def("close",
           [](HeldMechanism& m) {
             const CloseReport report = close(*m.view);
             if (!report.closed()) throw std::invalid_argument(report.message());
             return report.residual;
           })
      .def("constraint_matrix", &rows_of)
      .def(
          "solve_velocities",
          [](HeldMechanism& m, std::optional<double> rate) { return array_of(solve_velocity(m, rate)); }, "rate"_a)
      .def("accelerations", &accelerate)
      .def("static_reactions", &static_balance)
      .def("follow", &follow_drive, "start"_a, "end"_a, "step"_a, "rate"_a);
}

}  // namespace locdyn::python
