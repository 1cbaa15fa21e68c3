#include <locdyn/ldy/assembly/constraints/driven/rotor_coupling.hpp>

#include <utility>
#include <vector>

namespace locdyn {
namespace {

std::vector<BodyId> with_rotor(std::vector<BodyId> bodies, BodyId rotor) {
  bodies.push_back(rotor);
  return bodies;
}

}  // namespace

RotorCoupling::RotorCoupling(Coordinate coordinate, BodyId rotor)
    : Joint(with_rotor(coordinate.bodies(), rotor), coordinate.memory_size()),
      coordinate_(std::move(coordinate)),
      rotor_(rotor) {}

void RotorCoupling::take_hold(const BodySet& bodies) {
  coordinate_.take_hold(bodies);
  const std::vector<double> memory(coordinate_.memory_size(), 0.0);
  start_ = mismatch(BodyQuantities(bodies, this->bodies(), memory)).value;
}

Quantity RotorCoupling::mismatch(const BodyQuantities& at) const {
  return coordinate_.measure(at, 0) - at.coordinate(rotor_);
}

void RotorCoupling::measure(const BodyQuantities& at, JointRows& rows) const {
  const Quantity c = mismatch(at) - start_;
  coordinate_.is_angle() ? rows.angle(c) : rows.length(c);
}

}  // namespace locdyn
