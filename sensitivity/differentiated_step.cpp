#include <locdyn/sensitivity/differentiated_step.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/sensitivity/contact_linearisation.hpp>
#include <locdyn/sensitivity/numeric_linearisation.hpp>
#include <locdyn/simulation/stepping/body_motion.hpp>
#include <locdyn/simulation/stepping/reference_geometry.hpp>
#include <locdyn/simulation/stepping/stepper_state.hpp>
#include <locdyn/solver/registry.hpp>
#include <locdyn/solver/sensitivity/active_system.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr double kContradiction = 1e-8;  // of the linear equations, relative: they have no solution
constexpr double kLeap = 0.02;           // as the tracker has it
constexpr double kCorrected = 1e-12;     // [m, rad]: a body that is farther from q⁺ was moved by position correction

void check_before(const System& system, const TimeStepper& stepper, const SensitivityOptions& options) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("derivatives: " + what); };
  if (!(options.margin > 0 && options.margin < 1)) {
    refuse("margin: expected a number between 0 and 1, found " + spelled(options.margin));
  }
  if (&stepper.system() != &system) refuse("stepper: expected the one that moves the system, found another's");
  if (find_solver(stepper.options().solver).pyramid) {
    refuse("solver: expected one of round cones, found " + stepper.options().solver);
  }
  if (stepper.options().sleep) refuse("sleep: expected off, since what sleeps has no derivatives, found on");
  if (system.forces().depends_on_velocity()) {
    refuse("forces: expected ones that do not depend on velocities, found one that does");
  }
  if (stepper.options().correction == Correction::projection && !system.constraints().empty()) {
    refuse("correction: expected none or baumgarte where there are constraints for life, found projection");
  }
}

}  // namespace

struct DifferentiatedStep::Parts {
  System& system;
  TimeStepper& stepper;
  SensitivityOptions options;
  double h = 0, time = 0;
  StepReport report;
  std::vector<ActiveContact> contacts;
  std::vector<NotStrict> edges;
  std::vector<double> extent;                    // by body [m]
  std::vector<BodyBefore> before;                // by body
  std::map<std::uint64_t, TrackedContact> past;  // by identity
  std::vector<BodyLinearisation> bodies;         // by body
  std::vector<BodyId> moving;
  Eigen::Index freedoms = 0;
  std::vector<ContactLinearisation> touching;
  std::vector<ConstraintLinearisation> tied;
  std::vector<ForceLinearisation> forces;
  std::unique_ptr<ActiveSystem> active;
  std::vector<int> first_unknown;  // by body, −1 where no row acts on it
  long steps = 0;
  std::uint64_t changes = 0;
  long most_solves = 0;

  Parts(System& moved, TimeStepper& by, const SensitivityOptions& chosen)
      : system(moved), stepper(by), options(chosen), h(by.options().step) {}

  void remember();
  void linearise();
  void linearise_bodies();
  void linearise_contacts();
  [[nodiscard]] ContactBefore before_of(const ActiveContact& contact, const TrackedContact& was) const;
  void linearise_constraints();
  void note_edges();
  void check_positions() const;
  void require_fresh() const;
  void check(const ActiveSystem::Solution& solution, const char* what);

  [[nodiscard]] Index place_of(ConstraintId id) const {
    return static_cast<Index>(&system.graph().row(id) - system.graph().diagonal_arena().data());
  }
  [[nodiscard]] BodyLinearisation& of(BodyId id) { return bodies[id.value()]; }

  StepResponse tangent(const StepInput& change);
  StepInput adjoint(const StepResponse& by_response);

  // Of the bodies of a pair or of many, out of a vector with 6 numbers a body, and back.
  using ByBody = std::vector<BodyVector>;
  PairVector pair(const ContactLinearisation& c, const ByBody& v) const;
  static void add_pair(const ContactLinearisation& c, const PairVector& d, ByBody& v);
  Eigen::VectorXd many(const std::vector<BodyId>& ids, const ByBody& v) const;
  void add_many(const std::vector<BodyId>& ids, const Eigen::VectorXd& d, ByBody& v) const;
  ByBody spread(const Eigen::VectorXd& all) const;
  Eigen::VectorXd gathered(const ByBody& v) const;
  std::vector<double> unknowns_of(const ByBody& v) const;

  [[nodiscard]] ShapeVector shapes(const ContactLinearisation& c, const ParameterVariation& p) const;
  void add_shapes(const ContactLinearisation& c, const ShapeVector& d, ParameterVariation& p) const;
  [[nodiscard]] ContactVariation own(const ContactLinearisation& c, std::size_t k, const StepInput& change) const;
};

// --- before and after the step ---------------------------------------------------------------------------------------

void DifferentiatedStep::Parts::remember() {
  time = stepper.time() + h / 2;
  extent = body_extents(system);
  before.resize(system.bodies().id_bound());
  for (const BodyId id : system.bodies().ids()) {
    before[id.value()] = {system.bodies()[id].configuration(), system.bodies()[id].velocity()};
  }
  for (const TrackedContact& contact : contacts_of(stepper.state(), system)) past[contact.identity] = contact;
}

void DifferentiatedStep::Parts::linearise() {
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
void DifferentiatedStep::Parts::check_positions() const {
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

void DifferentiatedStep::Parts::linearise_bodies() {
  bodies.resize(system.bodies().id_bound());
  for (const BodyId id : system.bodies().ids()) {
    const Body& body = system.bodies()[id];
    try {
      of(id) = linearise_body(body, before[id.value()], h);
    } catch (const std::invalid_argument& fault) {
      throw std::invalid_argument("derivatives: body " + std::to_string(id.value()) + ": " + fault.what());
    }
    if (body.freedoms() == 0) continue;
    of(id).first = freedoms;
    freedoms += body.freedoms();
    moving.push_back(id);
  }
}

void DifferentiatedStep::Parts::linearise_contacts() {
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
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const ActiveContact& contact = contacts[k];
    if (gives_way(system.graph().law(contact.constraint))) {
      throw std::invalid_argument("derivatives: contact of bodies " + std::to_string(contact.point.master) + " and " +
                                  std::to_string(contact.point.slave) +
                                  ": expected a hard one, found one with a stiffness");
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
    const bool open = active->law(contact.constraint).state == ContactState::open;
    for (const char* edge : {kink, open ? nullptr : geometry}) {
      if (edge != nullptr) {
        edges.push_back({contact.constraint, contact.point.master, contact.point.slave, edge});
      }
    }
  }
}

// Its past counts where the tracker let it (stepping/contact_tracker.cpp, `place`).
ContactBefore DifferentiatedStep::Parts::before_of(const ActiveContact& contact, const TrackedContact& was) const {
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

void DifferentiatedStep::Parts::linearise_constraints() {
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

void DifferentiatedStep::Parts::note_edges() {
  for (const ActiveContact& contact : contacts) {
    const LawLinearisation& law = active->law(contact.constraint);
    if (!law.strict) edges.push_back({contact.constraint, contact.point.master, contact.point.slave, law.edge});
  }
}

void DifferentiatedStep::Parts::require_fresh() const {
  if (stepper.steps() != steps || system.changes() != changes) {
    throw std::logic_error("derivatives: expected the step that they are of to be the last, found another since");
  }
  (void)system.assembly().kinematics();
}

void DifferentiatedStep::Parts::check(const ActiveSystem::Solution& solution, const char* what) {
  most_solves = std::max(most_solves, solution.solves);
  if (solution.residual <= kContradiction) return;
  throw std::runtime_error(std::string("derivatives: expected ") + what +
                           ", found equations that contradict each other at constraint " +
                           std::to_string(solution.worst.value()) + " (residual " + spelled(solution.residual) + ")");
}

// --- vectors ---------------------------------------------------------------------------------------------------------

PairVector DifferentiatedStep::Parts::pair(const ContactLinearisation& c, const ByBody& v) const {
  PairVector d;
  d << v[c.master.value()], v[c.slave.value()];
  return d;
}

void DifferentiatedStep::Parts::add_pair(const ContactLinearisation& c, const PairVector& d, ByBody& v) {
  v[c.master.value()] += d.head<kMostFreedoms>();
  v[c.slave.value()] += d.tail<kMostFreedoms>();
}

Eigen::VectorXd DifferentiatedStep::Parts::many(const std::vector<BodyId>& ids, const ByBody& v) const {
  Eigen::Index size = 0;
  for (const BodyId id : ids) size += bodies[id.value()].freedoms;
  Eigen::VectorXd d(size);
  size = 0;
  for (const BodyId id : ids) {
    const int n = bodies[id.value()].freedoms;
    d.segment(size, n) = v[id.value()].head(n);
    size += n;
  }
  return d;
}

void DifferentiatedStep::Parts::add_many(const std::vector<BodyId>& ids, const Eigen::VectorXd& d, ByBody& v) const {
  Eigen::Index at = 0;
  for (const BodyId id : ids) {
    const int n = bodies[id.value()].freedoms;
    v[id.value()].head(n) += d.segment(at, n);
    at += n;
  }
}

DifferentiatedStep::Parts::ByBody DifferentiatedStep::Parts::spread(const Eigen::VectorXd& all) const {
  ByBody v(bodies.size(), BodyVector::Zero());
  for (const BodyId id : moving) {
    const BodyLinearisation& body = bodies[id.value()];
    v[id.value()].head(body.freedoms) = all.segment(body.first, body.freedoms);
  }
  return v;
}

Eigen::VectorXd DifferentiatedStep::Parts::gathered(const ByBody& v) const {
  Eigen::VectorXd all(freedoms);
  for (const BodyId id : moving) {
    const BodyLinearisation& body = bodies[id.value()];
    all.segment(body.first, body.freedoms) = v[id.value()].head(body.freedoms);
  }
  return all;
}

std::vector<double> DifferentiatedStep::Parts::unknowns_of(const ByBody& v) const {
  std::vector<double> all(active->unknowns(), 0.0);
  for (const BodyId id : moving) {
    if (first_unknown[id.value()] < 0) continue;
    std::copy_n(v[id.value()].data(), bodies[id.value()].freedoms, all.begin() + first_unknown[id.value()]);
  }
  return all;
}

ShapeVector DifferentiatedStep::Parts::shapes(const ContactLinearisation& c, const ParameterVariation& p) const {
  ShapeVector d = ShapeVector::Zero();
  if (c.identity == 0) return d;
  d << p.size.col(c.master_shape.value()), p.size.col(c.slave_shape.value()), p.position.col(c.master_shape.value()),
      p.position.col(c.slave_shape.value());
  return d;
}

void DifferentiatedStep::Parts::add_shapes(const ContactLinearisation& c, const ShapeVector& d,
                                           ParameterVariation& p) const {
  if (c.identity == 0) return;
  p.size.col(c.master_shape.value()) += d.segment<3>(0);
  p.size.col(c.slave_shape.value()) += d.segment<3>(3);
  p.position.col(c.master_shape.value()) += d.segment<3>(6);
  p.position.col(c.slave_shape.value()) += d.segment<3>(9);
}

// What a contact changes by itself, and as one of its pair of surfaces.
ContactVariation DifferentiatedStep::Parts::own(const ContactLinearisation& c, std::size_t k,
                                                const StepInput& change) const {
  ContactVariation own = change.contacts.empty() ? ContactVariation{} : change.contacts[k];
  if (c.pair >= 0) {
    own.friction += change.parameters.friction[c.pair];
    own.restitution += change.parameters.restitution[c.pair];
  }
  return own;
}

namespace {

PlaceVector place_vector(const ContactVariation& v) {
  PlaceVector z;
  z << v.point, v.frame, v.gap;
  return z;
}

// F_p δp of the friction coefficients.
RowVector by_coefficients(const LawLinearisation& law, const ContactVariation& v) {
  return law.by_friction * v.friction + law.by_cross_friction * v.cross_friction + law.by_rolling * v.rolling +
         law.by_torsional * v.torsional;
}

RowVector row_vector(const Eigen::MatrixXd& columns, Index place, int size) {
  RowVector v = RowVector::Zero();
  for (int k = 0; 3 * k < size; ++k) v.segment<3>(3 * k) = columns.col(static_cast<Eigen::Index>(place) + k);
  return v;
}

void add_rows(const Eigen::VectorXd& v, Index place, int size, Eigen::MatrixXd& columns) {
  for (int k = 0; 3 * k < size; ++k) columns.col(static_cast<Eigen::Index>(place) + k) += v.segment<3>(3 * k);
}

}  // namespace

// --- a Jacobian times a vector ---------------------------------------------------------------------------------------

StepResponse DifferentiatedStep::Parts::tangent(const StepInput& change) {
  const ByBody dq = spread(change.state.q), du = spread(change.state.u);
  ByBody dq_mid(bodies.size(), BodyVector::Zero()), pull = dq_mid, explicit_u = dq_mid;
  for (const BodyId id : moving) {
    dq_mid[id.value()] = of(id).qq * dq[id.value()] + of(id).qu * du[id.value()];
  }

  // What rows change by at fixed u⁺, σ with them, and what reactions pull as they are.
  const auto rows = static_cast<Eigen::Index>(system.graph().diagonal_arena().size());
  Eigen::MatrixXd moved = Eigen::MatrixXd::Zero(3, rows), shifted = moved, coefficients = moved;
  std::vector<PlaceVector> places;
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const ContactLinearisation& c = touching[k];
    const ContactVariation self = own(c, k, change);
    const auto memory = change.state.memory.find(c.identity);
    const ContactMemory was = c.identity != 0 && memory != change.state.memory.end() ? memory->second : ContactMemory{};
    const PairVector d = pair(c, dq_mid);
    Eigen::Matrix<double, kGeometryColumns, 1> in;
    in << d, shapes(c, change.parameters);
    PlaceVector z = c.Z * in + place_vector(self);
    z.segment<3>(3) += c.frame_by_past * was.frame;
    places.push_back(z);
    add_rows(c.U_q * d + c.U_z * z, c.place, c.size, moved);
    const RowVector dV = c.H * pair(c, du) + c.V_q * d + c.V_z * z;
    RowVector shift = RowVector::Zero();
    shift[2] = c.shift_by_V * dV[2] + c.shift_by_gap * z[6] + c.shift_by_e * self.restitution;
    if (c.turned)
      shift.head<2>() =
          0.5 * (dV - RowVector::Unit(0) * was.velocity[0] - RowVector::Unit(1) * was.velocity[1]).head<2>();
    add_rows(shift, c.place, c.size, shifted);
    add_rows(by_coefficients(active->law(c.constraint), self), c.place, c.size, coefficients);
    add_pair(c, c.P_q * d + c.P_z * z, pull);
  }
  for (const ConstraintLinearisation& t : tied) {
    const Eigen::VectorXd d = many(t.bodies, dq_mid);
    const auto size = static_cast<int>(t.H.rows());
    add_rows(t.U_q * d, t.place, size, moved);
    add_rows(t.S_q * d + t.S_V * (t.H * many(t.bodies, du) + t.V_q * d), t.place, size, shifted);
    add_many(t.bodies, t.P_q * d, pull);
  }

  // The velocities after the step at fixed R.
  ByBody force = spread(change.parameters.force);
  for (const ForceLinearisation& f : forces) add_many(f.bodies, f.by_q * many(f.bodies, dq_mid), force);
  for (const BodyId id : moving) {
    const BodyLinearisation& b = of(id);
    const auto k = id.value();
    explicit_u[k] = b.fq * dq_mid[k] + b.fu * du[k] + b.ff * force[k] + b.fg * change.parameters.gravity +
                    b.by_mass * change.parameters.mass[k] + b.by_inertia * change.parameters.inertia.col(k) +
                    h * (b.inverse_inertia * pull[k]);
  }

  // The laws.
  StepResponse response;
  response.reaction = Eigen::MatrixXd::Zero(3, rows);
  if (active != nullptr) {
    std::vector<Eigen::Vector3d> c_rows(static_cast<std::size_t>(rows), Eigen::Vector3d::Zero());
    const auto pose = [&](ConstraintId id, Index place, int size, const Eigen::VectorXd& H_e) {
      const LawLinearisation& law = active->law(id);
      RowVector U = row_vector(moved, place, size) + row_vector(shifted, place, size);
      U.head(size) += H_e.head(size);
      const RowVector c = -(law.E * U) - row_vector(coefficients, place, size);
      for (int k = 0; 3 * k < size; ++k) c_rows[place + static_cast<Index>(k)] = c.segment<3>(3 * k);
    };
    for (const ContactLinearisation& c : touching) pose(c.constraint, c.place, c.size, c.H * pair(c, explicit_u));
    for (const ConstraintLinearisation& t : tied) {
      pose(t.constraint, t.place, static_cast<int>(t.H.rows()), t.H * many(t.bodies, explicit_u));
    }
    const std::vector<double> zero(active->unknowns(), 0.0);
    const ActiveSystem::Solution solution = active->solve(zero, c_rows);
    check(solution, "a change that every contact can follow in its state");
    for (const BodyId id : moving) {
      if (first_unknown[id.value()] < 0) continue;
      for (int i = 0; i < of(id).freedoms; ++i) {
        explicit_u[id.value()][i] += solution.velocity[static_cast<std::size_t>(first_unknown[id.value()] + i)];
      }
    }
    for (Eigen::Index k = 0; k < rows; ++k) response.reaction.col(k) = solution.reaction[static_cast<std::size_t>(k)];
  }

  // What the step gives.
  ByBody dq_after(bodies.size(), BodyVector::Zero());
  for (const BodyId id : moving) {
    dq_after[id.value()] = of(id).pq * dq_mid[id.value()] + of(id).pu * explicit_u[id.value()];
  }
  response.state.q = gathered(dq_after);
  response.state.u = gathered(explicit_u);
  response.velocity = moved;
  for (const ConstraintLinearisation& t : tied) {
    add_rows(t.H * many(t.bodies, explicit_u), t.place, static_cast<int>(t.H.rows()), response.velocity);
  }
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const ContactLinearisation& c = touching[k];
    add_rows(c.H * pair(c, explicit_u), c.place, c.size, response.velocity);
    if (c.identity == 0) continue;
    response.state.memory[c.identity] = {places[k].segment<3>(3), response.velocity.col(c.place)};
  }
  return response;
}

// --- a vector times a Jacobian: the same lines backwards -------------------------------------------------------------

StepInput DifferentiatedStep::Parts::adjoint(const StepResponse& by_response) {
  const auto rows = static_cast<Eigen::Index>(system.graph().diagonal_arena().size());
  ByBody q_mid(bodies.size(), BodyVector::Zero()), u(q_mid), pull(q_mid), after = spread(by_response.state.u);
  const ByBody q_after = spread(by_response.state.q);
  for (const BodyId id : moving) {
    q_mid[id.value()] = of(id).pq.transpose() * q_after[id.value()];
    after[id.value()] += of(id).pu.transpose() * q_after[id.value()];
  }
  Eigen::MatrixXd moved = by_response.velocity;
  std::vector<PlaceVector> places(touching.size(), PlaceVector::Zero());
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const ContactLinearisation& c = touching[k];
    const auto memory = by_response.state.memory.find(c.identity);
    if (c.identity != 0 && memory != by_response.state.memory.end()) {
      places[k].segment<3>(3) = memory->second.frame;
      moved.col(c.place) += memory->second.velocity;
    }
    add_pair(c, c.H.transpose() * row_vector(moved, c.place, c.size), after);
  }
  for (const ConstraintLinearisation& t : tied) {
    const auto size = static_cast<int>(t.H.rows());
    add_many(t.bodies, t.H.transpose() * row_vector(moved, t.place, size).head(size), after);
  }

  // The laws.
  Eigen::MatrixXd shifted = Eigen::MatrixXd::Zero(3, rows), multiplier = shifted;
  if (active != nullptr) {
    std::vector<Eigen::Vector3d> by_reaction(static_cast<std::size_t>(rows));
    for (Eigen::Index k = 0; k < rows; ++k) by_reaction[static_cast<std::size_t>(k)] = by_response.reaction.col(k);
    const ActiveSystem::Solution solution = active->solve_transposed(unknowns_of(after), by_reaction);
    check(solution, "a number of velocities and unique reactions");
    for (Eigen::Index k = 0; k < rows; ++k) multiplier.col(k) = solution.reaction[static_cast<std::size_t>(k)];
    const auto pose = [&](ConstraintId id, Index place, int size) {
      const RowVector by_U = -(active->law(id).E.transpose() * row_vector(multiplier, place, size));
      add_rows(by_U, place, size, moved);
      add_rows(by_U, place, size, shifted);
      return by_U;
    };
    for (const ContactLinearisation& c : touching) {
      add_pair(c, c.H.transpose() * pose(c.constraint, c.place, c.size), after);
    }
    for (const ConstraintLinearisation& t : tied) {
      const auto size = static_cast<int>(t.H.rows());
      add_many(t.bodies, t.H.transpose() * pose(t.constraint, t.place, size).head(size), after);
    }
  }

  // The velocities at fixed R.
  StepInput result{.state = no_state(system), .parameters = no_parameters(system), .contacts = {}};
  result.contacts.resize(touching.size());
  ByBody force(bodies.size(), BodyVector::Zero());
  for (const BodyId id : moving) {
    const BodyLinearisation& b = of(id);
    const auto k = id.value();
    q_mid[k] += b.fq.transpose() * after[k];
    u[k] += b.fu.transpose() * after[k];
    force[k] = b.ff.transpose() * after[k];
    result.parameters.gravity += b.fg.transpose() * after[k];
    result.parameters.mass[k] = b.by_mass.dot(after[k]);
    result.parameters.inertia.col(k) = b.by_inertia.transpose() * after[k];
    pull[k] = h * (b.inverse_inertia.transpose() * after[k]);
  }
  result.parameters.force = gathered(force);
  for (const ForceLinearisation& f : forces) add_many(f.bodies, f.by_q.transpose() * many(f.bodies, force), q_mid);

  // The rows.
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const ContactLinearisation& c = touching[k];
    PlaceVector& z = places[k];
    const RowVector by_U = row_vector(moved, c.place, c.size), by_shift = row_vector(shifted, c.place, c.size);
    const RowVector by_law = -row_vector(multiplier, c.place, c.size);
    const PairVector by_pull = pair(c, pull);
    RowVector by_V = RowVector::Zero();
    by_V[2] = c.shift_by_V * by_shift[2];
    if (c.turned) by_V.head<2>() = 0.5 * by_shift.head<2>();
    z[6] += c.shift_by_gap * by_shift[2];
    z += c.U_z.transpose() * by_U + c.V_z.transpose() * by_V + c.P_z.transpose() * by_pull;
    PairVector d = c.U_q.transpose() * by_U + c.V_q.transpose() * by_V + c.P_q.transpose() * by_pull;
    add_pair(c, c.H.transpose() * by_V, u);
    const Eigen::Matrix<double, kGeometryColumns, 1> in = c.Z.transpose() * z;
    d += in.head<2 * kMostFreedoms>();
    add_shapes(c, in.tail<12>(), result.parameters);
    add_pair(c, d, q_mid);

    ContactVariation& self = result.contacts[k];
    const LawLinearisation& law = active->law(c.constraint);
    self = {.point = z.head<3>(),
            .frame = z.segment<3>(3),
            .gap = z[6],
            .friction = law.by_friction.dot(by_law),
            .cross_friction = law.by_cross_friction.dot(by_law),
            .restitution = c.shift_by_e * by_shift[2],
            .rolling = law.by_rolling.dot(by_law),
            .torsional = law.by_torsional.dot(by_law)};
    if (c.pair >= 0) {
      result.parameters.friction[c.pair] += self.friction;
      result.parameters.restitution[c.pair] += self.restitution;
    }
    if (c.identity == 0) continue;
    ContactMemory& memory = result.state.memory[c.identity];
    memory.frame = c.frame_by_past.transpose() * z.segment<3>(3);
    if (c.turned) memory.velocity.head<2>() = -0.5 * by_shift.head<2>();
  }
  for (const ConstraintLinearisation& t : tied) {
    const auto size = static_cast<int>(t.H.rows());
    const Eigen::VectorXd by_U = row_vector(moved, t.place, size).head(size),
                          by_shift = row_vector(shifted, t.place, size).head(size);
    const Eigen::VectorXd by_V = t.S_V.transpose() * by_shift;
    add_many(t.bodies, t.H.transpose() * by_V, u);
    add_many(t.bodies,
             t.U_q.transpose() * by_U + t.S_q.transpose() * by_shift + t.V_q.transpose() * by_V +
                 t.P_q.transpose() * many(t.bodies, pull),
             q_mid);
  }
  ByBody q(bodies.size(), BodyVector::Zero());
  for (const BodyId id : moving) {
    q[id.value()] = of(id).qq.transpose() * q_mid[id.value()];
    u[id.value()] += of(id).qu.transpose() * q_mid[id.value()];
  }
  result.state.q = gathered(q);
  result.state.u = gathered(u);
  return result;
}

// --- the class -------------------------------------------------------------------------------------------------------

DifferentiatedStep::DifferentiatedStep(System& system, TimeStepper& stepper, const SensitivityOptions& options) {
  check_before(system, stepper, options);
  parts_ = std::make_unique<Parts>(system, stepper, options);
  parts_->remember();
  for (const BodyId id : system.bodies().ids()) {
    if (system.bodies()[id].freedoms() > kMostFreedoms) {
      throw std::invalid_argument("derivatives: body " + std::to_string(id.value()) +
                                  ": expected at most 6 velocities, found " +
                                  std::to_string(system.bodies()[id].freedoms()));
    }
  }
  parts_->report = stepper.step();
  if (parts_->report.status != SolveStatus::converged || parts_->report.parts != 1) {
    throw std::runtime_error(
        "derivatives: expected a step that converges as a whole, found " +
        (parts_->report.warning.empty() ? std::string(to_string(parts_->report.status)) : parts_->report.warning));
  }
  parts_->linearise();
}

DifferentiatedStep::~DifferentiatedStep() = default;
DifferentiatedStep::DifferentiatedStep(DifferentiatedStep&&) noexcept = default;
DifferentiatedStep& DifferentiatedStep::operator=(DifferentiatedStep&&) noexcept = default;

const StepReport& DifferentiatedStep::report() const noexcept {
  return parts_->report;
}
const std::vector<ActiveContact>& DifferentiatedStep::contacts() const noexcept {
  return parts_->contacts;
}
const std::vector<NotStrict>& DifferentiatedStep::not_strict() const noexcept {
  return parts_->edges;
}
long DifferentiatedStep::most_solves() const noexcept {
  return parts_->most_solves;
}

Eigen::Index DifferentiatedStep::row(ConstraintId constraint, int block) const {
  const LocalDynamics& ldy = parts_->system.graph();
  if (!ldy.contains(constraint) || block < 0 || block >= block_count(ldy.law(constraint))) {
    throw std::invalid_argument("derivatives: expected a constraint of the step and one of its blocks, found " +
                                std::to_string(constraint.value()) + ", " + std::to_string(block));
  }
  return static_cast<Eigen::Index>(parts_->place_of(constraint)) + block;
}

StepInput DifferentiatedStep::no_input() const {
  return {.state = no_state(parts_->system),
          .parameters = no_parameters(parts_->system),
          .contacts = std::vector<ContactVariation>(parts_->touching.size())};
}

StepResponse DifferentiatedStep::no_response() const {
  const auto rows = static_cast<Eigen::Index>(parts_->system.graph().diagonal_arena().size());
  return {.state = no_state(parts_->system),
          .reaction = Eigen::MatrixXd::Zero(3, rows),
          .velocity = Eigen::MatrixXd::Zero(3, rows)};
}

StepResponse DifferentiatedStep::tangent(const StepInput& change) const {
  parts_->require_fresh();
  validate(change.state, parts_->system);
  validate(change.parameters, parts_->system);
  if (!change.contacts.empty() && change.contacts.size() != parts_->touching.size()) {
    throw std::invalid_argument("contacts: expected none or " + std::to_string(parts_->touching.size()) + ", found " +
                                std::to_string(change.contacts.size()));
  }
  for (const ContactVariation& c : change.contacts) {
    const double sum =
        c.point.sum() + c.frame.sum() + c.gap + c.friction + c.cross_friction + c.restitution + c.rolling + c.torsional;
    if (!std::isfinite(sum)) throw std::invalid_argument("contacts: expected finite numbers, found one that is not");
  }
  return parts_->tangent(change);
}

StepInput DifferentiatedStep::adjoint(const StepResponse& by_response) const {
  parts_->require_fresh();
  validate(by_response.state, parts_->system);
  const auto rows = static_cast<Eigen::Index>(parts_->system.graph().diagonal_arena().size());
  for (const auto& [values, what] :
       {std::pair(&by_response.reaction, "reaction"), {&by_response.velocity, "velocity"}}) {
    if (values->rows() != 3 || values->cols() != rows) {
      throw std::invalid_argument(std::string(what) + ": expected 3 x " + std::to_string(rows) + " numbers, found " +
                                  std::to_string(values->rows()) + " x " + std::to_string(values->cols()));
    }
    if (!values->allFinite()) {
      throw std::invalid_argument(std::string(what) + ": expected finite numbers, found one that is not");
    }
  }
  return parts_->adjoint(by_response);
}

}  // namespace locdyn
