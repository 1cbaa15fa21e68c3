#include <locdyn/simulation/system.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <locdyn/base/make_room.hpp>

namespace locdyn {

namespace {

// What ties bodies changes how they move; an obstacle, and what else rests on it, stays as it was.
void touch_moving(BodySet& bodies, std::span<const BodyId> ids) {
  for (const BodyId id : ids) {
    if (bodies[id].freedoms() > 0) bodies.touch(id);
  }
}

// "crate", or the number of what has no name.
std::string label_of(const std::string& name, std::uint32_t id) {
  return name.empty() ? std::to_string(id) : '"' + name + '"';
}

}  // namespace

System::System(std::unique_ptr<ContactDetector> detector) : detector_(std::move(detector)) {}

BodyId System::add(std::unique_ptr<Body> body, std::string name) {
  require_between_steps("body");
  if (!name.empty() && body_of_name_.contains(name)) {
    throw std::invalid_argument("body: expected a new name, found \"" + name + "\" again");
  }
  const BodyId id = bodies_.add(std::move(body));
  ++changes_;
  if (!name.empty()) body_of_name_.emplace(name, id);
  names_.push_back(std::move(name));
  return id;
}

ColliderId System::add_collider(const Collider& collider) {
  require_between_steps("collider");
  if (!detector_) throw std::invalid_argument("collider: expected a system with a contact detector, found none");
  if (collider.surface >= materials.size()) {
    throw std::invalid_argument("collider: surface: expected an id below " + std::to_string(materials.size()) +
                                ", found " + std::to_string(collider.surface));
  }
  const ColliderId id = detector_->add(collider, bodies_);
  colliders_.push_back(collider);
  ++changes_;
  bodies_.touch(collider.body);
  return id;
}

void System::set_surface_velocity(ColliderId id, const Eigen::Vector3d& velocity) {
  require_between_steps("surface velocity");
  require_collider(id);
  Collider changed = colliders_[id];
  changed.surface_velocity = velocity;
  validate(changed, bodies_);
  colliders_[id] = std::move(changed);
  bodies_.touch(colliders_[id].body);
}

void System::set_friction_direction(ColliderId id, const Eigen::Vector3d& direction) {
  require_between_steps("friction direction");
  require_collider(id);
  Collider changed = colliders_[id];
  changed.friction_direction = direction;
  validate(changed, bodies_);
  colliders_[id] = std::move(changed);
  bodies_.touch(colliders_[id].body);
}

void System::exclude_pair(BodyId a, BodyId b) {
  require_between_steps("excluded pair");
  for (const BodyId id : {a, b}) {
    if (bodies_.contains(id)) continue;
    throw std::invalid_argument("excluded pair: expected bodies below " + std::to_string(bodies_.id_bound()) +
                                ", found " + missing_body(bodies_, id));
  }
  if (detector_) detector_->exclude(a, b);
  touch_moving(bodies_, std::array{a, b});
}

ConstraintId System::add_constraint(std::unique_ptr<Constraint> constraint, std::string name) {
  require_between_steps("constraint");
  if (!name.empty() && std::find(constraint_names_.begin(), constraint_names_.end(), name) != constraint_names_.end()) {
    throw std::invalid_argument("constraint: expected a new name, found \"" + name + "\" again");
  }
  detail::make_room_for_one(constraints_);
  detail::make_room_for_one(constraint_names_);
  const ConstraintId id = assembly_.insert(std::move(constraint));
  touch_moving(bodies_, assembly_.constraint(id).bodies());
  constraints_.push_back(id);
  removed_constraints_.erase(id);
  ++changes_;
  constraint_names_.push_back(std::move(name));
  return id;
}

void System::set_breaking(ConstraintId joint, const BreakingLoad& load, std::span<const ConstraintId> with) {
  require_between_steps("breaking load");
  validate(load);
  BreakableJoint made{constraint_names_[place_of(joint)], load, {joint}, false};
  for (const ConstraintId id : with) {
    (void)place_of(id);
    if (std::ranges::find(made.constraints, id) == made.constraints.end()) made.constraints.push_back(id);
  }
  const auto same = [joint](const BreakableJoint& b) { return !b.constraints.empty() && b.constraints[0] == joint; };
  const auto before = std::ranges::find_if(breakables_, same);
  before != breakables_.end() ? * before = std::move(made) : breakables_.emplace_back(std::move(made));
  ++changes_;
}

void System::break_joint(std::size_t number) {
  const std::vector<ConstraintId> gone = breakables_[number].constraints;
  breakables_[number].broken = true;
  for (const ConstraintId id : gone) take_out(id);
}

ForceId System::add_force(std::unique_ptr<Force> force, std::string name) {
  require_between_steps("force");
  const ForceId id = forces_.add(std::move(force), bodies_, std::move(name));
  touch_moving(bodies_, forces_[id].bodies());
  ++changes_;
  return id;
}

void System::add_load(Load load) {
  require_between_steps("load");
  loads_.push_back(std::move(load));
}

void System::set_contact_modifier(ContactModifier modifier) {
  require_between_steps("contact modifier");
  contact_modifier_ = std::move(modifier);
  ++changes_;
}

void System::add_drive(BodyId obstacle, Drive drive) {
  require_between_steps("drive");
  if (!bodies_.contains(obstacle)) {
    throw std::invalid_argument("drive: expected an obstacle, found " + missing_body(bodies_, obstacle));
  }
  if (dynamic_cast<Obstacle*>(&bodies_[obstacle]) == nullptr) {
    throw std::invalid_argument("drive: expected an obstacle, found body " + std::to_string(obstacle));
  }
  drives_.emplace_back(obstacle, std::move(drive));
  bodies_.touch(obstacle);
  ++changes_;
}

// --- what goes -------------------------------------------------------------------------------------------------------

void System::require_between_steps(const char* what) const {
  if (step_of_ != std::thread::id()) {
    throw std::logic_error(std::string(what) + ": expected no step to run, found one of the system");
  }
}

void System::require_readable(const char* what) const {
  const std::thread::id stepping = step_of_;
  if (stepping != std::thread::id() && stepping != std::this_thread::get_id()) {
    throw std::logic_error(std::string(what) + ": expected no step to run, found one in another thread");
  }
}

void System::require_collider(ColliderId id) const {
  if (contains(id)) return;
  throw std::out_of_range(id < colliders_.size()
                              ? "collider " + std::to_string(id) + ": was removed"
                              : "collider: expected an id below " + std::to_string(colliders_.size()) + ", found " +
                                    std::to_string(id));
}

void System::remove(BodyId id) {
  require_between_steps("remove");
  if (!bodies_.contains(id) && id < names_.size()) {
    throw std::out_of_range("body " + label_of(names_[id], id) + ": was removed");
  }
  bodies_.touch(id);  // throws where there is none
  for (ColliderId collider{0}; collider < colliders_.size(); ++collider) {
    if (colliders_[collider].body == id) remove(collider);
  }
  const auto names_it = [id](std::span<const BodyId> bodies) { return std::ranges::find(bodies, id) != bodies.end(); };
  const std::vector<ConstraintId> constraints = constraints_;
  for (const ConstraintId constraint : constraints) {
    if (names_it(assembly_.constraint(constraint).bodies())) remove(constraint);
  }
  for (const ForceId force : forces_.ids()) {
    if (names_it(forces_[force].bodies())) remove(force);
  }
  std::erase_if(drives_, [id](const auto& drive) { return drive.first == id; });
  if (!names_[id].empty()) body_of_name_.erase(names_[id]);
  bodies_.remove(id);
  ++changes_;
}

void System::remove(ColliderId id) {
  require_between_steps("remove");
  require_collider(id);
  detector_->remove(id);
  bodies_.touch(std::exchange(colliders_[id].body, kNoBody));
  ++changes_;
}

void System::remove(ConstraintId id) {
  require_between_steps("remove");
  take_out(id);
}

std::size_t System::place_of(ConstraintId id) const {
  const auto at = std::ranges::find(constraints_, id);
  if (at != constraints_.end()) return static_cast<std::size_t>(at - constraints_.begin());
  const auto gone = removed_constraints_.find(id);
  throw std::out_of_range(gone != removed_constraints_.end()
                              ? "constraint " + label_of(gone->second, id) + ": was removed"
                              : "constraint: expected one that was added to the system, found " + std::to_string(id));
}

void System::take_out(ConstraintId id) {
  const auto place = static_cast<std::ptrdiff_t>(place_of(id));
  touch_moving(bodies_, assembly_.constraint(id).bodies());
  assembly_.remove(id);
  for (BreakableJoint& joint : breakables_) {
    const bool itself = !joint.constraints.empty() && joint.constraints.front() == id;
    itself ? joint.constraints.clear() : (void)std::erase(joint.constraints, id);
  }
  const auto name = constraint_names_.begin() + place;
  removed_constraints_[id] = std::move(*name);
  constraint_names_.erase(name);
  constraints_.erase(constraints_.begin() + place);
  ++changes_;
}

void System::remove(ForceId id) {
  require_between_steps("remove");
  if (forces_.contains(id)) touch_moving(bodies_, forces_[id].bodies());
  forces_.remove(id);
  ++changes_;
}

BodyId System::find(std::string_view name) const {
  const auto at = body_of_name_.find(name);
  if (at == body_of_name_.end()) {
    throw std::invalid_argument("body: expected the name of one, found \"" + std::string(name) + "\"");
  }
  return at->second;
}

}  // namespace locdyn
