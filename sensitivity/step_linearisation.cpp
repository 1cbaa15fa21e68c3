#include <locdyn/sensitivity/step_linearisation.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/simulation/stepping/body_motion.hpp>
#include <locdyn/simulation/stepping/reference_geometry.hpp>
#include <locdyn/simulation/stepping/stepper_state.hpp>

namespace locdyn::detail {
namespace {

constexpr double kContradiction = 1e-8;  // of the linear equations, relative: they have no solution
constexpr double kLeap = 0.02;           // as the tracker has it
constexpr double kCorrected = 1e-12;     // [m, rad]: a body that is farther from q⁺ was moved by position correction

}  // namespace

void StepLinearisation::remember() {
  time = stepper.time() + h / 2;
  extent = body_extents(system);
  before.resize(system.bodies().id_bound());
  for (const BodyId id : system.bodies().ids()) {
    before[id.value()] = {system.bodies()[id].configuration(), system.bodies()[id].velocity()};
  }
  for (const TrackedContact& contact : contacts_of(stepper.state(), system)) past[contact.identity] = contact;
}

void StepLinearisation::linearise() {
  steps = stepper.steps();
  changes = system.changes();
  check_positions();
  linearise_bodies();
  if (system.graph().row_count() > 0) active = std::make_unique<ActiveSystem>(system.graph(), options.margin);
  linearise_contacts();
  linearise_constraints();
  for (const BodyId id : moving) {
    Eigen::VectorXd force = system.bodies()[id].added_force();
    if (of(id).turns) {  // as it was at q*
      const Eigen::Matrix3d after = static_cast<const RigidBody&>(system.bodies()[id]).rotation();
      force.head<3>() = of(id).rotation.transpose() * (after * force.head<3>());
    }
    Eigen::VectorXd load = force;
    for (const ForceLinearisation& applied : forces) {
      Eigen::Index at = 0;
      for (const BodyId body : applied.bodies) {
        if (body == id) load -= applied.value.segment(at, load.size());
        at += of(body).freedoms;
      }
    }
    add_load(load, force, system.bodies()[id].mass(), h, of(id));
  }
  first_unknown.assign(bodies.size(), -1);
  if (active != nullptr) {
    const Kinematics& kinematics = system.assembly().kinematics();
    for (const DiagonalBlock& row : system.graph().rows()) {
      for (const Coupling& c :
           kinematics.couplings(static_cast<Index>(&row - system.graph().diagonal_arena().data()))) {
        first_unknown[kinematics.body(c).value()] = active->first_unknown(c);
      }
    }
  }
  note_edges();
}

// Nothing has moved a body beside the scheme.
void StepLinearisation::check_positions() const {
  const auto middle = bodies_at_middle(system, before, time, h);
  for (const BodyId id : system.bodies().ids()) {
    if (system.bodies()[id].freedoms() == 0) continue;
    Body& body = (*middle)[id];
    body.set_velocity(system.bodies()[id].velocity());
    body.advance(h / 2);
    const double moved = (body.configuration() - system.bodies()[id].configuration()).cwiseAbs().maxCoeff();
    if (moved <= kCorrected) continue;
    throw std::runtime_error("derivatives: body " + std::to_string(id.value()) +
                             ": expected a step without position correction (correction none or baumgarte), found a "
                             "correction of " +
                             spelled(moved));
  }
}

void StepLinearisation::linearise_bodies() {
  bodies.resize(system.bodies().id_bound());
  for (const BodyId id : system.bodies().ids()) {
    const Body& body = system.bodies()[id];
    of(id) = linearise_body(body, before[id.value()], h);
    if (body.freedoms() == 0) continue;
    of(id).first = freedoms;
    freedoms += body.freedoms();
    moving.push_back(id);
  }
}

void StepLinearisation::linearise_contacts() {
  contacts = stepper.contacts();
  std::erase_if(contacts, [](const ActiveContact& c) { return c.constraint == kNone; });
  const std::size_t detected = contacts.size();
  for (const ConstraintId id : system.constraints()) {
    const auto* contact = dynamic_cast<const Contact*>(&system.assembly().constraint(id));
    if (contact == nullptr) continue;
    const DiagonalBlock& row = system.graph().row(id);
    contacts.push_back({.identity = 0,
                        .master = {},
                        .slave = {},
                        .point = contact->point(),
                        .reaction = row.R,
                        .moment = contact->rolls()
                                      ? Eigen::Vector3d(contact->moment_length() * system.graph().row(id, 1).R)
                                      : Eigen::Vector3d(Eigen::Vector3d::Zero()),
                        .shift = offset(system.graph().law(id), 0),
                        .slips = false,
                        .velocity_before = system.assembly().velocity_before(id),
                        .velocity = row.U,
                        .constraint = id});
  }
  touching.reserve(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const ActiveContact& contact = contacts[k];
    if (gives_way(system.graph().law(contact.constraint))) {
      throw std::invalid_argument("derivatives: contact of bodies " + std::to_string(contact.point.master) + " and " +
                                  std::to_string(contact.point.slave) +
                                  ": expected a hard one, found one with a stiffness");
    }
    if (k < detected && contact.point.material.cross_friction) {
      throw std::invalid_argument("derivatives: contact of bodies " + std::to_string(contact.point.master) + " and " +
                                  std::to_string(contact.point.slave) +
                                  ": expected friction alike in all directions, found elliptic friction along a shape");
    }
    const auto was = past.find(contact.identity);
    const bool known = k < detected && was != past.end();
    const ContactBefore memory = known ? before_of(contact, was->second) : ContactBefore{};
    const char *geometry = nullptr, *kink = nullptr;
    touching.push_back(detail::linearise({.contact = contact,
                                          .before = known ? &memory : nullptr,
                                          .system = system,
                                          .master = of(contact.point.master),
                                          .slave = of(contact.point.slave),
                                          .options = stepper.options(),
                                          .slow = active->slow(),
                                          .detected = k < detected},
                                         geometry, kink));
    touching.back().place = place_of(contact.constraint);
    touching.back().slips = active->law(contact.constraint).state == StrictState::slip;
    const bool open = active->law(contact.constraint).state == StrictState::open;
    for (const char* edge : {kink, open ? nullptr : geometry}) {
      if (edge != nullptr) {
        edges.push_back({contact.constraint, contact.point.master, contact.point.slave, edge});
      }
    }
  }
}

// Its past counts where the tracker let it (stepping/contact_tracker.cpp, `place`).
ContactBefore StepLinearisation::before_of(const ActiveContact& contact, const TrackedContact& was) const {
  ContactBefore memory{was.point.frame, was.point.past};
  const BodyLinearisation &master = bodies[contact.point.master.value()], &slave = bodies[contact.point.slave.value()];
  const double smaller = std::min(extent[contact.point.master.value()], extent[contact.point.slave.value()]);
  const auto way = [&](const BodyLinearisation& body, const Eigen::Vector3d& X) {
    return (contact.point.point - body.center - body.rotation * X).norm();
  };
  const bool leaps = std::min(way(master, was.on_master), way(slave, was.on_slave)) > kLeap * smaller ||
                     contact.point.frame.col(2).dot(was.normal) < 1 - kLeap;
  bool driven = contact.point.surface_velocity != was.point.surface_velocity;
  if (master.freedoms == 0) {
    const BodyMotion motion = motion_of(system.bodies()[contact.point.master]);
    driven = driven || motion.velocity != was.drive || motion.angular_velocity != was.drive_turn;
  }
  if (leaps || driven) memory.past = {};
  return memory;
}

void StepLinearisation::linearise_constraints() {
  std::unique_ptr<BodySet> middle;
  const auto bodies_now = [&]() -> BodySet& {
    if (middle == nullptr) middle = bodies_at_middle(system, before, time, h);
    return *middle;
  };
  for (const ConstraintId id : system.constraints()) {
    if (dynamic_cast<const Contact*>(&system.assembly().constraint(id)) != nullptr) continue;
    tied.push_back(linearise_constraint(system, id, bodies_now(), bodies, h));
    tied.back().place = place_of(id);
  }
  for (const ForceId id : system.forces().ids()) {
    forces.push_back(linearise_force(system.forces()[id], bodies_now()));
  }
}

void StepLinearisation::note_edges() {
  for (const ActiveContact& contact : contacts) {
    const LawLinearisation& law = active->law(contact.constraint);
    if (!law.strict) edges.push_back({contact.constraint, contact.point.master, contact.point.slave, law.edge});
  }
}

void StepLinearisation::require_fresh() const {
  if (stepper.steps() != steps || system.changes() != changes) {
    throw std::logic_error("derivatives: expected the step that they are of to be the last, found another since");
  }
  (void)system.assembly().kinematics();
}

void StepLinearisation::check(const ActiveSystem::Solution& solution, const char* what) {
  most_solves = std::max(most_solves, solution.solves);
  if (solution.residual <= kContradiction) return;
  throw std::runtime_error(std::string("derivatives: expected ") + what +
                           ", found equations that contradict each other at constraint " +
                           std::to_string(solution.worst.value()) + " (residual " + spelled(solution.residual) + ")");
}

}  // namespace locdyn::detail
