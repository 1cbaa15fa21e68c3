// A kind of body that is not ours: what stepping asks of it is all it has.

#include <locdyn/forces/point_spring_damper.hpp>
#include <locdyn/mechanism/mechanism.hpp>

#include "scene.hpp"

using namespace locdyn;
using namespace locdyn::test;

namespace {

// A ball that does not turn, told to by nothing but its centre.
class Puck final : public Body {
 public:
  Puck(double mass, const Vector3d& centre) : Body(3), mass_(mass), centre_(centre) {}

  void advance(double dt) override { centre_ += dt * velocity_; }
  [[nodiscard]] Eigen::VectorXd configuration() const override { return centre_; }
  void set_configuration(const Eigen::Ref<const Eigen::VectorXd>& q) override { centre_ = q; }
  void point_jacobian(const Vector3d&, const Eigen::Matrix3d& frame, Eigen::Ref<PointJacobian> H) const override {
    H = frame.transpose();
  }
  void spin_jacobian(const Eigen::Matrix3d&, Eigen::Ref<PointJacobian> H) const override { H.setZero(); }
  void apply_inverse_inertia(Eigen::Ref<Eigen::MatrixXd> X) const override { X /= mass_; }
  [[nodiscard]] Eigen::MatrixXd inertia() const override { return mass_ * Eigen::Matrix3d::Identity(); }
  [[nodiscard]] Vector3d to_space(const Vector3d& X) const override { return centre_ + X; }
  [[nodiscard]] Vector3d to_body(const Vector3d& x) const override { return x - centre_; }
  [[nodiscard]] double mass() const override { return mass_; }
  [[nodiscard]] double potential_energy(const Vector3d& g) const override { return -mass_ * g.dot(centre_); }
  void add_force(const Vector3d& force, const Vector3d&) override { force_ += force; }
  void add_torque(const Vector3d&) override {}
  [[nodiscard]] Eigen::VectorXd added_force() const override { return force_; }
  void clear_forces() override { force_.setZero(); }

 private:
  void take_generalised_force(const Eigen::Ref<const Eigen::VectorXd>& Q) override { force_ += Q; }
  void evaluate_free_velocity(double h, const Vector3d& gravity, Scheme) override {
    free_velocity_ = velocity_ + h * (gravity + force_ / mass_);
  }

  double mass_;
  Vector3d centre_, force_ = Vector3d::Zero();
};

}  // namespace

TEST_CASE("a body of the user's own kind falls, slides and comes to rest by friction") {
  FloorScene scene(rough(0.5));
  const BodyId puck = scene.system.emplace<Puck>(2.0, Vector3d(0, 0, 0.3));
  scene.system.add_collider({.body = puck, .shape = Sphere{0.1}});
  scene.system.bodies()[puck].set_velocity(Vector3d(2, 0, 0));
  TimeStepper stepper(scene.system, {.step = 1e-3});
  double lost = 0;
  for (int i = 0; i < 1000; ++i) {
    const double before = scene.system.bodies()[puck].velocity()[0];
    REQUIRE(!stepper.step().failed());
    lost = std::max(lost, before - scene.system.bodies()[puck].velocity()[0]);
  }
  const Body& body = scene.system.bodies()[puck];
  CHECK(body.to_space(Vector3d::Zero())[2] == doctest::Approx(0.1).epsilon(1e-3));
  CHECK(body.velocity().norm() < 1e-6);
  CHECK(lost > 0.5 * 9.81e-3 * 0.99);  // sliding takes μ g h a step, the impact more
}

TEST_CASE("what needs to know how its points move refuses it by name") {
  FloorScene scene;
  const BodyId puck = scene.system.emplace<Puck>(2.0, Vector3d(0, 0, 0.3));
  const auto refuses = [](const auto& call) {
    CHECK_THROWS_WITH_AS(call(), doctest::Contains("body 1: expected one that tells how its points move"),
                         std::invalid_argument);
  };
  refuses([&] {
    scene.system.add_constraint(std::make_unique<FixedPoint>(Anchor{.point = {0, 0, 0.3}, .body = puck}));
  });
  refuses([&] {
    scene.system.add_force(std::make_unique<PointSpringDamper>(Anchor{.point = {0, 0, 1}},
                                                               Anchor{.point = {0, 0, 0.3}, .body = puck},
                                                               SpringProperties{.stiffness = 1, .damping = 0}));
  });
  refuses([&] { const Mechanism mechanism(scene.system); });
}
