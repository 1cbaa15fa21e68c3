#include <locdyn/simulation/stepping/stepper_state.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/simulation/stepping/sleeping.hpp>

namespace locdyn::detail {
namespace {

template <class Vector>
void append(std::vector<double>& out, const Vector& values) {
  out.insert(out.end(), values.data(), values.data() + values.size());
}

// Takes numbers off the front.
class Numbers {
 public:
  explicit Numbers(std::span<const double> numbers) : numbers_(numbers) {}

  double one() {
    const double value = numbers_.front();
    numbers_ = numbers_.subspan(1);
    return value;
  }
  template <class Vector>
  void read(Vector& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) values.data()[i] = one();
  }

 private:
  std::span<const double> numbers_;
};

constexpr std::int64_t kMostSteps = 1'000'000'000'000'000;

// One tracked contact: pair 2, point 3, frame 9, gap, friction, cross friction (−1 where it has none), restitution,
// rolling, torsional, three stiffnesses (0 where hard), two dampings, feedback, normal 3, points on the bodies 6,
// reaction 3, moment 3 and its length, drive 6, slips, pressed, velocity 3, slip, stretch 2, stretching 2, surface
// velocity 3.
constexpr std::size_t kContactNumbers = 2 + 3 + 9 + 12 + 3 + 6 + 3 + 4 + 6 + 1 + 1 + 3 + 1 + 4 + 3;

// A stiffness as a finite number, and back.
double finite_of(double stiffness) {
  return std::isfinite(stiffness) ? stiffness : 0;
}
double stiffness_of(double number) {
  return number > 0 ? number : std::numeric_limits<double>::infinity();
}

void require_size(const char* what, std::size_t expected, std::size_t found) {
  if (expected == found) return;
  throw std::invalid_argument(std::string("state: ") + what + ": expected " + std::to_string(expected) +
                              " numbers, found " + std::to_string(found));
}

void require_all_finite(const char* what, std::span<const double> numbers) {
  for (const double number : numbers) {
    if (std::isfinite(number)) continue;
    throw std::invalid_argument(std::string("state: ") + what + ": expected finite numbers, found " +
                                std::to_string(number));
  }
}

std::size_t body_numbers(const Body& body) {
  return static_cast<std::size_t>(body.configuration().size() + body.freedoms());
}

template <class Rows>
void for_each_row_for_life(const System& system, const Rows& rows) {
  for (ConstraintId id : system.constraints()) {
    for (int k = 0; k < block_count(system.graph().law(id)); ++k) rows(id, k);
  }
}

ColliderId collider_of(double number, const System& system) {
  if (number >= 0 && number < static_cast<double>(system.colliders().size())) {
    const ColliderId id{static_cast<std::uint32_t>(number)};
    if (system.contains(id)) return id;
    throw std::invalid_argument("state: contacts: expected colliders that are there, found collider " +
                                std::to_string(id) + ", which was removed");
  }
  throw std::invalid_argument("state: contacts: expected colliders below " + std::to_string(system.colliders().size()) +
                              ", found " + std::to_string(number));
}

}  // namespace

std::vector<double> save_bodies(const BodySet& bodies) {
  return save_bodies(bodies, {0, bodies.id_bound()});
}

std::vector<double> save_bodies(const BodySet& bodies, Slice ids) {
  std::vector<double> saved;
  saved.reserve(13 * ids.size());  // most are rigid
  for (auto id = static_cast<BodyId>(ids.begin); id < ids.end; ++id) {
    if (!bodies.contains(id)) continue;
    const Body& body = bodies[id];
    if (const auto* rigid = dynamic_cast<const RigidBody*>(&body)) {  // without memory of its own: before every step
      const Eigen::Vector3d& x = rigid->position();
      const Eigen::Vector4d turn = coefficients(rigid->orientation());
      const double* u = body.velocity().data();
      saved.insert(saved.end(),
                   {x[0], x[1], x[2], turn[0], turn[1], turn[2], turn[3], u[0], u[1], u[2], u[3], u[4], u[5]});
    } else {
      append(saved, body.configuration());
      append(saved, body.velocity());
    }
  }
  return saved;
}

void restore_bodies(std::span<const double> saved, BodySet& bodies) {
  Numbers numbers(saved);
  for (const BodyId id : bodies.ids()) {
    Eigen::VectorXd q(bodies[id].configuration().size());
    Eigen::VectorXd u(bodies[id].freedoms());
    numbers.read(q);
    numbers.read(u);
    bodies[id].set_configuration(q);
    bodies[id].set_velocity(u);
  }
}

void save_contacts(std::span<const TrackedContact> contacts, std::uint64_t next_identity, StepperState& state) {
  state.identities.reserve(contacts.size() + 1);
  state.contacts.resize(contacts.size() * kContactNumbers);
  double* to = state.contacts.data();
  const auto put = [&to](const auto& values) { to = std::copy(values.data(), values.data() + values.size(), to); };
  const auto put_numbers = [&to](std::initializer_list<double> numbers) {
    to = std::copy(numbers.begin(), numbers.end(), to);
  };
  for (const TrackedContact& c : contacts) {
    state.identities.push_back(c.identity);
    put_numbers({static_cast<double>(c.master), static_cast<double>(c.slave)});
    put(c.point.point);
    put(c.point.frame);
    const SurfaceMaterial& material = c.point.material;
    put_numbers({c.point.gap, material.friction, material.cross_friction.value_or(-1), material.restitution,
                 material.rolling, material.torsional, finite_of(material.stiffness),
                 finite_of(material.hertz_stiffness), material.damping, finite_of(material.tangential_stiffness),
                 material.tangential_damping, c.point.feedback});
    put(c.normal);
    put(c.on_master);
    put(c.on_slave);
    put(c.reaction);
    put(c.moment);
    put_numbers({c.moment_length});
    put(c.drive);
    put(c.drive_turn);
    put_numbers({c.slips ? 1.0 : 0.0, c.point.past.pressed ? 1.0 : 0.0});
    put(c.point.past.velocity);
    put_numbers({c.point.past.slip});
    put(c.point.past.stretch);
    put(c.point.past.stretching);
    put(c.point.surface_velocity);
  }
  state.identities.push_back(next_identity);
}

std::vector<TrackedContact> contacts_of(const StepperState& state, const System& system) {
  if (state.identities.empty()) throw std::invalid_argument("state: identities: expected at least one, found none");
  require_size("contacts", (state.identities.size() - 1) * kContactNumbers, state.contacts.size());
  Numbers numbers(state.contacts);
  std::vector<TrackedContact> contacts(state.identities.size() - 1);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    TrackedContact& c = contacts[i];
    c.identity = state.identities[i];
    c.master = collider_of(numbers.one(), system);
    c.slave = collider_of(numbers.one(), system);
    c.point.master = system.colliders()[c.master].body;
    c.point.slave = system.colliders()[c.slave].body;
    numbers.read(c.point.point);
    numbers.read(c.point.frame);
    c.point.gap = numbers.one();
    c.point.material.friction = numbers.one();
    if (const double across = numbers.one(); across >= 0) c.point.material.cross_friction = across;
    c.point.material.restitution = numbers.one();
    c.point.material.rolling = numbers.one();
    c.point.material.torsional = numbers.one();
    c.point.material.stiffness = stiffness_of(numbers.one());
    c.point.material.hertz_stiffness = stiffness_of(numbers.one());
    c.point.material.damping = numbers.one();
    c.point.material.tangential_stiffness = stiffness_of(numbers.one());
    c.point.material.tangential_damping = numbers.one();
    c.point.feedback = numbers.one();
    numbers.read(c.normal);
    numbers.read(c.on_master);
    numbers.read(c.on_slave);
    numbers.read(c.reaction);
    numbers.read(c.moment);
    c.moment_length = numbers.one();
    numbers.read(c.drive);
    numbers.read(c.drive_turn);
    c.slips = numbers.one() != 0;
    c.point.past.pressed = numbers.one() != 0;
    numbers.read(c.point.past.velocity);
    c.point.past.slip = numbers.one();
    numbers.read(c.point.past.stretch);
    numbers.read(c.point.past.stretching);
    numbers.read(c.point.surface_velocity);
  }
  return contacts;
}

std::vector<double> save_reactions(const System& system) {
  std::vector<double> saved;
  for_each_row_for_life(system, [&](ConstraintId id, int k) { append(saved, system.graph().row(id, k).R); });
  for (ConstraintId id : system.constraints()) {
    const std::span<const double> memory = system.assembly().constraint(id).memory();
    saved.insert(saved.end(), memory.begin(), memory.end());
  }
  return saved;
}

void restore_reactions(std::span<const double> saved, System& system) {
  Numbers numbers(saved);
  for_each_row_for_life(system, [&](ConstraintId id, int k) { numbers.read(system.graph().row(id, k).R); });
  for (ConstraintId id : system.constraints()) {
    Constraint& constraint = system.assembly().constraint(id);
    std::vector<double> memory(constraint.memory().size());
    for (double& value : memory) value = numbers.one();
    constraint.set_memory(memory);
  }
}

namespace {

// Numbers that the constraints for life give, without those that are about to break.
std::size_t reaction_numbers(const System& system, std::span<const std::size_t> broken) {
  std::vector<ConstraintId> gone;
  for (const std::size_t joint : broken) {
    const std::vector<ConstraintId>& own = system.breakables()[joint].constraints;
    gone.insert(gone.end(), own.begin(), own.end());
  }
  std::size_t count = 0;
  for (const ConstraintId id : system.constraints()) {
    if (std::find(gone.begin(), gone.end(), id) != gone.end()) continue;
    count += 3 * static_cast<std::size_t>(block_count(system.graph().law(id)));
    count += system.assembly().constraint(id).memory().size();
  }
  return count;
}

}  // namespace

void check_state(const StepperState& state, const System& system, std::span<const std::size_t> broken) {
  std::size_t bodies = 0;
  for (const BodyId id : system.bodies().ids()) bodies += body_numbers(system.bodies()[id]);
  require_size("bodies", bodies, state.bodies.size());
  std::size_t references = 0;  // of all bodies, or of those that were there at the last step
  for (const BodyId id : system.bodies().ids()) {
    if (references < state.references.size()) references += system.bodies()[id].configuration().size();
  }
  require_size("references", references, state.references.size());
  require_size("reactions", reaction_numbers(system, broken), state.reactions.size());
  require_size("forces", system.forces().memory_size(), state.forces.size());

  require_all_finite("time", {&state.time, 1});
  require_all_finite("bodies", state.bodies);
  require_all_finite("references", state.references);
  require_all_finite("contacts", state.contacts);
  require_all_finite("reactions", state.reactions);
  require_all_finite("forces", state.forces);
  require_all_finite("sleep", state.sleep);
  Sleeping::check(state.sleep, system);
  if (state.step < 0 || state.step > kMostSteps) {
    throw std::invalid_argument("state: step: expected 0 to " + std::to_string(kMostSteps) + ", found " +
                                std::to_string(state.step));
  }
}

void add_part(const StepReport& part, StepReport& whole) {
  const StepReport before = whole;
  whole = part;
  whole.iterations += before.iterations;
  whole.block_products += before.block_products;
  whole.factorisations += before.factorisations;
  whole.factorisation_flops += before.factorisation_flops;
  whole.not_least_norm += before.not_least_norm;
  whole.correction_energy += before.correction_energy;
  whole.residual = std::max(part.residual, before.residual);
  whole.penetration = std::max(part.penetration, before.penetration);
  if (before.status != SolveStatus::converged) {
    whole.status = before.status;
    whole.warning = before.warning;
  }
  whole.seconds.detection += before.seconds.detection;
  whole.seconds.assembly += before.seconds.assembly;
  whole.seconds.solve += before.seconds.solve;
  whole.seconds.correction += before.seconds.correction;
  whole.seconds.other += before.seconds.other;
}

}  // namespace locdyn::detail
