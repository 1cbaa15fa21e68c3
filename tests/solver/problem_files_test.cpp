// Real problem files, where LOCDYN_PROBLEMS points to them: the default solver, and an honest report.

#include <doctest/doctest.h>

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/solver/auto.hpp>
#include <locdyn/solver/global/global_condensation.hpp>
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

// The scaled residual of a global problem from M, H, f and w alone: M by an LU of its own, ρ from its own Hᵀ M⁻¹ H.
double global_residual(const GlobalProblem& problem, const Eigen::VectorXd& r) {
  const Eigen::SparseLU<GlobalProblem::Matrix> lu(problem.M);
  const Eigen::VectorXd v = lu.solve(Eigen::VectorXd(problem.H * r + problem.f));
  const Eigen::VectorXd u = problem.H.transpose() * v + problem.w;
  const Eigen::VectorXd q = problem.H.transpose() * Eigen::VectorXd(lu.solve(problem.f)) + problem.w;
  double sum = 0;
  for (std::size_t contact = 0; contact < problem.laws.size(); ++contact) {
    const auto at = static_cast<Eigen::Index>(3 * contact);
    const Eigen::MatrixXd H = problem.H.middleCols(at, 3);
    const double trace = (H.transpose() * lu.solve(H)).trace();
    const auto& law = std::get<ContactLaw>(problem.laws[contact]);
    const double rho = (law.planar ? 2 : 3) / trace;
    Eigen::Vector3d U = u.segment<3>(at);
    U[2] += law.friction * U.head<2>().norm();
    const Eigen::Vector3d R = r.segment<3>(at), z = R - rho * U;
    // The projection on ‖R_t‖ ≤ μ R_n, region by region.
    const double slip = z.head<2>().norm(), mu = law.friction;
    Eigen::Vector3d p = z;
    if (mu * slip <= -z[2]) {
      p.setZero();
    } else if (slip > mu * z[2]) {
      p[2] = (z[2] + mu * slip) / (1 + mu * mu);
      p.head<2>() *= mu * p[2] / slip;
    }
    sum += (R - p).squaredNorm() / (rho * rho);
  }
  return problem.laws.empty() ? 0 : std::sqrt(sum) / q.norm();
}

}  // namespace

TEST_CASE("files: global problems, judged by their own equations") {
  const fs::path folder = problem_folder();
  if (folder.empty() || !fs::is_directory(folder / "global")) return;
  int solved = 0;
  for (const auto& entry : fs::directory_iterator(folder / "global")) {
    if (entry.path().extension() != ".hdf5") continue;
    const FclibGlobal read = read_fclib_global(entry.path());
    GlobalCondensation condensed(read.problem);
    LocalDynamics ldy = std::move(condensed.graph());
    if (const auto factor = condensed.factor()) ldy.set_factor(*factor);
    solve_and_check(entry.path(), ldy, 1e-8);
    const GlobalSolution solution = condensed.recover(ldy);
    CHECK(global_residual(read.problem, solution.r) <= 1.1e-8);
    CHECK(condensed.judge(ldy, solution).scaled <= 1.1e-8);
    CHECK(condensed.judge(ldy, solution).dynamics <= 1e-12);
    ++solved;
  }
  MESSAGE(solved, " global files");
  CHECK(solved > 0);
}

TEST_CASE("files: a wall of bodies condenses to a sparse W with its factors") {
  const fs::path folder = problem_folder();
  const fs::path file = folder / "big_global/B_wall_n11360_s40.hdf5";
  if (folder.empty() || !fs::exists(file)) return;
  const FclibGlobal read = read_fclib_global(file);
  GlobalCondensation condensed(read.problem);
  CHECK(condensed.graph().constraint_count() == 11360);
  CHECK(condensed.components() == 1458);
  CHECK(condensed.graph().off_diagonal_count() < 30 * 11360);
  const auto factor = condensed.factor();
  REQUIRE(factor);
  CHECK(factor->first_inertia.size() == 1459);
}

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
