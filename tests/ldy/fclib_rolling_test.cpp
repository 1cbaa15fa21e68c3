// The group fclib_local_rolling: five rows a contact, moments in N m in the file and over ℓ in the graph.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string>

#include <ldy/fclib_fault.hpp>
#include <ldy/raw_problem.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/ldy/residual.hpp>

using namespace locdyn;
using test::RawProblem;
using test::ScratchFolder;
namespace fs = std::filesystem;

namespace {

// Two contacts, n, t1, t2, m1, m2 each, triplets. tr W_ff/3 = 3 and tr W_mm/2 = 12 of the first: ℓ = 1/2; of the second
// 12 and 3: ℓ = 2.
RawProblem rolling_contacts() {
  RawProblem raw;
  const std::string g = "fclib_local_rolling";
  raw.groups = {g, g + "/W", g + "/vectors", g + "/info"};
  raw.integers = {{g + "/spacedim", {5}},
                  {g + "/W/m", {10}},
                  {g + "/W/n", {10}},
                  {g + "/W/nz", {13}},
                  {g + "/W/nzmax", {13}},
                  {g + "/W/i", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 4, 3}},
                  {g + "/W/p", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 1, 9}}};
  raw.reals = {{g + "/W/x", {2, 3, 4, 10, 14, 12, 12, 12, 3, 3, -1, -1, 0.5}},
               {g + "/vectors/q", {-1, 0.1, 0.2, 0.3, 0.4, -2, 0.5, 0.6, 0.7, 0.8}},
               {g + "/vectors/mu", {0.3, 0.6}},
               {g + "/vectors/mu_r", {0.01, 0.02}}};
  raw.texts = {{g + "/info/title", "rolling"}};
  return raw;
}

}  // namespace

TEST_CASE("rolling: rows go to two blocks, moments over the length of the contact") {
  const ScratchFolder folder;
  rolling_contacts().write(folder / "problem.hdf5");
  FclibProblem problem = read_fclib(folder / "problem.hdf5");
  LocalDynamics& ldy = problem.ldy;
  REQUIRE(ldy.constraint_count() == 2);
  CHECK(ldy.row_count() == 4);
  CHECK(problem.spacedim == 3);
  const auto& first = std::get<RollingLaw>(ldy.law(ConstraintId{0}));
  CHECK(first.friction == 0.3);
  CHECK(first.rolling == 0.01);
  CHECK(first.torsional == 0);
  CHECK(first.length == 0.5);
  CHECK(std::get<RollingLaw>(ldy.law(ConstraintId{1})).length == 2);
  Eigen::Matrix3d force = Eigen::Vector3d(3, 4, 2).asDiagonal(), moment = Eigen::Vector3d(2.5, 3.5, 0).asDiagonal();
  CHECK(ldy.row(ConstraintId{0}, 0).W == force);
  CHECK(ldy.row(ConstraintId{0}, 1).W == moment);
  CHECK(ldy.row(ConstraintId{0}, 0).B == Eigen::Vector3d(0.1, 0.2, -1));
  CHECK(ldy.row(ConstraintId{0}, 1).B == Eigen::Vector3d(0.15, 0.2, 0));
  CHECK(ldy.row(ConstraintId{1}, 1).B == Eigen::Vector3d(1.4, 1.6, 0));
  CHECK(ldy.find(ConstraintId{0}, 0, ConstraintId{0}, 1)->W(0, 1) == -0.5);  // t1 with m2
  CHECK(ldy.find(ConstraintId{0}, 1, ConstraintId{0}, 0)->W(1, 0) == -0.5);
  CHECK(ldy.find(ConstraintId{0}, 1, ConstraintId{1}, 1)->W(0, 1) ==
        0.5);  // m1 of the first with m2 of the second: both lengths
  CHECK(ldy.find(ConstraintId{1}, 1, ConstraintId{0}, 1)->W.isZero(0));
  // The same scale for forces and moments.
  CHECK(row_scale(ldy.row(ConstraintId{0}, 0).W, kRowsAll) == row_scale(ldy.row(ConstraintId{0}, 1).W, kRowsRolling));
}

TEST_CASE("rolling: problem, solution and guesses come back in the file's own units") {
  const ScratchFolder folder;
  rolling_contacts().write(folder / "problem.hdf5");
  FclibProblem problem = read_fclib(folder / "problem.hdf5");
  for (ConstraintId id{0}; id < 2; ++id) {
    problem.ldy.row(id, 0).R = {1, 2, 3};
    problem.ldy.row(id, 1).R = {4, 5, 0};
  }
  problem.solution = solution_of(problem.ldy);
  REQUIRE(problem.solution->R.size() == 4);
  CHECK(problem.solution->R[1] == Eigen::Vector3d(2, 2.5, 0));  // ℓ = 1/2: M = ℓ times the graph's
  CHECK(problem.solution->R[3] == Eigen::Vector3d(8, 10, 0));
  // t1: 0.1 + 3 · 1 − 1 · 2.5 of the moment about t2.
  CHECK((problem.solution->U[0] - Eigen::Vector3d(0.6, 8.2, 5)).norm() < 1e-14);
  // Spin about t1: 0.3 + 10 · 2 + 0.5 · 10; about t2: 0.4 + 14 · 2.5 − 1 · 1.
  CHECK((problem.solution->U[1] - Eigen::Vector3d(25.3, 34.4, 0)).norm() < 1e-13);
  problem.guesses = {*problem.solution};
  write_fclib(folder / "again.hdf5", problem);
  const FclibProblem again = read_fclib(folder / "again.hdf5");
  REQUIRE(again.ldy.row_count() == 4);
  CHECK(again.info.title == "rolling");
  CHECK(again.solution->R == problem.solution->R);
  CHECK(again.guesses.front().U == problem.solution->U);
  for (std::size_t k = 0; k < 4; ++k) {  // lengths that are powers of two scale exactly
    CHECK(again.ldy.diagonal_arena()[k].W == problem.ldy.diagonal_arena()[k].W);
    CHECK(again.ldy.diagonal_arena()[k].B == problem.ldy.diagonal_arena()[k].B);
  }
  CHECK(std::get<RollingLaw>(again.ldy.law(ConstraintId{1})).rolling == 0.02);
}

TEST_CASE("rolling: bad files are named in one line") {
  const std::string g = "fclib_local_rolling";
  for (const auto& [name, values] : rolling_contacts().integers) {
    RawProblem without = rolling_contacts();
    without.integers.erase(name);
    check_fault(without, {name, "nothing"});
  }
  for (const auto& [name, values] : rolling_contacts().reals) {
    RawProblem without = rolling_contacts();
    without.reals.erase(name);
    check_fault(without, {name, "nothing"});
  }
  RawProblem raw = rolling_contacts();
  raw.integers[g + "/spacedim"] = {3};
  check_fault(raw, {"spacedim", "5", "3"});
  raw = rolling_contacts();
  raw.reals[g + "/vectors/mu_r"] = {0.01, -0.02};
  check_fault(raw, {"mu_r", "at least 0", "contact 1"});
  raw.reals[g + "/vectors/mu_r"] = {0.01, 1e9};
  check_fault(raw, {"mu_r", "at most 1e6"});
  raw.reals[g + "/vectors/mu_r"] = {0.01};
  check_fault(raw, {"mu_r", "2", "1"});
  raw.reals[g + "/vectors/mu_r"] = {0.01, std::numeric_limits<double>::infinity()};
  check_fault(raw, {"mu_r", "finite"});
  raw = rolling_contacts();
  raw.integers[g + "/W/m"] = raw.integers[g + "/W/n"] = {12};
  check_fault(raw, {"W/m", "multiple", "12"});
}

TEST_CASE("rolling: what a file cannot hold is refused before anything is written") {
  const ScratchFolder folder;
  const auto refused = [&](const Law& law, const Law* other = nullptr) -> std::string {
    FclibProblem problem;
    problem.ldy.insert(law);
    if (other != nullptr) problem.ldy.insert(*other);
    try {
      write_fclib(folder / "never.hdf5", problem);
    } catch (const std::invalid_argument& fault) {
      return fault.what();
    }
    return "";
  };
  CHECK(refused(RollingLaw{.torsional = 0.1}).find("torsional") != std::string::npos);
  CHECK(refused(EllipticLaw{.friction = {0.1, 0.2}}).find("elliptic") != std::string::npos);
  CHECK(refused(CompliantLaw{.friction = 0.5, .give = {0, 0, 1e-3}}).find("found a compliant contact") !=
        std::string::npos);
  const Law contact = ContactLaw{};
  CHECK(refused(RollingLaw{.moment_rows = kRowsRolling}, &contact).find("one kind") != std::string::npos);
  CHECK(!fs::exists(folder / "never.hdf5"));
}
