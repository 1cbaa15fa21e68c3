#include <locdyn/simulation/contact_forces.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

// What a contact does to its slave.
ContactForce force_of(const ActiveContact& contact) {
  const Eigen::Matrix3d& frame = contact.point.frame;
  const Eigen::Vector3d& x = contact.point.point;
  ContactForce one;
  one.force = frame * contact.reaction;
  one.normal = contact.reaction[2] * frame.col(2);
  one.moment = x.cross(one.force) + frame * contact.moment;
  one.pressure = contact.reaction[2];
  one.centre = x;
  const ContactState state = state_of(contact);
  one.open = state == ContactState::open;
  one.sticking = state == ContactState::sticks;
  one.sliding = state == ContactState::slides;
  return one;
}

ContactForce opposite(ContactForce force) {
  force.force = -force.force;
  force.normal = -force.normal;
  force.moment = -force.moment;
  return force;
}

void require(bool there, const char* what, std::uint32_t id) {
  if (!there) {
    throw std::out_of_range("collider group: expected a " + std::string(what) + " of the system, found " +
                            std::to_string(id));
  }
}

// Contacts by a key of each, (first, second, does the slave belong to the second), summed.
template <class Pair, class Id, class Key>
std::vector<Pair> sum_by(std::span<const ActiveContact> contacts, const Key& key) {
  std::vector<std::pair<std::pair<Id, Id>, std::size_t>> order;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const auto [master, slave] = key(contacts[k]);
    order.push_back({std::minmax(master, slave), k});
  }
  std::sort(order.begin(), order.end());
  std::vector<Pair> pairs;
  for (const auto& [ids, k] : order) {
    if (pairs.empty() || std::pair(pairs.back().first, pairs.back().second) != ids) {
      pairs.push_back({.first = ids.first, .second = ids.second, .on_second = {}});
    }
    const ContactForce force = force_of(contacts[k]);
    const bool slave_is_second = key(contacts[k]).second == ids.second;
    pairs.back().on_second += slave_is_second ? force : opposite(force);
  }
  return pairs;
}

}  // namespace

ContactState state_of(const ActiveContact& contact, double slip_speed) noexcept {
  const Eigen::Vector3d& R = contact.reaction;
  if (!(R[2] > 0)) return ContactState::open;
  const bool slides = on_edge_of_cone(contact.point.material, R) && contact.point.past.slip > slip_speed;
  return slides ? ContactState::slides : ContactState::sticks;
}

Eigen::Vector3d ContactForce::moment_about(const Eigen::Vector3d& x) const {
  return moment - x.cross(force);
}

ContactForce& ContactForce::operator+=(const ContactForce& other) {
  const double both = pressure + other.pressure;
  if (both > 0) centre = (pressure * centre + other.pressure * other.centre) / both;
  pressure = both;
  if (!(both > 0)) centre.setZero();
  force += other.force;
  normal += other.normal;
  moment += other.moment;
  open += other.open;
  sticking += other.sticking;
  sliding += other.sliding;
  return *this;
}

ColliderGroup ColliderGroup::all(const System& system) {
  ColliderGroup group;
  for (const Collider& collider : system.colliders()) group.holds_.push_back(collider.body != kNoBody);
  return group;
}

ColliderGroup ColliderGroup::of_body(const System& system, BodyId body) {
  return of_bodies(system, {&body, 1});
}

ColliderGroup ColliderGroup::of_bodies(const System& system, std::span<const BodyId> bodies) {
  std::vector<std::uint8_t> chosen(system.bodies().id_bound(), 0);
  for (const BodyId body : bodies) {
    require(system.bodies().contains(body), "body", body);
    chosen[body] = 1;
  }
  ColliderGroup group;
  for (const Collider& collider : system.colliders()) {
    group.holds_.push_back(collider.body != kNoBody && chosen[collider.body] != 0);
  }
  return group;
}

ColliderGroup ColliderGroup::of_surface(const System& system, SurfaceId surface) {
  require(surface < system.materials.size(), "surface", surface);
  ColliderGroup group;
  for (const Collider& collider : system.colliders()) {
    group.holds_.push_back(collider.body != kNoBody && collider.surface == surface);
  }
  return group;
}

ContactForce force_between(std::span<const ActiveContact> contacts, const ColliderGroup& first,
                           const ColliderGroup& second) {
  ContactForce sum;
  for (const ActiveContact& contact : contacts) {
    const bool onto_slave = first.contains(contact.master) && second.contains(contact.slave);
    const bool onto_master = first.contains(contact.slave) && second.contains(contact.master);
    if (onto_slave == onto_master) continue;
    sum += onto_slave ? force_of(contact) : opposite(force_of(contact));
  }
  return sum;
}

std::vector<BodyPairForce> forces_by_body(std::span<const ActiveContact> contacts) {
  return sum_by<BodyPairForce, BodyId>(
      contacts, [](const ActiveContact& contact) { return std::pair(contact.point.master, contact.point.slave); });
}

std::vector<SurfacePairForce> forces_by_surface(std::span<const ActiveContact> contacts, const System& system) {
  return sum_by<SurfacePairForce, SurfaceId>(contacts, [&](const ActiveContact& contact) {
    return std::pair(system.colliders().at(contact.master).surface, system.colliders().at(contact.slave).surface);
  });
}

MeanContactForce::MeanContactForce(double window) : window_(window) {
  require_positive(window, "window");
}

void MeanContactForce::add(const ContactForce& force, double h) {
  require_positive(h, "h");
  steps_.push_back({h, force});
  held_ += h;
  // A step goes when those after it fill the window, but for rounding of the sum.
  while (steps_.size() > 1 && held_ - steps_.front().h >= window_ * (1 - 1e-9)) {
    held_ -= steps_.front().h;
    steps_.pop_front();
  }
}

ContactForce MeanContactForce::mean() const {
  ContactForce sum;
  double time = 0;
  for (const Step& step : steps_) {
    ContactForce part = step.force;
    part.force *= step.h;
    part.normal *= step.h;
    part.moment *= step.h;
    part.pressure *= step.h;
    sum += part;
    time += step.h;
  }
  if (steps_.empty()) return sum;
  sum.force /= time;
  sum.normal /= time;
  sum.moment /= time;
  sum.pressure /= time;
  sum.open = steps_.back().force.open;
  sum.sticking = steps_.back().force.sticking;
  sum.sliding = steps_.back().force.sliding;
  return sum;
}

}  // namespace locdyn
