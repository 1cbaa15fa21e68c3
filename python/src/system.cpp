// Systems: bodies with shapes, surfaces, joints, forces, loads and drives; and where they are.

#include <locdyn/bodies/particle.hpp>
#include <locdyn/contact/detection/bullet_detector.hpp>
#include <locdyn/io/output/body_state.hpp>
#include <locdyn/io/scene/add_described.hpp>
#include <locdyn/simulation/energies.hpp>
#include <locdyn/simulation/make_bodies.hpp>
#include <locdyn/simulation/system.hpp>
#include <memory>
#include <optional>
#include <stdexcept>

#include "callables.hpp"
#include "ids.hpp"

namespace locdyn::python {
namespace {

Orientation orientation(const py::handle& object) {
  const Numbers q = numbers(object, "orientation", {4});
  return orientation_of(Eigen::Map<const Eigen::Vector4d>(q.data()));
}

Pose pose(const py::handle& position, const py::handle& turned) {
  return {.position = vector3(position, "position"), .orientation = orientation(turned)};
}

SurfaceId surface(const System& system, const std::string& name) {
  return name.empty() ? SurfaceId{0} : system.materials.find(name);
}

// The arguments of add_surface and set_pair, in their order.
struct MaterialNumbers {
  std::optional<double> friction, static_friction, kinetic_friction, cross_friction;
  double restitution, rolling, torsional;
  std::optional<double> stiffness, hertz_stiffness;
  double damping;
  std::optional<double> tangential_stiffness;
  double tangential_damping;
};

PairMaterial material(const MaterialNumbers& given) {
  if (given.friction && (given.static_friction || given.kinetic_friction)) {
    throw std::invalid_argument("friction: expected it alone or static_friction and kinetic_friction, found both");
  }
  constexpr double kHard = std::numeric_limits<double>::infinity();
  return {.static_friction = given.friction.value_or(given.static_friction.value_or(0)),
          .kinetic_friction = given.friction.value_or(given.kinetic_friction.value_or(0)),
          .cross_friction = given.cross_friction,
          .restitution = given.restitution,
          .rolling = given.rolling,
          .torsional = given.torsional,
          .stiffness = given.stiffness.value_or(kHard),
          .hertz_stiffness = given.hertz_stiffness.value_or(kHard),
          .damping = given.damping,
          .tangential_stiffness = given.tangential_stiffness.value_or(kHard),
          .tangential_damping = given.tangential_damping};
}

// --- bodies ----------------------------------------------------------------------------------------------------------

// (shape, position, orientation), or a shape alone.
Part part_of(const py::handle& object, double density, SurfaceId on) {
  Part part{.shape = Sphere{}, .matter = {.density = density, .surface = on}, .pose = {}};
  if (!py::isinstance<py::tuple>(object)) {
    part.shape = cast_to<Shape>(object, "shapes", "a shape");
    return part;
  }
  const auto items = py::reinterpret_borrow<py::tuple>(object);
  if (items.size() < 2 || items.size() > 3) {
    throw std::invalid_argument(
        "shapes: expected (shape, position) or (shape, position, orientation), found a tuple of " +
        std::to_string(items.size()));
  }
  part.shape = cast_to<Shape>(items[0], "shapes", "a shape");
  part.pose.position = vector3(items[1], "position of a shape");
  if (items.size() == 3) part.pose.orientation = orientation(items[2]);
  return part;
}

std::vector<Part> parts_of(const py::object& shapes, double density, SurfaceId on) {
  std::vector<Part> parts;
  if (py::isinstance<py::list>(shapes)) {
    for (const py::handle shape : shapes) parts.push_back(part_of(shape, density, on));
  } else {
    parts.push_back(part_of(shapes, density, on));
  }
  return parts;
}

BodyId add_body(System& system, const py::object& shapes, double density, const py::object& position,
                const py::object& turned, const py::object& velocity, const py::object& angular_velocity,
                const std::string& on, std::string name) {
  const std::vector<Part> parts = parts_of(shapes, density, surface(system, on));
  const RigidVelocity motion{.linear = vector3(velocity, "velocity"),
                             .angular = vector3(angular_velocity, "angular_velocity")};
  const BodyId id = add_solid(system, parts, pose(position, turned), std::move(name));
  set_velocity(system, id, motion);
  return id;
}

BodyId add_fixed(System& system, const py::object& shapes, const py::object& position, const py::object& turned,
                 const std::string& on, std::string name) {
  const SurfaceId of = surface(system, on);
  const std::vector<Part> parts = parts_of(shapes, 1, of);
  if (parts.empty()) throw std::invalid_argument("shapes: expected at least one, found none");
  const Pose whole = pose(position, turned);
  const auto placed = [&](const Part& part) {
    return Pose{.position = whole.position + whole.orientation * part.pose.position,
                .orientation = whole.orientation * part.pose.orientation};
  };
  const BodyId id = add_obstacle(system, parts[0].shape, of, placed(parts[0]), std::move(name));
  for (std::size_t k = 1; k < parts.size(); ++k) add_to_obstacle(system, id, parts[k].shape, of, placed(parts[k]));
  return id;
}

BodyId add_particle(System& system, double mass, const py::object& position, const py::object& velocity,
                    std::string name) {
  auto body = std::make_unique<Particle>(mass, vector3(position, "position"));
  body->set_velocity(vector3(velocity, "velocity"));
  return system.add(std::move(body), std::move(name));
}

std::vector<BodyId> bodies_of(const System& system) {
  std::vector<BodyId> ids;
  for (const BodyId id : system.bodies().ids()) ids.push_back(id);
  return ids;
}

const std::string& name_of(const System& system, BodyId id) {
  if (id >= system.bodies().id_bound()) (void)system.bodies()[id];  // says which ids there are
  return system.name(id);
}

// Rows of `width` numbers, one for each body that is there.
template <class Fill>
Numbers table(const System& system, py::ssize_t width, const Fill& fill) {
  Numbers out({static_cast<py::ssize_t>(system.bodies().size()), width});
  double* row = out.mutable_data();
  for (const BodyId id : system.bodies().ids()) {
    const Eigen::VectorXd values = fill(detail::state_of(system.bodies()[id]));
    std::copy(values.begin(), values.end(), row);
    row += width;
  }
  return out;
}

// Of all shapes of a body, in its coordinates.
void set_surface_velocity(System& system, BodyId body, const Eigen::Vector3d& velocity) {
  (void)system.bodies()[body];
  for (std::uint32_t k = 0; k < system.colliders().size(); ++k) {
    const Collider& shape = system.colliders()[k];
    if (shape.body == body) system.set_surface_velocity(ColliderId{k}, shape.orientation.inverse() * velocity);
  }
}

// The same of the direction of friction.
void set_friction_direction(System& system, BodyId body, const Eigen::Vector3d& direction) {
  (void)system.bodies()[body];
  for (std::uint32_t k = 0; k < system.colliders().size(); ++k) {
    const Collider& shape = system.colliders()[k];
    if (shape.body == body) system.set_friction_direction(ColliderId{k}, shape.orientation.inverse() * direction);
  }
}

void bind_ids(py::module_& module) {
  bind_id<BodyId>(module, "BodyId",
                  "A body of a System; stays the same until it is removed, and is never given again.");
  bind_id<ColliderId>(module, "ColliderId", "A shape on a body of a System.");
  bind_id<ConstraintId>(module, "ConstraintId", "A constraint of a System: a joint, its limits, its motor.");
  bind_id<ForceId>(module, "ForceId", "An applied force of a System.");
}

}  // namespace

void bind_system(py::module_& module) {
  using namespace py::literals;
  bind_ids(module);
  const py::tuple origin = py::make_tuple(0.0, 0.0, 0.0), straight = py::make_tuple(1.0, 0.0, 0.0, 0.0);

  py::class_<System, std::shared_ptr<System>> bound(
      module, "System",
      "What is simulated: bodies with shapes, surfaces, joints, forces, loads and drives. TimeStepper moves it; "
      "between "
      "steps things may be added and removed. Units are SI, quaternions scalar first.");
  bound
      .def(py::init([](const py::object& gravity) {
             auto system = std::make_shared<System>(make_bullet_detector());
             system->gravity = vector3(gravity, "gravity");
             return system;
           }),
           "gravity"_a = py::make_tuple(0.0, 0.0, -9.81))
      .def_property(
          "gravity", [](const System& s) { return array_of(Eigen::VectorXd(s.gravity)); },
          [](System& s, const py::object& g) { s.gravity = vector3(g, "gravity"); }, "[m/s^2]: a copy; set it whole.")

      .def(
          "add_surface",
          [](System& s, const std::string& name, std::optional<double> friction, std::optional<double> static_friction,
             std::optional<double> kinetic_friction, std::optional<double> cross_friction, double restitution,
             double rolling, double torsional, std::optional<double> stiffness, std::optional<double> hertz_stiffness,
             double damping, std::optional<double> tangential_stiffness, double tangential_damping) {
            const PairMaterial with_itself =
                material({friction, static_friction, kinetic_friction, cross_friction, restitution, rolling, torsional,
                          stiffness, hertz_stiffness, damping, tangential_stiffness, tangential_damping});
            if (name == "default") {
              s.materials.set_pair(SurfaceId{0}, SurfaceId{0}, with_itself);
            } else {
              s.materials.add_surface(name, with_itself);
            }
          },
          "name"_a, py::kw_only(), "friction"_a = py::none(), "static_friction"_a = py::none(),
          "kinetic_friction"_a = py::none(), "cross_friction"_a = py::none(), "restitution"_a = 0.0, "rolling"_a = 0.0,
          "torsional"_a = 0.0, "stiffness"_a = py::none(), "hertz_stiffness"_a = py::none(), "damping"_a = 0.0,
          "tangential_stiffness"_a = py::none(), "tangential_damping"_a = 0.0,
          "A surface and what it has in common with itself; \"default\" sets that of shapes that name none. "
          "cross_friction holds across the friction_direction of a shape; rolling and torsional [m]; stiffness [N/m] "
          "of "
          "each contact point makes it give way along the normal, or hertz_stiffness [N/m^1.5] by F = K d^1.5, with "
          "damping [N s/m]; beside them tangential_stiffness and tangential_damping along the surface while it sticks.")
      .def(
          "set_pair",
          [](System& s, const std::string& a, const std::string& b, std::optional<double> friction,
             std::optional<double> static_friction, std::optional<double> kinetic_friction,
             std::optional<double> cross_friction, double restitution, double rolling, double torsional,
             std::optional<double> stiffness, std::optional<double> hertz_stiffness, double damping,
             std::optional<double> tangential_stiffness, double tangential_damping) {
            s.materials.set_pair(
                s.materials.find(a), s.materials.find(b),
                material({friction, static_friction, kinetic_friction, cross_friction, restitution, rolling, torsional,
                          stiffness, hertz_stiffness, damping, tangential_stiffness, tangential_damping}));
          },
          "first"_a, "second"_a, py::kw_only(), "friction"_a = py::none(), "static_friction"_a = py::none(),
          "kinetic_friction"_a = py::none(), "cross_friction"_a = py::none(), "restitution"_a = 0.0, "rolling"_a = 0.0,
          "torsional"_a = 0.0, "stiffness"_a = py::none(), "hertz_stiffness"_a = py::none(), "damping"_a = 0.0,
          "tangential_stiffness"_a = py::none(), "tangential_damping"_a = 0.0,
          "What two surfaces have in common. A pair that is not set has the geometric mean of the two.")

      .def("add_body", &add_body, "shapes"_a, py::kw_only(), "density"_a = 1000.0, "position"_a = origin,
           "orientation"_a = straight, "velocity"_a = origin, "angular_velocity"_a = origin, "surface"_a = "",
           "name"_a = "",
           "A rigid body: one shape, or a list of shapes or (shape, position[, orientation]) fixed to each other. "
           "density "
           "[kg/m^3]; velocity of the mass centre and angular velocity in space.")
      .def("add_obstacle", &add_fixed, "shapes"_a, py::kw_only(), "position"_a = origin, "orientation"_a = straight,
           "surface"_a = "", "name"_a = "", "What does not move but by a drive. Shapes as of add_body.")
      .def("add_particle", &add_particle, "mass"_a, py::kw_only(), "position"_a = origin, "velocity"_a = origin,
           "name"_a = "", "A point with a mass [kg] and no shape.")
      .def("exclude_pair", &System::exclude_pair, "first"_a, "second"_a, "No contact between these two bodies.")
      .def("_add_joint", &add_described_joint, "json"_a)
      .def("_add_force", &add_described_force, "json"_a)
      .def(
          "set_surface_velocity",
          [](System& s, BodyId id, const py::object& v) { set_surface_velocity(s, id, vector3(v, "velocity")); },
          "body"_a, "velocity"_a,
          "How its surface runs beside it, as a conveyor belt does: (3,) [m/s] in coordinates of the body, of all its "
          "shapes; of a shape given by its id in coordinates of the shape. What rests on it wakes.")
      .def(
          "set_surface_velocity",
          [](System& s, ColliderId id, const py::object& v) { s.set_surface_velocity(id, vector3(v, "velocity")); },
          "shape"_a, "velocity"_a)
      .def(
          "set_friction_direction",
          [](System& s, BodyId id, const py::object& d) { set_friction_direction(s, id, vector3(d, "direction")); },
          "body"_a, "direction"_a,
          "Along which friction counts where a surface has a cross_friction: (3,) of any length in coordinates of the "
          "body, of all its shapes; of a shape given by its id in coordinates of the shape. Zero: none. What counts is "
          "its part in the surface; of two shapes that have one the obstacle's, or that of the one that came first.")
      .def(
          "set_friction_direction",
          [](System& s, ColliderId id, const py::object& d) { s.set_friction_direction(id, vector3(d, "direction")); },
          "shape"_a, "direction"_a)

      .def(
          "joint_load",
          [](const System& s, ConstraintId id) {
            s.require_readable("joint load");
            const ConstraintLoad load = load_of(s, id);
            return py::make_tuple(load.force, load.moment);
          },
          "id"_a,
          "What a constraint carried in the last step, (force [N], torque [N m]): its mean reaction, friction "
          "included. "
          "Raises IndexError for one that is not there.")
      .def("remove", py::overload_cast<BodyId>(&System::remove), "id"_a,
           "A body with its shapes, joints and forces; a shape; a constraint; a force. Other ids stay. Raises "
           "IndexError "
           "for what is not there.")
      .def("remove", py::overload_cast<ColliderId>(&System::remove), "id"_a)
      .def("remove", py::overload_cast<ConstraintId>(&System::remove), "id"_a)
      .def("remove", py::overload_cast<ForceId>(&System::remove), "id"_a)

      .def_property_readonly("bodies", &bodies_of,
                             "Ids of the bodies that are there, ascending: the rows of the arrays below.")
      .def("find", &System::find, "name"_a, "The body of that name. Raises ValueError where there is none.")
      .def("name", &name_of, "body"_a, "Empty where it was given none. Of a body that was removed, too.")
      .def(
          "kind", [](const System& s, BodyId id) { return std::string(detail::kind_of(s.bodies()[id])); }, "body"_a,
          "\"rigid body\", \"obstacle\", \"particle\", ...")
      .def(
          "mass", [](const System& s, BodyId id) { return s.bodies()[id].mass(); }, "body"_a,
          "[kg]; infinite for an obstacle.")
      .def_property_readonly(
          "positions",
          [](const System& s) {
            return table(s, 3, [](const detail::BodyState& b) { return Eigen::VectorXd(b.position); });
          },
          "Mass centres (n, 3) [m]: a copy.")
      .def_property_readonly(
          "orientations",
          [](const System& s) {
            return table(s, 4, [](const detail::BodyState& b) { return Eigen::VectorXd(coefficients(b.orientation)); });
          },
          "Quaternions (n, 4), scalar first: a copy.")
      .def_property_readonly(
          "velocities",
          [](const System& s) {
            return table(s, 3, [](const detail::BodyState& b) { return Eigen::VectorXd(b.velocity); });
          },
          "Of mass centres (n, 3) [m/s]: a copy.")
      .def_property_readonly(
          "angular_velocities",
          [](const System& s) {
            return table(s, 3, [](const detail::BodyState& b) { return Eigen::VectorXd(b.angular_velocity); });
          },
          "In space (n, 3) [rad/s]: a copy.")
      .def(
          "set_velocity",
          [](System& s, BodyId id, const py::object& linear, const py::object& angular) {
            set_velocity(s, id,
                         {.linear = vector3(linear, "velocity"), .angular = vector3(angular, "angular_velocity")});
          },
          "body"_a, "velocity"_a, "angular_velocity"_a = origin, "Of a rigid body, both in space.")
      .def(
          "configuration", [](const System& s, BodyId id) { return array_of(s.bodies()[id].configuration()); },
          "body"_a, "All that tells where it is, as numbers: a copy. Of a rigid body position (3) and quaternion (4).")
      .def(
          "set_configuration",
          [](System& s, BodyId id, const py::object& q) {
            const Numbers values = numbers(q, "configuration", {-1});
            s.bodies()[id].set_configuration(Eigen::Map<const Eigen::VectorXd>(values.data(), values.size()));
          },
          "body"_a, "configuration"_a, "Puts it there, bit for bit.")
      .def_property_readonly(
          "energies",
          [](const System& s) {
            const Energies e = energies(s);
            return py::make_tuple(e.kinetic, e.potential);
          },
          "(kinetic, potential) [J].")
      .def("__len__", [](const System& s) { return s.bodies().size(); })
      .def("__repr__",
           [](const System& s) { return "<locdyn.System " + std::to_string(s.bodies().size()) + " bodies>"; });
  bind_callables(module, bound);
}

}  // namespace locdyn::python
