#include <locdyn/io/scene/mjcf/actuators.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn::scene_format::mjcf {
namespace {

TimeSeries<double> sum(const TimeSeries<double>& a, const TimeSeries<double>& b) {
  if (a.values.empty()) return b;
  if (b.values.empty()) return a;
  if (a.constant() && b.constant()) return {{}, {a.values[0] + b.values[0]}};
  std::set<double> times(a.times.begin(), a.times.end());
  times.insert(b.times.begin(), b.times.end());
  TimeSeries<double> both;
  for (const double t : times) {
    both.times.push_back(t);
    both.values.push_back(a.at(t) + b.at(t));
  }
  return both;
}

TimeSeries<double> scaled(TimeSeries<double> series, double factor) {
  for (double& value : series.values) value *= factor;
  return series;
}

void keep_in(const std::optional<Span>& range, TimeSeries<double>& series) {
  if (!range) return;
  for (double& value : series.values) value = std::clamp(value, (*range)[0], (*range)[1]);
}

}  // namespace

Drives::Drives(const Model& model, const SceneRobot& robot, const Start& start, const Scene& scene, LeftOut& left_out)
    : start_(start), strikes_(!scene.is_mechanism()) {
  std::set<std::string> unknown;
  for (const auto& [name, series] : robot.controls) unknown.insert(name);
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const Actuator& actuator = model.actuators[k];
    const auto said = robot.controls.find(actuator.name);
    unknown.erase(actuator.name);
    add(actuator, said == robot.controls.end() ? TimeSeries<double>{{}, {start.controls[k]}} : said->second);
  }
  if (!unknown.empty()) {
    throw FileError(robot.mjcf, "controls", "the name of an actuator that is taken", '"' + *unknown.begin() + '"');
  }
  for (const Body& body : model.bodies) {
    for (const Joint& joint : body.joints) {
      if (joint.range && !strikes_) left_out.add(joint.node, "range in a mechanism, where nothing strikes");
    }
  }
}

void Drives::add(const Actuator& actuator, TimeSeries<double> control) {
  keep_in(actuator.control_range, control);
  Acting& acting = acting_[actuator.joint];
  const double g = actuator.gear;
  if (actuator.kind == Actuator::Kind::motor) {
    keep_in(actuator.force_range, control);  // its gain is 1
    acting.effort = sum(acting.effort, scaled(std::move(control), g));
    return;
  }
  const double gain = actuator.kind == Actuator::Kind::position ? actuator.stiffness : actuator.damping;
  acting.effort = sum(acting.effort, scaled(std::move(control), g * gain));
  acting.stiffness += g * g * actuator.stiffness;
  acting.damping += g * g * actuator.damping;
}

SceneDrive Drives::of(const Joint& joint) const {
  const double start = start_.coordinates[joint.coordinate];
  SceneDrive drive;
  if (joint.range && strikes_) drive.limits = {{(*joint.range)[0] - start, (*joint.range)[1] - start}};
  drive.armature = joint.armature;
  if (joint.friction > 0) drive.friction = {.given = true, .friction = {.limit = joint.friction}};
  SceneApplied& applied = drive.applied;
  applied = {joint.stiffness, joint.damping, 0, !strikes_};
  double pull = joint.stiffness * (joint.spring_reference - start);  // of all springs at start
  if (const auto found = acting_.find(joint.name); found != acting_.end() && !joint.name.empty()) {
    applied.stiffness += found->second.stiffness;
    applied.damping += found->second.damping;
    drive.effort = found->second.effort;
    pull -= found->second.stiffness * start;
  }
  if (applied.stiffness > 0) applied.rest = pull / applied.stiffness;
  return drive;
}

}  // namespace locdyn::scene_format::mjcf
