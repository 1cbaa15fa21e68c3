// Functions of Python that a step calls: what they return or raise, and the contact that a modifier is handed.

#include "callables.hpp"

#include <locdyn/simulation/contact_modifier.hpp>
#include <memory>
#include <optional>
#include <stdexcept>

namespace locdyn::python {
namespace {

// Calls work() with the interpreter's lock and keeps what Python raises.
template <class Work>
auto with_python(const Work& work) {
  const py::gil_scoped_acquire lock;
  try {
    return work();
  } catch (py::error_already_set& fault) {
    throw CallbackFault(std::move(fault));
  }
}

// Shared, so that the last owner gives it back with the lock whatever thread that is.
std::shared_ptr<py::function> kept(const py::function& function) {
  return {new py::function(function), [](py::function* held) {
            const py::gil_scoped_acquire lock;
            delete held;
          }};
}

void add_load(System& system, BodyId body, const py::function& load, const std::optional<py::object>& point) {
  (void)system.bodies()[body];
  std::optional<Eigen::Vector3d> material_point;
  if (point) material_point = system.bodies()[body].to_body(vector3(*point, "point"));
  system.add_load([call = kept(load), body, material_point](double t, double h, BodySet& bodies) {
    if (!bodies.contains(body)) return;  // it was removed
    const Eigen::Vector3d force = with_python([&] { return vector3((*call)(t + h / 2), "what a load returns"); });
    bodies[body].add_force(force, bodies[body].to_space(material_point.value_or(Eigen::Vector3d::Zero())));
  });
}

void add_torque(System& system, BodyId body, const py::function& torque) {
  (void)system.bodies()[body];
  system.add_load([call = kept(torque), body](double t, double h, BodySet& bodies) {
    if (!bodies.contains(body)) return;  // it was removed
    bodies[body].add_torque(with_python([&] { return vector3((*call)(t + h / 2), "what a torque returns"); }));
  });
}

void add_drive(System& system, BodyId body, const py::function& drive) {
  system.add_drive(body, [call = kept(drive)](double t, double h) {
    return with_python([&] {
      const py::object result = (*call)(t, h);
      if (!py::isinstance<py::tuple>(result) || py::len(result) != 2) {
        throw std::invalid_argument("what a drive returns: expected (velocity, angular velocity), found " +
                                    std::string(py::str(py::type::handle_of(result).attr("__name__"))));
      }
      const auto pair = py::reinterpret_borrow<py::tuple>(result);
      return ObstacleMotion{.velocity = vector3(pair[0], "velocity of a drive"),
                            .angular_velocity = vector3(pair[1], "angular velocity of a drive")};
    });
  });
}

// A contact as a modifier sees it: no longer than the call lasts.
struct HandedContact {
  ContactToSolve* contact;
  [[nodiscard]] ContactToSolve& operator*() const {
    if (contact != nullptr) return *contact;
    throw std::logic_error(
        "contact: expected the one that a modifier was just called with, found one of a call that is over");
  }
};

void set_contact_modifier(System& system, const std::optional<py::function>& modifier) {
  if (!modifier) return system.set_contact_modifier({});
  system.set_contact_modifier([call = kept(*modifier)](ContactToSolve& contact) {
    with_python([&] {
      const auto handed = std::make_shared<HandedContact>(HandedContact{&contact});
      const std::shared_ptr<void> over(nullptr, [&](void*) { handed->contact = nullptr; });
      (*call)(handed);
    });
  });
}

// A coefficient of the contact's material that may be set.
using HandedClass = py::class_<HandedContact, std::shared_ptr<HandedContact>>;
void bind_coefficient(HandedClass& handed, const char* name, double PairMaterial::*field, const char* doc) {
  handed.def_property(
      name, [field](const HandedContact& c) { return (*c).material.*field; },
      [field](const HandedContact& c, double value) { (*c).material.*field = value; }, doc);
}

void bind_contact_to_solve(py::module_& module) {
  HandedClass handed(module, "ContactToSolve",
                     "A contact that a step is about to solve, as a contact modifier sees it: valid while it runs. "
                     "What can be set holds for this step alone.");
  handed
      .def_property_readonly(
          "identity", [](const HandedContact& c) { return (*c).identity; },
          "The same for as long as the contact lasts.")
      .def_property_readonly(
          "master", [](const HandedContact& c) { return (*c).point.master; },
          "The body that the normal points away from.")
      .def_property_readonly(
          "slave", [](const HandedContact& c) { return (*c).point.slave; }, "The body that the normal points to.")
      .def_property_readonly(
          "master_shape", [](const HandedContact& c) { return (*c).master; }, "Its shape.")
      .def_property_readonly(
          "slave_shape", [](const HandedContact& c) { return (*c).slave; }, "Its shape.")
      .def_property_readonly(
          "point", [](const HandedContact& c) { return array_of(Eigen::VectorXd((*c).point.point)); },
          "(3,) [m] in space: a copy.")
      .def_property_readonly(
          "normal", [](const HandedContact& c) { return array_of(Eigen::VectorXd((*c).point.frame.col(2))); },
          "(3,) in space, from master to slave: a copy.")
      .def_property_readonly(
          "gap", [](const HandedContact& c) { return (*c).point.gap; }, "[m], > 0 open.")
      .def_property_readonly(
          "time", [](const HandedContact& c) { return (*c).time; }, "Half-way through the step [s].")
      .def_property(
          "friction", [](const HandedContact& c) { return (*c).material.static_friction; },
          [](const HandedContact& c, double mu) {
            (*c).material.static_friction = (*c).material.kinetic_friction = mu;
          },
          "Static friction; setting it sets both coefficients.")
      .def_property(
          "surface_velocity", [](const HandedContact& c) { return array_of(Eigen::VectorXd((*c).surface_velocity)); },
          [](const HandedContact& c, const py::object& v) { (*c).surface_velocity = vector3(v, "surface_velocity"); },
          "Of the master's surface less the slave's, beside the bodies' own, (3,) [m/s] in space: a copy; set it "
          "whole.")
      .def_property(
          "friction_direction",
          [](const HandedContact& c) { return array_of(Eigen::VectorXd((*c).friction_direction)); },
          [](const HandedContact& c, const py::object& d) {
            (*c).friction_direction = vector3(d, "friction_direction");
          },
          "Along which friction counts beside a cross_friction, (3,) in space: a copy; set it whole.")
      .def_property(
          "cross_friction", [](const HandedContact& c) { return (*c).material.cross_friction; },
          [](const HandedContact& c, std::optional<double> mu) { (*c).material.cross_friction = mu; },
          "Static friction across that direction; None: as along it.")
      .def_property(
          "off", [](const HandedContact& c) { return (*c).off; },
          [](const HandedContact& c, bool off) { (*c).off = off; }, "True: no contact in this step.");
  bind_coefficient(handed, "static_friction", &PairMaterial::static_friction, "Until it slips.");
  bind_coefficient(handed, "kinetic_friction", &PairMaterial::kinetic_friction, "While it slips, <= static_friction.");
  bind_coefficient(handed, "restitution", &PairMaterial::restitution, "0 ... 1.");
  bind_coefficient(handed, "rolling", &PairMaterial::rolling, "[m].");
  bind_coefficient(handed, "torsional", &PairMaterial::torsional, "[m].");
  bind_coefficient(handed, "stiffness", &PairMaterial::stiffness, "[N/m], infinite where hard.");
  bind_coefficient(handed, "hertz_stiffness", &PairMaterial::hertz_stiffness, "[N/m^1.5], infinite where hard.");
  bind_coefficient(handed, "damping", &PairMaterial::damping, "[N s/m].");
  bind_coefficient(handed, "tangential_stiffness", &PairMaterial::tangential_stiffness, "[N/m], infinite where hard.");
  bind_coefficient(handed, "tangential_damping", &PairMaterial::tangential_damping, "[N s/m].");
}

}  // namespace

void bind_callables(py::module_& module, py::class_<System, std::shared_ptr<System>>& system) {
  using namespace py::literals;
  bind_contact_to_solve(module);
  system
      .def("add_load", &add_load, "body"_a, "force"_a, "point"_a = py::none(),
           "force(t) -> (3,) [N] in space, called once a step at its middle; at the point of the body that lies at "
           "point "
           "now, at its mass centre without; asked for as long as there is the body. What it raises ends the step, "
           "before which "
           "everything then is.")
      .def("add_torque", &add_torque, "body"_a, "torque"_a, "torque(t) -> (3,) [N m] in space, as of add_load.")
      .def("add_drive", &add_drive, "obstacle"_a, "motion"_a,
           "motion(t, h) -> (velocity, angular velocity), each (3,) in space: the mean motion of an obstacle over the "
           "step from t to t + h, about the origin of its coordinates.")
      .def("set_contact_modifier", &set_contact_modifier, "modifier"_a,
           "modifier(contact), called for every contact of each step before it is solved, may change its friction, let "
           "its surface run or take it away; None: nobody is asked. What it raises or leaves without meaning ends the "
           "step, before which everything then is. While there is one nothing sleeps.");
}

}  // namespace locdyn::python
