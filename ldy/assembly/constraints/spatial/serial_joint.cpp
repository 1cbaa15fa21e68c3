#include <locdyn/ldy/assembly/constraints/spatial/serial_joint.hpp>

#include <stdexcept>
#include <utility>

namespace locdyn {

SerialJoint::SerialJoint(SerialChain chain) : Joint({chain.slave(), chain.master()}), chain_(std::move(chain)) {
  if (chain_.size() == 6) throw std::invalid_argument("axes: expected at most five, found six, which hold nothing");
}

void SerialJoint::take_hold(const BodySet& bodies) {
  points_.clear();
  for (const Anchor& anchor : chain_.anchors()) points_.push_back(material_point(bodies, anchor, "point of an axis"));
}

void SerialJoint::measure(const BodyQuantities& at, JointRows& rows) const {
  const SerialChain::Rows held = chain_.rows(at, points_);
  for (const Quantity& c : held.lengths) rows.length(c);
  for (const Quantity& c : held.angles) rows.angle(c);
}

}  // namespace locdyn
