#include <locdyn/io/scene/time_dependence.hpp>

#include <Eigen/Geometry>

namespace locdyn::scene_format {

Load make_load(const SceneLoad& load, BodyId body, const BodySet& bodies) {
  const Eigen::Vector3d X = load.point ? bodies[body].to_body(*load.point) : Eigen::Vector3d::Zero();
  return [body, X, force = load.force, torque = load.torque](double t, double h, BodySet& all) {
    if (!all.contains(body)) return;  // it was removed
    Body& it = all[body];
    if (!force.values.empty()) it.add_force(force.mean(t, h), it.to_space(X));
    if (!torque.values.empty()) it.add_torque(torque.mean(t, h));
  };
}

Drive make_drive(const SceneMotion& motion) {
  return [motion](double t, double h) {
    ObstacleMotion mean;
    if (!motion.velocity.values.empty()) mean.velocity = motion.velocity.mean(t, h);
    if (!motion.angular_velocity.values.empty()) mean.angular_velocity = motion.angular_velocity.mean(t, h);
    if (!motion.displacement.values.empty()) {
      mean.velocity = (motion.displacement.at(t + h) - motion.displacement.at(t)) / h;
    }
    if (!motion.rotation.values.empty()) {
      // exp(ω h) takes the rotation at t to that at t + h.
      const Orientation turn = exponential(motion.rotation.at(t + h)) * exponential(motion.rotation.at(t)).conjugate();
      const Eigen::AngleAxisd about(turn);
      mean.angular_velocity = about.angle() / h * about.axis();
    }
    return mean;
  };
}

TimeFunction make_function(const TimeSeries<double>& series) {
  return {[series](double t) { return series.at(t); }, [series](double t) { return series.slope(t); },
          [](double) { return 0.0; }};
}

}  // namespace locdyn::scene_format
