#include <locdyn/solver/solve_options.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include <locdyn/ldy/residual.hpp>

namespace locdyn {
namespace {

template <class Value>
[[noreturn]] void refuse(std::string_view solver, const char* what, const char* expected, Value found) {
  std::ostringstream line;
  line << solver << ": " << what << ": expected " << expected << ", found " << found;
  throw std::invalid_argument(line.str());
}

[[noreturn]] void refuse_row(std::string_view solver, ConstraintId id, const std::string& fault) {
  throw std::invalid_argument(std::string(solver) + ": constraint " + std::to_string(id) + ": " + fault);
}

// Norms are sums of squares: the largest number of a kind must have a square that is neither 0 nor infinite.
class Range {
 public:
  void take(double value, ConstraintId id) {
    if (std::abs(value) <= std::abs(largest_)) return;
    largest_ = value;
    id_ = id;
  }
  void check(std::string_view solver, const char* what, double least = 1e-140) const {
    if (largest_ == 0 || (std::abs(largest_) >= least && std::abs(largest_) <= 1e140)) return;
    std::ostringstream fault;
    fault << what << ": expected numbers whose largest is within 1e-140 and 1e140, found " << largest_;
    refuse_row(solver, id_, fault.str());
  }

 private:
  double largest_ = 0;
  ConstraintId id_{kNone};
};

// A row that no reaction can move satisfies its law as it is, or never.
bool satisfied_without_reaction(const Law& law, int block, const Eigen::Vector3d& B) {
  const Eigen::Vector3d C = compliance(law, block), b = B + offset(law, block);
  if (is_contact(law)) return block > 0 || b[2] >= 0 || C[2] > 0;
  for (int row = 0; row < 3; ++row) {
    if (uses(bilateral_rows(law, block), row) && C[row] == 0 && b[row] != 0) return false;
  }
  return true;
}

}  // namespace

void check_options(const StopOptions& stop, std::string_view solver) {
  if (!(stop.tolerance > 0) || !std::isfinite(stop.tolerance)) {
    refuse(solver, "tolerance", "a finite number > 0", stop.tolerance);
  }
  if (!(stop.max_seconds > 0)) refuse(solver, "max_seconds", "a number > 0", stop.max_seconds);
  if (stop.max_iterations < 0) refuse(solver, "max_iterations", "a number >= 0", stop.max_iterations);
  if (!(stop.max_work > 0)) refuse(solver, "max_work", "a number > 0", stop.max_work);
  if (stop.threads < 1) refuse(solver, "threads", "a number >= 1", stop.threads);
}

void check_step_limits(const StopOptions& stop, std::string_view caller) {
  check_options(stop, caller);
  if (std::isfinite(stop.max_seconds)) {
    refuse(caller, "max_seconds", "none, since no bit may depend on the clock (max_work limits)", stop.max_seconds);
  }
  if (stop.measure != Measure::scaled) {
    refuse(caller, "measure", "scaled", stop.measure == Measure::relative ? "relative" : "absolute");
  }
}

void check_positive(double value, std::string_view solver, std::string_view field) {
  if (value > 0 && std::isfinite(value)) return;
  std::string fault(solver);
  fault.append(": ").append(field).append(": expected a finite number > 0, found ").append(std::to_string(value));
  throw std::invalid_argument(fault);
}

StopOptions limits_left(const StopOptions& stop, long iterations, double seconds, double work) {
  StopOptions left = stop;
  left.max_iterations = std::max(stop.max_iterations - iterations, 0L);
  left.max_seconds = std::max(stop.max_seconds - seconds, std::numeric_limits<double>::min());
  left.max_work = std::max(stop.max_work - work, std::numeric_limits<double>::min());
  return left;
}

void check_problem(const LocalDynamics& ldy, std::string_view solver) {
  // W_αα by themselves: a tiny one beside couplings is told, too. B over W is what R comes to be.
  Range loads, blocks, couplings, forces;
  const LocalDynamics::Links<const OffDiagonalBlock> no_blocks(nullptr, kNone);
  for (const DiagonalBlock& row : ldy.rows()) {
    const ConstraintId id = row.constraint;
    const int block = ldy.block_of(row);
    const Law& law = ldy.law(id);
    const RowMask used = rows(law, block);
    const Eigen::Vector3d load = row.B + offset(law, block);
    double largest = 0;
    for (int k = 0; k < 3; ++k) {
      if (!uses(used, k)) continue;
      if (!std::isfinite(row.B[k])) refuse_row(solver, id, "B: expected finite, found " + std::to_string(row.B[k]));
      if (!std::isfinite(row.R[k])) refuse_row(solver, id, "R: expected finite, found " + std::to_string(row.R[k]));
      loads.take(load[k], id);
      largest = std::max(largest, std::abs(load[k]));
    }
    blocks.take(row.W.cwiseAbs().maxCoeff(), id);
    if (!row.W.allFinite()) refuse_row(solver, id, "W: expected finite, found a number that is not");
    forces.take(row_scale(row.W, used) * largest, id);
    // Blocks still to be made from bodies are finite where H is, and zero with W_αα.
    bool coupled = false;
    for (const OffDiagonalBlock& other : ldy.has_blocks() ? ldy.adjacent(row) : no_blocks) {
      if (!other.W.allFinite()) refuse_row(solver, id, "W: expected finite, found a number that is not");
      coupled = coupled || !other.W.isZero(0);
      couplings.take(other.W.cwiseAbs().maxCoeff(), id);
    }
    if (!coupled && row.W.isZero(0) && !satisfied_without_reaction(law, block, row.B)) {
      refuse_row(solver, id, "expected W other than 0 where B does not satisfy the law, found W = 0");
    }
  }
  loads.check(solver, "B");
  blocks.check(solver, "W");
  couplings.check(solver, "W");
  forces.check(solver, "B over W", 0);
}

}  // namespace locdyn
