// Real problem files, where LOCDYN_PROBLEMS points to them: the default solver, and an honest report.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/solver/auto.hpp>
#include <string>
#include <vector>

using namespace locdyn;
namespace fs = std::filesystem;

namespace {

// The folder of problems, or an empty path and a line that says so.
fs::path problem_folder() {
  const char* folder = std::getenv("LOCDYN_PROBLEMS");
  if (folder != nullptr && fs::is_directory(folder)) return folder;
  std::cout << "skipped: LOCDYN_PROBLEMS is not set\n";
  return {};
}

// Solves to `tolerance` and checks what is reported against the judge.
void solve_and_check(const fs::path& file, LocalDynamics& ldy, double tolerance) {
  const std::string name = file.stem().string();
  CAPTURE(name);
  AutoOptions options;
  options.stop.tolerance = tolerance;
  options.stop.max_seconds = 30;
  const SolveReport report = solve_auto(ldy, options);
  const Residual judged = evaluate_residual(ldy);
  MESSAGE(name, ", ", ldy.constraint_count(), " contacts: ", std::string(to_string(report.status)), " by ",
          report.solver, ", ", report.iterations, " iterations, ", report.seconds, " s, scaled ",
          report.residual.scaled, ", floor ", report.residual.floor);
  CHECK(report.status == SolveStatus::converged);
  CHECK(report.residual.scaled == judged.scaled);
  CHECK(report.residual.relative == judged.relative);
  CHECK(report.residual.absolute == judged.absolute);
  CHECK(report.residual.floor == judged.floor);
  CHECK(judged.scaled <= std::max(tolerance, judged.floor));
  // A floor as high as the tolerance would make anything pass.
  CHECK(judged.scaled <= 10 * tolerance);
}

}  // namespace

TEST_CASE("files: every local problem below 20 contacts is solved to 1e-8") {
  const fs::path folder = problem_folder();
  if (folder.empty()) return;
  std::vector<fs::path> files;
  for (const char* part : {"local2d", "local3d"}) {
    if (!fs::is_directory(folder / part)) continue;
    for (const auto& entry : fs::directory_iterator(folder / part)) {
      if (entry.path().extension() == ".hdf5") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  int solved = 0;
  for (const fs::path& file : files) {
    if (fs::file_size(file) > 500'000) continue;  // 20 contacts make 30 kB, beside what else a file may hold
    FclibProblem problem = read_fclib(file);
    if (problem.ldy.constraint_count() >= 20) continue;
    solve_and_check(file, problem.ldy, 1e-8);
    ++solved;
  }
  MESSAGE(solved, " files below 20 contacts");
  CHECK(solved > 0);
}

TEST_CASE("files: local problems with rolling friction") {
  const fs::path folder = problem_folder();
  if (folder.empty() || !fs::is_directory(folder / "rolling")) return;
  int solved = 0;
  for (const char* name : {"RFC3D_cube_1", "RFC3D_sphere_1", "rfc3d_sphere_from_grfc3d",
                           "rfc3d_sphere_from_grfc3d_dense", "rockfall_14_25792"}) {
    const fs::path file = folder / "rolling" / (std::string(name) + ".hdf5");
    if (!fs::exists(file)) continue;
    FclibProblem problem = read_fclib(file);
    solve_and_check(file, problem.ldy, 1e-10);
    ++solved;
  }
  MESSAGE(solved, " files with rolling friction");
  CHECK(solved > 0);
}

TEST_CASE("files: a handful of larger ones") {
  const fs::path folder = problem_folder();
  if (folder.empty()) return;
  for (const char* name :
       {"local2d/fc2d_granularflowonwall_00667_00000", "local3d/KaplasTower-i1061-4", "local3d/Capsules-i100-889",
        "local3d/LMGC_100_PR_PerioBox-i00361-60-03000", "big/B_wall_n600_s20", "big/B_pyramid_n580_s20"}) {
    const fs::path file = folder / (std::string(name) + ".hdf5");
    if (!fs::exists(file)) continue;
    const FclibProblem problem = read_fclib(file);
    for (const double tolerance : {1e-4, 1e-8}) {
      LocalDynamics ldy = problem.ldy;
      solve_and_check(file, ldy, tolerance);
    }
  }
}
