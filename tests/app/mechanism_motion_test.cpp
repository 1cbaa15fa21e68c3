// locdyn simulate on scenes with "smooth": tables against closed forms, and how a motion ends that cannot go on.

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include <app/program.hpp>
#include <app/table.hpp>
#include <scratch_folder.hpp>

using namespace locdyn::test;
namespace fs = std::filesystem;

namespace {

[[maybe_unused]] std::string shipped(const char* name) {
  return fs::path(LOCDYN_SCENES) / (std::string(name) + ".json");
}

Outcome run_motion(const std::string& scene, const ScratchFolder& folder, std::vector<std::string> more = {}) {
  std::ofstream(folder / "it.json") << scene;
  std::vector<std::string> words = {"simulate", (folder / "it.json").string()};
  words.insert(words.end(), more.begin(), more.end());
  return locdyn::test::locdyn(words);
}

// A point of 1 kg on a rail along x; what acts and how it is integrated is said by the caller.
std::string rail(const std::string& smooth, const std::string& more) {
  return R"({"gravity": [0, 0, 0], "step": 0.002, "duration": 2, "output": {"every": 500}, "bodies": [
      {"name": "slide", "position": [1, 0, 0], "mass": 1, "inertia": [1, 1, 1]}], "joints": [
      {"name": "rail", "type": "prismatic", "bodies": ["slide"], "point": [1, 0, 0], "axis": [1, 0, 0]}],
      "smooth": )" +
         smooth + more + "}";
}

constexpr const char* kSpring = R"(, "forces": [{"type": "spring_damper", "bodies": ["slide"],
  "points": [[1, 0, 0], [-2, 0, 0]], "stiffness": 4, "rest_length": 2}])";

}  // namespace

TEST_CASE("simulate: an oscillator by every integrator that is there") {
  struct Case {
    const char* smooth;
    double tolerance;  // fixed steps: (ω h)² and what damps
  };
  std::vector<Case> cases = {{R"({"integrator": "generalised_alpha"})", 1e-4},
                             {R"({"integrator": "half_step"})", 1e-4}};
  const Case controlled[] = {{"{}", 1e-8},
                             {R"({"integrator": "bdf", "rtol": 1e-8, "atol": 1e-10})", 1e-5},
                             {R"({"integrator": "adams"})", 1e-6},
                             {R"({"stabilisation": "baumgarte", "alpha": 5, "beta": 5, "max_step": 0.05})", 1e-8}};
  for (const Case& it : controlled) {
#ifdef LOCDYN_WITH_SUNDIALS
    cases.push_back(it);
#else
    const ScratchFolder folder;
    const Outcome outcome = run_motion(rail(it.smooth, kSpring), folder);
    CHECK(outcome.status == 2);
    CHECK(lines(outcome.err) == 1);
    CHECK(outcome.err.find("smooth.integrator: expected \"generalised_alpha\" or \"half_step\"") != std::string::npos);
#endif
  }
  for (const Case& it : cases) {
    CAPTURE(std::string(it.smooth));
    const ScratchFolder folder;
    const std::string out = folder / "out";
    const Outcome outcome = run_motion(rail(it.smooth, kSpring), folder, {"-o", out});
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    const Table energies(out + "/energies.csv");
    REQUIRE(energies.lines.size() == 3);  // at 0, 1, 2 s
    for (std::size_t i = 0; i < 3; ++i) {
      const double t = energies.at(i, "time [s]");
      CHECK(t == doctest::Approx(static_cast<double>(i)).epsilon(1e-12));
      // x = cos 2t: T = 2 sin² 2t, V = 2 cos² 2t.
      CHECK(std::abs(energies.at(i, "kinetic [J]") - 2 * std::pow(std::sin(2 * t), 2)) < it.tolerance);
      CHECK(std::abs(energies.at(i, "total [J]") - 2) < it.tolerance);
      CHECK(energies.at(i, "largest position error [m]") < 1e-12);
    }
    CHECK(fs::exists(out + "/trajectory.xdmf"));
  }
}

TEST_CASE("simulate: a smooth motion with contacts that are left out says so, and refuses their options") {
  const ScratchFolder folder;
  const std::string scene = R"({"step": 0.1, "duration": 1, "smooth": {"integrator": "half_step"}, "bodies": [
    {"name": "ground", "kind": "obstacle", "shape": {"type": "plane"}},
    {"name": "ball", "density": 1000, "position": [0, 0, 0.2], "shape": {"type": "sphere", "radius": 0.1}}]})";
  const Outcome outcome = run_motion(scene, folder, {"--json"});
  CHECK(outcome.status == 0);
  CHECK(lines(outcome.err) == 1);
  CHECK(outcome.err.find("contacts take no part in a mechanism: shapes such as those of \"ground\" and \"ball\" pass "
                         "through each other") != std::string::npos);
  CHECK(nlohmann::json::parse(outcome.out)["freedoms"] == 6);
  CHECK(nlohmann::json::parse(outcome.out)["steps"] == 10);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--solver", "nsgs"},
                                                {"--tol", "1e-9"},
                                                {"--threads", "1"},
                                                {"--on-failure", "halve"},
                                                {"--dump-problems", "every=1"},
                                                {"--checkpoint", "every=1"},
                                                {"--restart", "x.h5"}}) {
    const Outcome refused = run_motion(scene, folder, words);
    CHECK(refused.status == 2);
    CHECK(lines(refused.err) == 1);
    CHECK(refused.err.find(words[0] + ": expected a scene without \"smooth\", found one with it") != std::string::npos);
  }
  CHECK(run_motion(scene, folder, {"--step", "1e-9"}).status == 2);  // 1e9 outputs
}

#ifdef LOCDYN_WITH_SUNDIALS

TEST_CASE("simulate: a double pendulum keeps its energy") {
  const ScratchFolder folder;
  const std::string out = folder / "out";
  const Outcome outcome = locdyn::test::locdyn({"simulate", shipped("double_pendulum"), "-o", out});
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("mechanism    12 coordinates, 10 rows of rank 10, 2 freedoms\n") != std::string::npos);
  CHECK(outcome.out.find(", to 10 s, in ") != std::string::npos);
  const Table energies(out + "/energies.csv");
  REQUIRE(energies.lines.size() == 501);
  double most = 0;
  for (std::size_t i = 0; i < energies.lines.size(); ++i) {
    CHECK(std::abs(energies.at(i, "total [J]")) < 1e-7);
    CHECK(energies.at(i, "largest position error [m]") < 1e-13);
    most = std::max(most, energies.at(i, "kinetic [J]"));
  }
  CHECK(most > 10);
  // Let go at the horizontal: M θ̈ = −m g l (3/2, 1/2), and the ceiling carries 2 m g + m l (3/2 θ̈₁ + 1/2 θ̈₂).
  const double m = 2.5, g = 9.81, I = m * (1 + 0.05 * 0.05) / 12;
  const double a = I + 1.25 * m, b = 0.5 * m, c = I + 0.25 * m, f = -1.5 * m * g, h = -0.5 * m * g;
  const double first = (c * f - b * h) / (a * c - b * b), second = (a * h - b * f) / (a * c - b * b);
  const Table reactions(out + "/reactions.csv");
  double sum = 0;
  for (std::size_t k = 1; k <= 3; ++k) sum += std::pow(reactions.lines[0][k], 2);
  CHECK(std::sqrt(sum) == doctest::Approx(m * (2 * g + 1.5 * first + 0.5 * second)).epsilon(1e-9));
}

TEST_CASE("simulate: Bricard's mechanism moves, its redundant row by name, and the governor turns") {
  const Outcome bricard = locdyn::test::locdyn({"simulate", shipped("bricard"), "--time", "1", "--json"});
  CHECK(bricard.status == 0);
  const auto object = nlohmann::json::parse(bricard.out);
  CHECK(object["freedoms"] == 1);
  REQUIRE(object["redundant"].size() == 1);
  CHECK(object["redundant"][0].get<std::string>().starts_with("hinge \""));
  CHECK(object["energy_J"]["largest_change"] < 1e-8);
  CHECK(object["energy_J"]["kinetic"] > 1);
  const Outcome governor = locdyn::test::locdyn({"simulate", shipped("governor"), "--time", "0.1", "--json"});
  CHECK(governor.status == 0);
  CHECK(nlohmann::json::parse(governor.out)["freedoms"] == 4);
}

TEST_CASE("simulate: a pulse between outputs is felt, a motor's corner is passed") {
  const ScratchFolder folder;
  const auto kinetic = [&](const std::string& scene) {
    const Outcome outcome = run_motion(scene, folder, {"--json"});
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["energy_J"]["kinetic"].get<double>();
  };
  // 200 N at 0.01 s in the middle of 2 s: 1 N s on 1 kg.
  CHECK(kinetic(rail("{}", R"(, "loads": [{"body": "slide", "force": {"times": [1, 1.005, 1.01],
    "values": [[0, 0, 0], [200, 0, 0], [0, 0, 0]]}}])")) == doctest::Approx(0.5).epsilon(1e-8));
  std::string driven = rail("{}", "");
  const std::string axis = R"("axis": [1, 0, 0])";
  driven.insert(driven.find(axis) + axis.size(), R"(, "speed": {"times": [0, 1], "values": [0.5, 3]})");
  CHECK(kinetic(driven) == doctest::Approx(4.5).epsilon(1e-9));
  // It starts at rest and is given the motor's speed, which is told.
  const Outcome told = run_motion(driven, folder);
  CHECK(told.out.find("velocities changed by up to 5.0e-01 to meet the joints") != std::string::npos);
}

TEST_CASE("simulate: a motion that cannot go on says when and in which row, status 1") {
  const ScratchFolder folder;
  // Two motors that disagree from 1 s on.
  std::string torn = rail("{}", "");
  torn.insert(torn.find("\"joints\": [") + 11,
              R"({"name": "second", "type": "prismatic", "bodies": ["slide"], "point": [1, 0, 0], "axis": [1, 0, 0],
                  "speed": {"times": [1, 2], "values": [0, 1]}},
                 {"name": "third", "type": "prismatic", "bodies": ["slide"], "point": [1, 0, 0], "axis": [1, 0, 0],
                  "speed": 0}, )");
  torn.replace(torn.find("500"), 3, "250");  // an output each half second
  const std::string out = folder / "out";
  const Outcome outcome = run_motion(torn, folder, {"-o", out, "--json"});
  CAPTURE(outcome.err);
  CHECK(outcome.status == 1);
  CHECK(lines(outcome.err) == 1);
  CHECK(outcome.err.find("it.json: stopped: motion at t = 1") != std::string::npos);
  CHECK(outcome.err.find(".motor\"") != std::string::npos);
  const auto object = nlohmann::json::parse(outcome.out);
  CHECK(object["simulated_s"] == 0.5);
  CHECK(!object["stopped"].get<std::string>().empty());
  CHECK(Table(out + "/energies.csv").lines.size() == 2);  // what was computed is there
  CHECK(fs::exists(out + "/trajectory.xdmf"));

  std::string contradictory = torn;
  const std::string series = R"({"times": [1, 2], "values": [0, 1]})";
  contradictory.replace(contradictory.find(series), series.size(), "1");
  const Outcome start = run_motion(contradictory, folder);
  CHECK(start.status == 1);
  CHECK(lines(start.err) == 1);
  CHECK(start.err.find("t = 0 s: expected velocities that meet all rows") != std::string::npos);

  // A link that cannot close.
  const std::string open = R"({"step": 0.1, "duration": 1, "smooth": {}, "bodies": [
    {"name": "a", "kind": "particle", "mass": 1, "position": [1, 0, 0]}], "joints": [
    {"name": "near", "type": "rigid_link", "bodies": ["a"], "points": [[1, 0, 0], [0, 0, 0]]},
    {"name": "far", "type": "rigid_link", "bodies": ["a"], "points": [[1, 0, 0], [5, 0, 0]], "length": 2}]})";
  const Outcome apart = run_motion(open, folder);
  CHECK(apart.status == 1);
  CHECK(lines(apart.err) == 1);
  CHECK(apart.err.find("rigid link \"") != std::string::npos);
}

TEST_CASE("simulate: a folder that cannot be written to, status 2") {
  const ScratchFolder folder;
  const Outcome outcome = run_motion(rail("{}", ""), folder, {"-o", (folder / "it.json").string()});
  CHECK(outcome.status == 2);
  CHECK(lines(outcome.err) == 1);
  CHECK(outcome.err.find("expected a folder, found a file") != std::string::npos);
}

TEST_CASE("simulate: an interrupt ends a smooth motion, everything written, status 130") {
  const ScratchFolder folder;
  const std::string scene = shipped("double_pendulum"), out = folder / "out", program = LOCDYN_EXECUTABLE;
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(126);
    ::execl(program.c_str(), program.c_str(), "simulate", scene.c_str(), "--time", "1e5", "-o", out.c_str(), nullptr);
    ::_exit(127);
  }
  for (int i = 0; i < 6000 && !(fs::exists(out + "/energies.csv") && fs::file_size(out + "/energies.csv") > 1000); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  std::ifstream in(out + "/trajectory.xdmf");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  CHECK(text.find("</Xdmf>") != std::string::npos);
}

#endif
