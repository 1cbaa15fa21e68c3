// What goes into a solver: rows that are not read, and one clear line for what has no meaning.

#include <doctest/doctest.h>

#include <limits>
#include <solver/each_solver.hpp>
#include <solver/random_problem.hpp>
#include <stdexcept>
#include <string>

using namespace locdyn;
using namespace locdyn::test;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("rows that a law does not use are not read: they hold NaN") {
  with_each_solver([](const auto& solve) {
    LocalDynamics ldy = random_problem({.contacts = 0, .planar = 6, .bilateral = 4}, 5);
    const LocalDynamics clean = ldy;
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
      for (int axis = 0; axis < 3; ++axis) {
        if (!uses(rows(ldy.law(id), 0), axis)) ldy.row(id).B[axis] = kNaN;
      }
    }
    CHECK(solve(ldy, {.tolerance = 1e-12}).status == SolveStatus::converged);
    LocalDynamics plain = clean;
    CHECK(solve(plain, {.tolerance = 1e-12}).status == SolveStatus::converged);
    CHECK((reactions(ldy) == reactions(plain)));
  });
}

TEST_CASE("numbers that are not finite and rows without a solution are refused, naming the constraint") {
  with_each_solver([](const auto& solve) {
    const LocalDynamics good = random_problem({.contacts = 4, .bilateral = 2, .hinges = 1}, 1);
    const auto refused = [&](const auto& spoil, const char* where, const char* what) {
      LocalDynamics ldy = good;
      spoil(ldy);
      try {
        (void)solve(ldy);
        FAIL_CHECK("accepted: " << where << " " << what);
      } catch (const std::invalid_argument& fault) {
        const std::string line = fault.what();
        CAPTURE(line);
        CHECK(line.find(where) != std::string::npos);
        CHECK(line.find(what) != std::string::npos);
        CHECK(line.find('\n') == std::string::npos);
      }
    };
    for (const double bad : {kNaN, kInf, -kInf}) {
      refused([&](LocalDynamics& ldy) { ldy.row(ConstraintId{2}).B[1] = bad; }, "constraint 2", "B");
      refused([&](LocalDynamics& ldy) { ldy.row(ConstraintId{3}).R[0] = bad; }, "constraint 3", "R");
      refused([&](LocalDynamics& ldy) { ldy.row(ConstraintId{1}).W(0, 2) = bad; }, "constraint 1", "W");
      refused([&](LocalDynamics& ldy) { ldy.row(ConstraintId{6}, 1).B[0] = bad; }, "constraint 6", "B");
      refused([&](LocalDynamics& ldy) { ldy.find(ConstraintId{4}, 0, ConstraintId{0}, 0)->W(2, 0) = bad; },
              "constraint 4", "W");
    }
    // Numbers whose squares are 0 or infinite: no norm could tell a solution.
    const auto scaled = [](double B, double W) {
      return [B, W](LocalDynamics& ldy) {
        for (DiagonalBlock& row : ldy.rows()) row.B *= B, row.W *= W;
      };
    };
    refused(scaled(1e200, 1), "constraint", "B: expected");
    for (const double bad : {1e-200, 1e200}) refused(scaled(1, bad), "constraint", "W: expected");
    refused(scaled(1e100, 1e-100), "constraint", "B over W: expected");
    LocalDynamics tiny;
    tiny.row(tiny.insert(ContactLaw{})).W.setIdentity();
    tiny.row(ConstraintId{0}).B[2] = -1e-200;
    CHECK_THROWS_AS(solve(tiny), std::invalid_argument);
    // Alone and without mass: nothing can move it.
    const auto alone = [](const Law& law) {
      return [law](LocalDynamics& ldy) {
        const ConstraintId id = ldy.insert(law);
        ldy.row(id).B[2] = -1;
      };
    };
    refused(alone(ContactLaw{.friction = 0.5}), "constraint 7", "W = 0");
    refused(alone(normal_row()), "constraint 7", "W = 0");
    LocalDynamics harmless = good;
    harmless.row(harmless.insert(ContactLaw{.friction = 0.5})).B[2] = 1;
    CHECK(solve(harmless).status == SolveStatus::converged);
  });

  LocalDynamics ldy;
  CHECK_THROWS_AS(ldy.insert(ContactLaw{.friction = -0.1}), std::invalid_argument);
  CHECK_THROWS_AS(ldy.insert(ContactLaw{.friction = kNaN}), std::invalid_argument);
  CHECK_THROWS_AS(ldy.insert(ContactLaw{.friction = 2e6}), std::invalid_argument);
  ldy.insert(ContactLaw{});
  CHECK_THROWS_AS(ldy.set_law(ConstraintId{0}, ContactLaw{.friction = -0.1}), std::invalid_argument);
}

TEST_CASE("options out of range are refused, naming the field") {
  with_each_solver([](const auto& solve) {
    LocalDynamics ldy = random_problem({.contacts = 2}, 1);
    const auto refused = [&](const StopOptions& stop, const char* field) {
      try {
        (void)solve(ldy, stop);
        FAIL_CHECK("accepted: " << field);
      } catch (const std::invalid_argument& fault) {
        CHECK(std::string(fault.what()).find(field) != std::string::npos);
      }
    };
    for (const double bad : {0.0, -1.0, kNaN, kInf}) refused({.tolerance = bad}, "tolerance");
    for (const double bad : {0.0, -1.0, kNaN}) refused({.max_seconds = bad}, "max_seconds");
    refused({.max_iterations = -1}, "max_iterations");
    refused({.threads = 0}, "threads");
  });
  CHECK_THROWS_AS((void)find_solver("gauss"), std::invalid_argument);
}
