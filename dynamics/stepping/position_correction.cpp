#include <locdyn/dynamics/stepping/position_correction.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>

namespace locdyn {
namespace {

// What a constraint's rows have lost at the end of the step.
using Errors = std::array<Eigen::Vector3d, kMaxLawBlocks>;

Errors errors_of(const System& system, ConstraintId id, double h) {
  const LocalDynamics& graph = system.graph();
  const auto blocks = static_cast<std::size_t>(block_count(graph.law(id)));
  Errors errors;
  system.assembly().constraint(id).position_error(system.bodies(), {errors.data(), blocks});
  // A contact's gap is that of mid-step; a limit has its own of now.
  if (dynamic_cast<const Contact*>(&system.assembly().constraint(id)) != nullptr)
    errors[0][2] += h / 2 * graph.row(id).U[2];
  return errors;
}

double excess(const Law& law, const Errors& errors) {
  if (is_contact(law)) return -errors[0][2];
  double largest = 0;
  for (int k = 0; k < block_count(law); ++k) largest = std::max(largest, errors[k].cwiseAbs().maxCoeff());
  return largest;
}

bool compliant(const Law& law) {
  return std::holds_alternative<BilateralLaw>(law) && !is_hard(law);
}

// The law on displacements.
Law displacement_law(const Law& law, const Errors& errors, double slop) {
  const double gap = errors[0][2];
  const Eigen::Vector3d shift(0, 0, gap < -slop ? gap + slop / 2 : std::max(gap, 0.0));
  if (const auto* contact = std::get_if<ContactLaw>(&law)) {
    return ContactLaw{.friction = 0, .shift = shift, .planar = contact->planar};
  }
  if (std::holds_alternative<EllipticLaw>(law)) return EllipticLaw{.shift = shift};
  if (const auto* rolling = std::get_if<RollingLaw>(&law)) {
    return RollingLaw{.length = rolling->length, .shift = shift, .moment_rows = rolling->moment_rows};
  }
  BilateralLaw closing = std::get<BilateralLaw>(law);
  for (int k = 0; k < closing.block_count; ++k) closing.block[k].shift = errors[k];
  return closing;
}

// The change of each body's "velocity" over a time of one second, as velocities lie in the kinematics.
class Displacements {
 public:
  explicit Displacements(const System& system)
      : system_(system),
        kinematics_(system.assembly().kinematics()),
        change_(kinematics_.freedom_count(), 0.0),
        met_(kinematics_.bodies().size(), 0) {}

  // What the reactions of `part` make.
  void add(const LocalDynamics& part, std::span<const ConstraintId> ids) {
    const auto* arena = system_.graph().diagonal_arena().data();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      for (int k = 0; k < block_count(part.law(static_cast<ConstraintId>(i))); ++k) {
        const Eigen::Vector3d& R = part.row(static_cast<ConstraintId>(i), k).R;
        for (const Coupling& c : kinematics_.couplings(static_cast<Index>(&system_.graph().row(ids[i], k) - arena))) {
          if (met_[c.body]++ == 0) touched_.push_back(c.body);
          const double* Y = kinematics_.response(c);
          double* d = &change_[kinematics_.first_freedom(c.body)];
          const int n = static_cast<int>(c.freedoms);
          for (int j = 0; j < n; ++j) d[j] += Y[j] * R[0] + Y[n + j] * R[1] + Y[2 * n + j] * R[2];
        }
      }
    }
  }

  // The groups of velocities that they move, in the order of their bodies: no history decides it.
  [[nodiscard]] std::vector<Index> groups() const {
    std::vector<Index> groups = touched_;
    std::sort(groups.begin(), groups.end());
    return groups;
  }
  [[nodiscard]] BodyId body(Index group) const { return kinematics_.bodies()[group]; }
  [[nodiscard]] Eigen::Map<const Eigen::VectorXd> of(Index group) const {
    const std::size_t first = kinematics_.first_freedom(group);
    return {&change_[first], Eigen::Index(kinematics_.first_freedom(group + 1) - first)};
  }

 private:
  const System& system_;
  const Kinematics& kinematics_;
  std::vector<double> change_;
  std::vector<std::uint32_t> met_;  // by group: how many rows have moved it
  std::vector<Index> touched_;
};

}  // namespace

CorrectionReport correct_positions(System& system, const Islands& islands, double h, double slop) {
  CorrectionReport report;
  const LocalDynamics& graph = system.graph();

  // The islands at fault, without what is compliant.
  std::vector<std::vector<ConstraintId>> members;
  for (Index island = 0; island < islands.count; ++island) {
    double worst = 0;
    for (ConstraintId id : islands.island(island)) {
      if (!compliant(graph.law(id))) worst = std::max(worst, excess(graph.law(id), errors_of(system, id, h)));
    }
    report.largest_error = std::max(report.largest_error, worst);
    if (!(worst > slop)) continue;
    auto& hard = members.emplace_back();
    for (ConstraintId id : islands.island(island)) {
      if (!compliant(graph.law(id))) hard.push_back(id);
    }
  }
  if (members.empty()) return report;
  report.islands = members.size();

  // Displacements of their bodies.
  const std::vector<std::span<const ConstraintId>> parts(members.begin(), members.end());
  std::vector<LocalDynamics> graphs = graph.extract(parts);
  Displacements displacements(system);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (DiagonalBlock& row : graphs[i].diagonal_arena()) {
      row.R.setZero();
      row.B.setZero();
    }
    for (std::size_t j = 0; j < parts[i].size(); ++j) {
      const ConstraintId id = parts[i][j];
      graphs[i].set_law(static_cast<ConstraintId>(j), displacement_law(graph.law(id), errors_of(system, id, h), slop));
    }
    NsgsOptions options;
    options.stop.tolerance = 1e-2;
    options.stop.max_iterations = 50;
    if (solve_nsgs(graphs[i], options).residual.scaled < 0.5) {
      displacements.add(graphs[i], parts[i]);
    }
  }

  // Bodies follow them; their velocities stay.
  for (const Index group : displacements.groups()) {
    Body& body = system.bodies()[displacements.body(group)];
    const Eigen::VectorXd velocity = body.velocity();
    const double before = body.potential_energy(system.gravity);
    body.set_velocity(displacements.of(group));
    body.advance(1.0);
    body.set_velocity(velocity);
    report.energy += body.potential_energy(system.gravity) - before;
  }
  return report;
}

}  // namespace locdyn
