#include <locdyn/ldy/residual.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/ldy/contact_terms.hpp>
#include <locdyn/ldy/residual_terms.hpp>
#include <locdyn/ldy/velocities.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn {
using namespace detail;
namespace {

// Sums and maxima over one run of rows. Runs have a fixed length and are added in order, so that the bits do not
// depend on the number of threads.
struct Partial {
  double scaled2 = 0, absolute2 = 0, b2 = 0, R2 = 0, trace = 0;
  double cone = 0, penetration = 0, complementarity = 0;
  double worst2 = -1;
  ConstraintId worst{kNone};

  void add(const Partial& p) {
    scaled2 += p.scaled2;
    add_terms(p);
    compare(p.worst2, p.worst);
  }
  // All that `scaled2` is not.
  template <class Terms>
  void add_terms(const Terms& t) {
    absolute2 += t.absolute2;
    b2 += t.b2;
    R2 += t.R2;
    trace = std::max(trace, t.trace);
    cone = std::max(cone, t.cone);
    penetration = std::max(penetration, t.penetration);
    complementarity = std::max(complementarity, t.complementarity);
  }
  void compare(double of_one, ConstraintId id) {
    if (of_one > worst2 || (std::isnan(of_one) && !std::isnan(worst2))) {
      worst2 = of_one;
      worst = id;
    }
  }

  [[nodiscard]] Residual residual() const {
    const double norm = b2 > 0 ? std::sqrt(b2) : 1.0;
    Residual result;
    result.scaled = std::sqrt(scaled2) / norm;
    result.absolute = std::sqrt(absolute2);
    result.relative = result.absolute / norm;
    result.floor = 8 * std::numeric_limits<double>::epsilon() * trace * std::sqrt(R2) / norm;
    result.cone = cone;
    result.penetration = penetration;
    result.complementarity = complementarity;
    result.worst = worst;
    return result;
  }
};

constexpr Index kRun = 256;
constexpr std::int64_t kRunsAtOnce = 2;  // for one thread: a small island takes less than 1 µs

// The vector with zero in the rows that are not in use.
Eigen::Vector3d in_use(const Eigen::Vector3d& vector, RowMask rows) {
  return {uses(rows, 0) ? vector[0] : 0, uses(rows, 1) ? vector[1] : 0, uses(rows, 2) ? vector[2] : 0};
}

// ‖R − P_K(R − ρ Û)‖² over the blocks of one law.
template <class Kind>
double natural_map2(const Kind& law, std::span<const Eigen::Vector3d> R, std::span<const Eigen::Vector3d> U_hat,
                    double rho) {
  std::array<Eigen::Vector3d, kMaxLawBlocks> z;
  for (std::size_t k = 0; k < R.size(); ++k) z[k] = R[k] - rho * U_hat[k];
  law.project({z.data(), R.size()});
  double sum = 0;
  for (std::size_t k = 0; k < R.size(); ++k) sum += (R[k] - z[k]).squaredNorm();
  return sum;
}

// Of a constraint whose first row is given. U as it lies in the graph.
template <class Kind>
void judge(const Kind& law, DiagonalBlock* row_of, Partial& sum) {
  const ConstraintId id = row_of->constraint;
  const int count = law.blocks();

  std::array<Eigen::Vector3d, kMaxLawBlocks> U, R, U_hat;
  const double rho = row_scale(row_of->W, law.rows(0));
  for (int k = 0; k < count; ++k) {
    DiagonalBlock& row = row_of[k];
    const RowMask used = law.rows(k);
    row.U = in_use(row.U, used);
    U[k] = row.U;
    R[k] = row.R;
    sum.b2 += in_use(row.B + law.offset(k), used).squaredNorm();
    sum.R2 += row.R.squaredNorm();
    double trace = std::abs(row.W.trace());
    if constexpr (requires { law.compliance(k); }) trace += law.compliance(k).sum();
    sum.trace = std::max(sum.trace, trace);
  }
  const auto blocks = static_cast<std::size_t>(count);
  law.dual_velocity({U.data(), blocks}, {R.data(), blocks}, {U_hat.data(), blocks});
  const double scaled2 = natural_map2(law, {R.data(), blocks}, {U_hat.data(), blocks}, rho) / (rho * rho);
  sum.absolute2 += natural_map2(law, {R.data(), blocks}, {U_hat.data(), blocks}, 1);
  sum.scaled2 += scaled2;
  sum.compare(scaled2, id);
  if constexpr (Kind::kContact) {
    const double normal_velocity = U[0][2] + law.offset(0)[2];
    sum.cone = std::max(sum.cone, law.violation({R.data(), blocks}));
    sum.penetration = std::max(sum.penetration, -normal_velocity);
    sum.complementarity = std::max(sum.complementarity, std::abs(R[0][2] * normal_velocity));
  }
}

void judge_constraint(const LocalDynamics& ldy, DiagonalBlock& first, Partial& sum) {
  std::visit([&](const auto& law) { judge(law, &first, sum); }, ldy.law(first.constraint));
}

// A run of constraints, those of hard contacts in space four at a time.
class RunOfConstraints {
 public:
  explicit RunOfConstraints(LocalDynamics& ldy) : ldy_(ldy) {}

  // Of a constraint whose first row is given.
  void take(DiagonalBlock& row, Partial& sum) {
    const auto* law = std::get_if<ContactLaw>(&ldy_.law(row.constraint));
    if (law == nullptr || law->planar) return judge_constraint(ldy_, row, sum);
    rows_[waiting_] = &row;
    laws_[waiting_++] = law;
    if (waiting_ == rows_.size()) take_four(sum);
  }
  // Those that are fewer than four.
  void end(Partial& sum) {
    for (std::size_t i = 0; i < waiting_; ++i) judge_constraint(ldy_, *rows_[i], sum);
    waiting_ = 0;
  }

 private:
  void take_four(Partial& sum) {
    const FourContactTerms terms = terms_of_four({rows_[0], rows_[1], rows_[2], rows_[3]}, laws_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      sum.scaled2 += terms.scaled2[i];
      sum.compare(terms.scaled2[i], rows_[i]->constraint);
    }
    sum.add_terms(terms);
    waiting_ = 0;
  }

  LocalDynamics& ldy_;
  std::array<DiagonalBlock*, 4> rows_ = {};
  std::array<const ContactLaw*, 4> laws_ = {};
  std::size_t waiting_ = 0;
};

}  // namespace

ResidualTerms detail::residual_terms(LocalDynamics& ldy, ConstraintId id) {
  Partial sum;
  judge_constraint(ldy, ldy.row(id), sum);
  return {sum.scaled2, sum.absolute2, sum.b2, sum.R2, sum.trace, sum.cone, sum.penetration, sum.complementarity};
}

double scaled_residual2(const LocalDynamics& ldy, ConstraintId id) {
  const Law& law = ldy.law(id);
  const auto blocks = static_cast<std::size_t>(block_count(law));
  const double rho = row_scale(ldy.row(id).W, rows(law, 0));
  std::array<Eigen::Vector3d, kMaxLawBlocks> U, R, U_hat;
  for (std::size_t k = 0; k < blocks; ++k) {
    U[k] = ldy.row(id, static_cast<int>(k)).U;
    R[k] = ldy.row(id, static_cast<int>(k)).R;
  }
  dual_velocity(law, {U.data(), blocks}, {R.data(), blocks}, {U_hat.data(), blocks});
  const auto map2 = [&](const auto& kind) {
    return natural_map2(kind, {R.data(), blocks}, {U_hat.data(), blocks}, rho);
  };
  return std::visit(map2, law) / (rho * rho);
}

double row_scale(const Eigen::Matrix3d& W, RowMask rows) noexcept {
  const double trace = W.trace();
  return trace > kLeastTrace ? rows_in_use(rows) / trace : 1.0;
}

namespace {

void check_threads(int threads, const char* caller) {
  if (threads < 1) {
    throw std::invalid_argument(std::string(caller) + ": expected threads >= 1, found " + std::to_string(threads));
  }
}

}  // namespace

Residual evaluate_residual(LocalDynamics& ldy, int threads) {
  check_threads(threads, "evaluate_residual");
  update_velocities(ldy, threads);
  return residual_of_velocities(ldy, threads);
}

Residual residual_of_velocities(LocalDynamics& ldy, int threads) {
  check_threads(threads, "residual_of_velocities");
  const auto diagonal = ldy.diagonal_arena();
  const auto places = static_cast<Index>(diagonal.size());
  const Index runs = (places + kRun - 1) / kRun;
  std::vector<Partial> partial(runs);

  parallel_for(runs, threads, 1, [&](std::int64_t run) {
    const auto first = static_cast<Index>(run) * kRun;
    RunOfConstraints constraints(ldy);
    for (Index at = first; at < std::min(places, first + kRun); ++at) {
      const ConstraintId id = diagonal[at].constraint;
      if (id != kNone && &ldy.row(id) == &diagonal[at]) constraints.take(diagonal[at], partial[run]);
    }
    constraints.end(partial[run]);
  });

  Partial sum;
  for (const Partial& p : partial) sum.add(p);
  return sum.residual();
}

std::vector<Residual> residuals_of_velocities(LocalDynamics& ldy, std::span<const std::span<const ConstraintId>> parts,
                                              int threads) {
  check_threads(threads, "residuals_of_velocities");
  // Runs of each part by themselves: one part may have nearly all constraints.
  struct Run {
    std::span<const ConstraintId> ids;
    std::size_t part;
  };
  std::vector<Run> runs;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::size_t first = 0; first < parts[part].size(); first += kRun) {
      runs.push_back({parts[part].subspan(first, std::min<std::size_t>(kRun, parts[part].size() - first)), part});
    }
  }
  std::vector<Partial> partial(runs.size());
  parallel_for(std::ssize(runs), threads, kRunsAtOnce, [&](std::int64_t run) {
    RunOfConstraints constraints(ldy);
    for (const ConstraintId id : runs[run].ids) constraints.take(ldy.row(id), partial[run]);
    constraints.end(partial[run]);
  });
  std::vector<Partial> sums(parts.size());
  for (std::size_t run = 0; run < runs.size(); ++run) sums[runs[run].part].add(partial[run]);
  std::vector<Residual> residuals;
  residuals.reserve(parts.size());
  for (const Partial& sum : sums) residuals.push_back(sum.residual());
  return residuals;
}

std::vector<Residual> evaluate_residuals(LocalDynamics& ldy, const Islands& islands, int threads) {
  check_threads(threads, "evaluate_residuals");
  update_velocities(ldy, threads);
  if (islands.count == 1) return {residual_of_velocities(ldy, threads)};
  std::vector<std::span<const ConstraintId>> parts;
  parts.reserve(islands.count);
  for (Index i = 0; i < islands.count; ++i) parts.push_back(islands.island(i));
  return residuals_of_velocities(ldy, parts, threads);
}

double joint_velocity_error(const LocalDynamics& ldy) {
  double worst = 0;
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id)) continue;
    const Law& law = ldy.law(id);
    for (int k = 0; k < block_count(law); ++k) {
      const DiagonalBlock& row = ldy.row(id, k);
      const Eigen::Vector3d left = row.U + offset(law, k) + compliance(law, k).cwiseProduct(row.R);
      for (int axis = 0; axis < 3; ++axis) {
        if (uses(bilateral_rows(law, k), axis)) worst = std::max(worst, std::abs(left[axis]));
      }
    }
  }
  return worst;
}

}  // namespace locdyn
