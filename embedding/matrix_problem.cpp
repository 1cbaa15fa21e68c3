#include <locdyn/embedding/matrix_problem.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include <locdyn/embedding/bad_input.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {
namespace {

using detail::number_text, detail::refuse;

void require_size(const char* what, std::size_t expected, std::size_t found) {
  if (expected != found) refuse(what, std::to_string(expected) + " numbers", std::to_string(found));
}

void require_finite(const char* what, std::span<const double> values) {
  const auto at = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
  if (at == values.end()) return;
  refuse(std::string(what) + "[" + std::to_string(at - values.begin()) + "]", "a finite number", number_text(*at));
}

// Row pointers and columns of `rows` rows, `per_entry` values to each.
void check_pattern(std::span<const int> pointers, std::span<const int> columns, std::span<const double> values,
                   std::size_t rows, std::size_t per_entry) {
  require_size("row pointers of W", rows + 1, pointers.size());
  if (pointers[0] != 0) refuse("row pointers of W", "0 as the first", std::to_string(pointers[0]));
  for (std::size_t i = 0; i < rows; ++i) {
    if (pointers[i + 1] >= pointers[i]) continue;
    refuse("row pointers of W", "at least " + std::to_string(pointers[i]) + " after row " + std::to_string(i),
           std::to_string(pointers[i + 1]));
  }
  require_size("columns of W", static_cast<std::size_t>(pointers.back()), columns.size());
  require_size("values of W", per_entry * columns.size(), values.size());
  for (const int column : columns) {
    if (column >= 0 && static_cast<std::size_t>(column) < rows) continue;
    refuse("columns of W", "0 … " + std::to_string(rows - 1), std::to_string(column));
  }
  require_finite("values of W", values);
}

void check_loads(std::span<const double> b, std::span<const double> friction) {
  if (b.size() % 3 != 0) refuse("b", "three numbers for each contact", std::to_string(b.size()));
  const std::size_t contacts = b.size() / 3;
  if (friction.size() != 1) require_size("friction", contacts, friction.size());
  for (std::size_t i = 0; i < friction.size(); ++i) {
    if (friction[i] >= 0 && friction[i] <= ContactLaw::kLargestFriction) continue;
    refuse("friction[" + std::to_string(i) + "]", "0 … 1e6", number_text(friction[i]));
  }
  require_finite("b", b);
}

void check_pattern(const CsrView& W, std::size_t contacts) {
  check_pattern(W.row_pointers, W.columns, W.values, 3 * contacts, 1);
}

void check_pattern(const BsrView& W, std::size_t contacts) {
  check_pattern(W.row_pointers, W.columns, W.values, contacts, 9);
}

// Calls work(column of blocks, 3×3 block) for each entry of the rows of a contact: one number of CSR, or a block of
// BSR.
template <class Work>
void for_each_entry(const CsrView& W, std::size_t contact, const Work& work) {
  for (int row = 0; row < 3; ++row) {
    const std::size_t at = 3 * contact + static_cast<std::size_t>(row);
    for (int k = W.row_pointers[at]; k < W.row_pointers[at + 1]; ++k) {
      Eigen::Matrix3d block = Eigen::Matrix3d::Zero();
      block(row, W.columns[k] % 3) = W.values[k];
      work(static_cast<ConstraintId>(W.columns[k] / 3), block);
    }
  }
}

template <class Work>
void for_each_entry(const BsrView& W, std::size_t contact, const Work& work) {
  using ByRows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  for (int k = W.row_pointers[contact]; k < W.row_pointers[contact + 1]; ++k) {
    const Eigen::Matrix3d block = Eigen::Map<const ByRows>(W.values.data() + std::ptrdiff_t{9} * k);
    work(static_cast<ConstraintId>(W.columns[k]), block);
  }
}

// Contacts have their places as ids.
template <class View>
void fill(LocalDynamics& ldy, const View& W, std::size_t contacts) {
  std::vector<std::pair<ConstraintId, ConstraintId>> pairs;
  for (ConstraintId alpha{0}; alpha < contacts; ++alpha) {
    for_each_entry(W, alpha, [&](ConstraintId beta, const Eigen::Matrix3d&) {
      const std::pair pair(alpha, beta);
      if (alpha != beta && (pairs.empty() || pairs.back() != pair)) pairs.push_back(pair);
    });
  }
  ldy.couple(std::move(pairs));
  ldy.pack(SweepOrder::by_id);
  std::vector<Eigen::Matrix3d*> block_of(contacts, nullptr);  // of the row at hand
  for (ConstraintId alpha{0}; alpha < contacts; ++alpha) {
    DiagonalBlock& row = ldy.row(alpha);
    block_of[alpha] = &row.W;
    for (OffDiagonalBlock& block : ldy.adjacent(row)) block_of[ldy.diagonal_arena()[block.other].constraint] = &block.W;
    for_each_entry(W, alpha, [&](ConstraintId beta, const Eigen::Matrix3d& part) { *block_of[beta] += part; });
  }
}

template <class View>
LocalDynamics make_graph(const View& W, std::span<const double> b, std::span<const double> friction) {
  check_loads(b, friction);
  const std::size_t contacts = b.size() / 3;
  check_pattern(W, contacts);
  LocalDynamics ldy;
  for (std::size_t i = 0; i < contacts; ++i) {
    DiagonalBlock& row = ldy.row(ldy.insert(ContactLaw{.friction = friction[friction.size() == 1 ? 0 : i]}));
    row.B = Eigen::Map<const Eigen::Vector3d>(&b[3 * i]);
  }
  fill(ldy, W, contacts);
  return ldy;
}

template <class View>
SolveReport solve_matrix(const View& W, std::span<const double> b, std::span<const double> friction,
                         std::span<double> R, const MatrixSolveOptions& options, std::span<double> U) {
  const SolverEntry& solver = find_solver(options.solver);
  check_loads(b, friction);
  require_size("R", b.size(), R.size());
  if (!U.empty()) require_size("U", b.size(), U.size());
  require_finite("R", R);
  LocalDynamics ldy = make_graph(W, b, friction);
  const std::size_t contacts = b.size() / 3;
  for (std::size_t i = 0; i < contacts; ++i) {
    ldy.row(static_cast<ConstraintId>(i)).R = Eigen::Map<const Eigen::Vector3d>(&R[3 * i]);
  }
  SolveReport report = solver.solve(ldy, options.stop, {});
  for (std::size_t i = 0; i < contacts; ++i) {
    const DiagonalBlock& row = ldy.row(static_cast<ConstraintId>(i));
    std::ranges::copy(row.R, R.begin() + std::ptrdiff_t(3 * i));
    if (!U.empty()) std::ranges::copy(row.U, U.begin() + std::ptrdiff_t(3 * i));
  }
  return report;
}

}  // namespace

LocalDynamics graph_of(const CsrView& W, std::span<const double> b, std::span<const double> friction) {
  return make_graph(W, b, friction);
}

LocalDynamics graph_of(const BsrView& W, std::span<const double> b, std::span<const double> friction) {
  return make_graph(W, b, friction);
}

SolveReport solve(const CsrView& W, std::span<const double> b, std::span<const double> friction, std::span<double> R,
                  const MatrixSolveOptions& options, std::span<double> U) {
  return solve_matrix(W, b, friction, R, options, U);
}

SolveReport solve(const BsrView& W, std::span<const double> b, std::span<const double> friction, std::span<double> R,
                  const MatrixSolveOptions& options, std::span<double> U) {
  return solve_matrix(W, b, friction, R, options, U);
}

}  // namespace locdyn
