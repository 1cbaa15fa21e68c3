// Built-in problems: counts by formula, W symmetric and positive semidefinite, geometry by independent counts.

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include "builtin/builtin.hpp"

using namespace locdyn;

namespace {

Eigen::MatrixXd dense_w(const LocalDynamics& ldy) {
  const auto arena = ldy.diagonal_arena();
  const auto n = static_cast<Eigen::Index>(3 * arena.size());
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n, n);
  for (std::size_t a = 0; a < arena.size(); ++a) {
    const auto at = static_cast<Eigen::Index>(3 * a);
    W.block<3, 3>(at, at) = arena[a].W;
    for (const OffDiagonalBlock& block : ldy.adjacent(arena[a]))
      W.block<3, 3>(at, 3 * Eigen::Index(block.other)) = block.W;
  }
  return W;
}

std::size_t moving_bodies(const BuiltinProblem& problem) {
  std::size_t count = 0;
  for (BodyId id{0}; id < problem.bodies->size(); ++id) count += (*problem.bodies)[id].freedoms() > 0;
  return count;
}

// Contacts between two spheres, from their places alone: every pair is looked at.
std::size_t sphere_pairs_within(const BuiltinProblem& problem, double reach) {
  struct Ball {
    Eigen::Vector3d x;
    double r;
  };
  std::vector<Ball> balls;
  for (BodyId id{0}; id < problem.bodies->size(); ++id) {
    const Body& body = (*problem.bodies)[id];
    if (body.freedoms() == 0) continue;
    balls.push_back(
        {body.to_space(Eigen::Vector3d::Zero()), std::cbrt(body.mass() / (2500 * 4 * std::numbers::pi / 3))});
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < balls.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) count += (balls[i].x - balls[j].x).norm() - balls[i].r - balls[j].r <= reach;
  }
  return count;
}

std::size_t pair_contacts(const BuiltinProblem& problem) {
  std::size_t count = 0;
  for (ConstraintId id{0}; id < problem.ldy->id_bound(); ++id)
    count += problem.assembly->constraint(id).bodies()[BodyId{0}] != 0;
  return count;
}

// The constraint count each scene promises for the bodies that it has.
std::size_t promised(const BuiltinProblem& problem, const std::string& scene) {
  const std::size_t n = moving_bodies(problem);
  if (scene == "stack" || scene == "heavy") return 4 * n;
  if (scene == "tower") return 12 + 36 * (n / 3 - 1);
  if (scene == "arch") return 4 * (n + 1);
  if (scene == "chain") return n + 2;
  return problem.ldy->constraint_count();  // walls and spheres have cases of their own
}

}  // namespace

TEST_CASE("every scene at three sizes: counts, W symmetric and positive semidefinite, packed and fed") {
  for (const std::string& scene : builtin_names()) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{60}, std::size_t{220}}) {
      CAPTURE(scene);
      CAPTURE(size);
      const BuiltinProblem problem = make_builtin(scene, size);
      const LocalDynamics& ldy = *problem.ldy;
      REQUIRE(ldy.row_count() == ldy.constraint_count());
      CHECK(ldy.constraint_count() == promised(problem, scene));
      if (size > 1) {
        CHECK(static_cast<double>(ldy.constraint_count()) >= 0.6 * static_cast<double>(size));
        CHECK(static_cast<double>(ldy.constraint_count()) <= 1.4 * static_cast<double>(size));
      }
      CHECK(ldy.scattered() == 0);
      CHECK(problem.name == scene + ":" + std::to_string(size));

      const Eigen::MatrixXd W = dense_w(ldy);
      const double scale = W.cwiseAbs().maxCoeff();
      CHECK((W - W.transpose()).cwiseAbs().maxCoeff() <= 1e-14 * scale);
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(W, Eigen::EigenvaluesOnly);
      CHECK(eigen.eigenvalues().minCoeff() >= -1e-14 * static_cast<double>(W.rows()) * scale);
      CHECK(eigen.eigenvalues().maxCoeff() > 0);
      double b = 0;
      for (const DiagonalBlock& row : ldy.rows()) b += (row.B + offset(ldy.law(row.constraint), 0)).squaredNorm();
      CHECK(b > 0);
    }
  }
}

TEST_CASE("the wall: 4b + 8b(c − 1) contacts, neighbours as in running bond, any size near what is asked") {
  for (const std::size_t size : {std::size_t{200}, std::size_t{5000}, std::size_t{50000}}) {
    const BuiltinProblem problem = make_builtin("wall", size);
    const auto courses = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(size) / 8)));
    // Even courses have b bricks, odd ones b + 1.
    const std::size_t bricks = (moving_bodies(problem) - courses / 2) / courses;
    CHECK(problem.ldy->constraint_count() == 4 * bricks + 8 * bricks * (courses - 1));
    CHECK(static_cast<double>(problem.ldy->constraint_count()) == doctest::Approx(double(size)).epsilon(0.1));

    // A contact well inside touches two bricks of 16 contacts each, 4 of them shared: 27 blocks.
    std::size_t most = 0;
    for (const DiagonalBlock& row : problem.ldy->rows()) {
      std::size_t degree = 0;
      for ([[maybe_unused]] const auto& block : problem.ldy->adjacent(row)) ++degree;
      most = std::max(most, degree);
    }
    CHECK(most == (bricks > 2 ? 27 : most));
  }
}

TEST_CASE("contacts of the sphere packing are the pairs within reach, found by looking at every pair") {
  for (const std::size_t size : {std::size_t{50}, std::size_t{500}, std::size_t{3000}}) {
    for (const unsigned seed : {1u, 2u}) {
      CAPTURE(size);
      CAPTURE(seed);
      const BuiltinProblem problem = make_builtin("spheres", size, {.seed = seed});
      CHECK(pair_contacts(problem) == sphere_pairs_within(problem, 0.05 * 0.01));
    }
  }
  const auto open = [](const BuiltinProblem& problem) {
    std::size_t count = 0;
    for (ConstraintId id{0}; id < problem.ldy->id_bound(); ++id) {
      count += dynamic_cast<const Contact&>(problem.assembly->constraint(id)).point().gap > 0;
    }
    return count;
  };
  const BuiltinProblem problem = make_builtin("spheres", 3000);
  MESSAGE("open contacts: ", open(problem), " of ", problem.ldy->constraint_count());
  CHECK(open(problem) > problem.ldy->constraint_count() / 10);
  CHECK(open(problem) < problem.ldy->constraint_count() * 9 / 10);
}

TEST_CASE("neighbouring voussoirs touch at their joints and weigh what the ring weighs") {
  const BuiltinProblem problem = make_builtin("arch", 400);
  double mass = 0;
  for (BodyId id{1}; id < problem.bodies->size(); ++id) mass += (*problem.bodies)[id].mass();
  const double n = static_cast<double>(problem.bodies->size() - 1);
  const double sector = std::numbers::pi / n;
  CHECK(mass == doctest::Approx(2400 * 0.5 * n * (36 - 25) * std::sin(sector)).epsilon(1e-12));
  for (ConstraintId id{0}; id < problem.ldy->id_bound(); ++id) {
    const ContactPoint& point = dynamic_cast<const Contact&>(problem.assembly->constraint(id)).point();
    const auto center = [&](BodyId body) { return (*problem.bodies)[body].to_space(Eigen::Vector3d::Zero()); };
    if (point.master != 0) {
      CHECK((center(point.slave) - center(point.master)).dot(point.frame.col(2)) > 0);
    } else {
      CHECK((center(point.slave) - point.point).dot(point.frame.col(2)) > 0);
    }
  }
}

TEST_CASE("the same scene twice has the same bits, another seed or ratio does not") {
  const auto sum = [](const BuiltinProblem& problem) {
    double s = 0;
    for (const DiagonalBlock& row : problem.ldy->rows()) s += row.W.sum() + row.B.sum();
    return s;
  };
  CHECK(sum(make_builtin("spheres", 300)) == sum(make_builtin("spheres", 300, {.threads = 2})));
  CHECK(sum(make_builtin("spheres", 300)) != sum(make_builtin("spheres", 300, {.seed = 2})));
  CHECK(sum(make_builtin("heavy", 44)) != sum(make_builtin("heavy", 44, {.mass_ratio = 1})));
  const BuiltinProblem heavy = make_builtin("heavy", 44, {.mass_ratio = 1000});
  CHECK(heavy.bodies->size() == 12);
  CHECK((*heavy.bodies)[BodyId{11}].mass() == doctest::Approx(1000 * (*heavy.bodies)[BodyId{1}].mass()));
}

TEST_CASE("names and sizes are read, and faults name the scenes there are") {
  CHECK(parse_builtin("builtin")->size() == builtin_names().size());
  CHECK_FALSE(parse_builtin("some/file.hdf5").has_value());
  CHECK_FALSE(parse_builtin("builtins").has_value());
  const auto wall = parse_builtin("builtin:wall:5000");
  REQUIRE(wall->size() == 1);
  CHECK(wall->front().scene == "wall");
  CHECK(wall->front().size == 5000);
  CHECK(parse_builtin("builtin:heavy")->front().size == 44);
  for (const char* text : {"builtin:wall:", "builtin:wall:0", "builtin:wall:-3", "builtin:wall:12x", "builtin:"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)parse_builtin(text), std::invalid_argument);
  }
  CHECK_THROWS_WITH(
      (void)make_builtin("bridge", 10),
      "builtin scene: expected one of stack, wall, tower, arch, spheres, chain, machine, heavy, found 'bridge'");
  CHECK_THROWS_AS((void)make_builtin("wall", 0), std::invalid_argument);
  CHECK_THROWS_AS((void)make_builtin("heavy", 44, {.mass_ratio = -1}), std::invalid_argument);
  CHECK_THROWS_AS((void)make_builtin("heavy", 44, {.threads = 0}), std::invalid_argument);
}
