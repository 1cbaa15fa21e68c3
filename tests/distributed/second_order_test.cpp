// ADMM over ranks against one machine; its linear solves against dense ones; rigid motions.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <Eigen/Cholesky>

#include <locdyn/bodies/particle.hpp>
#include <locdyn/bodies/planar_body.hpp>
#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/distributed/lattice.hpp>
#include <locdyn/distributed/second_order/distributed_admm.hpp>
#include <locdyn/solver/convex/admm.hpp>
#include "builtin_part.hpp"
#include "distributed/ranks.hpp"

using namespace locdyn;
using namespace locdyn::distributed;

TEST_CASE("distributed admm: the velocities of one machine to 1e-8, by each linear method, on any number of ranks") {
  // Contacts alone, joints beside contacts, chains of joints.
  for (const auto& [name, size] : {std::tuple{"wall", 120}, {"machine", 60}, {"chain", 20}, {"spheres", 100}}) {
    const std::string scene = name;
    CAPTURE(scene);
    const BuiltinProblem problem = make_builtin(scene, static_cast<std::size_t>(size));
    LocalDynamics whole = *problem.ldy;
    // As many steps on both, so that what is compared does not hang on when either ends.
    detail::AdmmOptions machine;
    machine.stop.tolerance = 1e-14;
    machine.stop.max_iterations = 150;
    const SolveReport one = detail::solve_admm(whole, machine);
    for (const LinearMethod method : {LinearMethod::direct, LinearMethod::multigrid, LinearMethod::blocks}) {
      CAPTURE(static_cast<int>(method));
      for_each_rank_count([&](MPI_Comm comm) {
        DistributedGraph graph(comm, builtin_part(problem, comm), {.length = 16});
        DistributedAdmmOptions options;
        options.tolerance = machine.stop.tolerance;
        options.max_steps = machine.stop.max_iterations;
        options.linear.method = method;
        options.linear.tolerance = 1e-12;
        const DistributedAdmmReport report = solve_distributed_admm(graph, options);
        CHECK(report.method == method);
        CHECK(report.reason == (report.status == SolveStatus::converged ? "" : kIterationLimit));
        CHECK((report.linear_iterations > 0) == (method != LinearMethod::direct));
        CHECK((report.direct_megabytes > 0) == (method == LinearMethod::direct));
        const auto U = gather_velocities(graph);
        if (rank_of(comm) != 0) return;
        CAPTURE(size_of(comm));
        CHECK(U.size() == whole.constraint_count());
        CHECK(largest_difference(U, whole) <= 1e-8);
        CHECK(std::abs(report.residual.scaled - one.residual.scaled) <= 1e-7 + 0.01 * one.residual.scaled);
      });
    }
  }
}

TEST_CASE("distributed admm: solves to the tolerance what the judge of one machine accepts; its own choice is direct") {
  const BuiltinProblem problem = make_builtin("wall", 400);
  for_each_rank_count([&](MPI_Comm comm) {
    DistributedGraph graph(comm, builtin_part(problem, comm), {.length = 32});
    const DistributedAdmmReport report = solve_distributed_admm(graph, {.tolerance = 1e-6, .max_steps = 3000});
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.method == LinearMethod::direct);
    CHECK(report.residual.scaled <= 1e-6);
    CHECK(report.unknowns % 6 == 0);
    const auto R = gather_reactions(graph);
    if (rank_of(comm) != 0) return;
    LocalDynamics whole = *problem.ldy;
    for (const auto& [id, one] : R) whole.row(ConstraintId{id}).R = Eigen::Map<const Eigen::Vector3d>(one.data());
    CHECK(evaluate_residual(whole).scaled <= 1.01e-6);
  });
}

TEST_CASE("velocity operator: H y of a dense solve; what does not fit goes to multigrid") {
  const BuiltinProblem problem = make_builtin("machine", 60);
  const LocalDynamics& whole = *problem.ldy;
  const DelassusFactor& factor = *whole.factor();
  // Dense: unknowns of all groups.
  std::vector<Eigen::Index> first(factor.group_count() + 1, 0);
  for (std::size_t g = 0; g < factor.group_count(); ++g) {
    const auto n = static_cast<Eigen::Index>(
        std::lround(std::sqrt(static_cast<double>(factor.first_inertia[g + 1] - factor.first_inertia[g]))));
    first[g + 1] = first[g] + n;
  }
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(first.back(), first.back());
  for (std::size_t g = 0; g < factor.group_count(); ++g) {
    const Eigen::Index n = first[g + 1] - first[g];
    M.block(first[g], first[g], n, n) =
        Eigen::Map<const Eigen::MatrixXd>(factor.inertia.data() + factor.first_inertia[g], n, n) / factor.h;
  }
  const auto pull_of = [](std::uint64_t id, int k) {
    return Eigen::Vector3d(std::sin(1.0 + static_cast<double>(id)), std::cos(2.0 * static_cast<double>(id)), 1.0 + k);
  };
  const auto stiffness_of = [](std::uint64_t id) {
    return Eigen::Vector3d(100.0, 0.0, 50.0 + static_cast<double>(id));
  };
  Eigen::VectorXd right = Eigen::VectorXd::Zero(first.back());
  const auto dense_H = [&](std::size_t place) {
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(3, first.back());
    for (const Coupling& c : factor.couplings(static_cast<std::uint32_t>(place))) {
      H.middleCols(first[c.body], c.freedoms) = factor.jacobian(c);
    }
    return H;
  };
  const auto* arena = whole.diagonal_arena().data();
  for (ConstraintId id{0}; id < whole.id_bound(); ++id) {
    for (int k = 0; k < block_count(whole.law(id)); ++k) {
      const Eigen::MatrixXd H = dense_H(static_cast<std::size_t>(&whole.row(id, k) - arena));
      M += H.transpose() * stiffness_of(id.value()).asDiagonal() * H;
      right += H.transpose() * pull_of(id.value(), k);
    }
  }
  const Eigen::VectorXd y = M.ldlt().solve(right);

  for (const LinearMethod method :
       {LinearMethod::direct, LinearMethod::multigrid, LinearMethod::plain_multigrid, LinearMethod::blocks}) {
    CAPTURE(static_cast<int>(method));
    for_each_rank_count([&](MPI_Comm comm) {
      DistributedGraph graph(comm, builtin_part(problem, comm), {.length = 8});
      VelocityOperator linear(graph, {.method = method, .tolerance = 1e-13});
      const LocalDynamics& ldy = graph.ldy();
      std::vector<Eigen::Vector3d> K(ldy.diagonal_arena().size()), pull(K), motion(K);
      for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
        for (int k = 0; k < block_count(ldy.law(id)); ++k) {
          const auto place = static_cast<std::size_t>(&ldy.row(id, k) - ldy.diagonal_arena().data());
          K[place] = stiffness_of(graph.constraints()[id]);
          pull[place] = pull_of(graph.constraints()[id], k);
        }
      }
      CHECK(linear.prepare(K));
      for (int again = 0; again < 2; ++again) {
        CHECK(linear.solve(pull, motion));
        double apart = 0, size = 0;
        for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
          for (int k = 0; k < block_count(ldy.law(id)); ++k) {
            const auto place = static_cast<std::size_t>(&ldy.row(id, k) - ldy.diagonal_arena().data());
            const ConstraintId name{graph.constraints()[id]};
            const Eigen::Vector3d expected = dense_H(static_cast<std::size_t>(&whole.row(name, k) - arena)) * y;
            apart = std::max(apart, (motion[place] - expected).norm());
            size = std::max(size, expected.norm());
          }
        }
        CHECK(apart <= 1e-9 * (1 + size));
        if (again == 0) CHECK(linear.prepare(K));  // the pattern is analysed once
      }
    });
  }

  // A limit that nothing meets.
  DistributedGraph graph(MPI_COMM_SELF, builtin_part(problem, MPI_COMM_SELF));
  VelocityOperator small(graph, {.direct_megabytes = 1e-3});
  const std::vector<Eigen::Vector3d> K(graph.ldy().diagonal_arena().size(), Eigen::Vector3d::Ones());
  CHECK(small.prepare(K));
  CHECK(small.method() == LinearMethod::multigrid);
  VelocityOperator few(graph, {.direct_unknowns = 5});
  CHECK(few.prepare(K));
  CHECK(few.method() == LinearMethod::multigrid);
  CHECK(few.direct_megabytes() == 0);
}

TEST_CASE("rigid motions: those of a rigid body move its points as the whole moves; others follow as they can") {
  const Eigen::Vector3d c(1, -2, 3);
  const RigidBody body(MassProperties{.mass = 2, .inertia = Eigen::Vector3d(1, 2, 3).asDiagonal()}, c,
                       Orientation(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -1).normalized())));
  const Eigen::MatrixXd u = rigid_motions(body);
  const Eigen::Vector3d x = c + Eigen::Vector3d(0.3, 0.1, -0.2);
  PointJacobian H(3, 6);
  body.point_jacobian(x, Eigen::Matrix3d::Identity(), H);
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::Vector3d e = Eigen::Vector3d::Unit(axis);
    CHECK((H * u.col(axis) - e.cross(x)).norm() <= 1e-12);
    CHECK((H * u.col(3 + axis) - e).norm() <= 1e-12);
  }
  const Particle particle(1, c);
  const Eigen::MatrixXd v = rigid_motions(particle);
  for (int axis = 0; axis < 3; ++axis) {
    CHECK((v.col(axis) - Eigen::Vector3d::Unit(axis).cross(c)).norm() <= 1e-12);
    CHECK((v.col(3 + axis) - Eigen::Vector3d::Unit(axis)).norm() <= 1e-12);
  }
  // The lattice says by hand what is fitted elsewhere: a sphere along the axes.
  const ProblemPart part = lattice_part(3, 0, 1);
  for (const PartBody& sphere : part.bodies) {
    const RigidBody same(MassProperties{.mass = 1, .inertia = Eigen::Matrix3d::Identity()}, sphere.place);
    CHECK((rigid_motions(same) - sphere.motions).norm() <= 1e-12);
  }
}

TEST_CASE("distributed admm: empty ranks, nothing at all, options and laws out of range") {
  const BuiltinProblem cube = make_builtin("stack", 4);
  for_each_rank_count([&](MPI_Comm comm) {
    DistributedGraph graph(comm, builtin_part(cube, comm));
    for (const LinearMethod method : {LinearMethod::direct, LinearMethod::multigrid}) {
      for (DiagonalBlock& row : graph.ldy().diagonal_arena()) row.R.setZero();
      DistributedAdmmOptions options;
      options.linear.method = method;
      CHECK(solve_distributed_admm(graph, options).status == SolveStatus::converged);
    }
    DistributedGraph nothing(comm, ProblemPart{});
    CHECK(solve_distributed_admm(nothing).status == SolveStatus::converged);
  });
  DistributedGraph graph(MPI_COMM_SELF, builtin_part(cube, MPI_COMM_SELF));
  CHECK_THROWS_AS((void)solve_distributed_admm(graph, {.tolerance = 0}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed_admm(graph, {.max_steps = -1}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed_admm(graph, {.penalty = 0}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed_admm(graph, {.relaxation = 2}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed_admm(graph, {.patience = 0}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed_admm(graph, {.linear = {.tolerance = 1}}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed_admm(graph, {.linear = {.max_iterations = 0}}), std::invalid_argument);
  CHECK_THROWS_AS((void)solve_distributed_admm(graph, {.linear = {.direct_megabytes = 0}}), std::invalid_argument);
  // A limit that conjugate gradients do not keep is told, and the best R stays.
  DistributedAdmmOptions short_of_steps;
  short_of_steps.linear = {.method = LinearMethod::blocks, .max_iterations = 1};
  const BuiltinProblem wall = make_builtin("wall", 100);
  DistributedGraph courses(MPI_COMM_SELF, builtin_part(wall, MPI_COMM_SELF));
  const DistributedAdmmReport report = solve_distributed_admm(courses, short_of_steps);
  CHECK(report.status == SolveStatus::failed);
  CHECK(report.reason == "conjugate gradients did not come to their tolerance");
  // Motions of a wrong size, and a law that ADMM does not know.
  ProblemPart part = lattice_part(2, 0, 1);
  part.bodies[0].motions = Eigen::MatrixXd::Zero(6, 3);
  CHECK_THROWS_WITH_AS(DistributedGraph(MPI_COMM_SELF, std::move(part)), doctest::Contains("motions"),
                       std::invalid_argument);
  ProblemPart bounded = lattice_part(1, 0, 1);
  BoundedLaw law{.bounded = kRowNormal, .lower = -1, .upper = 1};
  law.block[0].rows = kRowNormal;
  bounded.constraints[1].law = law;
  DistributedGraph with_bounds(MPI_COMM_SELF, std::move(bounded));
  CHECK_THROWS_WITH_AS((void)solve_distributed_admm(with_bounds), doctest::Contains("expected Coulomb friction"),
                       std::invalid_argument);
}
