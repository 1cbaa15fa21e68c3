// locdyn simulate on scenes with "kinematics": tables against closed forms, and how a path ends that does not get
// through.

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include <app/program.hpp>
#include <app/table.hpp>
#include <scratch_folder.hpp>

using namespace locdyn::test;
using std::numbers::pi;
namespace fs = std::filesystem;

namespace {

nlohmann::json path_scene(const char* name) {
  std::ifstream in(fs::path(LOCDYN_SCENES) / (std::string(name) + ".json"));
  return nlohmann::json::parse(in);
}

Outcome run_path_of(const nlohmann::json& scene, const ScratchFolder& folder, std::vector<std::string> more = {}) {
  std::ofstream(folder / "it.json") << scene;
  std::vector<std::string> words = {"simulate", (folder / "it.json").string()};
  words.insert(words.end(), more.begin(), more.end());
  return locdyn::test::locdyn(words);
}

}  // namespace

TEST_CASE("simulate: the four-bar closes and goes through its known places, its torques and its links' forces") {
  const ScratchFolder folder;
  const std::string out = folder / "out";
  const Outcome outcome =
      locdyn::test::locdyn({"simulate", (fs::path(LOCDYN_SCENES) / "four_bar.json").string(), "-o", out});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("mechanism    9 coordinates, 6 rows of rank 6, 3 freedoms\n") != std::string::npos);
  CHECK(outcome.out.find("path         36 points to 3.142 rad") != std::string::npos);
  CHECK(fs::exists(out + "/trajectory.xdmf"));

  const Table path(out + "/path.csv");
  REQUIRE(path.lines.size() == 36);
  const std::size_t line = path.line_with("drive angle [rad]", -pi / 3);
  CHECK(std::abs(path.at(line, "p4 x [m]") - 2.724248) < 1e-6);
  CHECK(std::abs(path.at(line, "p4 y [m]") + 2.879163) < 1e-6);
  // The force at p4 is worth 0.247489 N m a degree at −160°: the drive gives the opposite.
  const std::size_t there = path.line_with("drive angle [rad]", -pi / 180 * 160);
  CHECK(std::abs(path.at(there, "drive angle torque [N m]") * pi / 180 + 0.247489) < 1e-6);
  // The crank's pin turns in a circle of 1 m at 500 turns a minute.
  const double omega = path_scene("four_bar")["kinematics"]["rate"];
  for (std::size_t i = 0; i < path.lines.size(); ++i) {
    const double s = path.at(i, "drive angle [rad]");
    CHECK(path.at(i, "time [s]") == doctest::Approx((s + pi / 180 * 170) / omega).epsilon(1e-12));
    CHECK(std::abs(path.at(i, "p3 vx [m/s]") + omega * std::sin(s)) < 1e-10 * omega);
    CHECK(std::abs(path.at(i, "p3 ay [m/s2]") + omega * omega * std::sin(s)) < 1e-10 * omega * omega);
  }
  // Links carry p4 alone: their forces and the load are in balance.
  const Table reactions(out + "/reactions.csv");
  REQUIRE(reactions.lines.size() == 36);
  const auto along = [&](const char* from, const char* axis) {
    const std::string column = std::string(" ") + axis + " [m]";
    return path.at(line, "p4" + column) - path.at(line, from + column);
  };
  double x = 9.81, y = -9.81;
  for (const auto& [link, from, length] : {std::tuple("coupler to p4", "p2", 5.0), {"crank pin to p4", "p3", 3.0}}) {
    const double force = reactions.at(line, std::string("rigid link ") + link + " row 2 [N]");
    // A link pushes its slave, the first body, away from its master, p4, and p4 away from it.
    x += force * along(from, "x") / length;
    y += force * along(from, "y") / length;
  }
  CHECK(std::hypot(x, y) < 1e-9);
}

TEST_CASE("simulate: a slider-crank has the place, acceleration and torque of the books") {
  const ScratchFolder folder;
  const std::string out = folder / "out";
  const Outcome outcome = run_path_of(path_scene("slider_crank"), folder, {"-o", out, "--json"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(lines(outcome.out) == 1);
  const auto object = nlohmann::json::parse(outcome.out);
  CHECK(object["points"] == 73);
  CHECK(object["freedoms"] == 0);
  CHECK(object["stopped"] == "");
  CHECK(object["position_error_m"] < 1e-15);
  const Table path(out + "/path.csv");
  const double r = 0.04, l = 0.14, omega = 100 * pi;
  for (std::size_t i = 0; i < path.lines.size(); ++i) {
    const double s = path.at(i, "drive main bearing [rad]"), q = std::sqrt(l * l - std::pow(r * std::sin(s), 2));
    const double slope = -r * std::sin(s) - r * r * std::sin(s) * std::cos(s) / q;
    CHECK(std::abs(path.at(i, "piston x [m]") - r * std::cos(s) - q) < 1e-14);
    CHECK(std::abs(path.at(i, "piston vx [m/s]") - omega * slope) < 1e-11);
    CHECK(std::abs(path.at(i, "drive main bearing torque [N m]") - 1000 * slope) < 1e-10);  // of −1 kN on the piston
  }
  CHECK(path.at(72, "piston ax [m/s2]") == doctest::Approx(-r * omega * omega * (1 + r / l)).epsilon(1e-9));
  CHECK(path.at(72, "crank angle [rad]") == doctest::Approx(2 * pi).epsilon(1e-14));
}

TEST_CASE("simulate: a path that does not get through says where and between which joints, status 1") {
  const ScratchFolder folder;
  // The piston drives: out to r + l.
  nlohmann::json piston = path_scene("slider_crank");
  const double start = 0.14 * 0.8, height = 0.14 * 0.6;  // crank and rod of the triangle (0.084, 0.112, 0.14)
  piston["bodies"][0].update({{"position", {0, height / 2, 0}}, {"orientation", {{"degrees", 90}}}});
  piston["bodies"][1].update(
      {{"position", {start / 2, height / 2, 0}}, {"orientation", {{"degrees", -180 / pi * std::asin(0.6)}}}});
  piston["bodies"][2]["position"] = {start, 0, 0};
  piston["joints"][1]["point"] = {0, height, 0};
  piston["joints"][2]["point"] = piston["joints"][3]["point"] = {start, 0, 0};
  piston["kinematics"] = {{"joint", "cylinder"}, {"from", 0}, {"to", 0.2}, {"step", 0.01}};
  const std::string out = folder / "out";
  const Outcome dead = run_path_of(piston, folder, {"-o", out});
  CHECK(dead.status == 1);
  CHECK(lines(dead.err) == 1);
  CHECK(dead.err.find("drive \"cylinder\" at 0.112 m: path: expected to go on, found a dead point at 0.112") !=
        std::string::npos);
  CHECK(dead.out.find("singular     dead point at 0.112 m") != std::string::npos);
  CHECK(Table(out + "/path.csv").lines.size() == 12);  // what was found before

  // Links that are too short.
  nlohmann::json open = path_scene("four_bar");
  open["joints"][1]["length"] = 0.5;
  const Outcome apart = run_path_of(open, folder, {"--json"});
  CHECK(apart.status == 1);
  CHECK(lines(apart.err) == 1);
  CHECK(apart.err.find("it.json: stopped: ") != std::string::npos);
  CHECK(apart.err.find("rigid link \"") != std::string::npos);
  CHECK(nlohmann::json::parse(apart.out)["points"] == 0);

  // What joints hold cannot be driven.
  nlohmann::json held = path_scene("four_bar");
  held["kinematics"] = {{"distance", {{{"body", "p2"}}, {{"body", "p4"}}}}, {"from", 5}, {"to", 5.1}, {"step", 0.01}};
  const Outcome contradictory = run_path_of(held, folder);
  CAPTURE(contradictory.err);
  CHECK(contradictory.status == 1);
  CHECK(lines(contradictory.err) == 1);
  CHECK(contradictory.err.find("drive \"distance\" at 5 m: expected a drive that can move the mechanism where it "
                               "closes, found that rigid link \"coupler to p4\", row 2 repeats drive \"distance\"") !=
        std::string::npos);
}

TEST_CASE("simulate: options that have no meaning for a path are refused, status 2") {
  const ScratchFolder folder;
  const nlohmann::json scene = path_scene("four_bar");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--time", "1"}, {"--step", "1"}, {"--solver", "nsgs"}, {"--restart", "x.h5"}}) {
    const Outcome outcome = run_path_of(scene, folder, words);
    CHECK(outcome.status == 2);
    CHECK(lines(outcome.err) == 1);
    CHECK(outcome.err.find(words[0] + ": expected a scene without \"kinematics\"") != std::string::npos);
  }
  nlohmann::json still = scene;
  still["bodies"] = {{{"name", "p3"}, {"kind", "obstacle"}}};
  still.erase("joints");
  still.erase("loads");
  const Outcome outcome = run_path_of(still, folder);
  CHECK(outcome.status == 2);
  CHECK(lines(outcome.err) == 1);
}
