// The residuals that `locdyn solve` prints against a judge that shares no line with it.

#include <doctest/doctest.h>
#include <algorithm>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include <app/program.hpp>
#include <ldy/raw_problem.hpp>

using namespace locdyn;
namespace fs = std::filesystem;

TEST_CASE("an independent judge agrees with the printed residuals") {
  const char* problems = std::getenv("LOCDYN_PROBLEMS");
  const fs::path judge = problems == nullptr ? fs::path() : fs::path(problems) / "../tools/check_solution.py";
  const std::string python = "/usr/bin/python3";
  if (!fs::exists(judge) || test::run_program(python, {"-c", "import h5py, scipy"}).status != 0) {
    std::cout << "skipped: no judge, or no Python with h5py and scipy\n";
    return;
  }
  const test::ScratchFolder folder;
  int judged = 0;
  for (const char* name :
       {"local2d/FrictionContactProblem00071", "local2d/FrictionContactProblem00394", "local3d/NESpheres_10_1",
        "local3d/OneObject-i1028-138", "local3d/Rover1039", "local3d/LMGC_100_PR_PerioBox-i00361-60-03000"}) {
    const fs::path file = fs::path(problems) / (std::string(name) + ".hdf5");
    if (!fs::exists(file)) continue;
    CAPTURE(name);
    const std::string output = folder / "solved.hdf5";
    const auto outcome =
        test::locdyn({"solve", file, "--solver", "nsgs", "--max-iterations", "50", "--json", "-o", output});
    REQUIRE(outcome.status <= 1);
    const auto printed = nlohmann::json::parse(outcome.out)["residual"];
    const auto said = test::run_program(python, {judge, output});
    CAPTURE(said.err);
    REQUIRE(said.status == 0);
    const auto found = nlohmann::json::parse(said.out);
    for (const char* measure : {"scaled", "relative", "absolute", "floor"}) {
      CAPTURE(measure);
      const double a = printed[measure].get<double>(), b = found[measure].get<double>();
      CHECK(std::abs(a - b) <= std::max(1e-13, 0.01 * b));
    }
    ++judged;
  }
  CHECK(judged > 0);
}
