#pragma once
// A03 of the multibody benchmark set: Andrews' squeezer, seven bodies in the plane, driven by a torque of 0.033 N m
// against a spring; 0.03 s. Data: Schiehlen (ed.), Multibody Systems Handbook (1990); Hairer & Wanner, Solving Ordinary
// Differential Equations II (1996) §VII.7. Reference at the end: Mazzia & Magherini, Test Set for Initial Value Problem
// Solvers (2008).

#include <array>
#include <cmath>

#include <locdyn/mechanism/smooth/applied_loads.hpp>

#include "mechanism/linkages.hpp"

namespace locdyn::test {

struct Squeezer : Linkage {
  static constexpr double kDuration = 0.03;
  /// β, Θ, γ, Φ, δ, Ω, ε [rad].
  using Angles = Eigen::Matrix<double, 7, 1>;

  std::array<BodyId, 7> bodies;
  Mechanism mechanism;
  AppliedLoads loads;

  Squeezer() : mechanism((build(), system)) {
    loads.gravity.setZero();
    loads.add = [this](BodySet& set, double) {
      set[bodies[BodyId{0}]].add_torque({0, 0, 0.033});
      // The spring from C to the corner D of the third body.
      const Vector3d C(0.014, 0.072, 0), D = set[bodies[BodyId{2}]].to_space(corner_);
      const Vector3d along = D - C;
      const double length = along.norm();
      set[bodies[BodyId{2}]].add_force(-4530 * (length - 0.07785) / length * along, D);
    };
  }

  [[nodiscard]] Angles angles() const {
    const auto angle = [this](int k) {
      return dynamic_cast<const PlanarBody&>(system.bodies()[bodies[static_cast<std::size_t>(k)]]).angle();
    };
    Angles found;
    found << angle(0), angle(1) - angle(0), angle(2), angle(3) - angle(4), angle(4), angle(5) - angle(6), angle(6);
    return found;
  }
  static Angles reference() {
    Angles at_end;
    at_end << 15.8107711951537, -15.7563710584118, 0.0408222401196, -0.5347301163421, 0.5244099658800, 0.5347301163421,
        1.0480807410419;
    return at_end;
  }

 private:
  void build() {
    const double beta = -0.0617138900142764496, theta = 0, gamma = 0.455279819163070380, phi = 0.222668390165885885,
                 delta = 0.487364979543842550, omega = -0.222668390165885885, epsilon = 1.23054744454982119;
    const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, sa = 0.01874, sb = 0.01043,
                 sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02,
                 zt = 0.04, fa = 0.01421;
    const Vector2d A(-0.06934, -0.00227), B(-0.03635, 0.03273);
    const auto unit = [](double angle) { return Vector2d(std::cos(angle), std::sin(angle)); };
    const auto normal = [](double angle) { return Vector2d(-std::sin(angle), std::cos(angle)); };

    const Vector2d F = rr * unit(beta), E = F - d * unit(beta + theta);
    const Vector2d G = A + zt * unit(delta), H = A - u * normal(epsilon);
    const Vector2d D = B + sd * unit(gamma) - sc * normal(gamma);
    const auto body = [this](int k, double mass, double inertia, const Vector2d& center, double angle) {
      bodies[static_cast<std::size_t>(k)] = system.emplace<PlanarBody>(mass, inertia, center, angle);
    };
    body(0, 0.04325, 2.194e-6, ra * unit(beta), beta);
    body(1, 0.00365, 4.410e-7, F - da * unit(beta + theta), beta + theta);
    body(2, 0.02373, 5.255e-6, B - sa * normal(gamma) + sb * unit(gamma), gamma);
    body(3, 0.00706, 5.667e-7, G - (e - ea) * normal(phi + delta), phi + delta);
    body(4, 0.07050, 1.169e-5, A + ta * unit(delta) + tb * normal(delta), delta);
    body(5, 0.00706, 5.667e-7, H + (zf - fa) * unit(omega + epsilon), omega + epsilon);
    body(6, 0.05498, 1.912e-5, A - ua * normal(epsilon) - ub * unit(epsilon), epsilon);
    corner_ = system.bodies()[bodies[BodyId{2}]].to_body(in_space(D));

    pin("O", {0, 0}, bodies[BodyId{0}]);
    pin("F", F, bodies[BodyId{0}], bodies[BodyId{1}]);
    pin("E of 3", E, bodies[BodyId{1}], bodies[BodyId{2}]);
    pin("E of 4", E, bodies[BodyId{1}], bodies[BodyId{3}]);
    pin("E of 6", E, bodies[BodyId{1}], bodies[BodyId{5}]);
    pin("B", B, bodies[BodyId{2}]);
    pin("G", G, bodies[BodyId{3}], bodies[BodyId{4}]);
    pin("A of 5", A, bodies[BodyId{4}]);
    pin("H", H, bodies[BodyId{5}], bodies[BodyId{6}]);
    pin("A of 7", A, bodies[BodyId{6}]);
  }
  Vector3d corner_;
};

}  // namespace locdyn::test
