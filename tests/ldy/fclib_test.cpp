#include <locdyn/ldy/fclib/fclib.hpp>

#include <doctest/doctest.h>
#include <cstdio>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>

#include <ldy/fclib_fault.hpp>
#include <ldy/raw_problem.hpp>
#include <locdyn/ldy/residual.hpp>

using namespace locdyn;
using namespace locdyn::detail;
using test::RawProblem;
using test::ScratchFolder;
using test::two_contacts;
namespace fs = std::filesystem;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool same_bits(const auto& a, const auto& b) {
  return std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

bool same_bits(const std::vector<Eigen::Vector3d>& a, const std::vector<Eigen::Vector3d>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!same_bits(a[k], b[k])) return false;
  }
  return true;
}

// Both packed by id, as the reader leaves them.
void check_same_graph(const LocalDynamics& a, const LocalDynamics& b) {
  REQUIRE(a.row_count() == b.row_count());
  REQUIRE(a.off_diagonal_count() == b.off_diagonal_count());
  bool same = true;
  for (std::size_t k = 0; k < a.diagonal_arena().size(); ++k) {
    const auto &x = a.diagonal_arena()[k], &y = b.diagonal_arena()[k];
    same = same && same_bits(x.W, y.W) && same_bits(x.B, y.B) && x.constraint == y.constraint;
    const auto &p = std::get<ContactLaw>(a.law(x.constraint)), &q = std::get<ContactLaw>(b.law(y.constraint));
    same = same && p.friction == q.friction && p.planar == q.planar;
  }
  for (std::size_t k = 0; k < a.off_diagonal_arena().size(); ++k) {
    const auto &x = a.off_diagonal_arena()[k], &y = b.off_diagonal_arena()[k];
    same = same && same_bits(x.W, y.W) && x.other == y.other;
  }
  CHECK(same);
}

// Writes the raw file, reads it, and returns the fault line ("" where there is none).
}  // namespace

TEST_CASE("normal-first rows are permuted to (t1, t2, n), and links go both ways") {
  const ScratchFolder folder;
  two_contacts().write(folder / "problem.hdf5");
  FclibProblem problem = read_fclib(folder / "problem.hdf5");
  LocalDynamics& ldy = problem.ldy;
  REQUIRE(ldy.constraint_count() == 2);
  CHECK(problem.spacedim == 3);
  CHECK(problem.info.title == "two contacts");
  CHECK(problem.info.math_info.empty());
  CHECK(!problem.solution);
  Eigen::Matrix3d W00;
  W00 << 3, 0, 0, 0, 4, 0, 0, 0.5, 2;  // the file's row n = (2, 0, 0.5)
  CHECK(ldy.row(ConstraintId{0}).W == W00);
  CHECK(ldy.row(ConstraintId{0}).B == Eigen::Vector3d(0.1, 0.2, -1));
  CHECK(std::get<ContactLaw>(ldy.law(ConstraintId{1})).friction == 0.6);
  REQUIRE(ldy.find(ConstraintId{1}, 0, ConstraintId{0}, 0) != nullptr);
  CHECK(ldy.find(ConstraintId{1}, 0, ConstraintId{0}, 0)->W(2, 2) == 0.25);
  REQUIRE(ldy.find(ConstraintId{0}, 0, ConstraintId{1}, 0) != nullptr);  // no entry in the file: zeros
  CHECK(ldy.find(ConstraintId{0}, 0, ConstraintId{1}, 0)->W.isZero(0));
}

TEST_CASE("in 2D (n, t) becomes t1 and n") {
  RawProblem raw = two_contacts();
  raw.integers["fclib_local/spacedim"] = {2};
  raw.reals["fclib_local/vectors/mu"] = {0.3, 0.6, 0.9};
  const ScratchFolder folder;
  raw.write(folder / "problem.hdf5");
  FclibProblem problem = read_fclib(folder / "problem.hdf5");
  REQUIRE(problem.ldy.constraint_count() == 3);
  CHECK(problem.ldy.row(ConstraintId{0}).B == Eigen::Vector3d(0.1, 0, -1));
  CHECK(problem.ldy.row(ConstraintId{0}).W.diagonal() == Eigen::Vector3d(3, 0, 2));
  CHECK(problem.ldy.find(ConstraintId{0}, 0, ConstraintId{1}, 0)->W(2, 2) == 0.5);
  CHECK(std::get<ContactLaw>(problem.ldy.law(ConstraintId{2})).planar);
}

TEST_CASE("triplets, compressed columns and compressed rows read as the same graph") {
  const ScratchFolder folder;
  two_contacts().write(folder / "rows.hdf5");

  RawProblem columns = two_contacts();
  columns.integers["fclib_local/W/nz"] = {-1};
  columns.integers["fclib_local/W/p"] = {0, 2, 3, 5, 6, 7, 8};
  columns.integers["fclib_local/W/i"] = {0, 3, 1, 0, 2, 3, 4, 5};
  columns.reals["fclib_local/W/x"] = {2, 0.25, 3, 0.5, 4, 5, 6, 7};
  columns.write(folder / "columns.hdf5");

  RawProblem triplets = two_contacts();  // out of order, and 5 = 1 + 4
  triplets.integers["fclib_local/W/nz"] = {9};
  triplets.integers["fclib_local/W/nzmax"] = {10};
  triplets.integers["fclib_local/W/i"] = {5, 3, 3, 0, 0, 1, 2, 4, 3};
  triplets.integers["fclib_local/W/p"] = {5, 3, 0, 0, 2, 1, 2, 4, 3};
  triplets.reals["fclib_local/W/x"] = {7, 1, 0.25, 2, 0.5, 3, 4, 6, 4, kNan};  // past nz nothing counts
  triplets.write(folder / "triplets.hdf5");

  const FclibProblem rows = read_fclib(folder / "rows.hdf5");
  check_same_graph(rows.ldy, read_fclib(folder / "columns.hdf5").ldy);
  check_same_graph(rows.ldy, read_fclib(folder / "triplets.hdf5").ldy);
}

TEST_CASE("zero contacts is a valid problem, read and written") {
  RawProblem raw = two_contacts();
  for (const char* name : {"m", "n", "nzmax", "p"}) raw.integers[std::string("fclib_local/W/") + name] = {0};
  raw.integers["fclib_local/W/i"].clear();
  for (auto& [name, values] : raw.reals) values.clear();
  const ScratchFolder folder;
  raw.write(folder / "problem.hdf5");
  FclibProblem problem = read_fclib(folder / "problem.hdf5");
  CHECK(problem.ldy.constraint_count() == 0);
  CHECK(evaluate_residual(problem.ldy).scaled == 0.0);
  problem.solution = solution_of(problem.ldy);
  write_fclib(folder / "again.hdf5", problem);
  const FclibProblem again = read_fclib(folder / "again.hdf5");
  REQUIRE(again.solution);
  CHECK(again.solution->R.empty());
}

TEST_CASE("a problem with solution and guesses comes back bit for bit, and the same bytes are written") {
  const ScratchFolder folder;
  two_contacts().write(folder / "problem.hdf5");
  FclibProblem problem = read_fclib(folder / "problem.hdf5");
  problem.ldy.row(ConstraintId{0}).R = {0.1, -0.0, 1.0 / 3};
  problem.ldy.row(ConstraintId{1}).R = {1e-300, 5e-324, 2};
  problem.solution = solution_of(problem.ldy);
  problem.guesses = {*problem.solution, *problem.solution};
  problem.guesses[1].R[1] = {7, 8, 9};
  write_fclib(folder / "a.hdf5", problem);
  write_fclib(folder / "b.hdf5", problem);

  const FclibProblem again = read_fclib(folder / "a.hdf5");
  check_same_graph(problem.ldy, again.ldy);
  CHECK(again.info.title == problem.info.title);
  CHECK(again.info.description == problem.info.description);
  REQUIRE(again.solution);
  CHECK(same_bits(again.solution->R, problem.solution->R));
  CHECK(same_bits(again.solution->U, problem.solution->U));
  REQUIRE(again.guesses.size() == 2);
  CHECK(same_bits(again.guesses[1].R, problem.guesses[1].R));

  const auto bytes = [](const fs::path& path) {
    std::vector<char> content(fs::file_size(path));
    std::FILE* file = std::fopen(path.c_str(), "rb");
    CHECK(std::fread(content.data(), 1, content.size(), file) == content.size());
    std::fclose(file);
    return content;
  };
  CHECK(bytes(folder / "a.hdf5") == bytes(folder / "b.hdf5"));
}

TEST_CASE("a shift goes into q, and u = q + W R") {
  FclibProblem problem;
  const ConstraintId id = problem.ldy.insert(ContactLaw{.friction = 0.5, .shift = {0.125, -0.5, 0.25}});
  problem.ldy.row(id).W = 2 * Eigen::Matrix3d::Identity();
  problem.ldy.row(id).B = {1, 2, -3};
  problem.ldy.row(id).R = {0, 0, 1};
  problem.solution = solution_of(problem.ldy);
  CHECK(problem.solution->U[0] == Eigen::Vector3d(1.125, 1.5, -0.75));
  const ScratchFolder folder;
  write_fclib(folder / "problem.hdf5", problem);
  CHECK(read_fclib(folder / "problem.hdf5").ldy.row(ConstraintId{0}).B == Eigen::Vector3d(1.125, 1.5, -2.75));
}

TEST_CASE("what a file cannot hold is refused before anything is written") {
  const ScratchFolder folder;
  FclibProblem problem;
  problem.ldy.insert(ContactLaw{.friction = 0.5});
  problem.ldy.insert(ContactLaw{.friction = 0.5, .planar = true});
  CHECK_THROWS_WITH_AS(write_fclib(folder / "p.hdf5", problem), doctest::Contains("constraint 1"),
                       std::invalid_argument);
  problem.ldy.remove(ConstraintId{1});
  problem.solution = FclibSolution{};
  CHECK_THROWS_WITH_AS(write_fclib(folder / "p.hdf5", problem), doctest::Contains("solution"), std::invalid_argument);
  problem.solution.reset();
  problem.ldy.insert(EllipticLaw{.friction = {0.1, 0.2}});
  CHECK_THROWS_WITH_AS(write_fclib(folder / "p.hdf5", problem), doctest::Contains("constraint 1"),
                       std::invalid_argument);
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("an output that cannot be written leaves what was there") {
  const ScratchFolder folder;
  two_contacts().write(folder / "problem.hdf5");
  const FclibProblem problem = read_fclib(folder / "problem.hdf5");
  CHECK_THROWS_AS(write_fclib(folder / "missing/p.hdf5", problem), FileError);
  CHECK_THROWS_AS(write_fclib(folder.path(), problem), FileError);
  CHECK_THROWS_AS(write_fclib("/dev/null", problem), FileError);
  CHECK_THROWS_AS(write_fclib("", problem), FileError);
  CHECK(fs::is_character_file("/dev/null"));

  fs::create_symlink("problem.hdf5", folder / "link.hdf5");
  write_fclib(folder / "link.hdf5", problem);
  CHECK(fs::is_symlink(folder / "link.hdf5"));
  check_same_graph(problem.ldy, read_fclib(folder / "problem.hdf5").ldy);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path())) ++files;
  CHECK(files == 2);
}

TEST_CASE("files that are not problems") {
  const ScratchFolder folder;
  CHECK_THROWS_WITH_AS((void)read_fclib(folder / "missing.hdf5"), doctest::Contains("no such file"), FileError);
  CHECK_THROWS_WITH_AS((void)read_fclib(folder.path()), doctest::Contains("a folder"), FileError);
  CHECK_THROWS_AS((void)read_fclib("/dev/null"), FileError);
  replace_file(folder / "empty.hdf5", "");
  CHECK_THROWS_WITH_AS((void)read_fclib(folder / "empty.hdf5"), doctest::Contains("HDF5"), FileError);
  replace_file(folder / "text.hdf5", "not a problem\n");
  CHECK_THROWS_WITH_AS((void)read_fclib(folder / "text.hdf5"), doctest::Contains("HDF5"), FileError);

  // Cut short anywhere.
  const auto image = two_contacts().image();
  for (std::size_t size = 1; size < image.size(); size += 97) {
    replace_file(folder / "cut.hdf5", {image.data(), size});
    CAPTURE(size);
    CHECK_THROWS_AS((void)read_fclib(folder / "cut.hdf5"), FileError);
  }
}

TEST_CASE("other kinds of problem and missing parts are named") {
  RawProblem raw;
  check_fault(raw, {"fclib_local", "none"});
  raw.groups = {"fclib_global"};
  check_fault(raw, {"fclib_global", "another kind"});
  raw.groups = {"fclib_global_rolling"};
  check_fault(raw, {"fclib_global_rolling", "another kind"});

  for (const auto& [name, values] : two_contacts().integers) {
    RawProblem without = two_contacts();
    without.integers.erase(name);
    check_fault(without, {name, "nothing"});
  }
  for (const auto& [name, values] : two_contacts().reals) {
    RawProblem without = two_contacts();
    without.reals.erase(name);
    check_fault(without, {name, "nothing"});
  }
}

TEST_CASE("datasets of another type or size are named") {
  for (const auto& [name, values] : two_contacts().integers) {
    RawProblem raw = two_contacts();
    raw.integers.erase(name);
    raw.reals[name] = std::vector<double>(values.begin(), values.end());
    check_fault(raw, {name, "integers", "another type"});
    raw = two_contacts();
    raw.integers[name].push_back(0);
    check_fault(raw, {name, std::to_string(values.size() + 1)});
    raw = two_contacts();
    raw.integers.erase(name);
    raw.groups.push_back(name);
    check_fault(raw, {name, "a group"});
  }
  for (const auto& [name, values] : two_contacts().reals) {
    RawProblem raw = two_contacts();
    raw.reals.erase(name);
    raw.integers[name] = {1, 2};
    check_fault(raw, {name, "reals", "another type"});
    raw = two_contacts();
    raw.reals[name].pop_back();
    check_fault(raw, {name, std::to_string(values.size() - 1)});
    for (const double bad : {kNan, std::numeric_limits<double>::infinity()}) {
      raw = two_contacts();
      raw.reals[name][1] = bad;
      check_fault(raw, {name, "finite", "place 1"});
    }
  }
}

TEST_CASE("numbers without a meaning are named") {
  const auto with = [](const std::string& name, std::vector<int> values) {
    RawProblem raw = two_contacts();
    raw.integers["fclib_local/" + name] = std::move(values);
    return raw;
  };
  check_fault(with("spacedim", {4}), {"spacedim", "2 or 3", "4"});
  check_fault(with("W/m", {-1}), {"W/m", "-1"});
  check_fault(with("W/nz", {-3}), {"W/nz", "-3"});
  check_fault(with("W/nz", {9}), {"W/nz", "nzmax = 8", "9"});
  check_fault(with("W/n", {9}), {"W", "square", "6 by 9"});
  check_fault(with("W/p", {1, 2, 3, 4, 6, 7, 8}), {"W/p", "first pointer"});
  check_fault(with("W/p", {0, 3, 2, 4, 6, 7, 8}), {"W/p", "ascending", "2 after 3"});
  check_fault(with("W/p", {0, 2, 3, 4, 6, 7, 9}), {"W/p", "nzmax = 8", "9"});
  check_fault(with("W/i", {0, 2, 1, 6, 0, 3, 4, 5}), {"W/i", "0 to 5", "6 at place 3"});
  check_fault(with("W/i", {0, 2, 1, -1, 0, 3, 4, 5}), {"W/i", "0 to 5", "-1 at place 3"});

  RawProblem raw = two_contacts();
  raw.reals["fclib_local/vectors/mu"][1] = -0.5;
  check_fault(raw, {"mu", "-0.5", "contact 1"});

  raw = two_contacts();  // 6 rows are not a number of contacts in a space of 4, nor 5 rows in one of 3
  for (const char* size : {"m", "n"}) raw.integers[std::string("fclib_local/W/") + size] = {5};
  raw.integers["fclib_local/W/p"] = {0, 2, 3, 4, 6, 7};
  raw.integers["fclib_local/W/i"][1] = 1;
  check_fault(raw, {"W/m", "spacedim = 3", "5"});

  raw = two_contacts();
  raw.groups.push_back("solution");
  check_fault(raw, {"solution/u", "nothing"});
  raw.reals["solution/u"] = std::vector<double>(6, 0.0);
  raw.reals["solution/r"] = std::vector<double>(5, 0.0);
  check_fault(raw, {"solution/r", "6", "5"});
  raw.reals["solution/r"] = {0, 0, 0, 0, 0, kNan};
  check_fault(raw, {"solution/r", "finite"});

  raw = two_contacts();
  raw.groups.push_back("guesses");
  raw.integers["guesses/number_of_guesses"] = {2};
  check_fault(raw, {"guesses/1", "nothing"});
}

TEST_CASE("real files come back bit for bit") {
  const char* folder_name = std::getenv("LOCDYN_PROBLEMS");
  if (folder_name == nullptr) {
    std::cout << "skipped: LOCDYN_PROBLEMS is not set\n";
    return;
  }
  const ScratchFolder scratch;
  int files = 0;
  for (const char* folder : {"local2d", "local3d", "big"}) {
    if (!fs::is_directory(fs::path(folder_name) / folder)) continue;
    for (const auto& entry : fs::directory_iterator(fs::path(folder_name) / folder)) {
      if (entry.path().extension() != ".hdf5" || entry.file_size() > 1'500'000) continue;
      CAPTURE(entry.path().string());
      const FclibProblem problem = read_fclib(entry.path());
      write_fclib(scratch / "again.hdf5", problem);
      check_same_graph(problem.ldy, read_fclib(scratch / "again.hdf5").ldy);
      ++files;
    }
  }
  CHECK(files > 0);
}
