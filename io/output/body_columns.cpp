#include <locdyn/io/output/body_columns.hpp>

#include <span>
#include <string_view>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/io/output/body_state.hpp>
#include <locdyn/mechanism/rates.hpp>

namespace locdyn::detail {
namespace {

constexpr std::string_view kPlane[] = {"x [m]",     "y [m]",     "angle [rad]",
                                       "vx [m/s]",  "vy [m/s]",  "angular velocity [rad/s]",
                                       "ax [m/s2]", "ay [m/s2]", "angular acceleration [rad/s2]"};
constexpr std::string_view kPoint[] = {"x [m]",    "y [m]",     "z [m]",     "vx [m/s]", "vy [m/s]",
                                       "vz [m/s]", "ax [m/s2]", "ay [m/s2]", "az [m/s2]"};
constexpr std::string_view kTurn[] = {"qw",
                                      "qx",
                                      "qy",
                                      "qz",
                                      "angular velocity x [rad/s]",
                                      "angular velocity y [rad/s]",
                                      "angular velocity z [rad/s]",
                                      "angular acceleration x [rad/s2]",
                                      "angular acceleration y [rad/s2]",
                                      "angular acceleration z [rad/s2]"};

template <class Kind>
bool is_a(const Body& body) {
  return dynamic_cast<const Kind*>(&body) != nullptr;
}

void append_numbers(std::vector<double>& numbers, const Eigen::Ref<const Eigen::VectorXd>& values) {
  numbers.insert(numbers.end(), values.begin(), values.end());
}

}  // namespace

std::vector<std::string> body_columns(const System& system) {
  std::vector<std::string> columns;
  for (const BodyId id : system.bodies().ids()) {
    const Body& body = system.bodies()[id];
    if (body.freedoms() == 0) continue;
    const std::string name = system.name(id).empty() ? "body " + std::to_string(id) : system.name(id);
    const auto add = [&](std::span<const std::string_view> what) {
      for (const std::string_view column : what) columns.push_back(name + ' ' + std::string(column));
    };
    if (is_a<PlanarBody>(body)) {
      add(kPlane);
    } else {
      add(kPoint);
      if (!is_a<Particle>(body)) add(kTurn);
    }
  }
  return columns;
}

void append_bodies(const Mechanism& mechanism, const Eigen::VectorXd& acceleration, std::vector<double>& numbers) {
  for (const BodyId id : mechanism.bodies().ids()) {
    const Body& body = mechanism.bodies()[id];
    const int n = body.freedoms();
    if (n == 0) continue;
    const auto rates = acceleration.segment(mechanism.first(id), n);
    if (is_a<PlanarBody>(body)) {
      append_numbers(numbers, body.configuration());
      append_numbers(numbers, body.velocity());
      append_numbers(numbers, rates);
      continue;
    }
    const BodyState state = state_of(body);
    append_numbers(numbers, state.position);
    append_numbers(numbers, state.velocity);
    append_numbers(numbers, point_acceleration(mechanism, id, Eigen::Vector3d::Zero(), acceleration));
    if (is_a<Particle>(body)) continue;
    append_numbers(numbers, coefficients(state.orientation));
    append_numbers(numbers, state.angular_velocity);
    // ω̇ = Q Ω̇, since Q̇ Ω = ω × ω = 0.
    PointJacobian H(3, n);
    body.spin_jacobian(Eigen::Matrix3d::Identity(), H);
    append_numbers(numbers, H * rates);
  }
}

}  // namespace locdyn::detail
