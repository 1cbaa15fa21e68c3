// Problems: from arrays and files, and back.

#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <locdyn/embedding/matrix_problem.hpp>

namespace locdyn::c {
namespace {

locdyn_problem* hand_over(std::unique_ptr<locdyn_problem> problem) {
  enter(problem.get(), Kind::problem);
  return problem.release();
}

struct MatrixArguments {
  std::size_t contacts;
  const int* row_pointers;
  const int* columns;
  const double* values;
  const double* b;
  const double* friction;
  std::size_t friction_count;
};

// How many entries the row pointers of `rows` rows speak of: the arrays are read no further.
std::size_t entries_of(const int* row_pointers, std::size_t rows) {
  require(row_pointers, "row_pointers");
  const int entries = row_pointers[rows];
  if (entries < 0) refuse("row_pointers[" + std::to_string(rows) + "]", "at least 0", std::to_string(entries));
  return static_cast<std::size_t>(entries);
}

template <class View>
locdyn_status from_matrix(const MatrixArguments& in, std::size_t rows_per_contact, std::size_t per_entry,
                          locdyn_problem** problem) {
  return guarded([&] {
    require(problem, "problem");
    if (in.contacts > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 3) {
      refuse("contacts", "at most 715827882", std::to_string(in.contacts));
    }
    const std::size_t rows = rows_per_contact * in.contacts, entries = entries_of(in.row_pointers, rows);
    const View W{.row_pointers = {in.row_pointers, rows + 1},
                 .columns = items_of(in.columns, entries, "columns"),
                 .values = items_of(in.values, per_entry * entries, "values")};
    auto made = std::make_unique<locdyn_problem>();
    made->ldy = graph_of(W, items_of(in.b, 3 * in.contacts, "b"), items_of(in.friction, in.friction_count, "friction"));
    *problem = hand_over(std::move(made));
  });
}

void write(const locdyn_problem& problem, const char* path, bool with_solution) {
  FileProblem copy = problem;
  copy.solution.reset();
  if (with_solution) take_solution(copy);
  write_problem(path, copy);
}

// Calls work(row, columns of its blocks in ascending order with the blocks) in order of rows.
template <class Work>
void each_matrix_row(LocalDynamics& ldy, const Work& work) {
  const auto arena = ldy.diagonal_arena();
  std::vector<int> place(arena.size(), -1);
  int count = 0;
  each_row(ldy, [&](const DiagonalBlock& row) { place[&row - arena.data()] = count++; });
  std::vector<std::pair<int, const Eigen::Matrix3d*>> blocks;
  each_row(ldy, [&](const DiagonalBlock& row) {
    blocks.assign(1, {place[&row - arena.data()], &row.W});
    for (const OffDiagonalBlock& block : std::as_const(ldy).adjacent(row)) {
      blocks.emplace_back(place[block.other], &block.W);
    }
    std::ranges::sort(blocks, {}, [](const auto& block) { return block.first; });
    work(blocks);
  });
}

Eigen::Vector3d DiagonalBlock::*member_of(int which) {
  if (which == LOCDYN_B) return &DiagonalBlock::B;
  if (which == LOCDYN_U) return &DiagonalBlock::U;
  if (which == LOCDYN_R) return &DiagonalBlock::R;
  refuse("which", "LOCDYN_B, LOCDYN_U or LOCDYN_R", std::to_string(which));
}

void require_settable(const locdyn_problem& problem, int which) {
  if (which == LOCDYN_U) refuse("which", "LOCDYN_B or LOCDYN_R, which U follows from", "LOCDYN_U");
  if (which == LOCDYN_B && problem.global) refuse("which", "LOCDYN_R of a global problem", "LOCDYN_B");
}

}  // namespace

locdyn_problem& live(locdyn_problem* handle) {
  require_live(handle, Kind::problem);
  return *handle;
}

}  // namespace locdyn::c

using namespace locdyn;
using namespace locdyn::c;

locdyn_status locdyn_problem_from_csr(size_t contacts, const int* row_pointers, const int* columns,
                                      const double* values, const double* b, const double* friction,
                                      size_t friction_count, locdyn_problem** problem) {
  return from_matrix<CsrView>({contacts, row_pointers, columns, values, b, friction, friction_count}, 3, 1, problem);
}

locdyn_status locdyn_problem_from_bsr(size_t contacts, const int* row_pointers, const int* columns,
                                      const double* values, const double* b, const double* friction,
                                      size_t friction_count, locdyn_problem** problem) {
  return from_matrix<BsrView>({contacts, row_pointers, columns, values, b, friction, friction_count}, 1, 9, problem);
}

locdyn_status locdyn_problem_read(const char* path, locdyn_problem** problem) {
  return guarded([&] {
    require(path, "path");
    require(problem, "problem");
    const FileTurn turn;
    auto made = std::make_unique<locdyn_problem>();
    read_problem(path, *made);
    *problem = hand_over(std::move(made));
  });
}

locdyn_status locdyn_problem_write(locdyn_problem* problem, const char* path, int with_solution) {
  return guarded([&] {
    const locdyn_problem& from = live(problem);
    require(path, "path");
    const FileTurn turn;
    write(from, path, with_solution != 0);
  });
}

locdyn_status locdyn_problem_free(locdyn_problem* problem) {
  return guarded([&] {
    if (problem == nullptr) return;
    leave(problem, Kind::problem);
    delete problem;
  });
}

locdyn_status locdyn_problem_get_size(locdyn_problem* problem, locdyn_problem_size* sizes) {
  return guarded([&] {
    const LocalDynamics& ldy = live(problem).ldy;
    require(sizes, "sizes");
    require_size("sizes.size", sizeof *sizes, sizes->size);
    std::size_t contacts = 0;
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) contacts += is_contact(ldy.law(id));
    *sizes = {.size = sizeof *sizes,
              .contacts = contacts,
              .constraints = ldy.constraint_count(),
              .rows = ldy.row_count(),
              .blocks = ldy.row_count() + ldy.off_diagonal_count()};
  });
}

locdyn_status locdyn_problem_get_matrix(locdyn_problem* problem, int* row_pointers, int* columns, double* values) {
  return guarded([&] {
    LocalDynamics& ldy = live(problem).ldy;
    require(row_pointers, "row_pointers");
    require(columns, "columns");
    require(values, "values");
    *row_pointers = 0;
    each_matrix_row(ldy, [&](const auto& blocks) {
      for (const auto& [column, W] : blocks) {
        *columns++ = column;
        for (int i = 0; i < 9; ++i) *values++ = (*W)(i / 3, i % 3);
      }
      row_pointers[1] = row_pointers[0] + static_cast<int>(blocks.size());
      ++row_pointers;
    });
  });
}

locdyn_status locdyn_problem_get_vector(locdyn_problem* problem, int which, double* values, size_t count) {
  return guarded([&] {
    LocalDynamics& ldy = live(problem).ldy;
    const auto member = member_of(which);
    require_size("count", 3 * ldy.row_count(), count);
    auto next = items_of(values, count, "values").begin();
    each_row(ldy, [&](const DiagonalBlock& row) { next = std::ranges::copy(row.*member, next).out; });
  });
}

locdyn_status locdyn_problem_set_vector(locdyn_problem* problem, int which, const double* values, size_t count) {
  return guarded([&] {
    locdyn_problem& target = live(problem);
    const auto member = member_of(which);
    require_settable(target, which);
    require_size("count", 3 * target.ldy.row_count(), count);
    const auto numbers = items_of(values, count, "values");
    const auto bad = std::ranges::find_if(numbers, [](double value) { return !std::isfinite(value); });
    if (bad != numbers.end()) {
      refuse("values[" + std::to_string(bad - numbers.begin()) + "]", "a finite number", std::to_string(*bad));
    }
    const double* next = values;
    each_row(target.ldy, [&](DiagonalBlock& row) {
      row.*member = Eigen::Map<const Eigen::Vector3d>(next);
      next += 3;
    });
  });
}

locdyn_status locdyn_problem_get_friction(locdyn_problem* problem, double* friction, size_t count) {
  return guarded([&] {
    const LocalDynamics& ldy = live(problem).ldy;
    require_size("count", ldy.constraint_count(), count);
    const auto target = items_of(friction, count, "friction");
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
      const Law& law = ldy.law(id);
      target[id] = is_contact(law) ? friction_discs(law).sliding[0] : std::numeric_limits<double>::quiet_NaN();
    }
  });
}
