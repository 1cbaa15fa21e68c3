// The real executable: every exit status, every kind of bad input, and what goes to which stream.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include <app/program.hpp>
#include <ldy/raw_problem.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>

using namespace locdyn;
using test::Outcome;
using test::RawProblem;
using test::ScratchFolder;
using test::two_contacts;
using test::Words;
namespace fs = std::filesystem;

namespace {

// Exit status 2, one line on standard error that names each of `parts`, nothing on standard output.
void check_bad(const Words& arguments, const Words& parts) {
  const Outcome outcome = test::locdyn(arguments);
  CAPTURE(arguments);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(test::lines(outcome.err) == 1);
  for (const std::string& part : parts) CHECK(outcome.err.find(part) != std::string::npos);
}

RawProblem spoiled() {
  RawProblem raw = two_contacts();
  raw.reals["fclib_local/vectors/mu"][1] = -0.5;
  return raw;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
}

}  // namespace

TEST_CASE("help and version go to standard output with status 0") {
  for (const Words& words : {Words{"--help"}, Words{"solve", "--help"}, Words{"compare", "--help"},
                             Words{"bench", "--help"}, Words{"info", "--help"}, Words{"--version"}}) {
    const Outcome outcome = test::locdyn(words);
    CHECK(outcome.status == 0);
    CHECK(!outcome.out.empty());
    CHECK(outcome.err.empty());
    CHECK(outcome.out.find("bench-run") == std::string::npos);
  }
}

TEST_CASE("the version is one line, and the libraries that run with it another") {
  const std::string told = test::locdyn({"--version"}).out;
  CHECK(test::lines(told) == 2);
  CHECK(told.find('.') < told.find('\n'));
  for (const char* library : {"with Eigen 3.", "SuiteSparse ", "HDF5 1.", "BLAS "}) {
    CAPTURE(library);
    CHECK(told.find(library) != std::string::npos);
  }
}

TEST_CASE("solve: lines for people, one JSON object, and a file that reads back") {
  const ScratchFolder folder;
  const std::string problem = folder / "problem.hdf5", output = folder / "solved.hdf5";
  two_contacts().write(problem);
  const Outcome lines = test::locdyn({"solve", problem, "--solver", "nsgs"});
  CHECK(lines.status == 0);
  CHECK(lines.out.find("converged") != std::string::npos);
  CHECK(lines.err.empty());

  const Outcome json = test::locdyn({"solve", problem, "--json", "--threads", "2", "--solver", "nsgs", "-o", output});
  CHECK(json.status == 0);
  CHECK(test::lines(json.out) == 1);
  const auto object = nlohmann::json::parse(json.out);
  for (const char* key : {"file", "contacts", "solver", "status", "iterations", "time_s", "residual", "threads"}) {
    CHECK(object.contains(key));
  }
  CHECK(object.size() == 8);
  CHECK(object["residual"].size() == 4);
  CHECK(object["file"] == problem);
  CHECK(object["contacts"] == 2);
  CHECK(object["threads"] == 2);
  CHECK(object["status"] == "converged");
  CHECK(object["residual"]["scaled"].get<double>() <= 1e-8);

  const FclibProblem solved = read_fclib(output);
  CHECK(solved.info.title == "two contacts");
  REQUIRE(solved.solution);
  CHECK(solved.solution->R[0][2] > 0);

  // The output may be the input.
  CHECK(test::locdyn({"solve", output, "-o", output, "--json"}).status == 0);
  CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("global files and bilateral rows are solved, and written in their own kind") {
  const ScratchFolder folder;
  const std::string problem = folder / "problem.hdf5", output = folder / "solved.hdf5";
  FclibGlobal global;
  global.problem.M.resize(6, 6);
  global.problem.M.setIdentity();
  global.problem.H.resize(6, 3);
  for (int row = 0; row < 3; ++row) global.problem.H.insert(row, row) = 1;
  global.problem.G.resize(6, 1);
  global.problem.G.insert(0, 0) = 1;
  global.problem.G.insert(5, 0) = -1;
  global.problem.f = Eigen::VectorXd::Constant(6, -1);
  global.problem.w = Eigen::Vector3d::Zero();
  global.problem.b = Eigen::VectorXd::Zero(1);
  global.problem.laws = {ContactLaw{.friction = 0.1}};
  write_fclib_global(problem, global);
  const Outcome lines = test::locdyn({"solve", problem, "-o", output});
  CHECK(lines.status == 0);
  CHECK(lines.out.find("global ") != std::string::npos);
  CHECK(test::locdyn({"info", problem}).out.find("from 6 velocities") != std::string::npos);
  CHECK(test::locdyn({"compare", folder.path(), "--solvers", "nsgs"}).status == 0);
  const FclibGlobal solved = read_fclib_global(output);
  REQUIRE(solved.solution);
  // It slides: r_n = 1, ‖r_t‖ = 0.1; the velocities that G ties are equal.
  CHECK(std::abs(solved.solution->R[0][2] - 1) < 1e-7);
  CHECK(std::abs(solved.solution->v[0] - solved.solution->v[5]) < 1e-12);

  // The same as a local problem with a bilateral row, which the row of a spring makes.
  FclibProblem local;
  const ConstraintId contact = local.ldy.insert(ContactLaw{.friction = 0.1});
  BilateralLaw row;
  row.block[0].rows = 1;
  const ConstraintId tie = local.ldy.insert(row);
  local.ldy.couple(contact, tie);
  local.ldy.row(contact).W.setIdentity();
  local.ldy.row(contact).B = {-1, -1, -1};
  local.ldy.row(tie).W(0, 0) = 2;
  local.ldy.find(contact, 0, tie, 0)->W(0, 0) = local.ldy.find(tie, 0, contact, 0)->W(0, 0) = 1;
  write_fclib(problem, local);
  CHECK(test::locdyn({"solve", problem, "-o", output}).status == 0);
  CHECK(test::locdyn({"info", problem}).out.find("bilateral constraint") != std::string::npos);
  const FclibProblem again = read_fclib(output);
  REQUIRE(again.solution);
  REQUIRE(again.solution->l.size() == 1);
  CHECK((again.solution->R[0] - solved.solution->R[0]).norm() < 1e-7);
  CHECK(std::abs(again.solution->l[0] - solved.solution->l[0]) < 1e-7);

  // What cannot be condensed is one line.
  global.problem.M.coeffRef(3, 3) = 0;
  write_fclib_global(problem, global);
  const Outcome singular = test::locdyn({"solve", problem});
  CHECK(singular.status == 2);
  CHECK(test::lines(singular.err) == 1);
  CHECK(singular.err.find("problem.hdf5: M: expected a regular matrix") != std::string::npos);
}

TEST_CASE("solve: of reactions that are not unique, those of least norm") {
  // One body on two contacts at the same place: R = (0, 0, 1) in all, shared as the sweeps come by it or evenly.
  const ScratchFolder folder;
  const std::string problem = folder / "problem.hdf5", output = folder / "solved.hdf5";
  FclibProblem twins;
  for (int k = 0; k < 2; ++k) twins.ldy.insert(ContactLaw{.friction = 0.5});
  twins.ldy.couple(ConstraintId{0}, ConstraintId{1});
  for (ConstraintId k{0}; k < 2; ++k) {
    twins.ldy.row(k).W.setIdentity();
    twins.ldy.find(k, 0, ConstraintId{1 - k}, 0)->W.setIdentity();
    twins.ldy.row(k).B = {0, 0, -1};
  }
  write_fclib(problem, twins);
  const Outcome lines = test::locdyn({"solve", problem, "--minimum-norm", "-o", output});
  CHECK(lines.status == 0);
  CHECK(lines.out.find("reactions   those of least norm") != std::string::npos);
  const FclibProblem solved = read_fclib(output);
  REQUIRE(solved.solution);
  CHECK(std::abs(solved.solution->R[0][2] - 0.5) < 1e-7);
  CHECK(std::abs(solved.solution->R[1][2] - 0.5) < 1e-7);
  const Outcome json = test::locdyn({"solve", problem, "--minimum-norm", "--json"});
  CHECK(nlohmann::json::parse(json.out)["minimum_norm"] == true);

  // What is no solution is not called least.
  const Outcome limited = test::locdyn({"solve", "builtin:machine", "--minimum-norm", "--max-iterations", "0"});
  CHECK(limited.status == 1);
  CHECK(limited.out.find("least norm") == std::string::npos);
}

TEST_CASE("not converged is status 1, and the best iterate is still written") {
  const ScratchFolder folder;
  const std::string problem = folder / "problem.hdf5", output = folder / "solved.hdf5";
  two_contacts().write(problem);
  const Outcome outcome = test::locdyn(
      {"solve", problem, "--solver", "nsgs", "--max-iterations", "0", "--tol", "1e-300", "--json", "-o", output});
  CHECK(outcome.status == 1);
  CHECK(nlohmann::json::parse(outcome.out)["status"] == "max_iterations");
  CHECK(read_fclib(output).solution.has_value());
  CHECK(test::locdyn({"compare", problem, "--solvers", "nsgs", "--max-iterations", "0"}).status == 1);
  CHECK(test::locdyn({"bench", problem, "--solvers", "nsgs", "--max-iterations", "0"}).status == 1);
}

TEST_CASE("zero contacts is a problem with an empty solution") {
  const ScratchFolder folder;
  write_fclib(folder / "empty.hdf5", FclibProblem{});
  const std::string output = folder / "solved.hdf5";
  const Outcome outcome = test::locdyn({"solve", folder / "empty.hdf5", "--json", "-o", output});
  CHECK(outcome.status == 0);
  CHECK(nlohmann::json::parse(outcome.out)["contacts"] == 0);
  CHECK(read_fclib(output).solution->R.empty());
  CHECK(test::locdyn({"info", folder / "empty.hdf5"}).status == 0);
  CHECK(test::locdyn({"compare", folder / "empty.hdf5"}).status == 0);
}

TEST_CASE("bad usage is status 2 and one line") {
  const ScratchFolder folder;
  const std::string problem = folder / "problem.hdf5";
  two_contacts().write(problem);
  check_bad({}, {"A subcommand"});
  check_bad({"dance"}, {"dance"});
  // Only what this build has is offered.
#ifdef LOCDYN_WITH_VIEWER
  check_bad({"dance"}, {"simulate or view, found dance"});
#else
  check_bad({"view", problem}, {"bench or simulate, found view"});
#endif
  check_bad({"solve"}, {"FILE"});
  check_bad({"compare"}, {"WHAT"});
  check_bad({"solve", problem, "--frobnicate"}, {"--frobnicate"});
  check_bad({"solve", problem, "--solver", "magic"}, {"magic", "nsgs"});
  check_bad({"compare", problem, "--solvers", "nsgs,magic"}, {"magic", "nsgs"});
  check_bad({"solve", problem, "--measure", "weight"}, {"--measure", "weight"});
  for (const char* subcommand : {"solve", "compare", "bench"}) {
    for (const char* bad : {"0", "-1", "nan", "inf", "x", ""}) {
      check_bad({subcommand, problem, std::string("--tol=") + bad}, {"--tol"});
    }
    check_bad({subcommand, problem, "--threads=0"}, {"--threads"});
    check_bad({subcommand, problem, "--threads=100000"}, {"--threads"});
    check_bad({subcommand, problem, "--without", "simplex"}, {"without", "simplex", "newton"});
    check_bad({subcommand, problem, "--facets=2"}, {"--facets", "2"});
    check_bad({subcommand, problem, "--max-iterations=-1"}, {"--max-iterations"});
    for (const char* bad : {"0", "-1", "nan"}) {
      check_bad({subcommand, problem, std::string("--max-time=") + bad}, {"--max-time"});
    }
  }
  check_bad({"info", problem, "--spy", folder / "pattern.gif"}, {"--spy", ".png"});
  check_bad({"bench", problem, "--plot", folder / "profiles.gif"}, {"--plot", ".png"});
  check_bad({"compare", problem, "--plot", folder / "profiles.gif"}, {"--plot", ".png"});
  check_bad({"bench", problem, "--peers", "magic"}, {"--peers", "siconos", "magic"});
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("unreadable input is status 2 and one line that names the file") {
  const ScratchFolder folder;
  spoiled().write(folder / "bad.hdf5");
  replace_file(folder / "text.hdf5", "no problem\n");
  fs::create_directory(folder / "empty");
  for (const char* subcommand : {"info", "solve", "compare", "bench"}) {
    check_bad({subcommand, folder / "missing.hdf5"}, {"missing.hdf5"});
    check_bad({subcommand, folder / "bad.hdf5"}, {"bad.hdf5", "mu", "-0.5"});
    check_bad({subcommand, folder / "text.hdf5"}, {"text.hdf5", "HDF5"});
    check_bad({subcommand, folder / "empty"}, {"empty", "folder"});
    check_bad({subcommand, "/dev/null"}, {"/dev/null"});
    check_bad({subcommand, "builtin:castle"}, {"castle"});
    check_bad({subcommand, "builtin:wall:-3"}, {"-3"});
    check_bad({subcommand, ""}, {"problem: expected", "empty"});
    check_bad({subcommand, std::string(5000, 'x')}, {"xxx", ": expected a problem file", "found no"});
  }
}

TEST_CASE("output that cannot be written is status 2, after the result, and leaves nothing behind") {
  const ScratchFolder folder;
  const std::string problem = folder / "problem.hdf5";
  two_contacts().write(problem);
  for (const std::string& output :
       {(folder / "missing/out.hdf5").string(), folder.path().string(), std::string("/dev/full")}) {
    CAPTURE(output);
    const Outcome solve = test::locdyn({"solve", problem, "--json", "-o", output});
    CHECK(solve.status == 2);
    CHECK(nlohmann::json::parse(solve.out)["status"] == "converged");
    CHECK(test::lines(solve.err) == 1);
    CHECK(solve.err.find(output) != std::string::npos);
    CHECK(test::locdyn({"bench", problem, "--solvers", "nsgs", "-o", output}).status == 2);
  }
  const std::string chain = folder / "chain.hdf5";
  // Bilateral rows can be: as V, R and s, and are read again.
  CHECK(test::locdyn({"solve", "builtin:chain", "-o", chain}).status == 0);
  CHECK(test::locdyn({"solve", chain}).status == 0);
  CHECK(files_in(folder.path()) == 2);

  CHECK(test::locdyn({"solve", problem, "--json"}, {.out_file = "/dev/full", .file_size = 0}).status == 2);
  CHECK(test::locdyn({"compare", problem, "--solvers", "nsgs"}, {.out_file = "/dev/full", .file_size = 0}).status == 2);
}

TEST_CASE("a disk that fills up: no part of the output stays, the old file is whole") {
  const ScratchFolder folder;
  const std::string problem = folder / "problem.hdf5", output = folder / "solved.hdf5";
  two_contacts().write(problem);
  replace_file(output, "what was there");
  // LLVM's OpenMP begins with a file of 1024 bytes.
  const Outcome full = test::locdyn({"solve", problem, "--json", "-o", output}, {.out_file = {}, .file_size = 1500});
  CHECK(full.status == 2);
  CHECK(test::lines(full.err) == 1);
  CHECK(fs::file_size(output) == 14);
  CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("compare does all that can be done, in order of name, and says what to use") {
  const ScratchFolder folder;
  fs::create_directories(folder / "set/deeper");
  two_contacts().write(folder / "set/b.hdf5");
  two_contacts().write(folder / "set/a.hdf5");
  two_contacts().write(folder / "set/deeper/c.hdf5");
  spoiled().write(folder / "set/spoiled.hdf5");
  replace_file(folder / "set/notes.txt", "not a problem");
  const Outcome outcome =
      test::locdyn({"compare", folder / "set", folder / "missing", folder / "set/a.hdf5", "--solvers", "nsgs,auto"});
  CHECK(outcome.status == 2);
  CHECK(test::lines(outcome.err) == 2);
  CHECK(outcome.err.find("missing") != std::string::npos);
  CHECK(outcome.err.find("spoiled.hdf5") != std::string::npos);
  const auto at = [&](const char* text) { return outcome.out.find(text); };
  REQUIRE(at("\ndeeper/c ") != std::string::npos);
  CHECK(at("\na ") < at("\nb "));
  CHECK(at("\nb ") < at("\ndeeper/c "));
  CHECK(at("\ndeeper/c ") < at("\na (2) "));
  CHECK(at("auto, the default") != std::string::npos);

  const Outcome fine = test::locdyn({"compare", folder / "set/deeper", "--solvers", "nsgs"});
  CHECK(fine.status == 0);
  CHECK(fine.err.empty());
}

TEST_CASE("a built-in scene is solved, compared and described") {
  CHECK(test::locdyn({"solve", "builtin:wall:20", "--tol", "1e-3"}).status == 0);
  CHECK(test::locdyn({"compare", "builtin:wall:20", "--solvers", "nsgs", "--tol", "1e-3"}).status == 0);
  const Outcome info = test::locdyn({"info", "builtin:wall:20"});
  CHECK(info.status == 0);
  CHECK(info.out.find("rank") != std::string::npos);
}

TEST_CASE("info says what a file holds") {
  const ScratchFolder folder;
  RawProblem raw = two_contacts();
  raw.texts["fclib_local/info/description"] = "\xa8 two\nlines\x1b[2J";
  raw.write(folder / "problem.hdf5");
  const Outcome info = test::locdyn({"info", folder / "problem.hdf5"});
  CHECK(info.status == 0);
  for (const char* part :
       {"contacts     2\n", "2 diagonal, 2 off-diagonal", "friction     0.3 to 0.6", "rank         6 of 6"}) {
    CHECK(info.out.find(part) != std::string::npos);
  }
  CHECK(info.out.find('\x1b') == std::string::npos);
}

TEST_CASE("bench keeps machine, settings and every run, and draws profiles") {
  const ScratchFolder folder;
  two_contacts().write(folder / "a.hdf5");
  spoiled().write(folder / "b.hdf5");
  const std::string json = folder / "runs.json";
  const Outcome outcome = test::locdyn({"bench", folder.path(), "--solvers", "nsgs,auto", "-o", json});
  CHECK(outcome.status == 2);
  CHECK(test::lines(outcome.err) == 1);
  std::ifstream in(json);
  const auto report = nlohmann::json::parse(in);
  CHECK(report["runs"].size() == 2);
  CHECK(report["unreadable"].size() == 1);
  CHECK(report["interrupted"] == false);
  CHECK(report["settings"]["threads"] == 1);
  CHECK(!report["machine"]["processor"].get<std::string>().empty());
  CHECK(!report["build"]["compiler"].get<std::string>().empty());
  for (const auto& run : report["runs"]) {
    CHECK(run["status"] == "converged");
    CHECK(run["time_s"].get<double>() > 0);
    CHECK(run["residual"]["scaled"].get<double>() <= 1e-8);
  }

  if (test::run_program("/usr/bin/python3", {"-c", "import matplotlib"}).status != 0) {
    MESSAGE("no matplotlib: plots not drawn");
    return;
  }
  const std::string pattern = folder / "pattern.svg";
  CHECK(test::locdyn({"info", folder / "a.hdf5", "--spy", pattern}).status == 0);
  CHECK(std::filesystem::file_size(pattern) > 1000);
  const std::string plot = folder / "profiles.svg";
  for (const char* subcommand : {"bench", "compare"}) {
    const Outcome drawn = test::locdyn({subcommand, folder / "a.hdf5", "--solvers", "nsgs,auto", "--plot", plot});
    CAPTURE(drawn.err);
    CHECK(drawn.status == 0);
    std::ifstream drawing(plot);
    const std::string svg{std::istreambuf_iterator<char>(drawing), {}};
    CHECK(svg.find("<svg") != std::string::npos);
    std::filesystem::remove(plot);
  }
}
