// A problem handed over as a matrix is the graph's, bit for bit, and leaves what it was given.

#include <doctest/doctest.h>

#include <vector>

#include <locdyn/embedding/matrix_problem.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

#include "builtin/builtin.hpp"

using namespace locdyn;

namespace {

// W by rows of blocks and of numbers, b with σ in it, μ: of a graph whose ids are 0, 1, ….
struct Matrices {
  std::vector<int> block_pointers = {0}, block_columns, row_pointers = {0}, columns;
  std::vector<double> blocks, values, b, friction;

  explicit Matrices(LocalDynamics& ldy) {
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
      std::vector<std::pair<int, Eigen::Matrix3d>> row = {{int(id), ldy.row(id).W}};
      for (const OffDiagonalBlock& block : ldy.adjacent(ldy.row(id))) {
        row.emplace_back(int(ldy.diagonal_arena()[block.other].constraint), block.W);
      }
      add(row);
      friction.push_back(std::get<ContactLaw>(ldy.law(id)).friction);
      b.insert(b.end(), ldy.row(id).B.begin(), ldy.row(id).B.end());
    }
  }

  [[nodiscard]] BsrView by_blocks() const { return {block_pointers, block_columns, blocks}; }
  [[nodiscard]] CsrView by_numbers() const { return {row_pointers, columns, values}; }

 private:
  void add(const std::vector<std::pair<int, Eigen::Matrix3d>>& row) {
    for (const auto& [column, W] : row) {
      block_columns.push_back(column);
      for (int i = 0; i < 9; ++i) blocks.push_back(W(i / 3, i % 3));
    }
    block_pointers.push_back(int(block_columns.size()));
    for (int i = 0; i < 3; ++i) {
      for (const auto& [column, W] : row) {
        for (int j = 0; j < 3; ++j) {
          columns.push_back(3 * column + j);
          values.push_back(W(i, j));
        }
      }
      row_pointers.push_back(int(columns.size()));
    }
  }
};

// A graph with its blocks, σ taken into B.
LocalDynamics plain_graph(const BuiltinProblem& problem) {
  LocalDynamics ldy = *problem.ldy;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    auto law = std::get<ContactLaw>(ldy.law(id));
    ldy.row(id).B += law.shift;
    law.shift.setZero();
    ldy.set_law(id, law);
  }
  ldy.pack(SweepOrder::by_id);
  return ldy;
}

}  // namespace

TEST_CASE("W as CSR and as BSR: the result of the graph, bit for bit") {
  for (const char* solver : {"auto", "nsgs", "newton"}) {
    CAPTURE(solver);
    LocalDynamics ldy = plain_graph(make_builtin("wall", 150));
    const Matrices given(ldy);
    const SolveReport expected = find_solver(solver).solve(ldy, {.tolerance = 1e-10}, {});
    REQUIRE(expected.status == SolveStatus::converged);

    std::vector<double> R(given.b.size(), 0.0), U(given.b.size());
    const auto check = [&](const SolveReport& report) {
      CHECK(report.status == SolveStatus::converged);
      CHECK(report.iterations == expected.iterations);
      CHECK(report.residual.scaled == expected.residual.scaled);
      for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
        CHECK(Eigen::Map<Eigen::Vector3d>(&R[3 * id]) == ldy.row(id).R);
        CHECK(Eigen::Map<Eigen::Vector3d>(&U[3 * id]) == ldy.row(id).U);
      }
    };
    const MatrixSolveOptions options{.solver = solver, .stop = {.tolerance = 1e-10}};
    check(solve(given.by_numbers(), given.b, given.friction, R, options, U));
    R.assign(R.size(), 0.0);
    check(solve(given.by_blocks(), given.b, given.friction, R, options, U));

    // R is the warm start: what is solved takes no iteration.
    CHECK(solve(given.by_blocks(), given.b, given.friction, R, options).iterations == 0);
  }
}

TEST_CASE("two blocks, by hand: contacts that carry 3 g and 2 g, one friction for both") {
  // The problem of examples/graph_by_hand.cpp; a diagonal entry in two halves.
  const std::vector<int> pointers = {0, 3, 6, 9, 11, 13, 15}, columns = {0, 0, 3, 1, 1, 4, 2, 2, 5, 0, 3, 1, 4, 2, 5};
  const std::vector<double> values = {0.5, 0.5, -1, 0.5, 0.5, -1, 0.5, 0.5, -1, -1, 1.5, -1, 1.5, -1, 1.5};
  const std::vector<double> b = {0, 0, -9.81, 2.5, 0, 0}, friction = {0.6};
  std::vector<double> R(6, 0.0);
  const SolveReport report = solve(CsrView{pointers, columns, values}, b, friction, R, {.stop = {.tolerance = 1e-12}});
  CHECK(report.status == SolveStatus::converged);
  const std::vector<double> expected = {-5, 0, 29.43, -5, 0, 19.62};
  for (int i = 0; i < 6; ++i) CHECK(R[i] == doctest::Approx(expected[i]).epsilon(1e-9));
}

TEST_CASE("no contacts at all are solved") {
  const std::vector<int> pointers = {0};
  const std::vector<double> friction = {0.5};
  CHECK(solve(CsrView{pointers, {}, {}}, {}, friction, {}).status == SolveStatus::converged);
}
