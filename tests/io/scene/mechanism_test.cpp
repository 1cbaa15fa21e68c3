// Scenes of mechanisms: what is read, refused and in which words, and what is built.

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <io/scene/mechanism_documents.hpp>
#include <locdyn/io/scene/build_mechanism.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/check_mechanism.hpp>
#include <locdyn/io/scene/joints.hpp>

using namespace locdyn;
using Json = nlohmann::json;

namespace {

std::vector<std::string> mechanism_faults(const Json& scene) {
  try {
    static_cast<void>(parse_scene(scene.dump(), "it.json"));
  } catch (const SceneError& error) {
    return error.faults();
  } catch (const FileError& error) {
    return {error.what()};
  }
  return {};
}

Scene mechanism_with(const std::string& members) {
  return parse_scene("{" + members + "}", "it.json");
}

std::string refusal_of_drive(const Scene& scene) {
  try {
    static_cast<void>(driven_coordinate(scene, *build_mechanism(scene)));
  } catch (const SceneError& error) {
    return error.what();
  }
  return {};
}

constexpr const char* kTwoBalls = R"("bodies": [
    {"name": "a", "density": 1000, "shape": {"type": "sphere", "radius": 1}},
    {"name": "b", "density": 1000, "position": [0.5, 0, 0], "shape": {"type": "sphere", "radius": 1}}],
  "step": 0.1, "duration": 1, "smooth": {})";

}  // namespace

TEST_CASE("a mechanism is read as written") {
  const Scene smooth = parse_scene(test::smooth_scene().dump());
  REQUIRE(smooth.smooth);
  CHECK(smooth.smooth->integrator == SceneIntegrator::bdf);
  CHECK(smooth.smooth->stabilisation == SceneStabilisation::baumgarte);
  CHECK(smooth.smooth->rtol == 1e-8);
  CHECK(smooth.smooth->beta == 5.0);
  CHECK(std::get<SceneRigidLink>(smooth.joints[2].type).length == 2.5);
  const Scene path = parse_scene(test::kinematics_scene().dump());
  REQUIRE(path.kinematics);
  CHECK(path.kinematics->joint == "pin");
  CHECK(path.kinematics->to == -1);
  CHECK(path.kinematics->rate == 2);
  for (const test::MechanismMutant& sound : test::sound_mechanisms()) {
    CAPTURE(sound.mutant.pointer);
    CHECK(mechanism_faults(sound.scene) == std::vector<std::string>{});
  }
}

TEST_CASE("each fault of a mechanism is refused, naming its place and what would do") {
  for (const auto& mutants : {test::local_mechanism_mutants(), test::far_mechanism_mutants()}) {
    for (const test::MechanismMutant& wrong : mutants) {
      CAPTURE(wrong.mutant.pointer);
      CAPTURE(wrong.mutant.value.dump());
      const std::vector<std::string> faults = mechanism_faults(wrong.scene);
      REQUIRE(!faults.empty());
      CHECK(faults.size() <= 6);
      bool named = false;
      for (const std::string& fault : faults) {
        CAPTURE(fault);
        CHECK(fault.starts_with("it.json: "));
        CHECK(fault.find("expected ") != std::string::npos);
        CHECK(fault.find(", found ") != std::string::npos);
        CHECK(fault.find('\n') == std::string::npos);
        named = named || fault.find(wrong.mutant.place) != std::string::npos;
      }
      CAPTURE(faults[0]);
      CHECK(named);
    }
  }
  // Numbers that are none do not pass JSON.
  std::string text = test::kinematics_scene().dump();
  const std::size_t place = text.find("\"to\":-1");
  REQUIRE(place != std::string::npos);
  text.replace(place, 7, "\"to\":1e999");
  CHECK_THROWS_WITH_AS(static_cast<void>(parse_scene(text, "it.json")), doctest::Contains("1e999"), FileError);
}

TEST_CASE("in words") {
  Json scene = test::kinematics_scene();
  scene["kinematics"]["joint"] = "ball";
  CHECK(
      mechanism_faults(scene) ==
      std::vector<std::string>{"it.json: kinematics.joint: expected a hinge, a prismatic joint or a screw; else drive "
                               "an \"angle\" or a \"distance\", found another kind of joint, \"ball\""});
  scene = test::smooth_scene();
  scene["joints"][0]["limits"] = {-1, 1};
  CHECK(mechanism_faults(scene) ==
        std::vector<std::string>{"it.json: joints[0].limits: expected none in a mechanism, where nothing strikes: a "
                                 "stiff spring instead, found -1, 1"});
}

TEST_CASE("shapes of a mechanism are there, touch nothing and may overlap") {
  const auto system = build_mechanism(mechanism_with(kTwoBalls));
  CHECK(system->colliders().size() == 2);
  CHECK(system->bodies()[BodyId{0}].mass() == doctest::Approx(1000 * 4 * std::acos(-1.0) / 3).epsilon(1e-12));
  const std::vector<double> reach(2, 10.0);
  const std::vector<std::uint8_t> moved(2, 1);
  CHECK(system->detector()->detect(system->bodies(), reach, moved).empty());
  CHECK_THROWS_AS(static_cast<void>(build_mechanism(mechanism_with(R"("step": 1, "duration": 1)"))),
                  std::invalid_argument);
}

TEST_CASE("contacts that are left out are told, unless groups, joints or pairs leave them out") {
  const std::string balls = kTwoBalls;
  const auto ignored = [](const std::string& members) {
    return ignored_contact(*build_mechanism(mechanism_with(members)));
  };
  CHECK(ignored(balls) == std::pair<BodyId, BodyId>(0, 1));
  CHECK(!ignored(balls + R"(, "excluded_pairs": [["b", "a"]])"));
  CHECK(!ignored(balls + R"(, "joints": [{"type": "fixed_point", "bodies": ["b", "a"], "point": [0, 0, 0]}])"));
  std::string apart = balls;
  apart.insert(apart.find("\"density\""), "\"collides_with\": [], ");
  CHECK(!ignored(apart));
  CHECK(build_mechanism(mechanism_with(apart))->colliders().size() == 2);  // drawn all the same
}

TEST_CASE("the drive of a scene is the coordinate that it names") {
  const auto value = [](const std::string& drive) {
    Json scene = test::kinematics_scene();
    scene["kinematics"] = Json::parse(R"({"from": 0, "to": 1, "step": 1, )" + drive + "}");
    const Scene read = parse_scene(scene.dump());
    const auto system = build_mechanism(read);
    Coordinate coordinate = driven_coordinate(read, *system);
    coordinate.take_hold(system->bodies());
    const std::vector<double> memory(coordinate.memory_size());
    const BodyQuantities now(system->bodies(), coordinate.bodies(), memory);
    return std::pair(coordinate.is_angle(), coordinate.measure(now, 0).value);
  };
  CHECK(value(R"("joint": "rail")") == std::pair(false, 0.0));
  CHECK(value(R"("joint": "pin")") == std::pair(true, 0.0));
  // From x to −y about z.
  const auto [is_angle, turn] = value(R"("angle": {"vectors": [[{"point": [0, 0, 0]}, {"body": "bob"}],
    [{"body": "bar", "point": [0, 3, 0]}, {"point": [0, 1, 0]}]]})");
  CHECK(is_angle);
  CHECK(turn == doctest::Approx(-std::acos(0.0)).epsilon(1e-14));
  CHECK(value(R"("distance": [{"body": "bob"}, {"point": [0, 0, 4]}])").second ==
        doctest::Approx(std::sqrt(20)).epsilon(1e-14));
}

TEST_CASE("a drive that cannot be made is refused in one line") {
  Json scene = test::kinematics_scene();
  scene["kinematics"] = Json::parse(R"({"from": 0, "to": 1, "step": 1, "distance": [{"body": "bob"},
    {"body": "bob", "point": [9, 0, 0]}]})");
  const std::string line = refusal_of_drive(parse_scene(scene.dump(), "it.json"));
  CHECK(line.starts_with("it.json: kinematics.distance: "));
  CHECK(line.find("expected") != std::string::npos);
  CHECK(line.find('\n') == std::string::npos);
}

TEST_CASE("obstacles of a mechanism move as the scene says, corners of its loads are known") {
  const auto system = build_mechanism(parse_scene(test::smooth_scene().dump()));
  CHECK(system->bodies()[BodyId{0}].prescribed_velocity({3, 4, 5}) == Eigen::Vector3d(0, 0, 0.5));
  CHECK(system->drives().empty());
  const Scene scene =
      mechanism_with(R"("step": 1, "duration": 9, "bodies": [{"name": "a", "kind": "particle", "mass": 1}],
    "loads": [{"body": "a", "force": {"times": [0, 5, 2e1], "values": [[0, 0, 0], [1, 0, 0], [0, 0, 0]]}},
              {"body": "a", "force": {"times": [-1, 3, 5], "values": [[0, 0, 0], [1, 0, 0], [0, 0, 0]]}}])");
  CHECK(scene_format::corners(scene) == std::vector<double>{3, 5, 20});
  CHECK(scene.loads[0].force.mean(2.5, 0) == Eigen::Vector3d(0.5, 0, 0));
}
