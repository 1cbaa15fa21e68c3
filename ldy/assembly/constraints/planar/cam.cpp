#include <locdyn/ldy/assembly/constraints/planar/cam.hpp>

#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

void validate(const PlaneCurve& curve, const char* what) {
  if (!curve.position || !curve.tangent || !curve.second) {
    throw std::invalid_argument(std::string(what) +
                                ": expected functions for position, tangent and second derivative, found one missing");
  }
  require_positive(curve.step, what);
}

Eigen::Vector2d third_of(const PlaneCurve& curve, double s) {
  if (curve.third) return curve.third(s);
  return (curve.second(s + curve.step) - curve.second(s - curve.step)) / (2 * curve.step);
}

// f_x e_x + f_y e_y, where e turn with the body and f follow s.
VectorQuantity carried(const BodyQuantities& at, const CamSide& side, const Eigen::Vector2d& f,
                       const Eigen::Vector2d& first, const Eigen::Vector2d& second) {
  const Quantity s = at.coordinate(side.parameter);
  return chain(f[0], first[0], second[0], s) * at.direction({side.body, Eigen::Vector3d::UnitX()}) +
         chain(f[1], first[1], second[1], s) * at.direction({side.body, Eigen::Vector3d::UnitY()});
}

struct Touch {
  VectorQuantity point, tangent;
};

Touch touch(const BodyQuantities& at, const CamSide& side) {
  const double s = at.coordinate(side.parameter).value;
  const PlaneCurve& curve = side.curve;
  const Eigen::Vector2d first = curve.tangent(s);
  const Eigen::Vector2d second = curve.second(s);
  return {at.point({side.body, Eigen::Vector3d::Zero()}) + carried(at, side, curve.position(s), first, second),
          carried(at, side, first, second, third_of(curve, s))};
}

}  // namespace

Cam::Cam(CamSide first, CamSide second)
    : Joint({first.body, second.body, first.parameter, second.parameter}),
      first_(std::move(first)),
      second_(std::move(second)) {
  validate(first_.curve, "first curve");
  validate(second_.curve, "second curve");
}

void Cam::measure(const BodyQuantities& at, JointRows& rows) const {
  const Touch first = touch(at, first_);
  const Touch second = touch(at, second_);
  const VectorQuantity d = second.point - first.point;
  rows.length(component(d, 0));
  rows.length(component(d, 1));
  rows.angle(component(cross(unit(first.tangent), unit(second.tangent)), 2));
}

}  // namespace locdyn
