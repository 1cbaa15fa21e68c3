#include <locdyn/mechanism/mechanism_drive.hpp>

#include <utility>

namespace locdyn {
namespace {

TimeFunction following(const DriveMotion* motion) {
  return {[motion](double) { return motion->value; }, [motion](double) { return motion->rate; },
          [motion](double) { return motion->acceleration; }};
}

}  // namespace

MechanismDrive::MechanismDrive(Coordinate coordinate, const BodySet& bodies, std::string name)
    : name_(std::move(name)),
      motion_(std::make_unique<DriveMotion>()),
      constraint_(std::move(coordinate), following(motion_.get())) {
  constraint_.attach(bodies);
  motion_->value = value(bodies);
}

double MechanismDrive::value(const BodySet& bodies) const {
  Eigen::Vector3d error;
  constraint_.position_error(bodies, {&error, 1});
  return motion_->value + error[2] / length();
}

}  // namespace locdyn
