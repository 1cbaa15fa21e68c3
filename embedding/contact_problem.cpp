#include <locdyn/embedding/contact_problem.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <locdyn/embedding/bad_input.hpp>
#include <locdyn/embedding/contact_rows.hpp>
#include <locdyn/embedding/stored_contact.hpp>
#include <locdyn/embedding/velocity_bodies.hpp>
#include <locdyn/ldy/block_product.hpp>
#include <locdyn/ldy/islands.hpp>
#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/registry.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn {
using namespace detail;
namespace {

using detail::refuse, detail::same_rows, detail::stored_contact, detail::StoredContact;

constexpr std::int64_t kRun = 256;  // of contacts that a thread takes at a time

// An id is the place of its contact and, above, the lower half of the contact's serial number.
std::uint32_t place_of(ContactId id) {
  return static_cast<std::uint32_t>(id);
}
ContactId id_of(std::size_t place, std::uint64_t serial) {
  return static_cast<ContactId>(serial << 32 | place);
}

}  // namespace

struct ContactProblem::Parts {
  detail::VelocityBodies bodies;
  std::vector<StoredContact> contacts;  // by place
  std::vector<std::uint32_t> free_places;
  std::uint64_t next_serial = 1;
  std::size_t count = 0;
  LocalDynamics graph;
  detail::ContactRows rows;
  std::vector<std::uint32_t> sequence;  // places of the contacts, in the order of their rows
  Islands islands;
  std::vector<std::uint8_t> moved, felt;  // by contact of the sequence, by body: what has another H, Y or W
  bool other_structure = true;            // than that of rows and islands
  double step = 0;                        // h of the last solve [s]
  bool solved_by_blocks = false;          // of W, which were there when the last solve ended
  double accepted_residual = std::numeric_limits<double>::infinity();

  Parts() { graph.make_blocks_on_demand(); }

  [[nodiscard]] bool contains(ContactId id) const;
  void require(ContactId id) const;
  StoredContact& find(ContactId id) { return require(id), contacts[place_of(id)]; }
  const StoredContact& find(ContactId id) const { return require(id), contacts[place_of(id)]; }
  void check_block(const StoredContact& contact, int block) const;
  ContactId add(StoredContact contact);
  void set(ContactId id, StoredContact contact);
  void put_in_order(double h);
  bool mark_moved(bool all);
  void evaluate(double h, int threads);
  void fill(double h, int threads, bool all);
  void load(double h, int threads);
};

// --- contacts --------------------------------------------------------------------------------------------------------

bool ContactProblem::Parts::contains(ContactId id) const {
  const std::uint32_t place = place_of(id);
  return place < contacts.size() && contacts[place].serial != 0 && id_of(place, contacts[place].serial) == id;
}

void ContactProblem::Parts::require(ContactId id) const {
  if (contains(id)) return;
  refuse("contact id", "one that add_contact gave and that was not removed",
         std::to_string(static_cast<std::uint64_t>(id)));
}

void ContactProblem::Parts::check_block(const StoredContact& contact, int block) const {
  if (block >= 0 && block < block_count(contact.law)) return;
  refuse("block", "one of the law's, below " + std::to_string(block_count(contact.law)), std::to_string(block));
}

ContactId ContactProblem::Parts::add(StoredContact contact) {
  require_motion(contact, bodies);
  contact.serial = next_serial++;
  contact.constraint = graph.insert(contact.law);
  auto place = static_cast<std::uint32_t>(contacts.size());
  if (free_places.empty()) {
    contacts.emplace_back();
  } else {
    place = free_places.back();
    free_places.pop_back();
  }
  contacts[place] = std::move(contact);
  other_structure = true;
  ++count;
  return id_of(place, contacts[place].serial);
}

void ContactProblem::Parts::set(ContactId id, StoredContact contact) {
  StoredContact& known = find(id);
  if (contact.bodies != known.bodies) refuse("set_contact", "the " + described(known), "a " + described(contact));
  if (!same_rows(contact.law, known.law)) {
    refuse("set_contact: " + described(known), "a law with the same blocks and rows in use", law_name(contact.law));
  }
  known.changed = known.changed || contact.H != known.H;
  known.H = std::move(contact.H);
  known.law = contact.law;
  known.gap = contact.gap;
}

// --- one solve -------------------------------------------------------------------------------------------------------

// Rows lie in an order that the bodies of the contacts decide, and of several between the same bodies their age.
void ContactProblem::Parts::put_in_order(double h) {
  sequence.clear();
  for (std::uint32_t place = 0; place < contacts.size(); ++place) {
    if (contacts[place].serial != 0) sequence.push_back(place);
  }
  std::ranges::sort(sequence, [this](std::uint32_t a, std::uint32_t b) {
    const StoredContact &first = contacts[a], &second = contacts[b];
    return first.bodies != second.bodies ? first.bodies < second.bodies : first.serial < second.serial;
  });
  std::vector<ConstraintId> ids;
  std::vector<const StoredContact*> ordered;
  for (const std::uint32_t place : sequence) {
    require_motion(contacts[place], bodies);
    ids.push_back(contacts[place].constraint);
    ordered.push_back(&contacts[place]);
  }
  graph.drop_free_ids();
  graph.pack(ids);  // forgets which rows it has linked, too
  rows.lay_out(ordered, bodies);
  graph.set_factor(rows.factor(h));
  islands = find_islands(graph);
  other_structure = false;
}

// The contacts whose H, or whose body's A⁻¹, is another than at the last solve, and all bodies of those. Are there any?
bool ContactProblem::Parts::mark_moved(bool all) {
  moved.assign(sequence.size(), all ? 1 : 0);
  felt.assign(bodies.size(), 0);
  bool any = false;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    StoredContact& contact = contacts[sequence[i]];
    const auto changed = [this](BodyIndex body) { return bodies[body].changed; };
    if (!all && !contact.changed && std::ranges::none_of(contact.bodies, changed)) continue;
    contact.changed = false;
    moved[i] = 1;
    for (const BodyIndex body : contact.bodies) felt[body] = bodies[body].rank() > 0;
    any = true;
  }
  return any;
}

// H, Y and W_αα of what has changed.
void ContactProblem::Parts::evaluate(double h, int threads) {
  const bool all = other_structure || h != step;
  step = 0;  // until all is done: a fault on the way has everything done again
  if (other_structure) put_in_order(h);
  if (mark_moved(all)) fill(h, threads, all);
  step = h;
}

// The marked ones, and the blocks that are there of rows that share a body with them.
void ContactProblem::Parts::fill(double h, int threads, bool all) {
  rows.refresh_inertia(bodies);
  graph.set_factor(rows.factor(h));
  const auto arena = graph.diagonal_arena();
  detail::ContactRows& written = rows;
  in_parallel(static_cast<std::int64_t>(sequence.size()), threads, kRun, [&](std::int64_t i) {
    if (moved[i] == 0) return;
    const StoredContact& contact = contacts[sequence[i]];
    written.evaluate(i, contact, bodies, h);
    for (int k = 0; k < block_count(contact.law); ++k) {
      const Index row = written.first_row(i) + static_cast<Index>(k);
      fill_diagonal(*graph.factor(), row, arena[row].W);
      if (!std::isfinite(arena[row].W.sum())) refuse(described(contact), "a finite W", "numbers out of range");
    }
  });

  if (all || !graph.has_links()) {
    graph.blocks_changed();
  } else {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      const StoredContact& contact = contacts[sequence[i]];
      if (std::ranges::none_of(contact.bodies, [this](BodyIndex body) { return felt[body] != 0; })) continue;
      for (int k = 0; k < block_count(contact.law); ++k)
        graph.blocks_changed(rows.first_row(i) + static_cast<Index>(k));
    }
  }
  bodies.settle();
}

// B and the laws.
void ContactProblem::Parts::load(double h, int threads) {
  const auto arena = graph.diagonal_arena();
  in_parallel(static_cast<std::int64_t>(sequence.size()), threads, kRun, [&](std::int64_t i) {
    const StoredContact& contact = contacts[sequence[i]];
    for (int k = 0; k < block_count(contact.law); ++k) {
      arena[rows.first_row(i) + static_cast<Index>(k)].B = free_velocity(contact, k, bodies);
    }
    graph.set_law(contact.constraint, law_of_step(contact, h));
  });
}

// --- the public face -------------------------------------------------------------------------------------------------

ContactProblem::ContactProblem() : parts_(std::make_unique<Parts>()) {}
ContactProblem::ContactProblem(ContactProblem&&) noexcept = default;
ContactProblem& ContactProblem::operator=(ContactProblem&&) noexcept = default;
ContactProblem::~ContactProblem() = default;

BodyIndex ContactProblem::add_body(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia) {
  return parts_->bodies.add(inverse_inertia);
}

BodyIndex ContactProblem::add_fixed_body(int freedoms) {
  if (freedoms < 1) refuse("freedoms", "at least 1", std::to_string(freedoms));
  return parts_->bodies.add(Eigen::MatrixXd::Zero(freedoms, freedoms));
}

void ContactProblem::set_inverse_inertia(BodyIndex body, const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia) {
  if (parts_->bodies.set_inverse_inertia(body, inverse_inertia)) parts_->other_structure = true;
}

void ContactProblem::set_velocity(BodyIndex body, const Eigen::Ref<const Eigen::VectorXd>& velocity) {
  parts_->bodies.set_velocity(body, velocity);
}

void ContactProblem::set_pose(BodyIndex body, const BodyPose& pose) {
  parts_->bodies.set_pose(body, pose);
}

ContactId ContactProblem::add_contact(const PointContact& contact) {
  return parts_->add(stored_contact(contact, parts_->bodies));
}

ContactId ContactProblem::add_contact(std::span<const BodyJacobian> bodies, const Law& law) {
  return parts_->add(stored_contact(bodies, law, parts_->bodies));
}

void ContactProblem::set_contact(ContactId id, const PointContact& contact) {
  parts_->set(id, stored_contact(contact, parts_->bodies));
}

void ContactProblem::set_contact(ContactId id, std::span<const BodyJacobian> bodies, const Law& law) {
  parts_->set(id, stored_contact(bodies, law, parts_->bodies));
}

void ContactProblem::remove_contact(ContactId id) {
  StoredContact& contact = parts_->find(id);
  parts_->graph.remove(contact.constraint);
  contact = {};
  parts_->free_places.push_back(place_of(id));
  parts_->other_structure = true;
  --parts_->count;
}

IslandsReport ContactProblem::solve(const ContactSolveOptions& options) {
  Parts& parts = *parts_;
  check_positive(options.step, "contact problem", "step");
  check_auto_parts(options.without);
  const SolverEntry& solver = find_solver(options.solver);
  check_step_limits(options.stop, "contact problem");

  // Whoever looks at the graph makes blocks of W: it is solved to the same bits as if nobody had.
  if (!parts.solved_by_blocks) parts.graph.blocks_changed();
  parts.evaluate(options.step, options.stop.threads);
  parts.load(options.step, options.stop.threads);
  IslandsReport report = solve_islands(parts.graph, parts.islands, solver, options.stop, parts.accepted_residual,
                                       {.velocity = options.velocity_tolerance, .sweeps = options.sweep_budget},
                                       SolverChoices(options.without));
  parts.solved_by_blocks = parts.graph.has_blocks();
  parts.rows.move_bodies(parts.graph, options.step, parts.bodies);
  return report;
}

Eigen::Vector3d ContactProblem::reaction(ContactId id, int block) const {
  const StoredContact& contact = std::as_const(*parts_).find(id);
  parts_->check_block(contact, block);
  return parts_->graph.row(contact.constraint, block).R;
}

Eigen::Vector3d ContactProblem::relative_velocity(ContactId id, int block) const {
  const StoredContact& contact = std::as_const(*parts_).find(id);
  parts_->check_block(contact, block);
  return parts_->graph.row(contact.constraint, block).U;
}

void ContactProblem::set_reaction(ContactId id, const Eigen::Vector3d& reaction, int block) {
  const StoredContact& contact = parts_->find(id);
  parts_->check_block(contact, block);
  if (!reaction.allFinite()) refuse("reaction", "finite numbers", "one that is not");
  parts_->graph.row(contact.constraint, block).R = reaction;
}

std::span<const double> ContactProblem::velocity_after(BodyIndex body) const {
  parts_->bodies.require(body, "body");
  return parts_->bodies.velocity_after(body);
}

std::size_t ContactProblem::body_count() const noexcept {
  return parts_->bodies.size();
}
std::size_t ContactProblem::contact_count() const noexcept {
  return parts_->count;
}
bool ContactProblem::contains(ContactId id) const noexcept {
  return parts_->contains(id);
}
const LocalDynamics& ContactProblem::graph() const noexcept {
  return parts_->graph;
}

}  // namespace locdyn
