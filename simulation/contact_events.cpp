#include <locdyn/simulation/contact_events.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;

ContactEvents::ContactEvents(const TimeStepper& stepper, const ContactEventOptions& options)
    : stepper_(stepper), options_(options) {
  if (!(options.impact_speed >= 0) || !std::isfinite(options.impact_speed)) {
    throw std::invalid_argument("impact_speed: expected a finite number >= 0, found " + spelled(options.impact_speed));
  }
  pressing_ = pressing();
  compare_sleep();
  sleep_.clear();
}

std::map<ContactEvents::Pair, ContactEvents::Touch> ContactEvents::pressing() const {
  const std::vector<ActiveContact> contacts = stepper_.contacts();
  std::map<Pair, Touch> touches;
  for (const BodyPairForce& pair : forces_by_body(contacts)) {
    if (pair.on_second.pressure > 0) touches[{pair.first, pair.second}].on_second = pair.on_second;
  }
  for (const ActiveContact& contact : contacts) {
    if (state_of(contact) == ContactState::open) continue;
    Touch& touch = touches.at(std::minmax(contact.point.master, contact.point.slave));
    touch.approach = std::max(touch.approach, -contact.velocity_before[2]);
  }
  return touches;
}

void ContactEvents::note(ContactChange change, const Pair& pair, const Touch& touch) {
  const bool ended = change == ContactChange::end;
  const double h = stepper_.options().step;
  const double approach = ended ? 0 : touch.approach;
  const bool impact = approach > options_.impact_speed;
  if (change == ContactChange::persist && !impact && !options_.persisting) return;
  events_.push_back(
      {.change = change,
       .first = pair.first,
       .second = pair.second,
       .time = stepper_.time(),
       .impulse = ended ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : Eigen::Vector3d(h * touch.on_second.force),
       .point = touch.on_second.centre,
       .approach = approach,
       .impact = impact});
}

std::span<const ContactEvent> ContactEvents::update() {
  std::map<Pair, Touch> now = pressing();
  events_.clear();
  auto before = pressing_.cbegin();
  for (const auto& [pair, touch] : now) {
    for (; before != pressing_.cend() && before->first < pair; ++before) {
      note(ContactChange::end, before->first, before->second);
    }
    const bool known = before != pressing_.cend() && before->first == pair;
    note(known ? ContactChange::persist : ContactChange::begin, pair, touch);
    if (known) ++before;
  }
  for (; before != pressing_.cend(); ++before) note(ContactChange::end, before->first, before->second);
  pressing_ = std::move(now);
  compare_sleep();
  return events_;
}

void ContactEvents::compare_sleep() {
  sleep_.clear();
  const BodySet& bodies = stepper_.system().bodies();
  asleep_.resize(bodies.id_bound(), 0);
  for (const BodyId body : bodies.ids()) {
    const bool asleep = stepper_.sleeps(body);
    if (asleep != (asleep_[body] != 0)) sleep_.push_back({body, asleep});
    asleep_[body] = asleep;
  }
}

}  // namespace locdyn
