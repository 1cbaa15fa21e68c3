// Contact problems U = b + W R: from matrices and files, to them, solved and judged.

#include <locdyn/io/problem/file_problem.hpp>
#include <locdyn/embedding/matrix_problem.hpp>
#include <locdyn/ldy/matrix_market.hpp>
#include <locdyn/solver/registry.hpp>
#include <memory>
#include <optional>
#include <stdexcept>

#include "law_numbers.hpp"
#include "page.hpp"
#include "solve.hpp"

namespace locdyn::python {
namespace {

using Ints = py::array_t<int, py::array::c_style>;

struct Problem : FileProblem {
  // Rows (3 each) in the order of ids, as arrays have them.
  template <class Work>
  void each_row(const Work& work) {
    for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
      if (!ldy.contains(id)) continue;
      for (int k = 0; k < block_count(ldy.law(id)); ++k) work(ldy.row(id, k));
    }
  }
};

// --- in --------------------------------------------------------------------------------------------------------------

template <class View>
Problem from_matrix(const Ints& row_pointers, const Ints& columns, const Numbers& values, const py::handle& b,
                    const py::handle& friction) {
  Problem problem;
  const Numbers loads = numbers(b, "b", {-1});
  const std::vector<double> mu = per_item(friction, "friction", static_cast<std::size_t>(loads.size()) / 3);
  const auto ints = [](const Ints& array) {
    return std::span<const int>(array.data(), static_cast<std::size_t>(array.size()));
  };
  problem.ldy = graph_of(View{.row_pointers = ints(row_pointers), .columns = ints(columns), .values = span_of(values)},
                         span_of(loads), mu);
  return problem;
}

std::unique_ptr<Problem> read(const std::filesystem::path& path) {
  auto problem = std::make_unique<Problem>();
  read_problem(path, *problem);
  return problem;
}

// --- out -------------------------------------------------------------------------------------------------------------

void write(const Problem& problem, const std::filesystem::path& path, bool solution) {
  FileProblem copy = problem;
  copy.solution.reset();
  if (solution) take_solution(copy);
  write_problem(path, copy);
}

// (row pointers, columns, values) of W in blocks of 3 × 3, in the order of ids.
py::tuple blocks(Problem& problem) {
  const LocalDynamics& ldy = problem.ldy;
  const auto arena = ldy.diagonal_arena();
  std::vector<int> place(arena.size(), -1), pointers(1, 0), columns;
  int count = 0;
  problem.each_row([&](const DiagonalBlock& row) { place[&row - arena.data()] = count++; });
  std::vector<double> values;
  const auto append = [&](int column, const Eigen::Matrix3d& W) {
    columns.push_back(column);
    for (int i = 0; i < 3; ++i) values.insert(values.end(), {W(i, 0), W(i, 1), W(i, 2)});
  };
  problem.each_row([&](const DiagonalBlock& row) {
    std::vector<std::pair<int, const Eigen::Matrix3d*>> entries{{place[&row - arena.data()], &row.W}};
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) entries.emplace_back(place[block.other], &block.W);
    std::sort(entries.begin(), entries.end());
    for (const auto& [column, W] : entries) append(column, *W);
    pointers.push_back(static_cast<int>(columns.size()));
  });
  return py::make_tuple(
      Ints(static_cast<py::ssize_t>(pointers.size()), pointers.data()),
      Ints(static_cast<py::ssize_t>(columns.size()), columns.data()),
      Numbers({static_cast<py::ssize_t>(columns.size()), py::ssize_t{3}, py::ssize_t{3}}, values.data()));
}

Numbers rows_of(Problem& problem, Eigen::Vector3d DiagonalBlock::*member) {
  std::vector<Eigen::Vector3d> rows;
  problem.each_row([&](const DiagonalBlock& row) { rows.push_back(row.*member); });
  return array_of(rows);
}

void set_reactions(Problem& problem, const py::handle& R) {
  const Numbers values = numbers(R, "R", {static_cast<py::ssize_t>(problem.ldy.row_count()), 3});
  const double* next = values.data();
  problem.each_row([&](DiagonalBlock& row) {
    row.R = Eigen::Map<const Eigen::Vector3d>(next);
    next += 3;
  });
}

Numbers friction_of(const Problem& problem) {
  std::vector<double> mu;
  for (ConstraintId id{0}; id < problem.ldy.id_bound(); ++id) {
    if (!problem.ldy.contains(id)) continue;
    const Law& law = problem.ldy.law(id);
    mu.push_back(is_contact(law) ? friction_discs(law).sliding[0] : std::numeric_limits<double>::quiet_NaN());
  }
  return Numbers(static_cast<py::ssize_t>(mu.size()), mu.data());
}

py::list laws_of(const Problem& problem) {
  py::list names;
  for (ConstraintId id{0}; id < problem.ldy.id_bound(); ++id) {
    if (problem.ldy.contains(id)) names.append(law_name(problem.ldy.law(id)));
  }
  return names;
}

Numbers loads_of(Problem& problem) {
  std::vector<Eigen::Vector3d> rows;
  problem.each_row([&](const DiagonalBlock& row) {
    rows.emplace_back(row.B + offset(problem.ldy.law(row.constraint), problem.ldy.block_of(row)));
  });
  return array_of(rows);
}

// --- pickles ---------------------------------------------------------------------------------------------------------

py::tuple state_of(Problem& problem) {
  if (problem.global != nullptr) {
    throw std::invalid_argument("pickle: expected a local problem, found a global one; its file says it all");
  }
  py::list laws;
  for (ConstraintId id{0}; id < problem.ldy.id_bound(); ++id) {
    if (problem.ldy.contains(id)) laws.append(numbers_of(problem.ldy.law(id)));
  }
  return py::make_tuple(1, laws, blocks(problem), rows_of(problem, &DiagonalBlock::B),
                        rows_of(problem, &DiagonalBlock::R), problem.spacedim, problem.info.title,
                        problem.info.description, problem.info.math_info);
}

Problem from_state(const py::tuple& state) {
  if (state.size() != 9 || state[0].cast<int>() != 1) {
    throw std::invalid_argument("pickle: expected a problem of version 1, found another");
  }
  Problem problem;
  LocalDynamics& ldy = problem.ldy;
  std::vector<std::pair<ConstraintId, int>> rows;  // id and block of each
  for (const py::handle law : state[1]) {
    const ConstraintId id = ldy.insert(law_of(law.cast<std::vector<double>>()));
    for (int k = 0; k < block_count(ldy.law(id)); ++k) rows.emplace_back(id, k);
  }
  const auto matrix = state[2].cast<py::tuple>();
  const auto pointers = matrix[0].cast<std::vector<int>>(), columns = matrix[1].cast<std::vector<int>>();
  const auto values = matrix[2].cast<Numbers>();
  using ByRows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const auto each_block = [&](const auto& work) {
    for (std::size_t at = 0; at < rows.size(); ++at) {
      for (int k = pointers.at(at); k < pointers.at(at + 1); ++k) {
        const Eigen::Matrix3d W = Eigen::Map<const ByRows>(values.data() + std::ptrdiff_t{9} * k);
        work(rows[at], rows.at(static_cast<std::size_t>(columns.at(static_cast<std::size_t>(k)))), W);
      }
    }
  };
  each_block([&](const auto& a, const auto& b, const Eigen::Matrix3d&) {
    if (a.first != b.first) ldy.couple(a.first, b.first);
  });
  ldy.pack(SweepOrder::by_id);
  each_block([&](const auto& a, const auto& b, const Eigen::Matrix3d& W) {
    if (a == b) {
      ldy.row(a.first, a.second).W = W;
    } else {
      ldy.find(a.first, a.second, b.first, b.second)->W = W;
    }
  });
  const auto B = state[3].cast<Numbers>();
  const double* next = B.data();
  problem.each_row([&](DiagonalBlock& row) {
    row.B = Eigen::Map<const Eigen::Vector3d>(next);
    next += 3;
  });
  set_reactions(problem, state[4]);
  problem.spacedim = state[5].cast<int>();
  problem.info = {state[6].cast<std::string>(), state[7].cast<std::string>(), state[8].cast<std::string>()};
  return problem;
}

// --- work ------------------------------------------------------------------------------------------------------------

SolveReport solve(Problem& problem, const std::string& solver, double tolerance, const std::string& measure,
                  double max_seconds, long max_iterations, int threads, int facets,
                  const std::vector<std::string>& without) {
  const SolverEntry& entry = find_solver(solver);
  SolverChoices choices(without);
  choices.facets = facets;
  StopOptions stop{.tolerance = tolerance,
                   .measure = measure_of(measure),
                   .max_seconds = max_seconds,
                   .max_iterations = max_iterations,
                   .threads = threads};
  const CtrlC interrupt;
  stop.interrupt = interrupt.flag();
  SolveReport report;
  {
    const py::gil_scoped_release unlocked;
    report = entry.solve(problem.ldy, stop, choices);
  }
  interrupt.raise();
  return report;
}

Residual residual(Problem& problem, int threads) {
  const py::gil_scoped_release unlocked;
  return evaluate_residual(problem.ldy, threads);
}

}  // namespace

void bind_problem(py::module_& module) {
  using namespace py::literals;
  py::class_<Problem>(module, "_Problem", "The compiled half of Problem.")
      .def_static("from_csr", &from_matrix<CsrView>, "row_pointers"_a, "columns"_a, "values"_a, "b"_a, "friction"_a)
      .def_static("from_bsr", &from_matrix<BsrView>, "row_pointers"_a, "columns"_a, "values"_a, "b"_a, "friction"_a)
      .def_static("read", &read, "path"_a)
      .def("write", &write, "path"_a, "solution"_a)
      .def(
          "write_matrix_market",
          [](const Problem& p, const std::filesystem::path& path) { write_matrix_market(path, p.ldy); }, "path"_a)
      .def("blocks", &blocks)
      .def("solve", &solve, "solver"_a, "tolerance"_a, "measure"_a, "max_seconds"_a, "max_iterations"_a, "threads"_a,
           "facets"_a, "without"_a)
      .def("residual", &residual, "threads"_a)
      .def(
          "view",
          [](Problem& p, const std::string& note, const std::string& title, const std::filesystem::path& out) {
            write_problem_page(p.ldy, note, title, out);
          },
          "note"_a, "title"_a, "out"_a)
      .def("copy", [](const Problem& p) { return Problem(p); })
      .def_property(
          "R", [](Problem& p) { return rows_of(p, &DiagonalBlock::R); }, &set_reactions)
      .def_property_readonly("U", [](Problem& p) { return rows_of(p, &DiagonalBlock::U); })
      .def_property_readonly("b", &loads_of)
      .def_property_readonly("friction", &friction_of)
      .def_property_readonly("laws", &laws_of)
      .def_property_readonly("rows", [](const Problem& p) { return p.ldy.row_count(); })
      .def_property_readonly("constraints", [](const Problem& p) { return p.ldy.constraint_count(); })
      .def_property_readonly("blocks_off_diagonal", [](const Problem& p) { return p.ldy.off_diagonal_count(); })
      .def_readonly("spacedim", &Problem::spacedim)
      .def_property_readonly("title", [](const Problem& p) { return py::bytes(p.info.title); })
      .def_property_readonly("is_global", [](const Problem& p) { return p.global != nullptr; })
      .def(py::pickle(&state_of, &from_state));
}

}  // namespace locdyn::python
