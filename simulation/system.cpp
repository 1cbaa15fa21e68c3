#include <locdyn/simulation/system.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

namespace locdyn {

namespace {

// What ties bodies changes how they move; an obstacle, and what else rests on it, stays as it was.
void touch_moving(BodySet& bodies, std::span<const BodyId> ids) {
  for (const BodyId id : ids) {
    if (bodies[id].freedoms() > 0) bodies.touch(id);
  }
}

}  // namespace

System::System(std::unique_ptr<ContactDetector> detector) : detector_(std::move(detector)) {}

BodyId System::add(std::unique_ptr<Body> body, std::string name) {
  if (!name.empty() && body_of_name_.contains(name)) {
    throw std::invalid_argument("body: expected a new name, found \"" + name + "\" again");
  }
  const BodyId id = bodies_.add(std::move(body));
  if (!name.empty()) body_of_name_.emplace(name, id);
  names_.push_back(std::move(name));
  return id;
}

ColliderId System::add_collider(const Collider& collider) {
  if (!detector_) throw std::invalid_argument("collider: expected a system with a contact detector, found none");
  if (collider.surface >= materials.size()) {
    throw std::invalid_argument("collider: surface: expected an id below " + std::to_string(materials.size()) +
                                ", found " + std::to_string(collider.surface));
  }
  const ColliderId id = detector_->add(collider, bodies_);
  colliders_.push_back(collider);
  bodies_.touch(collider.body);
  return id;
}

void System::exclude_pair(BodyId a, BodyId b) {
  if (std::max(a, b) >= bodies_.size()) {
    throw std::invalid_argument("excluded pair: expected bodies below " + std::to_string(bodies_.size()) + ", found " +
                                std::to_string(std::max(a, b)));
  }
  if (detector_) detector_->exclude(a, b);
  touch_moving(bodies_, std::array{a, b});
}

ConstraintId System::add_constraint(std::unique_ptr<Constraint> constraint, std::string name) {
  if (!name.empty() && std::find(constraint_names_.begin(), constraint_names_.end(), name) != constraint_names_.end()) {
    throw std::invalid_argument("constraint: expected a new name, found \"" + name + "\" again");
  }
  const ConstraintId id = assembly_.insert(std::move(constraint));
  touch_moving(bodies_, assembly_.constraint(id).bodies());
  constraints_.push_back(id);
  constraint_names_.push_back(std::move(name));
  return id;
}

ForceId System::add_force(std::unique_ptr<Force> force, std::string name) {
  const ForceId id = forces_.add(std::move(force), bodies_, std::move(name));
  touch_moving(bodies_, forces_[id].bodies());
  return id;
}

void System::add_drive(BodyId obstacle, Drive drive) {
  if (obstacle >= bodies_.size() || dynamic_cast<Obstacle*>(&bodies_[obstacle]) == nullptr) {
    throw std::invalid_argument("drive: expected an obstacle, found body " + std::to_string(obstacle));
  }
  drives_.emplace_back(obstacle, std::move(drive));
  bodies_.touch(obstacle);
}

BodyId System::find(std::string_view name) const {
  const auto at = body_of_name_.find(name);
  if (at == body_of_name_.end()) {
    throw std::invalid_argument("body: expected the name of one, found \"" + std::string(name) + "\"");
  }
  return at->second;
}

}  // namespace locdyn
