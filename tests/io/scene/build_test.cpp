// From a scene to a System: masses, placements, joints, loads and motions against closed forms.

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/smooth_curve.hpp>
#include <scratch_folder.hpp>

using namespace locdyn;
using std::numbers::pi;

namespace {

Scene with(const std::string& members) {
  return parse_scene(R"({"step": 1e-3, "duration": 1, )" + members + "}", "it.json");
}

std::string only_fault(const Scene& scene, std::unique_ptr<ContactDetector> detector) {
  try {
    static_cast<void>(build(scene, std::move(detector)));
  } catch (const SceneError& error) {
    REQUIRE(error.faults().size() == 1);
    return error.faults()[0];
  }
  return {};
}

const RigidBody& rigid(const System& system, std::string_view name) {
  return dynamic_cast<const RigidBody&>(system.bodies()[system.find(name)]);
}

// Steps without contacts.
std::unique_ptr<System> stepped(const Scene& scene, int steps) {
  auto system = build(scene, nullptr);
  TimeStepper stepper(*system, scene.stepping);
  for (int i = 0; i < steps; ++i) REQUIRE(stepper.step().status == SolveStatus::converged);
  return system;
}

// One overlap of known depth between colliders 0 and 1; counts what it is given.
class OneOverlap final : public ContactDetector {
 public:
  explicit OneOverlap(double depth, std::vector<Collider>* seen = nullptr) : seen_(seen) {
    contact_.master = ColliderId{0};
    contact_.slave = ColliderId{1};
    contact_.gap = -depth;
  }
  ColliderId add(const Collider& collider, const BodySet& bodies) override {
    validate(collider, bodies);
    if (seen_) seen_->push_back(collider);
    return count_++;
  }
  void exclude(BodyId, BodyId) override { excluded_ = true; }
  std::span<const DetectedContact> detect(const BodySet&, std::span<const double>,
                                          std::span<const std::uint8_t>) override {
    return {&contact_, count_ > 1 && !excluded_ ? 1u : 0u};
  }

 private:
  DetectedContact contact_;
  std::vector<Collider>* seen_;
  ColliderId count_{0};
  bool excluded_ = false;
};

}  // namespace

TEST_CASE("a body of two shapes: mass, mass centre, inertia, and shapes about it") {
  // A dumbbell: 1 kg and 3 kg at 1 m from each other along x, the body turned by 90° about z.
  const Scene scene = with(R"("bodies": [{"name": "dumbbell", "position": [10, 0, 0], "orientation": {"degrees": 90},
    "velocity": [0, 0, 2], "angular_velocity": [0, 3, 0], "shapes": [
      {"type": "sphere", "radius": 0.1, "mass": 1},
      {"type": "sphere", "radius": 0.2, "mass": 3, "position": [1, 0, 0]}]}])");
  std::vector<Collider> colliders;
  const auto system = build(scene, std::make_unique<OneOverlap>(0, &colliders));
  const RigidBody& body = rigid(*system, "dumbbell");
  CHECK(body.mass() == doctest::Approx(4).epsilon(1e-14));
  CHECK((body.position() - Eigen::Vector3d(10, 0.75, 0)).norm() < 1e-14);
  // 2/5 m r² of each about its own centre; across the axis m₁ m₂/(m₁ + m₂) d² beside.
  const double own = 0.4 * (1 * 0.01 + 3 * 0.04);
  CHECK((body.inertia().topLeftCorner<3, 3>().diagonal() - Eigen::Vector3d(own, own + 0.75, own + 0.75)).norm() <
        1e-14);
  REQUIRE(colliders.size() == 2);
  CHECK((colliders[0].position - Eigen::Vector3d(-0.75, 0, 0)).norm() < 1e-14);
  CHECK((colliders[1].position - Eigen::Vector3d(0.25, 0, 0)).norm() < 1e-14);
  // ω = 3 e_y in space is 3 e_x in a body turned by 90° about z.
  CHECK((body.velocity() - (Eigen::VectorXd(6) << 3, 0, 0, 0, 0, 2).finished()).norm() < 1e-14);
}

TEST_CASE("a mass is spread over the shapes by volume, inertia overrides") {
  const Scene scene = with(R"("bodies": [
    {"name": "a", "mass": 9, "shapes": [{"type": "box", "size": [1, 1, 1]},
                                        {"type": "box", "size": [2, 1, 1], "position": [5, 0, 0]}]},
    {"name": "b", "mass": 2, "inertia": [1, 2, 2.5], "mass_center": [0, 0, 1], "position": [0, 9, 0],
     "shape": {"type": "sphere", "radius": 1}}])");
  const auto system = build(scene, nullptr);
  CHECK(rigid(*system, "a").mass() == doctest::Approx(9).epsilon(1e-14));
  CHECK(rigid(*system, "a").position().x() == doctest::Approx(10.0 / 3).epsilon(1e-14));  // 6 kg of 9 at x = 5
  CHECK((rigid(*system, "b").position() - Eigen::Vector3d(0, 9, 1)).norm() == 0);
  CHECK(rigid(*system, "b").inertia()(2, 2) == 2.5);
}

TEST_CASE("every kind of body takes its place and its velocity") {
  const Scene scene = with(R"("bodies": [
    {"name": "o", "kind": "obstacle", "position": [1, 2, 3], "orientation": {"degrees": 90}},
    {"name": "p", "kind": "particle", "mass": 2, "position": [0, 1, 0], "velocity": [4, 5, 6]},
    {"name": "d", "kind": "planar", "mass": 3, "position": [1, 0, 0], "orientation": {"degrees": -30},
     "velocity": [1, 2], "angular_velocity": 7, "shape": {"type": "cylinder", "radius": 2, "height": 1}},
    {"name": "j", "kind": "pseudo_rigid", "density": 1000, "position": [0, 0, 5], "young_modulus": 1e6,
     "poisson_ratio": 0.3, "angular_velocity": [0, 0, 2], "velocity": [1, 0, 0],
     "shape": {"type": "box", "size": [1, 1, 1], "position": [0, 0, 1]}}])");
  const auto system = build(scene, nullptr);
  const auto& body = [&](const char* name) -> const Body& { return system->bodies()[system->find(name)]; };
  CHECK((body("o").to_space({1, 0, 0}) - Eigen::Vector3d(1, 3, 3)).norm() < 1e-15);
  CHECK(body("p").velocity() == Eigen::Vector3d(4, 5, 6));
  CHECK(body("d").velocity() == Eigen::Vector3d(1, 2, 7));
  CHECK(body("d").inertia()(2, 2) == doctest::Approx(0.5 * 3 * 4).epsilon(1e-14));
  CHECK(body("d").to_space({1, 0, 0}).y() == doctest::Approx(-0.5).epsilon(1e-14));
  CHECK((body("j").to_space({0, 0, 0}) - Eigen::Vector3d(0, 0, 6)).norm() < 1e-14);
  // The velocity of the point at x = ½ relative to the mass centre: ω × r = 2 e_z × ½ e_x = e_y.
  Eigen::Matrix<double, 3, Eigen::Dynamic> H(3, 12);
  body("j").point_jacobian({0.5, 0, 6}, Eigen::Matrix3d::Identity(), H);
  CHECK((H * body("j").velocity() - Eigen::Vector3d(1, 1, 0)).norm() < 1e-14);
}

TEST_CASE("generators: counts, masses, faces that touch") {
  const Scene scene = with(R"("generators": [
    {"name": "wall", "type": "wall", "bricks": 4, "courses": 3, "density": 1000, "brick_size": [0.2, 0.1, 0.05]},
    {"name": "short", "type": "wall", "bricks": 4, "courses": 2, "half_bricks": false},
    {"name": "tower", "type": "tower", "layers": 2, "planks": 3, "plank_size": [0.1, 0.02, 0.01]},
    {"name": "arch", "type": "arch", "voussoirs": 9, "radius": 2, "thickness": 0.4, "depth": 0.5, "density": 1000},
    {"name": "pile", "type": "pile", "count": 40, "size": [0.05, 0.1], "shapes": ["sphere", "box", "capsule", "cylinder"],
     "across": [3, 3], "seed": 5}])");
  const Scene flat = expanded(scene);
  CHECK(flat.generators.empty());
  CHECK(flat.bodies.size() == 13 + 7 + 6 + 9 + 40);
  const auto system = build(scene, nullptr);
  // The wall fills a box: half bricks close it.
  double mass = 0;
  for (int k = 0; k < 13; ++k) mass += rigid(*system, "wall[" + std::to_string(k) + "]").mass();
  CHECK(mass == doctest::Approx(1000 * 0.8 * 0.1 * 0.15).epsilon(1e-13));
  CHECK(rigid(*system, "wall[4]").position().x() == doctest::Approx(-0.35).epsilon(1e-14));  // a half brick
  CHECK((rigid(*system, "tower[3]").position() - Eigen::Vector3d(-0.04, 0, 0.015)).norm() < 1e-15);
  // The arch's section in its plane is a polygon ring: 9 times ½ sin(20°) (R² − r²).
  mass = 0;
  for (int k = 0; k < 9; ++k) mass += rigid(*system, "arch[" + std::to_string(k) + "]").mass();
  CHECK(mass == doctest::Approx(1000 * 0.5 * 9 * 0.5 * std::sin(pi / 9) * (2.2 * 2.2 - 1.8 * 1.8)).epsilon(1e-12));
  // In a pile all are apart: no two closer than the largest diameter.
  for (int a = 0; a < 40; ++a) {
    for (int b = 0; b < a; ++b) {
      const auto at = [&](int k) { return rigid(*system, "pile[" + std::to_string(k) + "]").position(); };
      CHECK((at(a) - at(b)).norm() > 0.1);
    }
  }
  // The same seed, the same pile; another seed, another.
  Scene other = scene;
  std::get<ScenePile>(other.generators[4].type).seed = 6;
  const auto size = [](const Scene& it) { return std::get<Sphere>(it.bodies[35].shapes[0].geometry).radius; };
  CHECK(size(expanded(scene)) == size(flat));
  CHECK(size(expanded(other)) != size(flat));
}

TEST_CASE("time series: values between, means over a step") {
  const TimeSeries<double> hat{{0, 1, 2}, {0, 4, 0}};
  CHECK(hat.at(-1) == 0);
  CHECK(hat.at(0.25) == 1);
  CHECK(hat.at(5) == 0);
  CHECK(hat.mean(0, 2) == doctest::Approx(2).epsilon(1e-15));
  CHECK(hat.mean(0.5, 1) == doctest::Approx(3).epsilon(1e-15));  // over the top
  CHECK(hat.mean(-1, 4) == doctest::Approx(1).epsilon(1e-15));   // 4 over 4 s
  CHECK(TimeSeries<double>{{}, {7}}.mean(3, 1) == 7);
}

TEST_CASE("a motion by positions ends where the series ends, a motion by rates turns by their integral") {
  const Scene scene = with(R"("gravity": [0, 0, 0], "bodies": [
    {"name": "a", "kind": "obstacle", "position": [1, 0, 0]}, {"name": "b", "kind": "obstacle", "position": [5, 0, 0]}],
    "motions": [
     {"body": "a", "displacement": {"times": [0, 0.0333, 0.1], "values": [[0, 0, 0], [0, 1, 0], [0, 0, 3]]},
      "rotation": {"times": [0, 0.0777, 0.1], "values": [[0, 0, 0], [1, 2, 0], [0, 0, 1.5]]}},
     {"body": "b", "angular_velocity": {"times": [0, 0.1], "values": [[0, 0, 0], [0, 0, 20]]}}])");
  const auto system = stepped(scene, 100);
  const Body& a = system->bodies()[system->find("a")];
  // Rounding of 200 half-steps.
  CHECK((a.to_space({0, 0, 0}) - Eigen::Vector3d(1, 0, 3)).norm() < 1e-13);
  CHECK((a.to_space({1, 0, 0}) - Eigen::Vector3d(1 + std::cos(1.5), std::sin(1.5), 3)).norm() < 1e-12);
  const Body& b = system->bodies()[system->find("b")];
  CHECK((b.to_space({1, 0, 0}) - Eigen::Vector3d(5 + std::cos(1.0), std::sin(1.0), 0)).norm() < 1e-12);
}

TEST_CASE("loads: the impulse of a series, a force beside the mass centre turns") {
  const Scene scene = with(R"("gravity": [0, 0, 0], "bodies": [
    {"name": "a", "mass": 2, "inertia": [1, 1, 1]}, {"name": "b", "mass": 2, "inertia": [4, 4, 4], "position": [9, 0, 0]}],
    "loads": [{"body": "a", "force": {"times": [0, 0.0105, 0.021], "values": [[0, 0, 0], [1000, 0, 0], [0, 0, 0]]}},
              {"body": "b", "force": [0, 0, 8], "point": [10, 0, 0], "torque": [0, 0, 4]}])");
  const auto system = stepped(scene, 30);
  CHECK(rigid(*system, "a").velocity()[3] == doctest::Approx(0.5 * 0.021 * 1000 / 2).epsilon(1e-13));
  const Eigen::VectorXd u = rigid(*system, "b").velocity();
  CHECK(u[5] == doctest::Approx(0.03 * 8 / 2.0).epsilon(1e-13));
  // The arm tilts with the body by 1e-3 rad: second order in the turn.
  CHECK(u[1] == doctest::Approx(-0.03 * 8 / 4.0).epsilon(1e-5));
  CHECK(u[2] == doctest::Approx(0.03 * 4 / 4.0).epsilon(1e-5));
}

TEST_CASE("a hinge leaves one turn and takes five freedoms, a weld takes six") {
  const std::string body = R"("bodies": [{"name": "a", "mass": 2, "inertia": [1, 2, 2.5], "position": [1, 0, 0],
    "velocity": [1, 2, 3], "angular_velocity": [1, 2, 3]}], "gravity": [0, 0, 0], "joints": [{"bodies": ["a"], )";
  {
    // The pendulum's angular momentum about the axis stays: (I + m r²) ω = I ω₀ + m r v₀ for z.
    const auto system = stepped(with(body + R"("type": "hinge", "point": [0, 0, 0], "axis": [0, 0, 1]}])"), 1);
    const Eigen::VectorXd u = rigid(*system, "a").velocity();
    const double omega = (2.5 * 3 + 2 * 1 * 2) / (2.5 + 2);
    // H at q* is half a step of the free motion away: 1e-3 × 3 rad.
    CHECK(u[2] == doctest::Approx(omega).epsilon(1e-2));
    CHECK(std::abs(u[0]) < 1e-2);
    CHECK(std::abs(u[1]) < 1e-2);
    CHECK(system->graph().constraint_count() == 1);
  }
  {
    const auto system = stepped(with(body + R"("type": "weld", "point": [0.5, 0, 0]}])"), 1);
    CHECK(rigid(*system, "a").velocity().norm() < 1e-7);  // to the solver's tolerance
  }
}

namespace {

constexpr const char* kWheels = R"("gravity": [0, 0, 0], "bodies": [
    {"name": "a", "mass": 2, "inertia": [1, 1, 2]}, {"name": "b", "mass": 2, "inertia": [2, 2, 3], "position": [1, 0, 0]}],
  "joints": [{"name": "left", "type": "hinge", "bodies": ["a"], "point": [0, 0, 0], "axis": [0, 0, 1])";

double spin(const System& system, std::string_view name) {
  return rigid(system, name).velocity()[2];
}

}  // namespace

TEST_CASE("motors, gears and limits of a scene") {
  const std::string geared = std::string(kWheels) + R"(, "angle": {"times": [0, 1], "values": [0, 3]}},
    {"type": "hinge", "bodies": ["b"], "point": [1, 0, 0], "axis": [0, 0, 1]},
    {"type": "gear", "bodies": ["b", "a"], "axes": [[0, 0, 1], [0, 0, 1]], "ratio": -1.5}])";
  const auto wheels = stepped(with(geared), 20);
  CHECK(wheels->graph().constraint_count() == 4);
  CHECK(spin(*wheels, "a") == doctest::Approx(3).epsilon(1e-6));
  CHECK(spin(*wheels, "b") == doctest::Approx(-4.5).epsilon(1e-6));

  // A wheel with a speed of its own runs into the end of its range.
  const auto stopped = stepped(with(std::string(kWheels) + R"(, "limits": [0, 0.05]}],
    "loads": [{"body": "a", "torque": [0, 0, 40]}])"),
                               200);
  CHECK(stopped->graph().constraint_count() == 3);
  const double angle = 2 * std::atan2(rigid(*stopped, "a").orientation().z(), rigid(*stopped, "a").orientation().w());
  CHECK(angle == doctest::Approx(0.05).epsilon(1e-3));
  CHECK(std::abs(spin(*stopped, "a")) <= 1e-6);

  const auto driven = stepped(with(std::string(kWheels) + R"(, "speed": 2}])"), 3);
  CHECK(spin(*driven, "a") == doctest::Approx(2).epsilon(1e-6));
}

TEST_CASE("joints of a scene leave the motions that they should") {
  const auto after = [](const std::string& joint) {
    const auto system =
        stepped(with(R"("gravity": [0, 0, 0], "bodies": [{"name": "a", "mass": 2, "inertia": [1, 2, 2.5],
      "velocity": [1, 2, 3], "angular_velocity": [0.1, 0.2, 0.3]}], "joints": [{"bodies": ["a"], "point": [0, 0, 0], )" +
                     joint + "}]"),
                1);
    return Eigen::VectorXd(rigid(*system, "a").velocity());
  };
  // At the mass centre the two kinds of motion do not mix; H at q* is half a step of the motion away.
  const auto is = [](const Eigen::VectorXd& u, std::array<double, 6> expected) {
    return (u - Eigen::Map<Eigen::VectorXd>(expected.data(), 6)).cwiseAbs().maxCoeff() <= 5e-3;
  };
  CHECK(is(after(R"("type": "prismatic", "axis": [0, 0, 1])"), {0, 0, 0, 0, 0, 3}));
  CHECK(is(after(R"("type": "cylindrical", "axis": [0, 0, 1])"), {0, 0, 0.3, 0, 0, 3}));
  CHECK(is(after(R"("type": "universal", "axes": [[1, 0, 0], [0, 1, 0]])"), {0.1, 0.2, 0, 0, 0, 0}));
  CHECK(is(after(R"("type": "point_on_line", "direction": [0, 1, 0])"), {0.1, 0.2, 0.3, 0, 2, 0}));
  CHECK(is(after(R"("type": "point_on_plane", "normal": [0, 1, 0])"), {0.1, 0.2, 0.3, 1, 0, 3}));
  // m v + J ω p⁻¹ 2π shared: v = p/2π ω.
  const double p = 0.5 / (2 * pi);
  const double omega = (2 * 3 * p + 2.5 * 0.3) / (2 * p * p + 2.5);
  CHECK(is(after(R"("type": "screw", "axis": [0, 0, 1], "pitch": 0.5)"), {0, 0, omega, 0, 0, p * omega}));
}

TEST_CASE("joints of planar bodies are those of the plane, a wheel rolls down a scene") {
  const auto system = stepped(with(R"("gravity": [0, -9.81, 0], "bodies": [
      {"name": "a", "kind": "planar", "mass": 2, "inertia": 1, "velocity": [1, 2], "angular_velocity": 3},
      {"name": "b", "kind": "planar", "mass": 2, "inertia": 1, "velocity": [1, 2], "angular_velocity": 3},
      {"name": "c", "kind": "planar", "mass": 2, "inertia": 1, "velocity": [1, 2], "angular_velocity": 3},
      {"name": "wheel", "kind": "planar", "mass": 2, "inertia": 0.25, "position": [0, 0.5, 0]}],
    "joints": [{"type": "hinge", "bodies": ["a"], "point": [0, 0, 0], "axis": [0, 0, 1]},
      {"type": "prismatic", "bodies": ["b"], "point": [0, 0, 0], "axis": [1, 0, 0]},
      {"type": "weld", "bodies": ["c"], "point": [0, 0, 0]},
      {"type": "rolling_wheel", "bodies": ["wheel"], "center": [0, 0.5, 0], "axle": [0, 0, 1], "radius": 0.5,
       "normal": [0, 1, 0]}],
    "loads": [{"body": "wheel", "force": [3, 0, 0]}])"),
                              1);
  const auto u = [&](std::string_view name) {
    return Eigen::VectorXd(system->bodies()[system->find(name)].velocity());
  };
  CHECK((u("a") - Eigen::Vector3d(0, 0, 3)).norm() <= 1e-6);
  CHECK((u("b") - Eigen::Vector3d(1, 0, 0)).norm() <= 1e-2);
  CHECK(u("c").norm() <= 1e-6);
  const double v = 1e-3 * 3 / (2 + 0.25 / 0.25);  // m + J/R²
  CHECK((u("wheel") - Eigen::Vector3d(v, 0, -v / 0.5)).norm() <= 1e-8);

  CHECK_THROWS_AS((void)build(with(R"("bodies": [{"name": "a", "kind": "planar", "mass": 2, "inertia": 1}],
    "joints": [{"type": "hinge", "bodies": ["a"], "point": [0, 0, 0], "axis": [1, 0, 0]}])"),
                              nullptr),
                  SceneError);
}

TEST_CASE("a driven point follows its series") {
  const Scene scene =
      with(R"("gravity": [0, 0, 0], "bodies": [{"name": "a", "kind": "particle", "mass": 2}], "joints": [
    {"type": "prescribed_velocity", "bodies": ["a"], "point": [0, 0, 0], "direction": [0, 2, 0],
     "velocity": {"times": [0, 0.02], "values": [0, 4]}}])");
  const auto system = stepped(scene, 10);
  CHECK(system->bodies()[BodyId{0}].velocity()[1] == doctest::Approx(2).epsilon(1e-9));  // at t = 0.01
}

TEST_CASE("bodies in one another at start are refused, named, with the depth") {
  const std::string two = R"("bodies": [
    {"name": "a", "density": 1, "shape": {"type": "sphere", "radius": 1}},
    {"density": 1, "position": [1.5, 0, 0], "shape": {"type": "sphere", "radius": 1}}])";
  CHECK(only_fault(with(two), std::make_unique<OneOverlap>(0.5)) ==
        "it.json: expected bodies apart at start, or within allow_overlap, found \"a\" and bodies[1] "
        "overlapping by "
        "0.5 m");
  CHECK(only_fault(with(two), std::make_unique<OneOverlap>(1.9e-4)).empty());  // 1e-4 of the diameter is let pass
  CHECK(!only_fault(with(two), std::make_unique<OneOverlap>(2.1e-4)).empty());
  CHECK(only_fault(with(two + R"(, "allow_overlap": 0.5)"), std::make_unique<OneOverlap>(0.5)).empty());
  CHECK(!only_fault(with(two + R"(, "allow_overlap": 0)"), std::make_unique<OneOverlap>(1e-9)).empty());
}

TEST_CASE("pairs that a joint or the scene excludes do not touch") {
  const std::string two = R"("bodies": [
    {"name": "a", "density": 1, "shape": {"type": "sphere", "radius": 1}},
    {"name": "b", "density": 1, "position": [1.5, 0, 0], "shape": {"type": "sphere", "radius": 1}}])";
  CHECK(only_fault(with(two + R"(, "excluded_pairs": [["a", "b"]])"), std::make_unique<OneOverlap>(1)).empty());
  CHECK(only_fault(with(two + R"(, "joints": [{"type": "fixed_point", "bodies": ["a", "b"], "point": [1, 0, 0],
    "collide": false}])"),
                   std::make_unique<OneOverlap>(1))
            .empty());
}

TEST_CASE("groups and surfaces reach the colliders, the body's where the shape has none") {
  const Scene scene = with(R"("surfaces": {"s": {"friction": 0.25}, "t": {"friction": 1}}, "bodies": [
    {"density": 1, "surface": "s", "groups": ["g"], "shapes": [
      {"type": "sphere", "radius": 1},
      {"type": "sphere", "radius": 1, "surface": "t", "groups": ["default", "h"], "collides_with": ["g"]},
      {"type": "sphere", "radius": 1, "collides_with": []}]}])");
  std::vector<Collider> colliders;
  const auto system = build(scene, std::make_unique<OneOverlap>(0, &colliders));
  REQUIRE(colliders.size() == 2);  // what touches nothing is not looked at
  CHECK(system->materials.name(colliders[0].surface) == "s");
  CHECK(system->materials.name(colliders[1].surface) == "t");
  CHECK(system->materials.pair(colliders[0].surface, colliders[1].surface).static_friction == doctest::Approx(0.5));
  CHECK(colliders[0].groups == 2);
  CHECK(colliders[0].collides_with == 0xffffffffu);
  CHECK(colliders[1].groups == 5);
  CHECK(colliders[1].collides_with == 2);
}

TEST_CASE("springs and directions of friction reach materials and colliders, and what they exclude is placed") {
  const Scene scene = with(R"("surfaces": {
      "s": {"friction": 0.5, "hertz_stiffness": 1e8, "damping": 3, "tangential_stiffness": 2e5,
            "tangential_damping": 4},
      "w": {"friction": 0.2, "cross_friction": 0.4}},
    "bodies": [{"density": 1, "surface": "w", "shape": {"type": "sphere", "radius": 1,
                                                        "friction_direction": [0, 2, 0]}}])");
  std::vector<Collider> colliders;
  const auto system = build(scene, std::make_unique<OneOverlap>(0, &colliders));
  REQUIRE(colliders.size() == 1);
  CHECK(colliders[0].friction_direction == Eigen::Vector3d(0, 2, 0));
  const SurfaceId s = system->materials.find("s"), w = system->materials.find("w");
  const PairMaterial springs = system->materials.pair(s, s);
  CHECK(springs.hertz_stiffness == 1e8);
  CHECK(std::isinf(springs.stiffness));
  CHECK(springs.damping == 3);
  CHECK(springs.tangential_stiffness == 2e5);
  CHECK(springs.tangential_damping == 4);
  CHECK(*system->materials.pair(w, w).cross_friction == 0.4);
  try {
    static_cast<void>(build(with(R"("surfaces": {"s": {"friction": 1, "stiffness": 1, "restitution": 0.5}},
      "bodies": [])"),
                            nullptr));
    FAIL("built");
  } catch (const SceneError& error) {
    REQUIRE(error.faults().size() == 1);
    CHECK(
        error.faults()[0] ==
        "it.json: surfaces.s: restitution: expected 0 beside a stiffness, which gives back what it stores, found 0.5");
  }
}

TEST_CASE("faults that show when bodies are made are placed too, all at once") {
  const Scene scene = with(R"("bodies": [
    {"density": 1, "shape": {"type": "convex_hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}},
    {"mass": 1, "inertia": [1, 1, 5]}])");
  try {
    static_cast<void>(build(scene, nullptr));
    FAIL("built");
  } catch (const SceneError& error) {
    REQUIRE(error.faults().size() == 2);
    CHECK(error.faults()[0].starts_with("it.json: bodies[0]: "));
    CHECK(error.faults()[1].starts_with("it.json: bodies[1]: inertia tensor: expected"));
  }
}

#ifdef LOCDYN_WITH_ASSIMP
TEST_CASE("a hull from a mesh file beside the scene, scaled along each axis") {
  const test::ScratchFolder folder;
  std::ofstream(folder / "tetrahedron.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const Scene scene = parse_scene(R"({"step": 1, "duration": 1, "bodies": [{"density": 6, "shape":
    {"type": "convex_hull", "file": "tetrahedron.obj", "scale": [1, 2, 3]}}]})",
                                  folder / "it.json");
  CHECK(build(scene, nullptr)->bodies()[BodyId{0}].mass() ==
        doctest::Approx(6).epsilon(1e-6));  // single precision files
}
#endif

#ifdef LOCDYN_WITH_BULLET
TEST_CASE("overlap at start, by the real detector") {
  const Scene scene = with(R"("bodies": [
    {"name": "ground", "kind": "obstacle", "shape": {"type": "plane"}},
    {"name": "box", "density": 1, "position": [0, 0, 0.4], "shape": {"type": "box", "size": [1, 1, 1]}}])");
  CHECK_THROWS_WITH_AS(static_cast<void>(build(scene)),
                       "it.json: expected bodies apart at start, or within allow_overlap, found \"ground\" and \"box\" "
                       "overlapping by 0.1 m",
                       SceneError);
}
#endif

TEST_CASE("applied forces of a scene are those of a system") {
  const auto system = stepped(with(R"("gravity": [0, 0, 0], "bodies": [
    {"name": "a", "kind": "particle", "mass": 2, "position": [1.5, 0, 0]},
    {"name": "b", "kind": "particle", "mass": 2, "position": [0, 3, 0]},
    {"name": "disc", "kind": "planar", "mass": 1, "inertia": 0.5, "position": [0, -5, 0]},
    {"name": "free", "kind": "particle", "mass": 1, "position": [0, 0, 7], "velocity": [1, 0, 0]}],
    "forces": [
      {"name": "spring", "type": "spring_damper", "bodies": ["a"], "points": [[1.5, 0, 0], [0, 0, 0]], "stiffness": 8,
       "rest_length": 1},
      {"type": "torsion_spring", "bodies": ["disc"], "axis": [0, 0, 1], "stiffness": 2, "rest_angle": 0.3},
      {"type": "rotating_frame", "bodies": ["free"], "angular_velocity": [0, 0, 2]}])"),
                              1000);
  const auto place = [&](const char* name) {
    return Eigen::Vector3d(system->bodies()[system->find(name)].to_space(Eigen::Vector3d::Zero()));
  };
  CHECK(system->forces().find("spring") == 0);
  CHECK(place("a").x() == doctest::Approx(1 + 0.5 * std::cos(2.0)).epsilon(1e-6));  // ω = 2
  CHECK(place("b") == Eigen::Vector3d(0, 3, 0));
  CHECK(system->bodies()[system->find("disc")].configuration()[2] ==
        doctest::Approx(0.3 * (1 - std::cos(2.0))).epsilon(1e-5));
  // It starts on the axis with (1, 0, 0), in space too, and goes straight there.
  CHECK((place("free") - Eigen::Vector3d(std::cos(2.0), -std::sin(2.0), 7)).norm() < 1e-5);
}

TEST_CASE("a wheel on the terrain of a scene rests, and a weight beside the centre turns a body") {
  const auto system = stepped(with(R"("gravity": [0, -10, 0], "bodies": [
    {"name": "wheel", "kind": "planar", "mass": 2, "inertia": 0.1, "position": [5, 0.499, 0]},
    {"name": "beam", "kind": "planar", "mass": 2, "inertia": 0.5, "position": [0, 9, 0]}],
    "forces": [
      {"type": "wheel_contact", "bodies": ["wheel"], "center": [5, 0.499, 0], "radius": 0.5, "stiffness": 2e4,
       "exponent": 1, "damping": 400, "terrain": [[0, 0.7], [2, 0], [8, 0], [9, 0.4]]},
      {"type": "weight", "bodies": ["beam"], "point": [0.25, 9, 0], "mass": 1}])"),
                              100);
  const Eigen::VectorXd wheel = system->bodies()[system->find("wheel")].configuration();
  CHECK(wheel[1] == doctest::Approx(0.5 - 20 / 2e4).epsilon(1e-9));  // m g/k deep
  CHECK(std::abs(wheel[0] - 5) < 1e-12);
  // α = −m g a/I = −5 rad/s² at first, and the fall of both at (2 + 1)/2 g.
  const Eigen::VectorXd u = system->bodies()[system->find("beam")].velocity();
  CHECK(u[2] == doctest::Approx(-0.5).epsilon(1e-3));
  CHECK(u[1] == doctest::Approx(-1.5).epsilon(1e-12));
}

TEST_CASE("a body weighs at its mass centre, wherever the origin of its coordinates lies") {
  // Hinged at that origin, the mass centre 0.3 m beside it: α = m g a/(I + m a²), in the plane and in space.
  const auto system = stepped(with(R"("gravity": [0, -10, 0], "bodies": [
    {"name": "plate", "kind": "planar", "mass": 2, "inertia": 0.4, "mass_center": [0.3, 0], "position": [1, 1, 0]},
    {"name": "block", "mass": 2, "inertia": [0.5, 0.45, 0.4], "mass_center": [0.3, 0, 0], "position": [1, 1, 5]}],
    "joints": [{"type": "hinge", "bodies": ["plate"], "point": [1, 1, 0], "axis": [0, 0, 1]},
               {"type": "hinge", "bodies": ["block"], "point": [1, 1, 5], "axis": [0, 0, 1]}])"),
                              1);
  const double spin = -1e-3 * 2 * 10 * 0.3 / (0.4 + 2 * 0.09);
  CHECK(system->bodies()[system->find("plate")].velocity()[2] == doctest::Approx(spin).epsilon(1e-6));
  CHECK(system->bodies()[system->find("block")].velocity()[2] == doctest::Approx(spin).epsilon(1e-6));
}

TEST_CASE("a smooth curve goes through its points, rises where they rise, and is straight through two") {
  using scene_format::SmoothCurve;
  const SmoothCurve line({{0, 1}, {2, 2}});
  for (const double x : {-3.0, 0.0, 0.7, 2.0, 9.0}) {
    CHECK(line.at(x).value == doctest::Approx(1 + 0.5 * x).epsilon(1e-15));
    CHECK(line.at(x).slope == doctest::Approx(0.5).epsilon(1e-15));
  }
  const std::vector<Eigen::Vector2d> steps = {{0, 0}, {1, 0}, {1.5, 2}, {4, 2.1}, {5, -1}};
  const SmoothCurve curve(steps);
  for (const Eigen::Vector2d& point : steps)
    CHECK(curve.at(point.x()).value == doctest::Approx(point.y()).epsilon(1e-14));
  const double h = 1e-5;
  for (double x = -0.995; x < 6; x += 0.01) {
    CAPTURE(x);
    const double slope = (curve.at(x + h).value - curve.at(x - h).value) / (2 * h);
    CHECK(curve.at(x).slope == doctest::Approx(slope).epsilon(1e-6));
    if (x < 4) CHECK(curve.at(x).slope >= 0);
    if (x < 1) CHECK(curve.at(x).value == 0);
  }
  CHECK_THROWS_WITH_AS(SmoothCurve({{0, 0}}), "points: expected at least 2, found 1", std::invalid_argument);
  CHECK_THROWS_WITH_AS(SmoothCurve({{0, 0}, {0, 1}}), "points: expected x ascending, found 0 after 0",
                       std::invalid_argument);
}
