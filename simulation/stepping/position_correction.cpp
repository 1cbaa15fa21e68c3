#include <locdyn/simulation/stepping/position_correction.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <typeinfo>
#include <vector>

#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/simulation/stepping/gap_projection.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

// What a constraint's rows have lost at the end of the step.
using Errors = std::array<Eigen::Vector3d, kMaxLawBlocks>;

Errors errors_of(const System& system, ConstraintId id, double h) {
  const LocalDynamics& graph = system.graph();
  const auto blocks = static_cast<std::size_t>(block_count(graph.law(id)));
  Errors errors;
  const Constraint& constraint = system.assembly().constraint(id);
  constraint.position_error(system.bodies(), {errors.data(), blocks});
  // A contact's gap is that of mid-step; a limit has its own of now.
  if (typeid(constraint) == typeid(Contact)) errors[0][2] += h / 2 * graph.row(id).U[2];
  return errors;
}

double excess(const Law& law, const Errors& errors) {
  if (is_contact(law)) return -errors[0][2];
  double largest = 0;
  for (int k = 0; k < block_count(law); ++k) largest = std::max(largest, errors[k].cwiseAbs().maxCoeff());
  return largest;
}

// The displacement along the normal that a contact asks for (negative), or allows.
double normal_shift(const Errors& errors, double slop) {
  const double gap = errors[0][2];
  return gap < -slop ? gap + slop / 2 : std::max(gap, 0.0);
}

// Constraints and bodies that a thread takes at a time: some 10 µs.
constexpr std::int64_t kErrorsAtOnce = 256, kGroupsAtOnce = 64;

// The constraints of one island that give way to nothing, with what they have lost.
struct Island {
  std::span<const ConstraintId> ids;
  std::span<const Errors> errors;
  bool contacts_alone = true;
};

// Those of all islands, one behind the other.
struct HardConstraints {
  std::vector<ConstraintId> ids;
  std::vector<Errors> errors;
  std::vector<std::size_t> first;  // by island, one more at the end

  HardConstraints(const System& system, const Islands& islands, double h, int threads) : first{0} {
    ids.reserve(islands.members.size());
    for (Index i = 0; i < islands.count; ++i) {
      for (const ConstraintId id : islands.island(i)) {
        if (!gives_way(system.graph().law(id))) ids.push_back(id);  // what others have lost is what they feel
      }
      first.push_back(ids.size());
    }
    errors.resize(ids.size());
    in_parallel(std::ssize(ids), threads, kErrorsAtOnce,
                [&](std::int64_t i) { errors[i] = errors_of(system, ids[i], h); });
  }
  [[nodiscard]] Island island(Index i) const {
    const std::size_t count = first[i + 1] - first[i];
    return {std::span(ids).subspan(first[i], count), std::span(errors).subspan(first[i], count)};
  }
};

// Displacements d = Σ Y R of the bodies of an island with bilateral constraints: a problem of local dynamics of its
// own.
void solve_displacements(const LocalDynamics& graph, const DelassusFactor& factor, const Island& island, double slop,
                         PaddedVelocities& displacement) {
  const std::vector<std::span<const ConstraintId>> whole{island.ids};
  std::vector<LocalDynamics> graphs = graph.extract(whole);
  LocalDynamics& part = graphs.front();
  for (DiagonalBlock& row : part.diagonal_arena()) {
    row.R.setZero();
    row.B.setZero();
  }
  for (std::size_t j = 0; j < island.ids.size(); ++j) {
    const Errors& errors = island.errors[j];
    part.set_law(static_cast<ConstraintId>(j),
                 displacement_law(graph.law(island.ids[j]), errors, normal_shift(errors, slop)));
  }
  NsgsOptions options;
  options.stop.tolerance = 1e-2;
  options.stop.max_iterations = 50;
  if (!(solve_nsgs(part, options).residual.scaled < 0.5)) return;
  const auto* arena = graph.diagonal_arena().data();
  for (std::size_t j = 0; j < island.ids.size(); ++j) {
    for (int k = 0; k < block_count(part.law(static_cast<ConstraintId>(j))); ++k) {
      const Eigen::Vector3d& R = part.row(static_cast<ConstraintId>(j), k).R;
      for (const Coupling& c : factor.couplings(static_cast<Index>(&graph.row(island.ids[j], k) - arena))) {
        const double* Y = factor.response(c).data();
        const std::span<double> d = displacement.of(c.body);
        const int n = static_cast<int>(c.freedoms);
        for (int i = 0; i < n; ++i) d[i] += Y[i] * R[0] + Y[n + i] * R[1] + Y[2 * n + i] * R[2];
      }
    }
  }
}

// `sigma` is by id, and written for this island.
void project_contacts(const LocalDynamics& graph, const DelassusFactor& factor, const Island& island,
                      const CorrectionOptions& options, int threads, std::span<double> sigma,
                      PaddedVelocities& displacement) {
  for (std::size_t j = 0; j < island.ids.size(); ++j) {
    sigma[island.ids[j]] = normal_shift(island.errors[j], options.slop);
  }
  GapProjectionOptions projection{.threads = threads};
  if (options.sweep_budget > 0) projection.sweeps = std::min(projection.sweeps, options.sweep_budget);
  project_gaps(graph, factor, island.ids, sigma, projection, displacement);
}

// The islands at fault.
std::vector<Island> islands_at_fault(const LocalDynamics& graph, const HardConstraints& hard, double slop,
                                     double& largest_error) {
  std::vector<Island> found;
  for (Index i = 0; i + 1 < hard.first.size(); ++i) {
    Island island = hard.island(i);
    double worst = 0;
    for (std::size_t j = 0; j < island.ids.size(); ++j) {
      const Law& law = graph.law(island.ids[j]);
      island.contacts_alone = island.contacts_alone && is_contact(law);
      worst = std::max(worst, excess(law, island.errors[j]));
    }
    largest_error = std::max(largest_error, worst);
    if (worst > slop) found.push_back(island);
  }
  return found;
}

}  // namespace

CorrectionReport correct_positions(System& system, const Islands& islands, double h, const CorrectionOptions& options) {
  const int threads = options.threads;
  CorrectionReport report;
  const HardConstraints hard(system, islands, h, threads);
  const std::vector<Island> at_fault = islands_at_fault(system.graph(), hard, options.slop, report.largest_error);
  if (at_fault.empty()) return report;
  report.islands = at_fault.size();

  // Displacements of their bodies.
  const Kinematics& kinematics = system.assembly().kinematics();
  const DelassusFactor factor = kinematics.factor(h);
  PaddedVelocities displacement(factor);
  std::vector<double> sigma(system.graph().id_bound());
  const auto is_small = [](const Island& i) { return i.contacts_alone && i.ids.size() < kDissectedFrom; };
  in_parallel(std::ssize(at_fault), threads, 1, [&](std::int64_t i) {
    if (is_small(at_fault[i])) project_contacts(system.graph(), factor, at_fault[i], options, 1, sigma, displacement);
  });
  for (const Island& island : at_fault) {
    if (!island.contacts_alone) {
      solve_displacements(system.graph(), factor, island, options.slop, displacement);
    } else if (!is_small(island)) {
      project_contacts(system.graph(), factor, island, options, threads, sigma, displacement);
    }
  }

  // Bodies follow them; their velocities stay.
  std::vector<double> energy(kinematics.bodies().size(), 0.0);
  in_parallel(std::ssize(energy), threads, kGroupsAtOnce, [&](std::int64_t at) {
    const auto group = static_cast<Index>(at);
    const std::span<const double> moved = displacement.of(group);
    const Eigen::Map<const Eigen::VectorXd> change(moved.data(), std::ssize(moved));
    if (change.isZero(0)) return;
    Body& body = system.bodies()[kinematics.bodies()[group]];
    const Eigen::VectorXd velocity = body.velocity();
    const double before = body.potential_energy(system.gravity);
    body.set_velocity(change);
    body.advance(1.0);
    body.set_velocity(velocity);
    energy[group] = body.potential_energy(system.gravity) - before;
  });
  report.energy = std::accumulate(energy.begin(), energy.end(), 0.0);
  return report;
}

}  // namespace locdyn::detail
