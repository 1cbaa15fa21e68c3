#include <locdyn/mechanism/mechanism.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <variant>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/bodies/kinematic_body.hpp>
#include <locdyn/solver/saddle/saddle_system.hpp>

namespace locdyn {
using namespace detail;
namespace {

std::vector<MechanismMember> members_of(System& system) {
  std::vector<MechanismMember> members;
  for (std::size_t i = 0; i < system.constraints().size(); ++i) {
    members.push_back({&system.assembly().constraint(system.constraints()[i]), system.constraint_name(i)});
  }
  return members;
}

Law law_of(const Constraint& constraint) {
  std::array<Eigen::Vector3d, kMaxLawBlocks> V;
  V.fill(Eigen::Vector3d::Zero());
  return constraint.law(1.0, V);
}

}  // namespace

Mechanism::Mechanism(BodySet& bodies, std::vector<MechanismMember> members, Metric metric)
    : bodies_(bodies), system_(std::make_unique<SaddleSystem>()), closing_system_(std::make_unique<SaddleSystem>()) {
  for (const BodyId id : bodies_.ids()) static_cast<void>(kinematic(bodies_, id));  // refused by name
  for (MechanismMember& member : members) take(std::move(member));
  members_ = parts_.size();
  lay_out_coordinates(metric);
  lay_out_rows();
}

Mechanism::Mechanism(System& system, Metric metric) : Mechanism(system.bodies(), members_of(system), metric) {
  for (const auto& [body, drive] : system.drives()) {
    const std::string name = system.name(body).empty() ? std::to_string(body) : '"' + system.name(body) + '"';
    left_out_.push_back({"motion of obstacle " + name,
                         "constant velocities (Obstacle::set_motion), or a body with a joint and a speed instead"});
  }
}

Mechanism::~Mechanism() = default;

void Mechanism::take(MechanismMember member) {
  if (member.constraint == nullptr) {
    throw std::invalid_argument("mechanism: expected constraints, found a null pointer at place " +
                                std::to_string(parts_.size()));
  }
  for (const BodyId body : member.constraint->bodies()) {
    if (bodies_.contains(body)) continue;
    throw std::invalid_argument(described(member.constraint->kind(), member.name, member.constraint->bodies()) +
                                ": expected one of " + std::to_string(bodies_.id_bound()) + " bodies, found body " +
                                std::to_string(body));
  }
  const Law law = law_of(*member.constraint);
  if (is_hard_joint(law)) {
    parts_.push_back({.constraint = member.constraint, .name = std::move(member.name), .blocks = block_count(law)});
    return;
  }
  const char* instead = is_contact(law) ? "nothing strikes in a mechanism: a stiff spring among the forces instead"
                        : is_bilateral(law)
                            ? "a spring goes to the forces (System::add_force)"
                            : "nothing sticks in a mechanism: friction and limited motors need a TimeStepper";
  left_out_.push_back({described(member.constraint->kind(), member.name, member.constraint->bodies()), instead});
}

void Mechanism::require_complete() const {
  if (left_out_.empty()) return;
  throw std::invalid_argument("mechanism: expected rigid joints alone, found " + left_out_.front().name + ": " +
                              left_out_.front().instead);
}

void Mechanism::lay_out_coordinates(Metric metric) {
  first_.assign(1, 0);
  std::vector<Eigen::Triplet<double>> entries;
  for (const BodyId id : bodies_.ids()) {
    const Body& body = bodies_[id];
    const Eigen::Index at = first_.back();
    first_.push_back(at + body.freedoms());
    if (body.freedoms() == 0 || body.mass() == 0) continue;
    const Eigen::MatrixXd A = body.inertia() / (metric == Metric::displacement ? body.mass() : 1.0);
    for (Eigen::Index j = 0; j < A.cols(); ++j) {
      for (Eigen::Index i = 0; i < A.rows(); ++i) {
        entries.emplace_back(static_cast<int>(at + i), static_cast<int>(at + j), A(i, j));
      }
    }
  }
  metric_.resize(first_.back(), first_.back());
  metric_.setFromTriplets(entries.begin(), entries.end());
}

// The graph of all parts, and the rows in use of those that are held.
void Mechanism::lay_out_rows() {
  graph_ = LocalDynamics();
  rows_.clear();
  std::vector<ConstraintId> ids;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Law law = law_of(*parts_[p].constraint);
    ids.push_back(graph_.insert(law));
    if (p >= members_ && !held_[p - members_]) continue;
    for (int i = 0; i < 3 * parts_[p].blocks; ++i) {
      if (!uses(locdyn::rows(law, i / 3), i % 3)) continue;
      const bool holonomic = uses(parts_[p].constraint->holonomic_rows(i / 3), i % 3);
      rows_.push_back({.member = p, .row = i, .holonomic = holonomic});
    }
  }
  kinematics_.lay_out(graph_, bodies_, [this](ConstraintId id) { return parts_[id].constraint->bodies(); });
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    parts_[p].first = static_cast<Index>(&graph_.row(ids[p], 0) - graph_.diagonal_arena().data());
  }
}

// --- drives ----------------------------------------------------------------------------------------------------------

DriveId Mechanism::add_drive(Coordinate coordinate, std::string name) {
  auto drive = std::make_unique<MechanismDrive>(std::move(coordinate), bodies_, std::move(name));
  parts_.push_back({.constraint = &drive->constraint(), .name = drive->name(), .blocks = 1});
  drives_.push_back(std::move(drive));
  held_.push_back(true);
  lay_out_rows();
  return drives_.size() - 1;
}

void Mechanism::set_drive(DriveId drive, const DriveMotion& motion) {
  MechanismDrive& its = *drives_.at(drive);
  for (const auto& [value, what] : {std::pair(motion.value, "value"), std::pair(motion.rate, "rate"),
                                    std::pair(motion.acceleration, "acceleration")}) {
    if (std::isfinite(value)) continue;
    throw std::invalid_argument(described(parts_[members_ + drive]) + ": " + what +
                                ": expected a finite number, found " + locdyn::spelled(value));
  }
  its.set_motion(motion);
}

const MechanismDrive& Mechanism::drive(DriveId drive) const {
  return *drives_.at(drive);
}

double Mechanism::drive_value(DriveId drive) const {
  return drives_.at(drive)->value(bodies_);
}

void Mechanism::set_held(DriveId drive, bool held) {
  if (held_.at(drive) == held) return;
  held_[drive] = held;
  lay_out_rows();
}

Eigen::Index Mechanism::row_of(DriveId drive) const {
  if (!held_.at(drive)) return -1;
  const auto is_its = [&](const MechanismRow& row) { return row.member == members_ + drive; };
  return std::find_if(rows_.begin(), rows_.end(), is_its) - rows_.begin();
}

// --- coordinates -----------------------------------------------------------------------------------------------------

void Mechanism::require_same_bodies() const {
  if (bodies_.id_bound() + 1 == first_.size() && bodies_.size() == bodies_.id_bound()) return;
  throw std::invalid_argument("mechanism: expected the " + std::to_string(first_.size() - 1) +
                              " bodies that it was made of, found " + std::to_string(bodies_.size()) +
                              ": make it anew once all are there");
}

Eigen::VectorXd Mechanism::velocity() const {
  require_same_bodies();
  Eigen::VectorXd u(coordinates());
  for (const BodyId id : bodies_.ids()) u.segment(first_[id], bodies_[id].freedoms()) = bodies_[id].velocity();
  return u;
}

void Mechanism::set_velocity(const Eigen::VectorXd& u) {
  require_same_bodies();
  if (u.size() != coordinates()) {
    throw std::invalid_argument("mechanism: velocity: expected " + std::to_string(coordinates()) + " numbers, found " +
                                std::to_string(u.size()));
  }
  for (const BodyId id : bodies_.ids()) {
    bodies_[id].set_velocity(u.segment(first_[id], bodies_[id].freedoms()));
  }
}

void Mechanism::displace(const Eigen::VectorXd& d) {
  const Eigen::VectorXd u = velocity();
  set_velocity(d);
  for (const BodyId id : bodies_.ids()) {
    if (bodies_[id].freedoms() > 0) bodies_[id].advance(1);
  }
  set_velocity(u);
}

void Mechanism::move_time(double t) {
  const double dt = t - bodies_.time();
  bodies_.set_time(t);
  for (const BodyId id : bodies_.ids()) {
    if (bodies_[id].freedoms() == 0) bodies_[id].advance(dt);
  }
}

double Mechanism::largest_displacement(const Eigen::VectorXd& d) const {
  double largest = 0;
  for (const BodyId id : bodies_.ids()) {
    const Body& body = bodies_[id];
    if (body.freedoms() == 0 || body.mass() == 0) continue;
    const Eigen::VectorXd part = d.segment(first_[id], body.freedoms());
    largest = std::max(largest, std::sqrt(part.dot(body.inertia() * part) / body.mass()));
  }
  return largest;
}

double Mechanism::largest_turn(const Eigen::VectorXd& d) const {
  double largest = 0;
  for (const BodyId id : bodies_.ids()) {
    const int n = bodies_[id].freedoms();
    if (n == 0) continue;
    PointJacobian H(3, n);
    bodies_[id].spin_jacobian(Eigen::Matrix3d::Identity(), H);
    largest = std::max(largest, (H * d.segment(first_[id], n)).norm());
  }
  return largest;
}

// --- state -----------------------------------------------------------------------------------------------------------

MechanismState Mechanism::state() const {
  require_same_bodies();
  MechanismState state;
  state.time = bodies_.time();
  for (const BodyId id : bodies_.ids()) {
    state.q.push_back(bodies_[id].configuration());
    state.u.push_back(bodies_[id].velocity());
  }
  for (const Part& part : parts_) {
    state.memory.emplace_back(part.constraint->memory().begin(), part.constraint->memory().end());
  }
  for (const auto& drive : drives_) state.drives.push_back(drive->motion());
  return state;
}

void Mechanism::restore(const MechanismState& state) {
  if (state.q.size() != bodies_.id_bound() || state.memory.size() != parts_.size()) {
    throw std::invalid_argument("mechanism: state: expected that of " + std::to_string(bodies_.id_bound()) +
                                " bodies and " + std::to_string(parts_.size()) + " constraints, found " +
                                std::to_string(state.q.size()) + " and " + std::to_string(state.memory.size()));
  }
  bodies_.set_time(state.time);
  for (const BodyId id : bodies_.ids()) {
    bodies_[id].set_configuration(state.q[id]);
    bodies_[id].set_velocity(state.u[id]);
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p].constraint->set_memory(state.memory[p]);
  for (std::size_t i = 0; i < drives_.size(); ++i) drives_[i]->set_motion(state.drives[i]);
}

}  // namespace locdyn
