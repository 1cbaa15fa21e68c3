// Steps of a System: options, reports, contacts as one array, forces between bodies, events, saved states.

#include "stepper.hpp"

#include <locdyn/simulation/contact_events.hpp>
#include <locdyn/simulation/contact_forces.hpp>
#include <locdyn/simulation/unique_forces.hpp>
#include <locdyn/solver/registry.hpp>
#include <optional>
#include <stdexcept>

#include "ids.hpp"

namespace locdyn::python {
namespace {

// A row of `contacts`.
struct ContactRow {
  std::uint64_t identity;
  std::uint32_t master, slave;            // colliders
  std::uint32_t master_body, slave_body;  // bodies
  double point[3];
  double frame[3][3];  // rows t1, t2, n
  double gap;
  double reaction[3], moment[3], velocity[3], velocity_before[3];  // (t1, t2, n)
  double force[3];                                                 // in space, on the slave
  double friction;
  std::uint8_t state;
};

void copy(const Eigen::Vector3d& from, double (&to)[3]) {
  std::copy(from.begin(), from.end(), to);
}

ContactRow row_of(const ActiveContact& contact) {
  ContactRow row{};
  row.identity = contact.identity;
  row.master = contact.master;
  row.slave = contact.slave;
  row.master_body = contact.point.master;
  row.slave_body = contact.point.slave;
  copy(contact.point.point, row.point);
  for (int k = 0; k < 3; ++k) copy(contact.point.frame.col(k), row.frame[k]);
  row.gap = contact.point.gap;
  copy(contact.reaction, row.reaction);
  copy(contact.moment, row.moment);
  copy(contact.velocity, row.velocity);
  copy(contact.velocity_before, row.velocity_before);
  copy(contact.point.frame * contact.reaction, row.force);
  row.friction = contact.point.material.friction;
  row.state = static_cast<std::uint8_t>(state_of(contact));
  return row;
}

py::array_t<ContactRow> contacts(const TimeStepper& stepper) {
  stepper.system().require_readable("contacts");
  auto rows = std::make_unique<std::vector<ContactRow>>();
  rows->reserve(stepper.system().graph().constraint_count());  // all that are awake, and joints
  stepper.visit_contacts([&](const ActiveContact& contact) { rows->push_back(row_of(contact)); });
  // The array owns what was filled: no second copy.
  const auto* held = rows.get();
  const py::capsule owner(rows.release(), [](void* filled) { delete static_cast<std::vector<ContactRow>*>(filled); });
  return py::array_t<ContactRow>(static_cast<py::ssize_t>(held->size()), held->data(), owner);
}

ContactForce force_on(const TimeStepper& stepper, const std::vector<BodyId>& bodies,
                      const std::optional<std::vector<BodyId>>& from) {
  const System& system = stepper.system();
  system.require_readable("forces");
  const ColliderGroup others = from ? ColliderGroup::of_bodies(system, *from) : ColliderGroup::all(system);
  return force_between(stepper.contacts(), others, ColliderGroup::of_bodies(system, bodies));
}

Uniqueness unique_force_on(const TimeStepper& stepper, const std::vector<BodyId>& bodies,
                           const std::optional<std::vector<BodyId>>& from) {
  const System& system = stepper.system();
  system.require_readable("forces");
  const ColliderGroup others = from ? ColliderGroup::of_bodies(system, *from) : ColliderGroup::all(system);
  return UniqueForces(stepper).between(others, ColliderGroup::of_bodies(system, bodies));
}

StepReport step(TimeStepper& stepper) {
  const CtrlC interrupt;
  StepReport report;
  {
    const py::gil_scoped_release unlocked;
    report = stepper.step();
  }
  interrupt.raise();
  return report;
}

OnFailure policy(const std::string& name) {
  if (name == "go_on") return OnFailure::go_on;
  if (name == "stop") return OnFailure::stop;
  if (name == "halve") return OnFailure::halve;
  throw std::invalid_argument("on_failure: expected go_on, stop or halve, found " + name);
}

Correction correction(const std::string& name) {
  if (name == "none") return Correction::none;
  if (name == "projection") return Correction::projection;
  if (name == "baumgarte") return Correction::baumgarte;
  throw std::invalid_argument("correction: expected none, projection or baumgarte, found " + name);
}

void bind_report(py::module_& module) {
  py::class_<BrokenJoint>(module, "BrokenJoint", "A joint that broke in a step.")
      .def_readonly("name", &BrokenJoint::name, "Of the joint; empty where it had none.")
      .def_readonly("joint", &BrokenJoint::joint, "The id that it had.")
      .def_readonly("time", &BrokenJoint::time, "At the end of the step [s].")
      .def_property_readonly(
          "force", [](const BrokenJoint& b) { return b.load.force; }, "That it carried in the step [N].")
      .def_property_readonly(
          "torque", [](const BrokenJoint& b) { return b.load.moment; }, "The same [N m].")
      .def("__repr__", [](const BrokenJoint& b) {
        return "<locdyn.BrokenJoint \"" + b.name + "\" at " + std::to_string(b.time) + " s>";
      });
  py::class_<StepReport>(module, "StepReport", "What a step tells of itself.")
      .def_readonly("step", &StepReport::step, "Counts from 1.")
      .def_readonly("time", &StepReport::time, "At the end of the step [s].")
      .def_readonly("contacts", &StepReport::contacts, "In the graph, open ones included, without those asleep.")
      .def_readonly("constraints", &StepReport::constraints, "Of all kinds.")
      .def_readonly("islands", &StepReport::islands, "Of the graph.")
      .def_readonly("sleeping", &StepReport::sleeping, "Bodies.")
      .def_property_readonly(
          "status", [](const StepReport& r) { return to_string(r.status); },
          "The worst of all islands, as of SolveReport.")
      .def_property_readonly("failed", &StepReport::failed, "Did a solve not converge, but for the budget of sweeps?")
      .def_readonly("warning", &StepReport::warning, "One line where a solve did not converge, else empty.")
      .def_readonly("iterations", &StepReport::iterations, "Of all islands.")
      .def_readonly("factorisations", &StepReport::factorisations, "Of all islands.")
      .def_readonly("block_products", &StepReport::block_products, "Of all islands.")
      .def_readonly("residual", &StepReport::residual, "Scaled, the worst of all islands.")
      .def_readonly("penetration", &StepReport::penetration, "The deepest [m].")
      .def_readonly("joint_error", &StepReport::joint_error, "Left in hard joints [m].")
      .def_readonly("not_least_norm", &StepReport::not_least_norm,
                    "Islands solved that were to have the reactions of least norm and have others.")
      .def_readonly("parts", &StepReport::parts, "Steps that it was made of (on_failure=\"halve\").")
      .def_readonly("broken", &StepReport::broken, "Joints that it broke: a list of BrokenJoint.")
      .def_readonly("kinetic_energy", &StepReport::kinetic_energy, "[J]")
      .def_readonly("potential_energy", &StepReport::potential_energy, "[J]")
      .def_readonly("correction_energy", &StepReport::correction_energy, "Added by taking penetration back [J].")
      .def_property_readonly(
          "momentum", [](const StepReport& r) { return array_of(Eigen::VectorXd(r.momentum)); }, "(3,) [kg m/s]")
      .def_property_readonly(
          "angular_momentum", [](const StepReport& r) { return array_of(Eigen::VectorXd(r.angular_momentum)); },
          "(3,) about the origin [kg m^2/s]")
      .def_readonly("largest_speed", &StepReport::largest_speed, "[m/s]")
      .def_property_readonly(
          "seconds",
          [](const StepReport& r) {
            const StepReport::Stages& s = r.seconds;
            py::dict stages;
            stages["detection"] = s.detection;
            stages["assembly"] = s.assembly;
            stages["solve"] = s.solve;
            stages["correction"] = s.correction;
            stages["other"] = s.other;
            return stages;
          },
          "Where the time went, by stage [s].")
      .def("__repr__", [](const StepReport& r) {
        return "<locdyn.StepReport " + std::to_string(r.step) + ": " + to_string(r.status) + ", " +
               std::to_string(r.contacts) + " contacts>";
      });
}

void bind_forces(py::module_& module) {
  const auto vector = [](auto member) {
    return [member](const ContactForce& f) { return array_of(Eigen::VectorXd(f.*member)); };
  };
  py::class_<Uniqueness>(module, "Uniqueness", "What of a reaction, or of a sum of some, every solution has.")
      .def_readonly("known", &Uniqueness::known,
                    "False where a contact sleeps: nobody solved it, the others are False.")
      .def_readonly("normal", &Uniqueness::normal, "The part along the normals.")
      .def_readonly("friction", &Uniqueness::friction, "What friction gives.")
      .def_readonly("force", &Uniqueness::force, "The sum of both, which may be unique where its parts are not.")
      .def_readonly("moment", &Uniqueness::moment, "The moment, where the force is unique, too.");
  py::class_<ContactForce>(module, "ContactForce", "The reactions of some contacts together, in space.")
      .def_property_readonly("force", vector(&ContactForce::force), "(3,) [N]")
      .def_property_readonly("normal", vector(&ContactForce::normal), "(3,) its part along the normals [N].")
      .def_property_readonly(
          "friction", [](const ContactForce& f) { return array_of(Eigen::VectorXd(f.friction())); },
          "(3,) the rest [N].")
      .def_property_readonly("moment", vector(&ContactForce::moment), "(3,) about the origin of space [N m].")
      .def(
          "moment_about",
          [](const ContactForce& f, const py::object& x) {
            return array_of(Eigen::VectorXd(f.moment_about(vector3(x, "point"))));
          },
          py::arg("point"), "(3,) about a point of space [N m].")
      .def_readonly("pressure", &ContactForce::pressure, "Sum of R_n [N].")
      .def_property_readonly("centre", vector(&ContactForce::centre), "(3,) of pressure [m]; 0 where nothing presses.")
      .def_readonly("open", &ContactForce::open, "Contacts that do not press.")
      .def_readonly("sticking", &ContactForce::sticking, "Contacts within their cone.")
      .def_readonly("sliding", &ContactForce::sliding, "Contacts on its edge.");
}

void bind_events(py::module_& module) {
  py::class_<ContactEvent>(module, "ContactEvent", "What two bodies began or ended in a step.")
      .def_property_readonly(
          "change",
          [](const ContactEvent& e) {
            return e.change == ContactChange::begin ? "begin" : e.change == ContactChange::end ? "end" : "persist";
          },
          "begin, persist or end: of pressing on each other.")
      .def_readonly("first", &ContactEvent::first, "The body of lower id.")
      .def_readonly("second", &ContactEvent::second, "The other.")
      .def_readonly("time", &ContactEvent::time, "At the end of the step [s].")
      .def_property_readonly(
          "impulse", [](const ContactEvent& e) { return array_of(Eigen::VectorXd(e.impulse)); },
          "(3,) what the first gave the second in the step [N s].")
      .def_property_readonly(
          "point", [](const ContactEvent& e) { return array_of(Eigen::VectorXd(e.point)); },
          "(3,) the centre of pressure [m].")
      .def_readonly("approach", &ContactEvent::approach, "How fast they came together before the step [m/s].")
      .def_readonly("impact", &ContactEvent::impact, "Faster than impact_speed.")
      .def("__repr__", [](const ContactEvent& e) {
        return "<locdyn.ContactEvent " + std::to_string(e.first) + "-" + std::to_string(e.second) + " at " +
               std::to_string(e.time) + " s>";
      });
  py::class_<ContactEvents>(module, "ContactEvents", "What has begun and ended between steps of a TimeStepper.")
      .def(py::init([](const TimeStepper& stepper, double impact_speed, bool persisting) {
             return std::make_unique<ContactEvents>(
                 stepper, ContactEventOptions{.impact_speed = impact_speed, .persisting = persisting});
           }),
           py::arg("stepper"), py::kw_only(), py::arg("impact_speed") = 0.01, py::arg("persisting") = false,
           py::keep_alive<1, 2>())
      .def(
          "update",
          [](ContactEvents& events) {
            const auto found = events.update();
            return std::vector<ContactEvent>(found.begin(), found.end());
          },
          "After a step: a list of ContactEvent, in order of bodies.")
      .def_property_readonly(
          "fell_asleep",
          [](const ContactEvents& events) {
            std::vector<BodyId> bodies;
            for (const SleepEvent& e : events.sleep()) {
              if (e.asleep) bodies.push_back(e.body);
            }
            return bodies;
          },
          "Bodies, of the last update.")
      .def_property_readonly(
          "woke",
          [](const ContactEvents& events) {
            std::vector<BodyId> bodies;
            for (const SleepEvent& e : events.sleep()) {
              if (!e.asleep) bodies.push_back(e.body);
            }
            return bodies;
          },
          "Bodies, of the last update.");
}

py::tuple pickled(const StepperState& s) {
  return py::make_tuple(2, s.time, s.step, s.accepted_residual, s.bodies, s.references, s.contacts, s.identities,
                        s.reactions, s.forces, s.sleep, s.broken);
}

StepperState unpickled(const py::tuple& t) {
  if (t.size() != 12 || t[0].cast<int>() != 2) {
    throw std::invalid_argument("pickle: expected a state of version 2, found another");
  }
  using List = std::vector<double>;
  return {.time = t[1].cast<double>(),
          .step = t[2].cast<std::int64_t>(),
          .accepted_residual = t[3].cast<double>(),
          .bodies = t[4].cast<List>(),
          .references = t[5].cast<List>(),
          .contacts = t[6].cast<List>(),
          .identities = t[7].cast<std::vector<std::uint64_t>>(),
          .reactions = t[8].cast<List>(),
          .forces = t[9].cast<List>(),
          .sleep = t[10].cast<List>(),
          .broken = t[11].cast<List>()};
}

}  // namespace

TimeStepperOptions stepping_options(const py::kwargs& given, TimeStepperOptions options) {
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    if (name == "step")
      options.step = cast_to<double>(value, "step", "a number");
    else if (name == "solver")
      options.solver = find_solver(cast_to<std::string>(value, "solver", "a name")).name;
    else if (name == "without")
      options.without = cast_to<std::vector<std::string>>(value, "without", "names of stages");
    else if (name == "tolerance")
      options.stop.tolerance = cast_to<double>(value, "tolerance", "a number");
    else if (name == "max_iterations")
      options.stop.max_iterations = cast_to<long>(value, "max_iterations", "a whole number");
    else if (name == "threads")
      options.stop.threads = cast_to<int>(value, "threads", "a whole number");
    else if (name == "velocity_tolerance")
      options.velocity_tolerance = cast_to<double>(value, "velocity_tolerance", "a number");
    else if (name == "sweep_budget")
      options.sweep_budget = cast_to<long>(value, "sweep_budget", "a whole number");
    else if (name == "least_norm")
      options.least_norm = cast_to<bool>(value, "least_norm", "True or False");
    else if (name == "on_failure")
      options.on_failure = policy(cast_to<std::string>(value, "on_failure", "a name"));
    else if (name == "correction")
      options.correction = correction(cast_to<std::string>(value, "correction", "a name"));
    else if (name == "slop")
      options.slop = cast_to<double>(value, "slop", "a number");
    else if (name == "sleep")
      options.sleep = cast_to<bool>(value, "sleep", "True or False");
    else
      throw py::type_error("stepping: expected an option of TimeStepper, found " + name);
  }
  options.stop.interrupt = CtrlC::flag_of_second();
  return options;
}

void bind_stepper(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(ContactRow, identity, master, slave, master_body, slave_body, point, frame, gap, reaction,
                       moment, velocity, velocity_before, force, friction, state);
  bind_report(module);
  bind_forces(module);
  bind_events(module);
  py::class_<StepperState>(module, "StepperState",
                           "All that a run needs beside its System to go on from where it is, bit for bit. Pickles.")
      .def_readonly("time", &StepperState::time, "[s]")
      .def_readonly("step", &StepperState::step, "Steps done.")
      .def("__copy__", [](const StepperState& s) { return s; })
      .def(
          "__deepcopy__", [](const StepperState& s, const py::dict&) { return s; }, py::arg("memo"))
      .def(py::pickle(&pickled, &unpickled));

  py::class_<TimeStepper>(module, "_TimeStepper", "The compiled half of TimeStepper.")
      .def(py::init([](const std::shared_ptr<System>& system, const py::kwargs& options) {
             return std::make_unique<TimeStepper>(*system, stepping_options(options));
           }),
           py::keep_alive<1, 2>())
      .def("step", &step)
      .def_property_readonly("time", &TimeStepper::time)
      .def_property_readonly("steps", &TimeStepper::steps)
      .def_property_readonly("h", [](const TimeStepper& s) { return s.options().step; })
      .def("contacts", &contacts)
      .def("force_on", &force_on, py::arg("bodies"), py::arg("of"))
      .def("forces_by_body",
           [](const TimeStepper& s) {
             s.system().require_readable("forces");
             py::list pairs;
             for (const BodyPairForce& p : forces_by_body(s.contacts())) {
               pairs.append(py::make_tuple(p.first, p.second, p.on_second));
             }
             return pairs;
           })
      .def("unique_force_on", &unique_force_on, py::arg("bodies"), py::arg("of"))
      .def("unique_contacts",
           [](const TimeStepper& s) {
             s.system().require_readable("forces");
             return UniqueForces(s).of_contacts();
           })
      .def("sleeps", &TimeStepper::sleeps, py::arg("body"))
      .def("state",
           [](const TimeStepper& s) {
             s.system().require_readable("state");
             return s.state();
           })
      .def("restore", &TimeStepper::restore, py::arg("state"));
}

}  // namespace locdyn::python
