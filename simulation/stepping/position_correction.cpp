#include <locdyn/simulation/stepping/position_correction.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <typeinfo>
#include <vector>

#include <locdyn/ldy/arena.hpp>
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
  bool contacts_alone;
};

// Those of all islands, one behind the other.
class HardConstraints {
 public:
  HardConstraints(const System& system, double h, int threads)
      : ids_(system.assembly().islands().members), first_(system.assembly().islands().first) {
    const LocalDynamics& graph = system.graph();
    errors_.resize(ids_.size());
    excess_.resize(ids_.size());
    kind_.resize(ids_.size());
    in_parallel(std::ssize(ids_), threads, kErrorsAtOnce, [&](std::int64_t i) {
      const Law& law = graph.law(ids_[i]);
      kind_[i] = gives_way(law) ? Kind::gives_way : is_contact(law) ? Kind::contact : Kind::joint;
      if (kind_[i] == Kind::gives_way) return;
      errors_[i] = errors_of(system, ids_[i], h);
      excess_[i] = excess(law, errors_[i]);
    });
    if (std::ranges::find(kind_, Kind::gives_way) != kind_.end()) drop_what_gives_way();
  }

  // The islands that have lost more than `slop`.
  [[nodiscard]] std::vector<Island> at_fault(double slop, double& largest_error) const {
    std::vector<Island> found;
    for (std::size_t i = 0; i + 1 < first_.size(); ++i) {
      const std::size_t first = first_[i], count = first_[i + 1] - first_[i];
      if (count == 0) continue;
      const double worst = std::max(0.0, std::ranges::max(std::span(excess_).subspan(first, count)));
      largest_error = std::max(largest_error, worst);
      if (!(worst > slop)) continue;
      const auto kinds = std::span(kind_).subspan(first, count);
      found.push_back({std::span(ids_).subspan(first, count), std::span(errors_).subspan(first, count),
                       std::ranges::find(kinds, Kind::joint) == kinds.end()});
    }
    return found;
  }

 private:
  enum class Kind : std::uint8_t { contact, joint, gives_way };

  // What others have lost is what they feel.
  void drop_what_gives_way() {
    std::size_t end = 0;
    for (std::size_t i = 0, at = 0; i + 1 < first_.size(); ++i) {
      for (; at < first_[i + 1]; ++at) {
        if (kind_[at] == Kind::gives_way) continue;
        ids_[end] = ids_[at];
        errors_[end] = errors_[at];
        excess_[end] = excess_[at];
        kind_[end++] = kind_[at];
      }
      first_[i + 1] = static_cast<Index>(end);
    }
  }

  std::vector<ConstraintId> ids_;
  std::vector<Index> first_;  // by island, one more at the end
  Arena<Errors> errors_;      // by place in `ids_`; of what gives way without a value
  Arena<double> excess_;      // and what of it counts
  std::vector<Kind> kind_;
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
  parallel_for(std::ssize(island.ids), threads, kErrorsAtOnce,
               [&](std::int64_t j) { sigma[island.ids[j]] = normal_shift(island.errors[j], options.slop); });
  GapProjectionOptions projection{.threads = threads};
  if (options.sweep_budget > 0) projection.sweeps = std::min(projection.sweeps, options.sweep_budget);
  project_gaps(graph, factor, island.ids, sigma, projection, displacement);
}

}  // namespace

CorrectionReport correct_positions(System& system, double h, const CorrectionOptions& options) {
  const int threads = options.threads;
  CorrectionReport report;
  const HardConstraints hard(system, h, threads);
  const std::vector<Island> at_fault = hard.at_fault(options.slop, report.largest_error);
  if (at_fault.empty()) return report;
  report.islands = at_fault.size();

  // Displacements of their bodies.
  const Kinematics& kinematics = system.assembly().kinematics();
  const DelassusFactor factor = kinematics.factor(h);
  PaddedVelocities displacement(factor);
  Arena<double> sigma(system.graph().id_bound());  // written for the constraints of an island when its turn comes
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
  const std::span<const BodyId> bodies = kinematics.bodies();
  std::vector<double> energy(bodies.size(), 0.0);
  in_parallel(std::ssize(energy), threads, kGroupsAtOnce, [&](std::int64_t at) {
    const auto group = static_cast<Index>(at);
    const std::span<const double> moved = displacement.of(group);
    if (std::ranges::all_of(moved, [](double number) { return number == 0; })) return;
    Body& body = system.bodies()[bodies[group]];
    const double before = body.potential_energy(system.gravity);
    body.displace(Eigen::Map<const Eigen::VectorXd>(moved.data(), std::ssize(moved)));
    energy[group] = body.potential_energy(system.gravity) - before;
  });
  report.energy = std::accumulate(energy.begin(), energy.end(), 0.0);
  return report;
}

}  // namespace locdyn::detail
