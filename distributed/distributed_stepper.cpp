#include <locdyn/distributed/distributed_stepper.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/distributed/exact_sum.hpp>
#include <locdyn/distributed/stepper_parts.hpp>
#include <locdyn/forces/rotating_frame.hpp>
#include <locdyn/simulation/stepping/body_motion.hpp>
#include <locdyn/simulation/stepping/reference_geometry.hpp>

namespace locdyn::distributed {
namespace {

constexpr double kSlowSlip = 1e-3;  // of h |g|: below it a contact counts as stopped, as in one machine's steps

// Bits of a contact's name: the two shapes and its place among those of the pair. No shape has the last number of such
// bits; names that begin with it are of joints.
constexpr int kShapeBits = 29, kPlaceBits = 6;
constexpr GlobalId kFirstJoint = ((GlobalId{1} << kShapeBits) - 1) << (kShapeBits + kPlaceBits);

// Bodies of others may be somewhere else by now: what acts on all must not look at two of them together.
bool acts_body_by_body(const Force& force) {
  return !force.bodies().empty() || dynamic_cast<const RotatingFrame*>(&force) != nullptr;
}

// Of an id and what it has, bit for bit.
std::uint64_t hash_of_numbers(std::uint64_t id, const Eigen::VectorXd& numbers) {
  std::uint64_t hash = hash_of(id);
  for (const double x : numbers) hash = hash_of(hash ^ std::bit_cast<std::uint64_t>(x));
  return hash;
}

}  // namespace

DistributedStepper::DistributedStepper(MPI_Comm comm, System& system, const DistributedStepOptions& options)
    : comm_(comm), system_(system), options_(options), applied_(system) {
  agree_on(comm, [&] {
    validate(options.stepping);
    if (!(options.largest_imbalance > 1)) {
      throw std::invalid_argument("distributed stepper: largest_imbalance: expected a number > 1, found " +
                                  std::to_string(options.largest_imbalance));
    }
    if (options.spread_every < 0) {
      throw std::invalid_argument("distributed stepper: spread_every: expected at least 0, found " +
                                  std::to_string(options.spread_every));
    }
    check_system();
  });
  tracker_ = std::make_unique<detail::ContactTracker>(system);
  extent_ = detail::body_extents(system);
  find_linked_bodies();
  find_joint_homes();
  owner_.assign(system.bodies().id_bound(), -1);
  held_.assign(system.bodies().id_bound(), 0);
  moved_.assign(system.bodies().id_bound(), 1);
  for (const BodyId id : system.bodies().ids()) {
    (system.bodies()[id].freedoms() == 0 ? obstacles_ : own_).push_back(id);
  }
  // Rank 0 owns all, until they are spread for the first time.
  if (rank_of(comm) != 0) own_.clear();
  for (const BodyId id : own_) owner_[id] = 0;
  DistributedStepReport unused;
  spread(true, unused);
}

void DistributedStepper::check_system() const {
  const auto refuse = [](const std::string& what) {
    throw std::invalid_argument("distributed steps: expected bodies, joints, loads and forces between bodies, found " +
                                what);
  };
  check_joints();
  for (const ForceId id : system_.forces().ids()) {
    if (acts_body_by_body(system_.forces()[id])) continue;
    const std::string& name = system_.forces().name(id);
    refuse("an applied force on all bodies together, a " + std::string(system_.forces()[id].kind()) +
           (name.empty() ? "" : " '" + name + "'"));
  }
  if (system_.contact_modifier()) refuse("a contact modifier");
  if (system_.bodies().id_bound() >= (std::size_t{1} << kShapeBits) ||
      system_.colliders().size() >= (std::size_t{1} << kShapeBits)) {
    refuse("more than 2^29 bodies or shapes");
  }
}

// --- a step ----------------------------------------------------------------------------------------------------------

DistributedStepReport DistributedStepper::step() {
  const double began = MPI_Wtime(), h = options_.stepping.step;
  DistributedStepReport report;
  agree_on(comm_, [&] {
    for (const auto& [body, drive] : system_.drives()) {
      auto& obstacle = static_cast<Obstacle&>(system_.bodies()[body]);
      const ObstacleMotion motion = drive(time_, h);
      obstacle.set_motion(motion.velocity, motion.angular_velocity, centre_of(obstacle));
    }
    advance(h / 2);
    system_.bodies().set_time(time_ + h / 2);
  });
  try {
    find_contacts(report);
    solve(report);
  } catch (...) {  // no body has its new velocity yet
    advance(-h / 2);
    system_.bodies().set_time(time_);
    throw;
  }
  share_joint_reactions();
  hand_out_impulses();
  tracker_->read_reactions(kSlowSlip * h * std::max(system_.gravity.norm(), 1.0));
  agree_on(comm_, [&] { advance(h / 2); });
  time_ += h;
  ++steps_;
  system_.bodies().set_time(time_);
  close_joints(report);
  report.step = steps_;
  report.time = time_;
  sum_up(report);
  spread(options_.spread_every > 0 && steps_ % options_.spread_every == 0, report);
  report.seconds = MPI_Wtime() - began;
  return report;
}

void DistributedStepper::advance(double dt) {
  system_.bodies().advance(dt, own_);
  system_.bodies().advance(dt, obstacles_);
}

// The moving body of lowest id.
BodyId DistributedStepper::home(const TrackedContact& contact) const {
  const BodyId master = system_.colliders()[contact.master].body, slave = system_.colliders()[contact.slave].body;
  return system_.bodies()[master].freedoms() == 0 ? slave : std::min(master, slave);
}

// Contacts of which this rank owns the home, tracked and in the assembly.
void DistributedStepper::find_contacts(DistributedStepReport& report) {
  const TimeStepperOptions& stepping = options_.stepping;
  const double h = stepping.step;
  send_ghosts(report);
  std::vector<BodyId> moving(own_);
  moving.insert(moving.end(), ghosts_.begin(), ghosts_.end());
  std::sort(moving.begin(), moving.end());
  agree_on(comm_, [&] {
    std::vector<BodyId> held(moving);
    held.insert(held.end(), obstacles_.begin(), obstacles_.end());
    std::sort(held.begin(), held.end());
    std::fill(held_.begin(), held_.end(), std::uint8_t{0});
    for (const BodyId id : held) held_[id] = 1;
    found_.clear();
    if (system_.detector() != nullptr) {
      horizon_.look(system_, held, extent_, h);
      std::vector<BodyId> looked_at(held);
      if (!std::exchange(looked_, true)) {
        looked_at.assign(system_.bodies().ids().begin(), system_.bodies().ids().end());
      }
      const auto rank = static_cast<std::int32_t>(rank_of(comm_));
      for (const DetectedContact& contact :
           system_.detector()->detect_among(system_.bodies(), looked_at, horizon_.reach(), moved_)) {
        const BodyId master = system_.colliders()[contact.master].body, slave = system_.colliders()[contact.slave].body;
        if (held_[master] == 0 || held_[slave] == 0) continue;
        TrackedContact pair;
        pair.master = contact.master;
        pair.slave = contact.slave;
        if (owner_[home(pair)] == rank) found_.push_back(contact);
      }
      detail::TrackingOptions tracking{.time = time_ + h / 2, .h = h, .slop = stepping.slop};
      if (stepping.correction != Correction::none) {
        tracking.feedback_share = stepping.baumgarte_alpha;
        tracking.feedback_speed = stepping.baumgarte_beta;
      }
      tracker_->update(horizon_.closing(system_, found_, held_), moved_, extent_, tracking);
    }
    name_contacts();
  });
  apply_forces(moving);
  agree_on(comm_, [&] { system_.assembly().update(h); });
  for (const TrackedContact* contact : tracker_->contacts()) {
    report.penetration = std::max(report.penetration, -contact->point.gap);
  }
  MPI_Allreduce(MPI_IN_PLACE, &report.penetration, 1, MPI_DOUBLE, MPI_MAX, comm_);
}

void DistributedStepper::name_contacts() {
  names_.clear();
  const std::span<const TrackedContact* const> contacts = tracker_->contacts();
  std::uint64_t place = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const TrackedContact& c = *contacts[i];
    place = i > 0 && contacts[i - 1]->master == c.master && contacts[i - 1]->slave == c.slave ? place + 1 : 0;
    if (place >= (std::uint64_t{1} << kPlaceBits)) {
      throw std::invalid_argument("distributed steps: shapes " + std::to_string(c.master) + " and " +
                                  std::to_string(c.slave) + ": expected at most 64 contacts of one pair, found more");
    }
    names_.push_back(std::uint64_t{c.master.value()} << (kShapeBits + kPlaceBits) |
                     std::uint64_t{c.slave.value()} << kPlaceBits | place);
  }
}

ProblemPart DistributedStepper::part() const {
  ProblemPart part;
  part.h = options_.stepping.step;
  const LocalDynamics& ldy = system_.graph();
  for (const BodyId id : own_) {
    const Body& body = system_.bodies()[id];
    part.bodies.push_back({id.value(), centre_of(body), body.inertia(),
                           options_.admm || options_.newton ? rigid_motions(body) : Eigen::MatrixXd()});
  }
  const std::span<const BodyId> numbered = system_.assembly().kinematics().bodies();
  each_own_constraint([&](GlobalId name, ConstraintId id) {
    PartConstraint constraint = part_constraint(ldy, *ldy.factor(), id);
    constraint.id = name;
    for (GlobalId& body : constraint.bodies) body = numbered[body].value();
    part.constraints.push_back(std::move(constraint));
  });
  return part;
}

// Calls visit(name, id) for the contacts and joints that belong to this rank, which are the constraints of its part.
template <class Visit>
void DistributedStepper::each_own_constraint(const Visit& visit) const {
  const std::span<const TrackedContact* const> contacts = tracker_->contacts();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i]->constraint != kNone) visit(names_[i], contacts[i]->constraint);
  }
  for (const std::size_t j : own_joints()) visit(kFirstJoint + j, system_.constraints()[j]);
}

DistributedReport DistributedStepper::solve_graph(DistributedGraph& graph) const {
  const StopOptions& stop = options_.stepping.stop;
  if (options_.admm) {
    DistributedAdmmOptions admm = *options_.admm;
    admm.tolerance = stop.tolerance;
    admm.max_steps = stop.max_iterations;
    return solve_distributed_admm(graph, admm);
  }
  if (options_.newton) {
    DistributedNewtonOptions newton = *options_.newton;
    newton.tolerance = stop.tolerance;
    newton.max_steps = stop.max_iterations;
    return solve_distributed_newton(graph, newton);
  }
  return solve_distributed(graph, {.tolerance = stop.tolerance,
                                   .max_sweeps = stop.max_iterations,
                                   .mode = options_.mode,
                                   .split_relaxation = options_.split_relaxation});
}

void DistributedStepper::solve(DistributedStepReport& report) {
  const std::span<const TrackedContact* const> contacts = tracker_->contacts();
  const auto acting =
      std::count_if(contacts.begin(), contacts.end(), [](const TrackedContact* c) { return c->constraint != kNone; });
  report.contacts = sum_over_ranks(comm_, static_cast<std::uint64_t>(acting));
  if (report.contacts == 0 && joint_homes_.empty()) return;
  ProblemPart rest = part();
  SolvedIslands islands;
  if (options_.small_islands > 0) {
    islands = solve_small_islands(comm_, rest, options_.small_islands, options_.stepping.stop);
  } else {
    islands.solutions.resize(rest.constraints.size());
  }
  report.status = islands.status;
  report.residual = islands.residual;
  report.small_islands = islands.count;
  std::vector<DistributedGraph::Solution> solutions;
  if (sum_over_ranks(comm_, rest.constraints.size()) > 0) {
    DistributedGraph graph(comm_, std::move(rest));
    const DistributedReport solved = solve_graph(graph);
    report.status = std::max(report.status, solved.status);
    report.sweeps = solved.sweeps;
    report.residual = std::max(report.residual, solved.residual.scaled);
    solutions = graph.solutions();
  }
  auto whole = islands.solutions.begin();
  auto of_rest = solutions.begin();
  each_own_constraint([&](GlobalId, ConstraintId id) {
    const DistributedGraph::Solution& solution = *whole ? **whole : *of_rest++;
    ++whole;
    for (int k = 0; k < block_count(system_.graph().law(id)); ++k) {
      DiagonalBlock& row = system_.graph().row(id, k);
      row.R = solution.R[static_cast<std::size_t>(k)];
      row.U = solution.U[static_cast<std::size_t>(k)];
    }
  });
  add_up_reactions(report);
}

// A sum of hashes, one a block: in any order, on any ranks, the same.
void DistributedStepper::add_up_reactions(DistributedStepReport& report) const {
  each_own_constraint([&](GlobalId name, ConstraintId id) {
    for (int k = 0; k < block_count(system_.graph().law(id)); ++k) {
      report.reactions += hash_of_numbers(k == 0 ? name : hash_of(name), system_.graph().row(id, k).R);
    }
  });
  report.reactions = sum_over_ranks(comm_, report.reactions);
}

// u⁺ of this rank's bodies: what every contact and joint gives them, by its name.
void DistributedStepper::hand_out_impulses() {
  struct Impulse {
    GlobalId name = 0;
    std::array<double, 12> p{};  // h Hᵀ R
  };
  const LocalDynamics& ldy = system_.graph();
  const std::span<const BodyId> numbered = system_.assembly().kinematics().bodies();
  std::vector<Writer> to(static_cast<std::size_t>(size_of(comm_)));
  each_own_constraint([&](GlobalId name, ConstraintId id) {
    const auto place = static_cast<Index>(&ldy.row(id) - ldy.diagonal_arena().data());
    const auto first = ldy.factor()->couplings(place);
    for (std::size_t b = 0; b < first.size(); ++b) {
      Impulse impulse{name};
      Eigen::Map<Eigen::VectorXd> p(impulse.p.data(), first[b].freedoms);
      for (int k = 0; k < block_count(ldy.law(id)); ++k) {
        const Coupling& c = ldy.factor()->couplings(place + static_cast<Index>(k))[b];
        p += options_.stepping.step * (ldy.factor()->jacobian(c).transpose() * ldy.row(id, k).R);
      }
      const BodyId body = numbered[first[b].body];
      Writer& writer = to[static_cast<std::size_t>(owner_[body])];
      writer.put(body.value());
      writer.put(impulse);
    }
  });
  std::map<BodyId, std::vector<Impulse>> got;
  for (const Bytes& bytes : exchange_bytes(comm_, to)) {
    for (Reader reader(bytes); !reader.done();) {
      const BodyId body{reader.get<std::uint32_t>()};
      got[body].push_back(reader.get<Impulse>());
    }
  }
  for (const BodyId id : own_) {
    Body& body = system_.bodies()[id];
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(body.freedoms());
    if (const auto at = got.find(id); at != got.end()) {
      std::sort(at->second.begin(), at->second.end(),
                [](const Impulse& a, const Impulse& b) { return a.name < b.name; });
      for (const Impulse& impulse : at->second) {
        sum += Eigen::Map<const Eigen::VectorXd>(impulse.p.data(), body.freedoms());
      }
    }
    body.receive_impulse(sum);
  }
}

void DistributedStepper::sum_up(DistributedStepReport& report) const {
  std::array<ExactSum, 4> sums;
  for (const BodyId id : own_) {
    const Body& body = system_.bodies()[id];
    sums[0].add(body.kinetic_energy());
    const Eigen::Vector3d momentum = body.mass() * detail::motion_of(body).velocity;
    for (std::size_t i = 0; i < 3; ++i) sums[i + 1].add(momentum[static_cast<Eigen::Index>(i)]);
    // A sum of hashes: of a body its id and all numbers, in turn.
    Eigen::VectorXd numbers(body.configuration().size() + body.freedoms());
    numbers << body.configuration(), body.velocity();
    report.state += hash_of_numbers(id.value(), numbers);
  }
  ExactSum::add_over_ranks(comm_, sums.data(), static_cast<int>(sums.size()));
  report.kinetic_energy = sums[0].value();
  report.momentum = {sums[1].value(), sums[2].value(), sums[3].value()};
  report.state = sum_over_ranks(comm_, report.state);
  report.bodies = sum_over_ranks(comm_, own_.size());
}

}  // namespace locdyn::distributed
