// The bilateral part V, R, s of fclib_local: rows of the graph under a bilateral law.

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include <ldy/fclib_fault.hpp>
#include <ldy/raw_problem.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>

using namespace locdyn;
using test::RawProblem;
using test::ScratchFolder;

namespace {

// Two contacts, and five bilateral rows: 0, 1 and 2 coupled in R, 3 alone, 4 alone and acting on nothing.
RawProblem with_bilateral_rows() {
  RawProblem raw = test::two_contacts();
  const std::string g = "fclib_local";
  raw.groups.insert(raw.groups.end(), {g + "/V", g + "/R"});
  raw.integers.insert({{g + "/V/m", {6}},
                       {g + "/V/n", {5}},
                       {g + "/V/nz", {3}},
                       {g + "/V/nzmax", {3}},
                       {g + "/V/i", {0, 4, 5}},
                       {g + "/V/p", {0, 2, 3}},
                       {g + "/R/m", {5}},
                       {g + "/R/n", {5}},
                       {g + "/R/nz", {9}},
                       {g + "/R/nzmax", {9}},
                       {g + "/R/i", {0, 1, 2, 3, 4, 0, 1, 1, 2}},
                       {g + "/R/p", {0, 1, 2, 3, 4, 1, 0, 2, 1}}});
  raw.reals.insert({{g + "/V/x", {0.5, -0.25, 2}},
                    {g + "/R/x", {3, 4, 5, 6, 7, 1, 1, -1, -1}},
                    {g + "/vectors/s", {0.1, 0.2, 0.3, 0.4, 0.5}}});
  return raw;
}

}  // namespace

TEST_CASE("bilateral part: rows follow the contacts, coupled ones share a block") {
  const ScratchFolder folder;
  with_bilateral_rows().write(folder / "problem.hdf5");
  FclibProblem problem = read_fclib(folder / "problem.hdf5");
  LocalDynamics& ldy = problem.ldy;
  REQUIRE(ldy.constraint_count() == 5);
  CHECK(std::get<BilateralLaw>(ldy.law(ConstraintId{2})).rows(0) == kRowsAll);
  CHECK(std::get<BilateralLaw>(ldy.law(ConstraintId{3})).rows(0) == 1);
  CHECK(std::get<BilateralLaw>(ldy.law(ConstraintId{4})).rows(0) == 1);
  Eigen::Matrix3d R;
  R << 3, 1, 0, 1, 4, -1, 0, -1, 5;
  CHECK(ldy.row(ConstraintId{2}).W == R);
  CHECK(ldy.row(ConstraintId{2}).B == Eigen::Vector3d(0.1, 0.2, 0.3));
  CHECK(ldy.row(ConstraintId{3}).W(0, 0) == 6);
  CHECK(ldy.row(ConstraintId{4}).B[0] == 0.5);
  // V both ways, n of the file last: its row 0 is n of contact 0, rows 4 and 5 t1 and t2 of contact 1.
  CHECK(ldy.find(ConstraintId{0}, 0, ConstraintId{2}, 0)->W(2, 0) == 0.5);
  CHECK(ldy.find(ConstraintId{2}, 0, ConstraintId{0}, 0)->W(0, 2) == 0.5);
  CHECK(ldy.find(ConstraintId{1}, 0, ConstraintId{2}, 0)->W(0, 2) == -0.25);
  CHECK(ldy.find(ConstraintId{1}, 0, ConstraintId{3}, 0)->W(1, 0) == 2);
  CHECK(ldy.find(ConstraintId{0}, 0, ConstraintId{3}, 0) == nullptr);
  CHECK(ldy.find(ConstraintId{2}, 0, ConstraintId{3}, 0) == nullptr);
}

TEST_CASE("bilateral part: problem, forces and solution come back") {
  const ScratchFolder folder;
  with_bilateral_rows().write(folder / "problem.hdf5");
  FclibProblem problem = read_fclib(folder / "problem.hdf5");
  problem.ldy.row(ConstraintId{0}).R = {1, 2, 3};
  problem.ldy.row(ConstraintId{2}).R = {4, 5, 6};
  problem.ldy.row(ConstraintId{3}).R = {7, 0, 0};
  problem.solution = solution_of(problem.ldy);
  CHECK(problem.solution->l == (Eigen::VectorXd(5) << 4, 5, 6, 7, 0).finished());
  CHECK(problem.solution->U[0][2] == -1 + 2 * 3 + 0.5 * 2 + 0.5 * 4);  // q + W r + V l
  write_fclib(folder / "again.hdf5", problem);
  const FclibProblem again = read_fclib(folder / "again.hdf5");
  REQUIRE(again.ldy.row_count() == 5);
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(again.ldy.diagonal_arena()[k].W == problem.ldy.diagonal_arena()[k].W);
    CHECK(again.ldy.diagonal_arena()[k].B == problem.ldy.diagonal_arena()[k].B);
  }
  CHECK(again.ldy.off_diagonal_count() == problem.ldy.off_diagonal_count());
  REQUIRE(again.solution);
  CHECK(again.solution->l == problem.solution->l);
  CHECK(again.solution->R == problem.solution->R);
}

TEST_CASE("bilateral part: compliance and shift go into R and s") {
  const ScratchFolder folder;
  FclibProblem problem;
  BilateralLaw spring;
  spring.block_count = 2;
  spring.block[0] = {.rows = kRowNormal, .shift = {0, 0, 0.25}, .compliance = {0, 0, 0.5}};
  spring.block[1] = {.rows = 0b011, .shift = {1, 2, 0}, .compliance = {3, 4, 0}};
  const ConstraintId first = problem.ldy.insert(spring), contact = problem.ldy.insert(ContactLaw{.friction = 0.3});
  problem.ldy.couple(first, contact);
  problem.ldy.row(first, 0).W(2, 2) = 2;
  problem.ldy.row(first, 0).B[2] = 1;
  problem.ldy.row(first, 1).W(0, 0) = 8;
  problem.ldy.row(contact).W.setIdentity();
  problem.ldy.find(contact, 0, first, 1)->W(1, 1) = 5;
  problem.ldy.find(first, 1, contact, 0)->W(1, 1) = 5;
  write_fclib(folder / "spring.hdf5", problem);
  FclibProblem again = read_fclib(folder / "spring.hdf5");
  REQUIRE(again.ldy.constraint_count() == 4);  // the contact, and three rows that R does not couple
  CHECK(std::holds_alternative<ContactLaw>(again.ldy.law(ConstraintId{0})));
  CHECK(again.ldy.row(ConstraintId{1}).W(0, 0) == 2.5);
  CHECK(again.ldy.row(ConstraintId{1}).B[0] == 1.25);
  CHECK(again.ldy.row(ConstraintId{2}).W(0, 0) == 11);
  CHECK(again.ldy.row(ConstraintId{3}).W(0, 0) == 4);
  CHECK(again.ldy.row(ConstraintId{3}).B[0] == 2);
  CHECK(again.ldy.find(ConstraintId{0}, 0, ConstraintId{3}, 0)->W(1, 0) == 5);
}

TEST_CASE("bilateral part: bad files are named in one line") {
  const std::string g = "fclib_local/";
  for (const char* part : {"V", "R"}) {
    for (const char* name : {"m", "n", "nz", "nzmax", "p", "i"}) {
      RawProblem without = with_bilateral_rows();
      without.integers.erase(g + part + "/" + name);
      check_fault(without, {std::string(part) + "/" + name, "nothing"});
    }
  }
  for (const std::string& name : {g + "V/x", g + "R/x", g + "vectors/s"}) {
    RawProblem raw = with_bilateral_rows();
    raw.reals.erase(name);
    check_fault(raw, {name, "nothing"});
    raw = with_bilateral_rows();
    raw.reals[name].push_back(1);
    check_fault(raw, {name});
    raw = with_bilateral_rows();
    raw.reals[name][0] = std::numeric_limits<double>::quiet_NaN();
    check_fault(raw, {name, "finite"});
  }
  RawProblem raw = with_bilateral_rows();
  raw.integers[g + "R/n"] = {6};
  check_fault(raw, {"R", "square", "5 by 6"});
  raw = with_bilateral_rows();
  raw.integers[g + "V/n"] = {4};
  check_fault(raw, {"V", "6 by 5", "6 by 4"});
  raw = with_bilateral_rows();
  raw.integers[g + "V/m"] = {7};
  check_fault(raw, {"V", "6 by 5", "7 by 5"});
  raw = test::two_contacts();
  raw.reals[g + "vectors/s"] = {1};
  check_fault(raw, {"V", "nothing"});
}

TEST_CASE("bilateral part: what does not fit the solution is refused") {
  const ScratchFolder folder;
  with_bilateral_rows().write(folder / "problem.hdf5");
  FclibProblem problem = read_fclib(folder / "problem.hdf5");
  problem.solution = solution_of(problem.ldy);
  problem.solution->l.resize(4);
  CHECK_THROWS_WITH_AS(write_fclib(folder / "never.hdf5", problem), doctest::Contains("l of 5"), std::invalid_argument);
}
