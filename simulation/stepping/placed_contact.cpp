#include <locdyn/simulation/stepping/placed_contact.hpp>

#include <algorithm>

#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/contact/local_frame.hpp>

namespace locdyn::detail {
namespace {

constexpr double kClosedGap = 1e-9;  // of the smaller body's extent

}  // namespace

void place(TrackedContact& contact, const DetectedContact& found, const Match& match, const TwoShapes& shapes,
           const TrackingOptions& options) {
  const bool known = match.from >= 0;
  if (!known) {
    contact.point.frame = local_frame(found.normal);
  } else if (found.normal != contact.normal) {
    contact.point.frame = transported_frame(contact.point.frame, found.normal);
  }
  if (known && leaps(contact, found, match.distance, shapes.smaller)) contact.point.past = {};
  // What an obstacle's drive has changed is no turning: the next step takes it in as it is.
  if (shapes.drive) {
    if (shapes.drive->velocity != contact.drive || shapes.drive->angular_velocity != contact.drive_turn) {
      contact.point.past.forget_motion();
    }
    contact.drive = shapes.drive->velocity;
    contact.drive_turn = shapes.drive->angular_velocity;
  }
  contact.normal = found.normal;
  contact.master = found.master;
  contact.slave = found.slave;
  contact.on_master = shapes.bodies.master.to_body(found.point);
  contact.on_slave = shapes.bodies.slave.to_body(found.point);

  ContactPoint& point = contact.point;
  point.master = shapes.master.body;
  point.slave = shapes.slave.body;
  point.point = found.point;
  const double closed = kClosedGap * shapes.smaller;
  point.gap = found.gap > 0 && found.gap <= closed ? 0 : found.gap;
  const double depth = -point.gap - options.slop;
  point.feedback = depth > 0 ? std::min(options.feedback_share * depth / options.h, options.feedback_speed) : 0;
}

bool made_of(const TrackedContact& contact, const TwoShapes& shapes, bool hits) {
  return contact.pair == shapes.material && contact.hits == hits;
}

bool goes_on(const TrackedContact& contact, const TwoShapes& shapes, bool hits) {
  return made_of(contact, shapes, hits) && !shapes.runs && contact.point.surface_velocity == Eigen::Vector3d::Zero() &&
         !shapes.material.directed() && !contact.off && contact.constraint != kNone && Contact::acts(contact.point);
}

}  // namespace locdyn::detail
