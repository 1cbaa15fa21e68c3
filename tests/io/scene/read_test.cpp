// The reader: what it takes, what it refuses and in which words, and that the schema judges alike.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include <io/scene/mechanism_documents.hpp>
#include <io/scene/scene_documents.hpp>
#include <locdyn/io/scene/forces.hpp>
#include <locdyn/io/scene/joints.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <scratch_folder.hpp>

using namespace locdyn;
using test::changed;
using test::Mutant;
using Json = nlohmann::json;

namespace {

// The faults that the reader finds; empty where there are none.
std::vector<std::string> faults_of(const std::string& text) {
  try {
    static_cast<void>(parse_scene(text, "it.json"));
  } catch (const SceneError& error) {
    return error.faults();
  } catch (const FileError& error) {
    return {error.what()};
  }
  return {};
}

std::string only_fault(const std::string& text) {
  const std::vector<std::string> faults = faults_of(text);
  CAPTURE(text);
  REQUIRE(faults.size() == 1);
  return faults[0];
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const std::filesystem::path kSource = LOCDYN_SOURCE_DIR;

}  // namespace

TEST_CASE("what would fill memory or be refused by the contact law is a fault of the scene") {
  // 1e6 · 1e6 bricks: more than an int counts.
  CHECK(only_fault(R"({"step": 1, "duration": 1, "generators": [{"name": "w", "type": "wall", "bricks": 1000000,
    "courses": 1000000}]})") == "it.json: generators[0]: expected at most 1e7 bodies, found 1000000500000");
  CHECK(
      contains(only_fault(R"({"step": 1, "duration": 1, "surfaces": {"s": {"friction": 1, "rolling_friction": -1}}})"),
               "it.json: surfaces.s.rolling_friction: expected a number from 0 to 1e+06, found -1"));
  CHECK(contains(only_fault(R"({"step": 1, "duration": 1, "surfaces": {"s": {"friction": 1e7}}})"),
                 "it.json: surfaces.s.friction: expected a number from 0 to 1e+06, found 1"));
  CHECK(contains(only_fault(R"({"step": 1, "duration": 1, "surfaces": {"s": {"friction": 1, "stiffness": 0}}})"),
                 "it.json: surfaces.s.stiffness: expected a number > 0 and ≤ 1e+18, found 0"));
  CHECK(contains(only_fault(R"({"step": 1, "duration": 1, "surfaces": {"s": {"friction": 1, "stiffness": 1e300}}})"),
                 "it.json: surfaces.s.stiffness: expected a number > 0 and ≤ 1e+18, found 1e+300"));
  CHECK(contains(only_fault(R"({"step": 1, "duration": 1, "surfaces": {"s": {"friction": 1, "damping": 1}}})"),
                 "it.json: surfaces.s.damping: expected stiffness or hertz_stiffness beside it, found none"));
}

TEST_CASE("a scene that uses every key is read as written") {
  const Scene scene = parse_scene(test::full_scene().dump(), "it.json");
  CHECK(scene.title == "everything");
  CHECK(scene.stepping.step == 0.001);
  CHECK(scene.stepping.on_failure == OnFailure::halve);
  CHECK(scene.stepping.correction == Correction::baumgarte);
  CHECK(scene.stepping.stop.max_iterations == 500);
  CHECK(*scene.surfaces.at("stone").friction == 0.6);
  CHECK(*scene.surfaces.at("ice").kinetic_friction == 0.05);
  CHECK(*scene.surfaces.at("rubber").stiffness == 1e5);
  CHECK(scene.surfaces.at("rubber").damping == 30);
  CHECK(*scene.surfaces.at("rubber").tangential_stiffness == 5e4);
  CHECK(scene.surfaces.at("rubber").tangential_damping == 10);
  CHECK(*scene.surfaces.at("steel").hertz_stiffness == 1e9);
  CHECK(*scene.surfaces.at("wood").cross_friction == 0.5);
  CHECK(*scene.bodies[1].shapes[0].friction_direction == Eigen::Vector3d(1, 0, 0));
  CHECK(!scene.surfaces.at("ice").stiffness);
  REQUIRE(scene.bodies.size() == 8);
  CHECK(scene.bodies[2].shapes.size() == 5);
  CHECK(scene.bodies[2].shapes[1].place == "bodies[2].shapes[1]");
  CHECK(std::get<Sphere>(scene.bodies[2].shapes[1].geometry).radius == 0.5);
  CHECK(std::get<SceneRigid>(scene.bodies[3].kind).inertia->diagonal() == Eigen::Vector3d(1, 2, 2.5));
  CHECK((*std::get<SceneRigid>(scene.bodies[4].kind).inertia)(1, 2) == 0.1);
  CHECK(std::get<ScenePlanar>(scene.bodies[6].kind).angular_velocity == 2);
  // 90° about z takes x to y, however it is written.
  for (const std::size_t k : {2u, 4u}) {
    const Eigen::Vector3d y = scene.bodies[2].shapes[k].placement.orientation * Eigen::Vector3d::UnitX();
    CHECK((y - Eigen::Vector3d::UnitY()).norm() < 1e-15);
  }
  CHECK(std::get<SceneWall>(scene.generators[0].type).courses == 3);
  CHECK(std::get<ScenePrescribedVelocity>(scene.joints[2].type).velocity.at(0.25) == 0.5);
  CHECK(std::get<ScenePrismatic>(scene.joints[7].type).drive.position.at(0.5) == 0.05);
  CHECK((*std::get<ScenePrismatic>(scene.joints[7].type).drive.limits)[1] == 0.2);
  CHECK(std::get<SceneUniversal>(scene.joints[10].type).axes[1] == Eigen::Vector3d::UnitY());
  CHECK(std::get<SceneGear>(scene.joints[13].type).carrier == "ground");
  CHECK(std::get<SceneHinge>(scene.joints[15].type).drive.speed.at(5) == 2);
  CHECK(std::get<SceneTorsionSpring>(scene.forces[1].type).rest_angle == 7);
  CHECK(std::get<SceneWheelContact>(scene.forces[3].type).terrain[1] == Eigen::Vector2d(10, -2));
  CHECK(std::get<SceneWheelContact>(scene.forces[3].type).law.damping_exponent == 0.5);
  CHECK(std::get<SceneRotatingFrame>(scene.forces[4].type).angular_velocity.slope(0.5).z() == 0.1);
  CHECK(scene.forces[5].bodies.empty());
  CHECK(scene.motions[0].rotation.at(0.5).z() == 1.5);
  CHECK(scene.output.checkpoint == 100);
}

TEST_CASE("rpy turns about the fixed axes x, y and z in turn") {
  const auto turned = [](const char* orientation) {
    const std::string text =
        R"({"step": 1, "duration": 1, "bodies": [{"mass": 1, "inertia": [1, 1, 1], "orientation": )" +
        std::string(orientation) + "}]}";
    return parse_scene(text).bodies[0].placement.orientation;
  };
  // x by 90° first: y → z; then z by 90° leaves z. In the other order y would end at −x.
  const Eigen::Vector3d y = turned(R"({"rpy_degrees": [90, 0, 90]})") * Eigen::Vector3d::UnitY();
  CHECK((y - Eigen::Vector3d::UnitZ()).norm() < 1e-15);
}

TEST_CASE("each single fault is refused, once or with what follows from it, naming its place") {
  for (const auto& mutants : {test::local_mutants(), test::far_mutants()}) {
    for (const Mutant& mutant : mutants) {
      CAPTURE(mutant.pointer);
      CAPTURE(mutant.value.dump());
      const std::vector<std::string> faults = faults_of(changed(mutant).dump());
      REQUIRE(!faults.empty());
      CHECK(faults.size() <= 4);
      bool named = false;
      for (const std::string& fault : faults) {
        CAPTURE(fault);
        CHECK(fault.starts_with("it.json: "));
        CHECK(contains(fault, "expected "));
        CHECK(contains(fault, ", found "));
        CHECK(!contains(fault, "\n"));
        named = named || contains(fault, mutant.place);
      }
      CAPTURE(faults[0]);
      CHECK(named);
    }
  }
  for (const Mutant& change : test::sound_changes()) {
    CAPTURE(change.pointer);
    CHECK(faults_of(changed(change).dump()) == std::vector<std::string>{});
  }
}

TEST_CASE("messages say what was expected, what was found, and what was meant") {
  CHECK(only_fault(changed({"/bodies/2/shapes/1/radius", -1, ""}).dump()) ==
        "it.json: bodies[2].shapes[1].radius: expected a number > 0, found -1");
  CHECK(only_fault(changed({"/bodies/2/shapes/1/raduis", 1, ""}).dump()) ==
        "it.json: bodies[2].shapes[1]: expected known keys, \"radius\" maybe, found \"raduis\"");
  CHECK(only_fault(changed({"/bodies/7/poisson_ratio", 0.5, ""}).dump()) ==
        "it.json: bodies[7].poisson_ratio: expected a number > -1 and < 0.5, found 0.5");
  CHECK(only_fault(changed({"/gravity", Json::array({0, 0}), ""}).dump()) ==
        "it.json: gravity: expected an array of 3 numbers, found an array of 2");
  CHECK(only_fault(changed({"/solver/on_failure", "ignore", ""}).dump()) ==
        "it.json: solver.on_failure: expected \"go_on\", \"stop\" or \"halve\", found \"ignore\"");
}

TEST_CASE("all faults come at once") {
  Json scene = test::full_scene();
  scene["step"] = 0;
  scene["bodies"][2]["shapes"][0]["size"] = Json::array({1, -1, 0});
  scene["joints"][0].erase("point");
  CHECK(faults_of(scene.dump()).size() == 4);
}

TEST_CASE("of many faults the first twenty are told, and how many more there are") {
  const auto faults_of_bodies = [](int count) {
    Json scene = {{"step", 1}, {"duration", 1}, {"bodies", Json::array()}};
    for (int i = 0; i < count; ++i) scene["bodies"].push_back({{"kind", "particle"}, {"mass", -1}});
    return faults_of(scene.dump());
  };
  CHECK(faults_of_bodies(20).size() == 20);
  CHECK(faults_of_bodies(20).back() == "it.json: bodies[19].mass: expected a number > 0, found -1");
  const std::vector<std::string> faults = faults_of_bodies(400);
  REQUIRE(faults.size() == 21);
  CHECK(faults[0] == "it.json: bodies[0].mass: expected a number > 0, found -1");
  CHECK(faults[20] == "and 380 more");
}

TEST_CASE("text that is not JSON is placed by line and column, a key twice by its path") {
  CHECK(contains(only_fault("{\n  \"step\": 1,,\n}"), "it.json: line 2, column 13: expected JSON"));
  CHECK(contains(only_fault(""), "line 1, column 1"));
  CHECK(contains(only_fault("{\"step\": NaN}"), "line 1, column"));
  CHECK(contains(only_fault("{\"step\": 1e999, \"duration\": 1}"), "1e999"));
  CHECK(only_fault(R"({"bodies": [{"mass": 1}, {"mass": 1, "mass": 2}]})") ==
        "it.json: bodies[1].mass: expected the key once, found it twice");
  CHECK(contains(only_fault("[1]"), "expected an object, found an array of 1"));
  CHECK(contains(only_fault("3"), "expected an object, found 3"));
}

TEST_CASE("a file that is not there, a folder") {
  CHECK_THROWS_WITH_AS(static_cast<void>(read_scene("/nowhere/x.json")),
                       "/nowhere/x.json: expected a scene file, found none", FileError);
  CHECK_THROWS_AS(static_cast<void>(read_scene(kSource)), FileError);
}

TEST_CASE("the schema in the repository is the reader's own") {
  const std::filesystem::path file = kSource / "io/scene/scene.schema.json";
  if (std::getenv("LOCDYN_WRITE_SCHEMA")) std::ofstream(file) << scene_schema();
  CHECK_MESSAGE(content(file) == scene_schema(), "LOCDYN_WRITE_SCHEMA=1 writes it anew");
}

TEST_CASE("schema and reader take and refuse the same documents") {
  if (std::system("/usr/bin/python3 -c 'import jsonschema' 2>/dev/null") != 0) {
    MESSAGE("skipped: needs python3-jsonschema");
    return;
  }
  Json sound = Json::array({test::full_scene()}), wrong = Json::array();
  for (const Mutant& change : test::sound_changes()) sound.push_back(changed(change));
  // What the schema cannot see is sound to it.
  for (const Mutant& mutant : test::far_mutants()) sound.push_back(changed(mutant));
  for (const Mutant& mutant : test::local_mutants()) wrong.push_back(changed(mutant));

  sound.push_back(test::smooth_scene());
  sound.push_back(test::kinematics_scene());
  for (const auto& mechanisms : {test::sound_mechanisms(), test::far_mechanism_mutants()}) {
    for (const test::MechanismMutant& mechanism : mechanisms) sound.push_back(mechanism.scene);
  }
  for (const test::MechanismMutant& mutant : test::local_mechanism_mutants()) wrong.push_back(mutant.scene);

  const test::ScratchFolder folder;
  std::ofstream(folder / "documents.json") << Json{{"sound", sound}, {"wrong", wrong}};
  const std::string command = "/usr/bin/python3 '" + (kSource / "tests/io/scene/validate.py").string() + "' '" +
                              (kSource / "io/scene/scene.schema.json").string() + "' '" +
                              (folder / "documents.json").string() + "'";
  CHECK(std::system(command.c_str()) == 0);
}
