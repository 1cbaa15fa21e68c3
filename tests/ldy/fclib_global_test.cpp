// The groups fclib_global and fclib_global_rolling: M, H, G, f, w, b.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string>

#include <ldy/raw_problem.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>

using namespace locdyn;
using test::RawProblem;
using test::ScratchFolder;
namespace fs = std::filesystem;

namespace {

// Four velocities, d rows of one contact, one bilateral row; M in triplets with a place twice, H in columns, G in rows.
RawProblem global_problem(int d) {
  RawProblem raw;
  const std::string g = d == 5 ? "fclib_global_rolling" : "fclib_global";
  raw.groups = {g, g + "/M", g + "/H", g + "/G", g + "/vectors", g + "/info"};
  std::vector<int> pointers = {0}, rows;
  std::vector<double> entries, w;
  for (int k = 0; k < d; ++k) {
    rows.push_back(k % 4);
    entries.push_back(k + 1);
    w.push_back(0.1 * (k + 1));
    pointers.push_back(k + 1);
  }
  raw.integers = {{g + "/spacedim", {d}},
                  {g + "/M/m", {4}},
                  {g + "/M/n", {4}},
                  {g + "/M/nz", {6}},
                  {g + "/M/nzmax", {6}},
                  {g + "/M/i", {0, 1, 2, 3, 0, 0}},
                  {g + "/M/p", {0, 1, 2, 3, 0, 1}},
                  {g + "/H/m", {4}},
                  {g + "/H/n", {d}},
                  {g + "/H/nz", {-1}},
                  {g + "/H/nzmax", {d}},
                  {g + "/H/p", pointers},
                  {g + "/H/i", rows},
                  {g + "/G/m", {4}},
                  {g + "/G/n", {1}},
                  {g + "/G/nz", {-2}},
                  {g + "/G/nzmax", {2}},
                  {g + "/G/p", {0, 0, 1, 1, 2}},
                  {g + "/G/i", {0, 0}}};
  raw.reals = {{g + "/M/x", {1, 2, 3, 4, 0.5, 0.25}},
               {g + "/H/x", entries},
               {g + "/G/x", {1, -1}},
               {g + "/vectors/f", {1, 2, 3, 4}},
               {g + "/vectors/w", w},
               {g + "/vectors/b", {0.5}},
               {g + "/vectors/mu", {0.3}}};
  if (d == 5) raw.reals[g + "/vectors/mu_r"] = {0.01};
  raw.texts = {{g + "/info/title", "global"}};
  return raw;
}

// Eigen 3.4 takes no norm of a matrix without rows or columns.
bool same_matrix(const Eigen::SparseMatrix<double>& a, const Eigen::SparseMatrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.size() == 0 || (a - b).norm() == 0);
}

FclibGlobal read_back(const RawProblem& raw) {
  const ScratchFolder folder;
  raw.write(folder / "problem.hdf5");
  CHECK(fclib_kind(folder / "problem.hdf5") == FclibKind::global);
  return read_fclib_global(folder / "problem.hdf5");
}

void check_global_fault(const RawProblem& raw, std::initializer_list<std::string> parts) {
  const ScratchFolder folder;
  raw.write(folder / "problem.hdf5");
  std::string line;
  try {
    (void)read_fclib_global(folder / "problem.hdf5");
  } catch (const FileError& fault) {
    line = fault.what();
  }
  CAPTURE(line);
  CHECK(!line.empty());
  CHECK(line.find('\n') == std::string::npos);
  for (const std::string& part : parts) CHECK(line.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("global file: matrices, with n of each contact last") {
  const FclibGlobal read = read_back(global_problem(3));
  CHECK(read.spacedim == 3);
  CHECK(read.info.title == "global");
  const GlobalProblem& problem = read.problem;
  CHECK(problem.M.coeff(0, 0) == 1.5);
  CHECK(problem.M.coeff(0, 1) == 0.25);
  CHECK(problem.M.coeff(1, 0) == 0);
  REQUIRE(problem.H.cols() == 3);
  CHECK(problem.H.coeff(0, 2) == 1);
  CHECK(problem.H.coeff(1, 0) == 2);
  CHECK(problem.H.coeff(2, 1) == 3);
  CHECK(problem.w == Eigen::Vector3d(0.2, 0.1 * 3, 0.1));
  CHECK(problem.G.coeff(1, 0) == 1);
  CHECK(problem.G.coeff(3, 0) == -1);
  CHECK(problem.b[0] == 0.5);
  CHECK(problem.f == Eigen::Vector4d(1, 2, 3, 4));
  CHECK(std::get<ContactLaw>(problem.laws.front()).friction == 0.3);
  CHECK_NOTHROW(problem.validate());
}

TEST_CASE("global file: planar and rolling contacts have their own rows") {
  const GlobalProblem planar = read_back(global_problem(2)).problem;
  REQUIRE(planar.H.cols() == 3);
  CHECK(planar.H.coeff(0, 2) == 1);
  CHECK(planar.H.coeff(1, 0) == 2);
  CHECK(planar.H.col(1).nonZeros() == 0);
  CHECK(std::get<ContactLaw>(planar.laws.front()).planar);
  const FclibGlobal rolling = read_back(global_problem(5));
  CHECK(rolling.spacedim == 3);
  REQUIRE(rolling.problem.H.cols() == 6);
  CHECK(rolling.problem.H.coeff(3, 3) == 4);
  CHECK(rolling.problem.H.coeff(0, 4) == 5);
  CHECK(rolling.problem.H.col(5).nonZeros() == 0);
  const auto& law = std::get<RollingLaw>(rolling.problem.laws.front());
  CHECK(law.rolling == 0.01);
  CHECK(law.length == 1);
  CHECK_NOTHROW(rolling.problem.validate());
}

TEST_CASE("global file: problem, solution and guesses come back") {
  for (const int d : {2, 3, 5}) {
    CAPTURE(d);
    FclibGlobal read = read_back(global_problem(d));
    const std::size_t blocks = d == 5 ? 2 : 1;
    FclibSolution solution;
    for (std::size_t k = 0; k < blocks; ++k) {
      solution.U.emplace_back(1, d == 2 ? 0 : 2, k == 0 ? 3 : 0);
      solution.R.emplace_back(4, d == 2 ? 0 : 5, k == 0 ? 6 : 0);
    }
    solution.v = Eigen::Vector4d(1, 2, 3, 4);
    solution.l = Eigen::VectorXd::Constant(1, 7);
    read.solution = solution;
    read.guesses = {solution};
    const ScratchFolder folder;
    write_fclib_global(folder / "again.hdf5", read);
    const FclibGlobal again = read_fclib_global(folder / "again.hdf5");
    CHECK(again.spacedim == read.spacedim);
    CHECK(same_matrix(again.problem.M, read.problem.M));
    CHECK(same_matrix(again.problem.H, read.problem.H));
    CHECK(same_matrix(again.problem.G, read.problem.G));
    CHECK(again.problem.f == read.problem.f);
    CHECK(again.problem.w == read.problem.w);
    CHECK(again.problem.b == read.problem.b);
    CHECK(again.problem.laws.size() == 1);
    CHECK(again.info.title == "global");
    REQUIRE(again.solution);
    CHECK(again.solution->R == solution.R);
    CHECK(again.solution->v == solution.v);
    CHECK(again.solution->l == solution.l);
    CHECK(again.guesses.size() == 1);
    read.solution->v.resize(3);
    CHECK_THROWS_WITH_AS(write_fclib_global(folder / "never.hdf5", read), doctest::Contains("v of 4"),
                         std::invalid_argument);
  }
}

TEST_CASE("global file: what a file cannot hold is refused") {
  const ScratchFolder folder;
  FclibGlobal read = read_back(global_problem(3));
  read.problem.laws.front() = ContactLaw{.friction = 0.3, .shift = {0, 0, 1}};
  CHECK_THROWS_WITH_AS(write_fclib_global(folder / "never.hdf5", read), doctest::Contains("contact 0"),
                       std::invalid_argument);
  read = read_back(global_problem(3));
  read.spacedim = 2;
  CHECK_THROWS_AS(write_fclib_global(folder / "never.hdf5", read), std::invalid_argument);
  read.spacedim = 4;
  CHECK_THROWS_WITH_AS(write_fclib_global(folder / "never.hdf5", read), doctest::Contains("spacedim"),
                       std::invalid_argument);
  CHECK(!fs::exists(folder / "never.hdf5"));
}

TEST_CASE("global file: bad files are named in one line") {
  for (const int d : {2, 3, 5}) {
    const RawProblem good = global_problem(d);
    for (const auto& [name, values] : good.integers) {
      RawProblem raw = good;
      raw.integers.erase(name);
      check_global_fault(raw, {name, "nothing"});
      raw = good;
      raw.integers[name].push_back(0);
      check_global_fault(raw, {name});
      raw = good;
      raw.integers[name].back() = -7;
      check_global_fault(raw, {name, "-7"});
      raw = good;
      if (name.ends_with("M/nzmax")) continue;  // of triplets, more places than are used
      raw.integers[name].back() = 2'000'000'000;
      check_global_fault(raw, {"expected"});
    }
    for (const auto& [name, values] : good.reals) {
      RawProblem raw = good;
      raw.reals.erase(name);
      check_global_fault(raw, {name, "nothing"});
      raw = good;
      raw.reals[name].push_back(1);
      check_global_fault(raw, {name});
      raw = good;
      raw.reals[name].pop_back();
      check_global_fault(raw, {name});
      for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        raw = good;
        raw.reals[name].back() = bad;
        check_global_fault(raw, {name, "finite"});
      }
    }
  }
  const std::string g = "fclib_global";
  RawProblem raw = global_problem(3);
  raw.integers[g + "/M/n"] = {5};
  check_global_fault(raw, {"M", "square", "4 by 5"});
  raw = global_problem(3);
  raw.integers[g + "/H/m"] = {5};
  check_global_fault(raw, {"H", "4 rows", "5"});
  raw = global_problem(3);
  raw.integers[g + "/spacedim"] = {2};
  check_global_fault(raw, {"H/n", "multiple", "3"});
  raw = global_problem(3);  // triplets claim what they like: no memory is taken for it
  raw.integers[g + "/M/m"] = raw.integers[g + "/M/n"] = raw.integers[g + "/H/m"] = {2'000'000'000};
  check_global_fault(raw, {"vectors/f", "2000000000", "4"});
  raw = global_problem(3);
  raw.integers[g + "/H/nz"] = {3};
  raw.integers[g + "/H/p"] = {0, 1, 2};
  raw.integers[g + "/H/n"] = {1'999'999'998};
  check_global_fault(raw, {"expected"});
  raw = global_problem(3);
  raw.integers[g + "/G/m"] = {5};
  raw.integers[g + "/G/p"].push_back(2);
  check_global_fault(raw, {"G", "4 rows", "5"});
  raw = global_problem(3);
  for (const char* part : {"m", "n", "nz", "nzmax", "p", "i"}) raw.integers.erase(g + "/G/" + part);
  raw.reals.erase(g + "/G/x");
  std::erase(raw.groups, g + "/G");
  check_global_fault(raw, {"G", "goes with b", "nothing"});
  raw.reals.erase(g + "/vectors/b");
  CHECK(read_back(raw).problem.G.cols() == 0);
  raw = global_problem(3);
  raw.reals[g + "/vectors/mu"] = {-1};
  check_global_fault(raw, {"mu", "at least 0", "contact 0"});
  raw.reals[g + "/vectors/mu"] = {1e7};
  check_global_fault(raw, {"mu", "at most 1e6", "contact 0"});
  raw = global_problem(3);
  raw.reals[g + "/M/x"][0] = raw.reals[g + "/M/x"][4] = 1.5e308;
  check_global_fault(raw, {"M/x", "overflow"});
  raw = global_problem(3);
  raw.groups.emplace_back("solution");
  check_global_fault(raw, {"solution/u", "nothing"});
  raw.reals["solution/u"] = raw.reals["solution/r"] = {1, 2, 3};
  check_global_fault(raw, {"solution/v", "nothing"});
}

TEST_CASE("global file: the kind of a file") {
  const ScratchFolder folder;
  test::two_contacts().write(folder / "local.hdf5");
  CHECK(fclib_kind(folder / "local.hdf5") == FclibKind::local);
  CHECK_THROWS_WITH_AS((void)read_fclib_global(folder / "local.hdf5"), doctest::Contains("fclib_global"), FileError);
  RawProblem().write(folder / "none.hdf5");
  CHECK_THROWS_WITH_AS((void)fclib_kind(folder / "none.hdf5"), doctest::Contains("none"), FileError);
  CHECK_THROWS_AS((void)fclib_kind(folder / "missing.hdf5"), FileError);
}

TEST_CASE("global file: real files survive a round trip") {
  const char* problems = std::getenv("LOCDYN_PROBLEMS");
  if (problems == nullptr || !fs::is_directory(fs::path(problems) / "global")) {
    std::cout << "skipped: LOCDYN_PROBLEMS is not set\n";
    return;
  }
  const ScratchFolder folder;
  int files = 0;
  for (const char* part : {"global", "rolling"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(problems) / part)) {
      const std::string name = entry.path().string();
      CAPTURE(name);
      if (entry.path().extension() != ".hdf5" || fclib_kind(entry.path()) != FclibKind::global) continue;
      const FclibGlobal read = read_fclib_global(entry.path());
      CHECK_NOTHROW(read.problem.validate());
      write_fclib_global(folder / "again.hdf5", read);
      const FclibGlobal again = read_fclib_global(folder / "again.hdf5");
      CHECK(same_matrix(again.problem.M, read.problem.M));
      CHECK(same_matrix(again.problem.H, read.problem.H));
      CHECK(again.problem.w == read.problem.w);
      CHECK(again.problem.f == read.problem.f);
      CHECK(again.solution.has_value() == read.solution.has_value());
      ++files;
    }
  }
  CHECK(files > 0);
}
