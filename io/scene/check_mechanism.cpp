#include <locdyn/io/scene/check_mechanism.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>

#include <locdyn/bodies/input_check.hpp>
#include <locdyn/io/scene/forces.hpp>
#include <locdyn/io/scene/joints.hpp>

namespace locdyn::scene_format {
namespace {

constexpr double kMostPoints = 1e7;

void append_times(const std::vector<double>& corners, std::vector<double>& times) {
  std::copy_if(corners.begin(), corners.end(), std::back_inserter(times), [](double t) { return t > 0; });
}

// The key of its position; of a joint with a drive.
std::string position_key(const SceneJoint& joint) {
  return std::visit(
      [](const auto& j) -> std::string {
        if constexpr (requires { j.drive; }) return drive_terms(j.kCoordinate).position;
        return {};
      },
      joint.type);
}

bool has_coordinate(const SceneJoint& joint) {
  return std::visit([]<class J>(const J&) { return HasCoordinate<J>; }, joint.type);
}

class MechanismChecker {
 public:
  MechanismChecker(const Scene& scene, ReadContext& context) : scene_(scene), context_(context) {}

  void run() {
    if (!scene_.is_mechanism()) {
      for (const SceneJoint& joint : scene_.joints) check_in_contact_steps(joint);
      return;
    }
    for (const SceneJoint& joint : scene_.joints) check_joint(joint);
    check_motions();
    if (scene_.smooth) check_smooth(*scene_.smooth);
    if (scene_.kinematics) check_kinematics(*scene_.kinematics);
  }

 private:
  void fault(const std::string& place, const std::string& expected, const std::string& found) {
    context_.fault(place, expected, found);
  }

  void check_in_contact_steps(const SceneJoint& joint) {
    const JointFaults faults{joint.place, joint.bodies.size(), context_};
    std::visit([&faults](const auto& j) { check_in_steps(j, faults); }, joint.type);
  }

  void check_joint(const SceneJoint& joint) {
    const JointFaults faults{joint.place, joint.bodies.size(), context_};
    const auto check_type = [&faults](const auto& j) {
      check_in_mechanism(j, faults);
      if constexpr (requires { j.drive; }) faults.require_drive_of_mechanism(j.kCoordinate, j.drive);
    };
    std::visit(check_type, joint.type);
    if (joint.breaking.given) fault(joint.place + ".breaks", "none in a mechanism, whose joints all hold", "some");
    const SceneDrive* drive = drive_of(joint);
    if (!drive) return;
    if (scene_.kinematics && !drive->speed.values.empty()) {
      fault(joint.place + ".speed", "none with \"kinematics\", where time stands still: \"angle\" or \"displacement\"",
            "a speed");
    }
    if (scene_.smooth) check_corners(joint, *drive);
  }

  // A corner of a position is a jump of the velocity.
  void check_corners(const SceneJoint& joint, const SceneDrive& drive) {
    const TimeSeries<double>& position = drive.position;
    for (const double t : position.times) {
      if (t <= 0 || t >= scene_.duration) continue;
      const double before = position.slope(std::nextafter(t, 0.0)), after = position.slope(t);
      if (std::abs(after - before) <= 1e-12 * (std::abs(after) + std::abs(before))) continue;
      fault(joint.place + "." + position_key(joint),
            "one rate for the whole duration of a smooth motion: \"speed\", which may change",
            "a jump of the rate from " + spelled(before) + " to " + spelled(after) + " at " + spelled(t) + " s");
      return;
    }
  }

  void check_motions() {
    for (std::size_t i = 0; i < scene_.motions.size(); ++i) {
      const SceneMotion& motion = scene_.motions[i];
      const std::string place = place_of("motions", i);
      if (scene_.kinematics) {
        fault(place, "none with \"kinematics\", where time stands still", "a motion of \"" + motion.body + '"');
      } else if (!motion.displacement.values.empty() || !motion.rotation.values.empty() ||
                 !motion.velocity.constant() || !motion.angular_velocity.constant()) {
        fault(place, "constant velocities of obstacles in a smooth motion: a body with a joint and a speed instead",
              "a motion over time");
      }
    }
  }

  void check_smooth(const SceneSmooth& smooth) {
    const auto only = [&](const char* key, bool given, bool allowed, const char* of) {
      if (given && !allowed)
        fault(std::string("smooth.") + key, std::string("only beside ") + of, "another integrator");
    };
    const bool controlled = !smooth.fixed_step();
    constexpr const char* kControlled = "runge_kutta, bdf or adams";
    only("rtol", smooth.rtol.has_value(), controlled, kControlled);
    only("atol", smooth.atol.has_value(), controlled, kControlled);
    only("max_step", smooth.max_step.has_value(), controlled, kControlled);
    only("stabilisation", smooth.stabilisation.has_value(), controlled, kControlled);
    only("spectral_radius", smooth.spectral_radius.has_value(), smooth.integrator == SceneIntegrator::generalised_alpha,
         "generalised_alpha");
    const bool baumgarte = smooth.stabilisation == SceneStabilisation::baumgarte;
    for (const auto& [key, given] : {std::pair("alpha", smooth.alpha.has_value()), {"beta", smooth.beta.has_value()}}) {
      if (given && !baumgarte) fault(std::string("smooth.") + key, "only beside stabilisation baumgarte", "projection");
    }
  }

  void check_kinematics(const SceneKinematics& kinematics) {
    const std::string place = "kinematics";
    if (kinematics.from == kinematics.to) {
      fault(place + ".to", "another value than \"from\", " + spelled(kinematics.from), spelled(kinematics.to));
    } else if (const double points = std::abs(kinematics.to - kinematics.from) / kinematics.step;
               !(points <= kMostPoints)) {
      fault(place + ".step", "at most 1e7 points from \"from\" to \"to\"", spelled(points));
    }
    if (kinematics.angle && !(kinematics.angle->normal.norm() > 0)) {
      fault(place + ".angle.normal", "a vector of length > 0", "zero");
    }
    if (!kinematics.joint.empty()) check_driven_joint(place + ".joint", kinematics.joint);
  }

  void check_driven_joint(const std::string& place, const std::string& name) {
    for (const SceneRobot& robot : scene_.robots) {
      if (name.starts_with(robot.name + "/")) return;
    }
    std::vector<std::string_view> names;
    for (const SceneJoint& joint : scene_.joints) {
      if (!joint.name.empty()) names.push_back(joint.name);
      if (joint.name != name) continue;
      const SceneDrive* drive = drive_of(joint);
      if (!has_coordinate(joint)) {
        fault(place, "a hinge, a prismatic joint or a screw; else drive an \"angle\" or a \"distance\"",
              "another kind of joint, \"" + name + '"');
      }
      if (drive && !drive->position.values.empty()) {
        fault(place, "a joint without a motor of its own: the two would contradict each other",
              '"' + name + "\" with " + position_key(joint));
      }
      return;
    }
    const std::string_view near = nearest(name, names);
    fault(place, "the name of a joint" + (near.empty() ? "" : ", \"" + std::string(near) + "\" maybe"),
          '"' + name + '"');
  }

  const Scene& scene_;
  ReadContext& context_;
};

}  // namespace

void check_mechanism(const Scene& scene, ReadContext& context) {
  MechanismChecker(scene, context).run();
}

std::vector<double> corners(const Scene& scene) {
  std::vector<double> times;
  for (const SceneLoad& load : scene.loads) {
    append_times(load.force.times, times);
    append_times(load.torque.times, times);
  }
  for (const SceneJoint& joint : scene.joints) {
    const auto append_drive = [&times](const SceneDrive& drive) {
      for (const TimeSeries<double>* series :
           {&drive.speed, &drive.effort, &drive.servo.position, &drive.servo.speed}) {
        append_times(series->times, times);
      }
    };
    if (const SceneDrive* drive = drive_of(joint)) append_drive(*drive);
    if (const auto* serial = std::get_if<SceneSerial>(&joint.type)) {
      for (const SceneSerialAxis& axis : serial->axes) {
        std::visit([&](const auto& a) { append_drive(a.drive); }, axis.type);
      }
    }
  }
  for (const SceneForce& force : scene.forces) {
    std::visit(
        [&times](const auto& f) {
          if constexpr (requires { corner_times(f); }) append_times(corner_times(f), times);
        },
        force.type);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace locdyn::scene_format
