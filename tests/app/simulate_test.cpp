// locdyn simulate: exit statuses, streams, bad scenes, restart, Ctrl-C.

#include <doctest/doctest.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <vector>

#include <app/program.hpp>
#include <scratch_folder.hpp>

#include <locdyn/ldy/replace_file.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using namespace locdyn::test;
namespace fs = std::filesystem;

namespace {

// A box that slides and stops.
std::string box_scene(const std::string& more = "") {
  return R"({"step": 1e-3, "duration": 0.05, "surfaces": {"s": {"friction": 0.5}}, "bodies": [
    {"name": "ground", "kind": "obstacle", "surface": "s", "shape": {"type": "plane"}},
    {"name": "box", "position": [0, 0, 0.5], "velocity": [1, 0, 0], "density": 1000, "surface": "s",
     "shape": {"type": "box", "size": [1, 1, 1]}}])" +
         more + "}";
}

fs::path write(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
  return file;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Every number of a dataset of a checkpoint becomes `value`.
void spoil(const fs::path& checkpoint, const std::string& name, double value) {
  const hid_t file = H5Fopen(checkpoint.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT), space = H5Dget_space(dataset);
  const std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), value);
  CHECK(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
}

}  // namespace

TEST_CASE("simulate: a summary for people, one JSON object, files in the folder") {
  const ScratchFolder folder;
  const std::string scene = write(folder / "box.json", box_scene());
  const Outcome plain = locdyn::test::locdyn({"simulate", scene});
  CHECK(plain.status == 0);
  CHECK(plain.err.empty());
  CHECK(plain.out.find("steps        50, to 0.05 s") != std::string::npos);

  const std::string out = folder / "out";
  const Outcome json =
      locdyn::test::locdyn({"simulate", scene, "-o", out, "--json", "--dump-problems", "every=20", "--time", "0.1"});
  CHECK(json.status == 0);
  CHECK(lines(json.out) == 1);
  const auto object = nlohmann::json::parse(json.out);
  CHECK(object["steps"] == 100);
  CHECK(object["failed_steps"] == 0);
  CHECK(object["interrupted"] == false);
  // It slides under μ g for 0.1 s: v = 1 − 0.5 · 9.81 · 0.1.
  const double v = 1 - 0.5 * 9.81 * 0.1;
  CHECK(object["energy_J"]["kinetic"] == doctest::Approx(0.5 * 1000 * v * v).epsilon(1e-3));
  CHECK(fs::exists(out + "/trajectory.xdmf"));
  CHECK(fs::exists(out + "/energies.csv"));
  CHECK(fs::exists(out + "/checkpoint.h5"));
  CHECK(std::distance(fs::directory_iterator(out + "/problems"), fs::directory_iterator{}) == 5);
  CHECK(locdyn::test::locdyn({"simulate", scene, "--quiet"}).out.empty());
}

TEST_CASE("simulate: bad scenes and bad usage, a line each, status 2") {
  const ScratchFolder folder;
  const std::string two = write(folder / "two.json", R"({"step": -1, "duration": 1, "bodys": []})");
  const Outcome faults = locdyn::test::locdyn({"simulate", two});
  CHECK(faults.status == 2);
  CHECK(faults.out.empty());
  CHECK(lines(faults.err) == 2);
  CHECK(faults.err.find("two.json: step: expected a number > 0, found -1") != std::string::npos);
  const std::string rough = write(folder / "rough.json", box_scene(R"(, "title\n\u001b[31m": 1)"));
  CHECK(lines(locdyn::test::locdyn({"simulate", rough}).err) == 1);
  CHECK(locdyn::test::locdyn({"simulate", rough}).err.find('\x1b') == std::string::npos);
  CHECK(faults.err.find("\"bodies\" maybe, found \"bodys\"") != std::string::npos);

  const std::string scene = write(folder / "box.json", box_scene());
  const std::vector<std::pair<Words, std::string>> bad = {
      {{}, "SCENE: expected"},
      {{(folder / "none.json").string()}, "expected a scene file, found none"},
      {{scene, "--step", "0"}, "--step: expected"},
      {{scene, "--time", "-1"}, "--time: expected"},
      {{scene, "--tol", "0"}, "--tol: expected"},
      {{scene, "--threads", "0"}, "--threads: expected"},
      {{scene, "--solver", "magic"}, "magic"},
      {{scene, "--on-failure", "cry"}, "--on-failure: expected go_on, stop or halve, found cry"},
      {{scene, "--checkpoint", "every=x", "-o", (folder / "o").string()}, "--checkpoint: expected every=N"},
      {{scene, "--checkpoint", "every=5"}, "-o"},
      {{scene, "--restart", scene}, "box.json"},
      {{scene, "-o", scene}, "box.json"},
      {{scene, "--time", "1e200"}, "at most 1e12 steps"},
  };
  for (const auto& [words, part] : bad) {
    Words arguments = {"simulate"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Outcome outcome = locdyn::test::locdyn(arguments);
    const std::string expected = part;
    CAPTURE(expected);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(lines(outcome.err) == 1);
    CHECK(outcome.err.find(part) != std::string::npos);
  }
}

TEST_CASE("simulate: a step that does not converge, by each policy") {
  const ScratchFolder folder;
  const std::string scene = write(folder / "box.json", box_scene(R"(, "solver": {"max_iterations": 0})"));
  const Outcome go_on = locdyn::test::locdyn({"simulate", scene, "--json", "--on-failure", "go_on"});
  CHECK(go_on.status == 1);
  CHECK(nlohmann::json::parse(go_on.out)["steps"] == 50);
  CHECK(nlohmann::json::parse(go_on.out)["failed_steps"] > 0);
  CHECK(!nlohmann::json::parse(go_on.out)["warning"].get<std::string>().empty());
  const std::string out = folder / "out";
  const Outcome stop = locdyn::test::locdyn({"simulate", scene, "--json", "--on-failure", "stop", "-o", out});
  CHECK(stop.status == 1);
  CHECK(nlohmann::json::parse(stop.out)["steps"] < 50);
  CHECK(nlohmann::json::parse(stop.out)["failed_steps"] == 1);
  CHECK(fs::exists(out + "/checkpoint.h5"));  // what was computed is there
  CHECK(lines(stop.err) == 1);
  CHECK(stop.err.find("box.json: stopped at step 1 (t = 0.001 s): max_iterations: scaled residual") !=
        std::string::npos);
  const Outcome halve = locdyn::test::locdyn({"simulate", scene, "--json", "--on-failure", "halve", "--time", "2e-3"});
  CHECK(halve.status == 1);
  const std::string warning = nlohmann::json::parse(halve.out)["warning"];
  CHECK(warning.starts_with("done again in 8 parts after step 1"));
}

TEST_CASE("simulate: a step that parts save is told, too") {
  const ScratchFolder folder;
  // Each step is converged, saved in parts or failed, and the last two are told.
  const std::string scene = write(folder / "box.json", box_scene(R"(, "solver": {"max_iterations": 1})"));
  for (const char* policy : {"go_on", "halve"}) {
    const Outcome outcome = locdyn::test::locdyn({"simulate", scene, "--json", "--on-failure", policy});
    const auto object = nlohmann::json::parse(outcome.out);
    CHECK(object["steps"] == 50);
    const long troubled = object["failed_steps"].get<long>() + object["steps_in_parts"].get<long>();
    CHECK((troubled > 0) == !object["warning"].get<std::string>().empty());
    CHECK(outcome.status == (object["failed_steps"] == 0 ? 0 : 1));
  }
}

TEST_CASE("simulate: numbers that leave their range end the run, with all that was computed") {
  const ScratchFolder folder;
  // Nothing holds the box; the push grows with time until its velocity cannot be stepped any more.
  const std::string scene = write(folder / "box.json", box_scene(R"(, "loads": [{"body": "box", "force":
    {"times": [0, 0.02, 0.021], "values": [[0, 0, 0], [0, 0, 0], [1e308, 0, 0]]}}])"));
  const std::string out = folder / "out";
  const Outcome outcome = locdyn::test::locdyn({"simulate", scene, "--json", "-o", out});
  CHECK(outcome.status == 1);
  CHECK(lines(outcome.err) == 1);
  CHECK(outcome.err.find("box.json: stopped at step ") != std::string::npos);
  const auto object = nlohmann::json::parse(outcome.out);
  CHECK(object["steps"] == 19);  // the push sets in with the 20th
  CHECK(object["failed_steps"] == 1);
  // The state written last is that of the last whole step: it can be gone on from, up to the same end.
  const Outcome again = locdyn::test::locdyn({"simulate", scene, "--json", "--restart", out + "/checkpoint.h5"});
  CHECK(again.status == 1);
  CHECK(nlohmann::json::parse(again.out)["steps"] == 0);
  CHECK(nlohmann::json::parse(again.out)["simulated_s"] == doctest::Approx(0.019));
}

TEST_CASE("simulate and view: a mesh outside the scene's folder is refused, and read with --files-anywhere") {
  const ScratchFolder folder;
  fs::create_directory(folder / "scene");
  replace_file(folder / "mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string scene = folder / "scene/it.json";
  replace_file(scene, R"({"step": 0.001, "duration": 0.002, "bodies": [
    {"density": 6, "shape": {"type": "convex_hull", "file": "../mesh.obj"}}]})");
  for (const std::vector<std::string>& command : {
           std::vector<std::string>{"simulate", scene, "--quiet"},
#ifdef LOCDYN_WITH_VIEWER
           {"view", scene, "-o", folder / "page.html"},
#endif
       }) {
    CAPTURE(command[0]);
    const Outcome refused = locdyn::test::locdyn(command);
    CHECK(refused.status == 2);
    CHECK(lines(refused.err) == 1);
    CHECK(refused.err.find("bodies[0].shape.file: expected a file in the folder of the scene (elsewhere: "
                           "--files-anywhere") != std::string::npos);
    std::vector<std::string> asked = command;
    asked.emplace_back("--files-anywhere");
    CHECK(locdyn::test::locdyn(asked).status == 0);
  }
}

TEST_CASE("simulate: restart goes on to the same numbers") {
  const ScratchFolder folder;
  const std::string scene = write(folder / "box.json", box_scene());
  const std::string half = folder / "half";
  const auto result = [](const Outcome& outcome) {
    CHECK(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["energy_J"]["kinetic"].get<double>();
  };
  const double whole = result(locdyn::test::locdyn({"simulate", scene, "--json"}));
  result(locdyn::test::locdyn({"simulate", scene, "--json", "--time", "0.025", "-o", half}));
  CHECK(result(locdyn::test::locdyn({"simulate", scene, "--json", "--restart", half + "/checkpoint.h5"})) == whole);
}

TEST_CASE("simulate: a checkpoint that cannot be gone on from is one line that names it, status 2") {
  const ScratchFolder folder;
  const std::string scene = write(folder / "box.json", box_scene()), out = folder / "out";
  REQUIRE(locdyn::test::locdyn({"simulate", scene, "--quiet", "--time", "0.01", "-o", out}).status == 0);
  const std::pair<const char*, double> faults[] = {{"time", std::numeric_limits<double>::quiet_NaN()},
                                                   {"time", -1e300},
                                                   {"bodies", -std::numeric_limits<double>::infinity()}};
  for (const auto& [name, value] : faults) {
    const std::string what = name;
    CAPTURE(what);
    const std::string spoiled = folder / "spoiled.h5";
    fs::copy_file(out + "/checkpoint.h5", spoiled, fs::copy_options::overwrite_existing);
    spoil(spoiled, std::string("state/") + name, value);
    const Outcome outcome = locdyn::test::locdyn({"simulate", scene, "--quiet", "--restart", spoiled});
    CHECK(outcome.status == 2);
    CHECK(lines(outcome.err) == 1);
    CHECK(outcome.err.find(spoiled) != std::string::npos);
    CHECK(outcome.err.find("expected") != std::string::npos);
  }
}

TEST_CASE("simulate: an interrupt ends the run after its step, everything written, status 130") {
  const ScratchFolder folder;
  const std::string scene = write(folder / "box.json", box_scene());
  const std::string out = folder / "out", program = LOCDYN_EXECUTABLE;
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(126);
    ::execl(program.c_str(), program.c_str(), "simulate", scene.c_str(), "--time", "1e6", "-o", out.c_str(), nullptr);
    ::_exit(127);
  }
  for (int i = 0; i < 500 && text_of(out + "/energies.csv").size() < 1000; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(fs::exists(out + "/checkpoint.h5"));
  CHECK(text_of(out + "/trajectory.xdmf").find("</Xdmf>") != std::string::npos);
}

TEST_CASE("simulate: --plot draws the run's table, and refuses what it cannot draw into") {
  const ScratchFolder folder;
  const fs::path scene = write(folder / "box.json", box_scene());
  const Words run{"simulate", scene, "--quiet", "-o", folder / "run"};
  const auto with = [&](const std::string& picture) {
    Words words = run;
    words.insert(words.end(), {"--plot", picture});
    return words;
  };
  CHECK(test::locdyn(with(folder / "run.pdf")).status == 2);
  CHECK_FALSE(fs::exists(folder / "run"));
  CHECK(test::locdyn({"simulate", scene, "--quiet", "--plot", folder / "run.svg"}).status == 2);
  if (run_program("/usr/bin/python3", {"-c", "import matplotlib"}).status != 0) {
    MESSAGE("no matplotlib: nothing drawn");
    return;
  }
  CHECK(test::locdyn(with(folder / "run.svg")).status == 0);
  CHECK(text_of(folder / "run.svg").find("<svg") != std::string::npos);
  CHECK(test::locdyn(with(folder / "no" / "run.svg")).status == 2);
}

TEST_CASE("simulate --schema prints the schema") {
  const Outcome outcome = locdyn::test::locdyn({"simulate", "--schema"});
  CHECK(outcome.status == 0);
  // Unless there is a path, which has neither.
  const auto one_of = [](const char* key) {
    return nlohmann::json::parse(R"({"anyOf": [{"required": [")" + std::string(key) +
                                 R"("]}, {"required": ["kinematics"]}]})");
  };
  const auto conditions = nlohmann::json::parse(outcome.out)["allOf"];
  CHECK(std::count(conditions.begin(), conditions.end(), one_of("step")) == 1);
  CHECK(std::count(conditions.begin(), conditions.end(), one_of("duration")) == 1);
}
