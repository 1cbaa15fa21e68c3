// Each way to an answer against another: every solver against a dense fixed point on problems of any law whose
// velocities are unique, W in blocks against W through bodies, one thread against several, C++ against C.

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <c/locdyn.h>
#include <ldy/assembly/random_scene.hpp>
#include <locdyn/embedding/matrix_problem.hpp>
#include <locdyn/ldy/law.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/registry.hpp>
#include <solver/random_problem.hpp>

using namespace locdyn;

namespace {

// One to five constraints of any law, W = G Gᵀ/n + I/2: friction is weak beside it, so that U is unique.
LocalDynamics any_laws(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> share;
  LocalDynamics ldy;
  const auto count = 1 + seed % 5;
  for (unsigned k = 0; k < count; ++k) {
    const double mu = 0.4 * share(random);
    switch ((seed / 5 + 3 * k) % 7) {
      case 0: ldy.insert(ContactLaw{.friction = mu, .planar = true}); break;
      case 1: ldy.insert(EllipticLaw{.friction = {mu, 0.4 * share(random)}}); break;
      case 2:
        ldy.insert(RollingLaw{.friction = mu, .rolling = 0.1 * share(random), .torsional = 0.1 * share(random)});
        break;
      case 3: ldy.insert(CompliantLaw{.friction = mu, .give = {0, 0, share(random)}}); break;
      case 4: {
        BilateralLaw law;
        law.block[0].rows = static_cast<RowMask>(1 + seed % 7);
        ldy.insert(law);
        break;
      }
      default: ldy.insert(ContactLaw{.friction = mu, .shift = {0.1 * normal(random), 0, 0.2 * normal(random)}});
    }
  }
  for (ConstraintId i{0}; i < ldy.id_bound(); ++i) {
    for (ConstraintId j{0}; j < i; ++j) ldy.couple(i, j);
  }
  const auto n = static_cast<Eigen::Index>(3 * ldy.row_count());
  Eigen::MatrixXd G(n, n);
  for (double& g : G.reshaped()) g = normal(random);
  Eigen::VectorXd used = Eigen::VectorXd::Zero(n);
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      const Eigen::Index at = 3 * (&ldy.row(id, k) - ldy.diagonal_arena().data());
      for (int axis = 0; axis < 3; ++axis) used[at + axis] = uses(rows(ldy.law(id), k), axis) ? 1 : 0;
    }
  }
  G = used.asDiagonal() * G;
  Eigen::MatrixXd W = G * G.transpose() / static_cast<double>(n);
  W.diagonal() += 0.5 * used;
  for (DiagonalBlock& row : ldy.rows()) {
    const Eigen::Index at = 3 * (&row - ldy.diagonal_arena().data());
    row.W = W.block<3, 3>(at, at);
    for (int axis = 0; axis < 3; ++axis) row.B[axis] = used[at + axis] * (normal(random) - (axis == 2 ? 1 : 0));
    for (OffDiagonalBlock& block : ldy.adjacent(row)) block.W = W.block<3, 3>(at, 3 * Eigen::Index(block.other));
  }
  return ldy;
}

// A vector of the graph, whatever the order of its rows.
Eigen::VectorXd by_constraint(const LocalDynamics& ldy, Eigen::Vector3d DiagonalBlock::*member) {
  std::vector<double> all;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      for (const double number : ldy.row(id, k).*member) all.push_back(number);
    }
  }
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

// The unpacked graph as dense W and B, and its velocities B + W R by R ← P_K(R − ρ Û), constraint by constraint.
Eigen::VectorXd dense_velocities(const LocalDynamics& ldy) {
  const auto arena = ldy.diagonal_arena();
  const auto n = static_cast<Eigen::Index>(3 * arena.size());
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd B = Eigen::VectorXd::Zero(n), R = Eigen::VectorXd::Zero(n);
  for (const DiagonalBlock& row : ldy.rows()) {
    const Eigen::Index at = 3 * (&row - arena.data());
    W.block<3, 3>(at, at) = row.W;
    B.segment<3>(at) = row.B;
    for (const auto& block : ldy.adjacent(row)) W.block<3, 3>(at, 3 * Eigen::Index(block.other)) = block.W;
  }
  const double rho = 0.7 / W.norm();
  for (int step = 0; step < 200'000; ++step) {
    const Eigen::VectorXd U = B + W * R;
    double change = 0;
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
      const Law& law = ldy.law(id);
      std::array<Eigen::Vector3d, kMaxLawBlocks> u, r, u_hat;
      const auto blocks = static_cast<std::size_t>(block_count(law));
      const Eigen::Index at = 3 * (&ldy.row(id) - arena.data());
      for (std::size_t k = 0; k < blocks; ++k) {
        u[k] = U.segment<3>(at + 3 * Eigen::Index(k));
        r[k] = R.segment<3>(at + 3 * Eigen::Index(k));
      }
      dual_velocity(law, {u.data(), blocks}, {r.data(), blocks}, {u_hat.data(), blocks});
      std::array<Eigen::Vector3d, kMaxLawBlocks> z;
      for (std::size_t k = 0; k < blocks; ++k) z[k] = r[k] - rho * u_hat[k];
      project(law, {z.data(), blocks});
      for (std::size_t k = 0; k < blocks; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
          if (!uses(rows(law, static_cast<int>(k)), axis)) z[k][axis] = 0;
        }
        change = std::max(change, (z[k] - r[k]).norm());
        R.segment<3>(at + 3 * Eigen::Index(k)) = z[k];
      }
    }
    if (change <= 1e-15 * (1 + R.norm())) break;
  }
  const Eigen::VectorXd U = B + W * R;
  LocalDynamics judged = ldy;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      judged.row(id, k).U = U.segment<3>(3 * (&ldy.row(id, k) - arena.data()));
    }
  }
  return by_constraint(judged, &DiagonalBlock::U);
}

// The same graph without its factor: blocks alone.
LocalDynamics by_blocks(const LocalDynamics& ldy) {
  LocalDynamics plain;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) plain.insert(ldy.law(id));
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      plain.row(id, k) = [&] {
        DiagonalBlock row = plain.row(id, k);
        row.W = ldy.row(id, k).W;
        row.B = ldy.row(id, k).B;
        return row;
      }();
      for (const OffDiagonalBlock& block : ldy.adjacent(ldy.row(id, k))) {
        const ConstraintId other = ldy.diagonal_arena()[block.other].constraint;
        if (other != id && plain.find(id, 0, other, 0) == nullptr) plain.couple(id, other);
      }
    }
  }
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      for (const OffDiagonalBlock& block : ldy.adjacent(ldy.row(id, k))) {
        const DiagonalBlock& there = ldy.diagonal_arena()[block.other];
        const auto column = static_cast<int>(&there - &ldy.row(there.constraint));
        plain.find(id, k, there.constraint, column)->W = block.W;
      }
    }
  }
  return plain;
}

// Solves unless the solver refuses the laws by name.
bool solved(const SolverEntry& solver, LocalDynamics& ldy, const StopOptions& stop) {
  try {
    return solver.solve(ldy, stop, SolverChoices(8)).status == SolveStatus::converged;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace

TEST_CASE("differential: every solver finds the velocities of a dense fixed point, whatever the laws") {
  double worst = 0;
  int compared = 0;
  std::array<int, 32> by_solver{};
  for (unsigned seed = 1; seed <= 70; ++seed) {
    CAPTURE(seed);
    const LocalDynamics problem = any_laws(seed);
    const Eigen::VectorXd expected = dense_velocities(problem);
    std::size_t place = 0;
    for (const SolverEntry& solver : solvers()) {
      const std::size_t at = place++;
      if (solver.pyramid) continue;
      const std::string name(solver.name);
      CAPTURE(name);
      LocalDynamics ldy = problem;
      if (!solved(solver, ldy, {.tolerance = 1e-11, .max_iterations = 20'000})) continue;
      const Eigen::VectorXd U = by_constraint(ldy, &DiagonalBlock::U);
      const double error = (U - expected).norm() / by_constraint(problem, &DiagonalBlock::B).norm();
      CHECK(error < 1e-9);  // 1e-11 of ‖b‖, and what W⁻¹ makes of it
      worst = std::max(worst, error);
      ++compared;
      ++by_solver[at];
    }
  }
  std::size_t place = 0;
  for (const SolverEntry& solver : solvers()) {
    CAPTURE(std::string(solver.name));
    CHECK((solver.pyramid || by_solver[place] >= 10));
    ++place;
  }
  MESSAGE(compared, " solutions; velocities differ by at most ", worst);
}

TEST_CASE("differential: W through bodies and W in blocks, on any number of threads") {
  double worst = 0;
  int compared = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    test::RandomScene scene(seed, 8);
    LocalDynamics through_bodies;
    Assembly assembly(scene.bodies, through_bodies);
    for (int i = 0; i < 12; ++i) assembly.insert(scene.make_constraint().constraint);
    assembly.update(test::RandomScene::h);
    REQUIRE(through_bodies.factor() != nullptr);
    const LocalDynamics blocks = by_blocks(through_bodies);
    REQUIRE(blocks.factor() == nullptr);
    for (const SolverEntry& solver : solvers()) {
      const std::string name(solver.name);
      CAPTURE(name);
      const StopOptions stop{.tolerance = 1e-9, .max_iterations = 5000};
      LocalDynamics first = through_bodies, second = blocks;
      const bool one = solved(solver, first, stop), other = solved(solver, second, stop);
      if (one && other && !solver.pyramid) {
        const Eigen::VectorXd U = by_constraint(second, &DiagonalBlock::U);
        const double load = by_constraint(second, &DiagonalBlock::B).norm();
        const double error = (by_constraint(first, &DiagonalBlock::U) - U).norm() / load;
        CHECK(error < 1e-5);
        worst = std::max(worst, error);
        ++compared;
      }
      for (const int threads : {2, 3, 4}) {
        CAPTURE(threads);
        StopOptions several = stop;
        several.threads = threads;
        LocalDynamics again = through_bodies;
        CHECK(solved(solver, again, several) == one);
        CHECK(by_constraint(again, &DiagonalBlock::R) == by_constraint(first, &DiagonalBlock::R));
      }
    }
  }
  CHECK(compared > 20);
  MESSAGE(compared, " solutions; velocities differ by at most ", worst, " of ‖B‖");
}

TEST_CASE("differential: C gives the bits of C++, by every solver") {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    LocalDynamics ldy = test::random_problem({.contacts = 7, .friction = 0.6}, seed);
    for (DiagonalBlock& row : ldy.rows()) row.B += offset(ldy.law(row.constraint), 0);  // C knows no σ
    std::vector<int> pointers{0}, columns;
    std::vector<double> values, B, friction;
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
      friction.push_back(std::get<ContactLaw>(ldy.law(id)).friction);
      for (const double b : ldy.row(id).B) B.push_back(b);
      for (ConstraintId other{0}; other < ldy.id_bound(); ++other) {
        const Eigen::Matrix3d W = id == other ? ldy.row(id).W : ldy.find(id, 0, other, 0)->W;
        columns.push_back(static_cast<int>(other.value()));
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) values.push_back(W(i, j));
        }
      }
      pointers.push_back(static_cast<int>(columns.size()));
    }
    const LocalDynamics hard = graph_of(BsrView{pointers, columns, values}, B, friction);
    for (const SolverEntry& solver : solvers()) {
      const std::string name(solver.name);
      CAPTURE(name);
      locdyn_problem* problem = nullptr;
      REQUIRE(locdyn_problem_from_bsr(friction.size(), pointers.data(), columns.data(), values.data(), B.data(),
                                      friction.data(), friction.size(), &problem) == LOCDYN_OK);
      locdyn_solve_options options;
      REQUIRE(locdyn_solve_options_init(&options, sizeof options) == LOCDYN_OK);
      options.solver = name.c_str();
      options.max_iterations = 3000;
      const locdyn_status status = locdyn_solve(problem, &options, nullptr);
      std::vector<double> R(B.size());
      CHECK(locdyn_problem_get_vector(problem, LOCDYN_R, R.data(), R.size()) == LOCDYN_OK);
      CHECK(locdyn_problem_free(problem) == LOCDYN_OK);
      LocalDynamics own = hard;
      bool refused = false;
      try {
        (void)solver.solve(own, {.max_iterations = 3000}, SolverChoices(8));
      } catch (const std::invalid_argument&) {
        refused = true;
      }
      CHECK((status == LOCDYN_OK) == !refused);
      CHECK(by_constraint(own, &DiagonalBlock::R) ==
            Eigen::Map<const Eigen::VectorXd>(R.data(), Eigen::Index(R.size())));
    }
  }
}
