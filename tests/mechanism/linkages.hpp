#pragma once
// Linkages with closed forms, as bodies and joints that close where they are built.

#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/bodies/obstacle.hpp>
#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/mechanism/mechanism.hpp>
#include <locdyn/ldy/assembly/constraints/fixed_point.hpp>
#include <locdyn/ldy/assembly/constraints/planar/planar_joints.hpp>
#include <locdyn/ldy/assembly/constraints/rigid_link.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/axis_joints.hpp>
#include <locdyn/ldy/assembly/constraints/spatial/point_joints.hpp>

namespace locdyn::test {

using Eigen::Vector2d;
using Eigen::Vector3d;

/// Bodies and named constraints, and the mechanism of them.
struct Linkage {
  System system;

  template <class Kind, class... Args>
  ConstraintId join(std::string name, Args&&... args) {
    return system.add_constraint(std::make_unique<Kind>(std::forward<Args>(args)...), std::move(name));
  }
  /// A bar from a to b with its mass in the middle; masses differ, which must not matter.
  BodyId planar_bar(const Vector2d& a, const Vector2d& b, double mass = 1) {
    const Vector2d along = b - a, middle = 0.5 * (a + b);
    return system.emplace<PlanarBody>(mass, mass * along.squaredNorm() / 12, middle, std::atan2(along.y(), along.x()));
  }
  void pin(std::string name, const Vector2d& at, BodyId a, BodyId b) {
    join<PlanarRevolute>(std::move(name), Anchor{in_space(at), a}, Anchor{in_space(at), b});
  }
  void pin(std::string name, const Vector2d& at, BodyId a) {
    join<PlanarRevolute>(std::move(name), Anchor{in_space(at)}, Anchor{in_space(at), a});
  }
  [[nodiscard]] static Vector3d in_space(const Vector2d& x) { return {x.x(), x.y(), 0}; }
};

/// Ground d from O to (d, 0), crank a at O, coupler b, rocker c; Freudenstein's equation gives the rest:
///   (B − O) with A = a (cos θ, sin θ), |B − A| = b, |B − (d, 0)| = c
struct FourBarForm {
  double a, b, c, d;
  int branch = 1;  ///< 1: B to the left of A → (d, 0)

  /// Coupler and rocker angles with the derivatives by θ, and the place of B. Freudenstein (1955), by half angles.
  struct Answer {
    double coupler, coupler_1, coupler_2, rocker, rocker_1, rocker_2;
    Vector2d A, B;
  };
  [[nodiscard]] Answer at(double theta) const {
    Answer q{};
    q.A = a * Vector2d(std::cos(theta), std::sin(theta));
    const Vector2d to = Vector2d(d, 0) - q.A;
    const double l = to.norm(), x = (l * l + b * b - c * c) / (2 * l), y = std::sqrt(b * b - x * x);
    const Vector2d along = to / l, across(-along.y(), along.x());
    q.B = q.A + x * along + branch * y * across;
    q.coupler = std::atan2((q.B - q.A).y(), (q.B - q.A).x());
    q.rocker = std::atan2(q.B.y(), q.B.x() - d);
    // a e^{iθ} + b e^{iφ} = d + c e^{iψ}, differentiated once and twice.
    q.coupler_1 = a * std::sin(q.rocker - theta) / (b * std::sin(q.coupler - q.rocker));
    q.rocker_1 = a * std::sin(theta - q.coupler) / (c * std::sin(q.rocker - q.coupler));
    const double f2 = q.coupler_1 * q.coupler_1, g2 = q.rocker_1 * q.rocker_1;
    q.coupler_2 = -(a * std::cos(theta - q.rocker) + b * f2 * std::cos(q.coupler - q.rocker) - c * g2) /
                  (b * std::sin(q.coupler - q.rocker));
    q.rocker_2 = (a * std::cos(theta - q.coupler) + b * f2 - c * g2 * std::cos(q.rocker - q.coupler)) /
                 (c * std::sin(q.rocker - q.coupler));
    return q;
  }
};

/// The same of three planar bars, the crank driven.
struct FourBar : Linkage {
  FourBarForm form;
  BodyId crank, coupler, rocker;
  Mechanism mechanism;
  DriveId drive;

  FourBar(const FourBarForm& lengths, double theta, double coupler_mass = 1)
      : form(lengths),
        crank(planar_bar({0, 0}, form.at(theta).A)),
        coupler(planar_bar(form.at(theta).A, form.at(theta).B, coupler_mass)),
        rocker(planar_bar({form.d, 0}, form.at(theta).B)),
        mechanism((pins(theta), system)),
        drive(mechanism.add_drive(
            signed_angle(carried(std::nullopt, Vector3d::UnitX()),
                         BodyVector{{Vector3d::Zero(), crank}, {in_space(form.at(theta).A), crank}}),
            "crank")) {}

  [[nodiscard]] double angle(BodyId bar) const { return dynamic_cast<const PlanarBody&>(system.bodies()[bar]).angle(); }
  [[nodiscard]] Vector3d end_of_coupler() const { return system.bodies()[coupler].to_space({form.b / 2, 0, 0}); }

 private:
  void pins(double theta) {
    pin("ground pin", {0, 0}, crank);
    pin("crank pin", form.at(theta).A, crank, coupler);
    pin("rocker pin", form.at(theta).B, coupler, rocker);
    pin("rocker bearing", {form.d, 0}, rocker);
  }
};

/// The four-bar of points with a coupler point, from a start that does not close; the drive is the angle from p0p1 to
/// p0p3.
struct FourBarOfPoints : Linkage {
  Anchor p0{{0, 0, 0}}, p1{{1, 0, 0}}, p2{{1, 1, 0}}, p3{{-1, -1, 0}}, p4{{0.5, -0.5, 0}};
  Mechanism mechanism;
  DriveId drive;

  FourBarOfPoints() : mechanism((links(), system)), drive(mechanism.add_drive(signed_angle({p0, p1}, {p0, p3}), "q")) {}

  [[nodiscard]] Vector3d at(const Anchor& p) const { return system.bodies()[*p.body].to_space(Vector3d::Zero()); }

 private:
  void links() {
    for (Anchor* p : {&p0, &p1, &p2, &p3, &p4}) p->body = system.emplace<Particle>(1.0, p->point);
    join<FixedPoint>("p0", p0);
    join<PointOnLine>("x axis", Axis{Vector3d::Zero(), Vector3d::UnitX()}, p1);
    join<RigidLink>("p0p1", p0, p1, 4);
    join<RigidLink>("p1p2", p1, p2, 2);
    join<RigidLink>("p2p3", p2, p3, 4.4);
    join<RigidLink>("p0p3", p0, p3, 1);
    join<RigidLink>("p2p4", p2, p4, 5);
    join<RigidLink>("p3p4", p3, p4, 3);
  }
};

/// Crank r at O, rod l, and a piston on the x axis at x = r cos θ + √(l² − r² sin² θ).
struct SliderCrank : Linkage {
  double r, l;
  BodyId crank, rod, piston;
  Mechanism mechanism;

  SliderCrank(double radius, double length, double theta)
      : r(radius),
        l(length),
        crank(planar_bar({0, 0}, pin_at(theta))),
        rod(planar_bar(pin_at(theta), {x(theta), 0})),
        piston(system.emplace<PlanarBody>(0.5, 0.01, Vector2d(x(theta), 0))),
        mechanism((joints(theta), system)) {}

  [[nodiscard]] Vector2d pin_at(double theta) const { return r * Vector2d(std::cos(theta), std::sin(theta)); }
  [[nodiscard]] double x(double theta) const {
    return r * std::cos(theta) + std::sqrt(l * l - std::pow(r * std::sin(theta), 2));
  }
  [[nodiscard]] double x_1(double theta) const {
    const double s = std::sin(theta), c = std::cos(theta), root = std::sqrt(l * l - r * r * s * s);
    return -r * s - r * r * s * c / root;
  }
  [[nodiscard]] double x_2(double theta) const {
    const double s = std::sin(theta), c = std::cos(theta), root = std::sqrt(l * l - r * r * s * s);
    return -r * c - r * r * (c * c - s * s) / root - std::pow(r * r * s * c, 2) / std::pow(root, 3);
  }
  [[nodiscard]] Coordinate crank_angle(double theta) const {
    return signed_angle(carried(std::nullopt, Vector3d::UnitX()),
                        {{Vector3d::Zero(), crank}, {in_space(pin_at(theta)), crank}});
  }
  [[nodiscard]] Coordinate stroke(double theta) const {
    return axis_displacement({.point = Vector3d::Zero(), .direction = Vector3d::UnitX()},
                             {in_space({x(theta), 0}), piston});
  }

 private:
  void joints(double theta) {
    pin("main bearing", {0, 0}, crank);
    pin("crank pin", pin_at(theta), crank, rod);
    pin("piston pin", {x(theta), 0}, rod, piston);
    const Vector3d at = in_space({x(theta), 0});
    join<PlanarPrismatic>("cylinder", Axis{at, Vector3d::UnitX()}, Axis{at, Vector3d::UnitX(), piston});
  }
};

/// Crank r at O whose pin slides along an arm that turns about (0, −h): its angle is atan2(h + r sin θ, r cos θ).
struct QuickReturn : Linkage {
  double r, h;
  BodyId crank, block, arm;
  Mechanism mechanism;
  DriveId drive;

  QuickReturn(double radius, double below)
      : r(radius),
        h(below),
        crank(planar_bar({0, 0}, {r, 0})),
        block(system.emplace<PlanarBody>(0.1, 0.001, Vector2d(r, 0))),
        arm(planar_bar({0, -h}, 2 * Vector2d(r, h) - Vector2d(0, h))),
        mechanism((joints(), system)),
        drive(mechanism.add_drive(planar_angle(crank), "crank")) {}

  struct Answer {
    double angle, first, second;
  };
  [[nodiscard]] Answer at(double theta) const {
    const double s = std::sin(theta), c = std::cos(theta), x = r * c, y = h + r * s, q = x * x + y * y;
    const double first = (r * r + h * r * s) / q, q_1 = 2 * h * r * c;
    return {std::atan2(y, x), first, h * r * c / q - first * q_1 / q};
  }

 private:
  void joints() {
    pin("crank bearing", {0, 0}, crank);
    pin("crank pin", {r, 0}, crank, block);
    pin("arm bearing", {0, -h}, arm);
    const Vector3d at(r, 0, 0), along(r, h, 0);
    join<PlanarPrismatic>("slot", Axis{at, along, arm}, Axis{at, along, block});
  }
};

/// Two shafts through the origin, along x and at `beta` from it in the plane z = 0, and a universal joint: the second
/// goes at cos β/(1 − sin² β cos² θ) times the first.
struct Cardan : Linkage {
  double beta;
  Vector3d second;
  BodyId driver, driven;
  Mechanism mechanism;
  DriveId drive;

  explicit Cardan(double angle)
      : beta(angle),
        second(std::cos(angle), std::sin(angle), 0),
        driver(system.emplace<RigidBody>(box_mass(1000, {0.5, 0.1, 0.1}), Vector3d(-0.5, 0, 0))),
        driven(system.emplace<RigidBody>(box_mass(700, {0.5, 0.1, 0.2}), Vector3d(0.5 * second))),
        mechanism((joints(), system)),
        drive(mechanism.add_drive(
            axis_angle({Vector3d::Zero(), Vector3d::UnitX()}, {Vector3d::Zero(), Vector3d::UnitX(), driver}),
            "shaft")) {}

 private:
  void joints() {
    const Vector3d o = Vector3d::Zero(), x = Vector3d::UnitX();
    join<Hinge>("bearing", Axis{o, x}, Axis{o, x, driver});
    join<Hinge>("far bearing", Axis{o, second}, Axis{o, second, driven});
    join<Universal>("cross", Axis{o, Vector3d::UnitY(), driver}, Axis{o, Vector3d::UnitZ(), driven});
  }
};

/// A crank about z at O with its ball at a (cos θ, sin θ, 0), a rocker about x at P = (p, q, 0) with its ball at
/// P + c (0, cos ψ, sin ψ), and a rod between the balls.
struct SpatialCrankRocker : Linkage {
  double a = 0.4, c = 1.0, p = 0.3, q, rod;
  BodyId crank, rocker;
  Mechanism mechanism;
  DriveId drive;

  SpatialCrankRocker(double psi, double apart)
      : q(apart),
        rod((ball(psi) - Vector3d(a, 0, 0)).norm()),
        crank(system.emplace<RigidBody>(box_mass(1000, {a, 0.05, 0.04}), Vector3d(a / 2, 0, 0))),
        rocker(system.emplace<RigidBody>(box_mass(900, {0.3, 0.2, 0.1}), Vector3d(p, q, 0))),
        mechanism((joints(psi), system)),
        drive(mechanism.add_drive(axis_angle({}, {Vector3d::Zero(), Vector3d::UnitZ(), crank}), "crank")) {}

  [[nodiscard]] Vector3d ball(double psi) const { return {p, q + c * std::cos(psi), c * std::sin(psi)}; }
  /// ψ > 0 with |ball(ψ) − a (cos θ, sin θ, 0)| = rod, and dψ/dθ.
  [[nodiscard]] std::pair<double, double> at(double theta) const {
    const double x = p - a * std::cos(theta), y = q - a * std::sin(theta);
    // x² + (y + c cos ψ)² + c² sin² ψ = rod²
    const double cosine = (rod * rod - x * x - y * y - c * c) / (2 * y * c), psi = std::acos(cosine);
    const double x_1 = a * std::sin(theta), y_1 = -a * std::cos(theta);
    return {psi, (x * x_1 + y * y_1 + c * cosine * y_1) / (y * c * std::sin(psi))};
  }

 private:
  void joints(double psi) {
    const Vector3d pivot(p, q, 0);
    join<Hinge>("crank bearing", Axis{Vector3d::Zero(), Vector3d::UnitZ()},
                Axis{Vector3d::Zero(), Vector3d::UnitZ(), crank});
    join<Hinge>("rocker bearing", Axis{pivot, Vector3d::UnitX()}, Axis{pivot, Vector3d::UnitX(), rocker});
    join<RigidLink>("rod", Anchor{{a, 0, 0}, crank}, Anchor{ball(psi), rocker});
  }
};

/// Bars of 1 m on a ground of 2 m, the coupler above them, all parallel: where `third`, a third bar in the middle.
struct Parallelogram : Linkage {
  BodyId crank, rocker, coupler;
  Mechanism mechanism;
  DriveId drive;

  explicit Parallelogram(double theta, bool third = false)
      : crank(planar_bar({0, 0}, top(theta))),
        rocker(planar_bar({2, 0}, Vector2d(2, 0) + top(theta))),
        coupler(planar_bar(top(theta), Vector2d(2, 0) + top(theta))),
        mechanism((joints(theta, third), system)),
        drive(mechanism.add_drive(signed_angle(carried(std::nullopt, Vector3d::UnitX()),
                                               {{Vector3d::Zero(), crank}, {in_space(top(theta)), crank}}),
                                  "crank")) {}

 private:
  [[nodiscard]] static Vector2d top(double theta) { return {std::cos(theta), std::sin(theta)}; }
  void joints(double theta, bool third) {
    pin("crank bearing", {0, 0}, crank);
    pin("crank pin", top(theta), crank, coupler);
    pin("rocker pin", Vector2d(2, 0) + top(theta), coupler, rocker);
    pin("rocker bearing", {2, 0}, rocker);
    if (!third) return;
    const BodyId bar = planar_bar({0.8, 0}, Vector2d(0.8, 0) + top(theta));
    pin("third bearing", {0.8, 0}, bar);
    pin("third pin", Vector2d(0.8, 0) + top(theta), bar, coupler);
  }
};

/// The crank-rocker of FourBar made of spatial bars and hinges about z: three rows say nothing new.
struct SpatialFourBar : Linkage {
  FourBarForm form;
  std::vector<BodyId> bars;
  Mechanism mechanism;
  DriveId drive;

  SpatialFourBar(const FourBarForm& lengths, double theta)
      : form(lengths),
        bars(joints(theta)),
        mechanism(system),
        drive(mechanism.add_drive(signed_angle(carried(std::nullopt, Vector3d::UnitX()),
                                               {{Vector3d::Zero(), bars[0]}, {in_space(form.at(theta).A), bars[0]}}),
                                  "crank")) {}

 private:
  BodyId bar(const Vector2d& a, const Vector2d& b) {
    const Vector2d along = b - a;
    const double angle = std::atan2(along.y(), along.x());
    return system.emplace<RigidBody>(box_mass(1000, {along.norm(), 0.04, 0.02}), in_space(0.5 * (a + b)),
                                     Orientation(Eigen::AngleAxisd(angle, Vector3d::UnitZ())));
  }
  std::vector<BodyId> joints(double theta) {
    const FourBarForm::Answer q = form.at(theta);
    const Vector3d z = Vector3d::UnitZ(), A = in_space(q.A), B = in_space(q.B), D(form.d, 0, 0);
    std::vector<BodyId> made = {bar({0, 0}, q.A), bar(q.A, q.B), bar(q.B, {form.d, 0})};
    join<Hinge>("ground hinge", Axis{Vector3d::Zero(), z}, Axis{Vector3d::Zero(), z, made[0]});
    join<Hinge>("crank hinge", Axis{A, z, made[0]}, Axis{A, z, made[1]});
    join<Hinge>("rocker hinge", Axis{B, z, made[1]}, Axis{B, z, made[2]});
    join<Hinge>("rocker bearing", Axis{D, z}, Axis{D, z, made[2]});
    return made;
  }
};

/// Five rods of 1 m along the edges of a cube, closed through the ground by six hinges, each across its two rods: it
/// moves, though 30 rows stand against 30 velocities. Bricard (1897), as in the multibody benchmark set.
struct BricardRods : Linkage {
  /// Rods of a square section [kg/m³, m].
  BricardRods(double density, double width) {
    const std::vector<Vector3d> corners = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    const std::vector<Vector3d> axes = {Vector3d::UnitY(), Vector3d::UnitZ(), Vector3d::UnitX(),
                                        Vector3d::UnitY(), Vector3d::UnitZ(), Vector3d::UnitX()};
    std::optional<BodyId> before;
    for (std::size_t k = 0; k < 6; ++k) {
      std::optional<BodyId> rod;
      if (k < 5) {
        const Vector3d along = (corners[k + 1] - corners[k]).cwiseAbs();
        rod = system.emplace<RigidBody>(box_mass(density, width * Vector3d::Ones() + (1 - width) * along),
                                        Vector3d(0.5 * (corners[k] + corners[k + 1])));
      }
      join<Hinge>("hinge " + std::to_string(k), Axis{corners[k], axes[k], before}, Axis{corners[k], axes[k], rod});
      before = rod;
    }
  }
};

struct Bricard : BricardRods {
  Mechanism mechanism;
  DriveId drive;

  Bricard()
      : BricardRods(1000, 0.05),
        mechanism(system),
        drive(mechanism.add_drive(
            axis_angle({Vector3d::Zero(), Vector3d::UnitY()}, {Vector3d::Zero(), Vector3d::UnitY(), BodyId{0}}),
            "first hinge")) {}
};

}  // namespace locdyn::test
