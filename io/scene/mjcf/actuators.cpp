#include <locdyn/io/scene/mjcf/actuators.hpp>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

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

// The series with the moments at which it passes one of the bounds, and no value beyond them.
void keep_in(const std::optional<Span>& range, TimeSeries<double>& series) {
  if (!range) return;
  TimeSeries<double> kept;
  const auto append = [&](double t, double value) {
    if (!series.constant()) kept.times.push_back(t);
    kept.values.push_back(std::clamp(value, (*range)[0], (*range)[1]));
  };
  for (std::size_t k = 0; k < series.values.size(); ++k) {
    if (k > 0) {
      const double from = series.values[k - 1], to = series.values[k];
      std::vector<double> shares;
      for (const double bound : *range) {
        if (std::min(from, to) < bound && bound < std::max(from, to)) shares.push_back((bound - from) / (to - from));
      }
      std::sort(shares.begin(), shares.end());
      for (const double share : shares) {
        const double t = series.times[k - 1] + share * (series.times[k] - series.times[k - 1]);
        if (t > kept.times.back() && t < series.times[k]) append(t, from + share * (to - from));
      }
    }
    append(series.constant() ? 0 : series.times[k], series.values[k]);
  }
  series = std::move(kept);
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
    add(actuator, said == robot.controls.end() ? TimeSeries<double>{{}, {start.controls[k]}} : said->second, left_out);
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

void Drives::add(const Actuator& actuator, TimeSeries<double> control, LeftOut& left_out) {
  keep_in(actuator.control_range, control);
  Acting& acting = acting_[actuator.joint];
  const double g = actuator.gear;
  if (actuator.kind == Actuator::Kind::motor) {
    keep_in(actuator.force_range, control);  // its gain is 1
    acting.effort = sum(acting.effort, scaled(std::move(control), g));
    return;
  }
  ++acting.servos;
  if (actuator.force_range) {
    const double least = g * (*actuator.force_range)[0], most = g * (*actuator.force_range)[1];
    acting.range = Span{std::min(least, most), std::max(least, most)};
    if (!strikes_) left_out.add(actuator.node, "forcerange in a mechanism, whose motors never give way");
  }
  if (acting.range && acting.servos > 1) {
    left_out.add(actuator.node, "forcerange of one of several servos of a joint");
    acting.range.reset();
  }
  const bool holds = actuator.kind == Actuator::Kind::position;
  TimeSeries<double>& pull = holds ? acting.place_pull : acting.speed_pull;
  pull = sum(pull, scaled(std::move(control), g * (holds ? actuator.stiffness : actuator.damping)));
  acting.stiffness += g * g * actuator.stiffness;
  acting.damping += g * g * actuator.damping;
}

// Of the coordinate as a scene counts it, from the start: −k (x − f) − c (ẋ − w) with k f = p − k q₀ and c w = w.
SceneServo Drives::servo_of(const Acting& acting, double start) {
  SceneServo servo{.given = true,
                   .position = {},
                   .speed = {},
                   .stiffness = acting.stiffness,
                   .damping = acting.damping,
                   .range = acting.range};
  if (acting.stiffness > 0) {
    servo.position = scaled(acting.place_pull, 1 / acting.stiffness);
    for (double& value : servo.position.values) value -= start;
  }
  if (acting.damping > 0) {
    servo.speed = acting.speed_pull.values.empty() ? TimeSeries<double>{{}, {0.0}}
                                                   : scaled(acting.speed_pull, 1 / acting.damping);
  }
  return servo;
}

SceneDrive Drives::of(const Joint& joint) const {
  const double start = start_.coordinates[joint.coordinate];
  SceneDrive drive;
  if (joint.range && strikes_) drive.limits = {{(*joint.range)[0] - start, (*joint.range)[1] - start}};
  drive.armature = joint.armature;
  if (joint.friction > 0) drive.friction = {.given = true, .friction = {.limit = joint.friction}};
  if (joint.stiffness > 0 || joint.damping > 0) {
    drive.spring = {.given = true, .stiffness = joint.stiffness, .damping = joint.damping};
    if (joint.stiffness > 0) drive.spring.rest = joint.spring_reference - start;
  }
  if (const auto found = acting_.find(joint.name); found != acting_.end() && !joint.name.empty()) {
    const Acting& acting = found->second;
    if (acting.stiffness > 0 || acting.damping > 0) drive.servo = servo_of(acting, start);
    drive.effort = acting.effort;
  }
  return drive;
}

}  // namespace locdyn::scene_format::mjcf
