#pragma once
// From bodies and constraints to the graph of local dynamics, U = B + W R:
//
//   B = H u_free + obstacles' velocity,   W = h H A⁻¹ Hᵀ,   u⁺ = u_free + A⁻¹ h Σ Hᵀ R
//
// Symbolic work (`insert`, `remove`) and numeric work (`update`) are apart. Which constraints act on a body is known
// here, by body id; bodies do not know it. The graph gets W_αα and its factor, H and A⁻¹; the off-diagonal blocks of W
// it makes itself when a solver asks for them (`LocalDynamics::require_blocks`). Source: Koziara & Bićanić, IJNME 87
// (2011) 437–456, §§3–4.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <locdyn/bodies/body_set.hpp>
#include <locdyn/ldy/assembly/constraint.hpp>
#include <locdyn/ldy/assembly/kinematics.hpp>
#include <locdyn/ldy/islands.hpp>
#include <locdyn/ldy/local_dynamics.hpp>

namespace locdyn {

/// How blocks are filled.
struct AssemblyOptions {
  int threads = 1;                       ///< ≥ 1; the bits do not depend on it
  double pack_share = 0.1;               ///< 0 … 1: pack first when more than this share of rows is out of place
  SweepOrder order = SweepOrder::by_id;  ///< the order to pack in
  std::optional<std::span<const BodyId>> active = {};  ///< where given, no other body is marked in `moved`
};

class Assembly {
 public:
  /// Both must outlive the assembly and stay where they are. The graph must be empty: from now on only the assembly
  /// inserts and removes, and blocks are made on demand. Throws std::invalid_argument for a graph that is not.
  Assembly(BodySet& bodies, LocalDynamics& ldy);

  // --- symbolic work -------------------------------------------------------------------------------------------------

  /// Attaches the constraint and adds its rows to the graph, where they are coupled with those of every constraint that
  /// shares a moving body. W and B are zero until `update`. Throws std::invalid_argument naming the constraint and the
  /// value at fault (a body that does not exist, a body twice, no moving body, geometry that has no meaning); then
  /// nothing has changed. Cost: that of its own rows.
  ConstraintId insert(std::unique_ptr<Constraint> constraint);
  /// `insert` of a constraint made in place: `assembly.emplace<Contact>(point, material)`.
  template <class Kind, class... Args>
  ConstraintId emplace(Args&&... args) {
    return insert(std::make_unique<Kind>(std::forward<Args>(args)...));
  }
  /// Takes a constraint out of the graph and ends its life. Cost: the lists of its bodies.
  /// Throws std::invalid_argument for an id that is not in the graph.
  void remove(ConstraintId id);

  // --- numeric work --------------------------------------------------------------------------------------------------

  /// For a step h [s] > 0, at the configuration q* and the free velocities (`BodySet::predict`) that hold now:
  /// evaluates H, the laws, W_αα and B. R stays: the warm start. Packs the graph first where it is scattered. Rows are
  /// done in parallel, without locks. Throws std::invalid_argument naming the constraint where its geometry has no
  /// meaning or its W or B is not finite; W, B and laws then hold partly the old step. Cost: one pass over the rows.
  void update(double h, const AssemblyOptions& options = {});

  /// The first half of `update`: H and W_αα at the configuration that holds now. Where `moved` has an entry for each
  /// body, only rows that act on a body marked there, or depend on time, are done, the others keep their H and W (all
  /// are done where h, the graph or its order have changed); blocks that exist are filled anew when somebody asks, in
  /// the rows that share a body with those. Errors as in `update`.
  void update_geometry(double h, std::span<const std::uint8_t> moved, const AssemblyOptions& options = {});
  /// The second half: V, B and the laws, from the velocities and the free velocities that hold now. Throws
  /// std::logic_error where the graph has changed since `update_geometry`, std::invalid_argument naming the constraint
  /// where its B is not finite.
  void update_loads(const AssemblyOptions& options = {});

  /// Hands each moving body its impulse h Σ Hᵀ R, rows ascending: u becomes u⁺. Throws std::logic_error where the graph
  /// has changed since the last `update`.
  void apply_reactions(int threads = 1);
  /// The same of the bodies `ids` alone, each once.
  void apply_reactions(int threads, std::span<const BodyId> ids);

  // --- what it knows -------------------------------------------------------------------------------------------------

  /// One that is in the graph.
  [[nodiscard]] Constraint& constraint(ConstraintId id) { return *constraints_[id]; }
  [[nodiscard]] const Constraint& constraint(ConstraintId id) const { return *constraints_[id]; }
  /// The constraints that act on a body, in no order that means anything. Empty for obstacles.
  [[nodiscard]] std::span<const ConstraintId> constraints_of(BodyId body) const noexcept;
  /// V = H u (3), the relative velocity before the step, of block k at the last `update`.
  [[nodiscard]] Eigen::Vector3d velocity_before(ConstraintId id, int k = 0) const;

  /// What it was made of.
  [[nodiscard]] const BodySet& bodies() const noexcept { return bodies_; }
  [[nodiscard]] const LocalDynamics& graph() const noexcept { return ldy_; }
  /// As the last `update` left it. Throws std::logic_error where the graph has changed since.
  [[nodiscard]] const Kinematics& kinematics() const;
  /// The graph's, found while other threads filled H. Throws std::logic_error where it has changed since.
  [[nodiscard]] const Islands& islands() const {
    (void)kinematics();
    return islands_;
  }
  /// h [s] of the last `update`.
  [[nodiscard]] double step() const noexcept { return step_; }

 private:
  // The bodies of a constraint, two of them where they can be read without a look at it: contacts lie scattered.
  struct Ties {
    std::array<BodyId, 2> body{};
    std::uint32_t count = 0;
  };

  void check_bodies(const Constraint& constraint) const;
  [[nodiscard]] std::span<const BodyId> bodies_of(ConstraintId id) const;
  void apply_reactions_to(BodyId id);
  void fetch_constraint_ahead(std::int64_t row) const;
  void fetch_bodies_ahead(std::int64_t row) const;
  void evaluate_kinematics(Index first, double h);
  [[nodiscard]] bool fills_rigid_rows(Index row, const Constraint& constraint, double h);
  void gather_velocities(int threads);
  void evaluate_load(Index first, double h);
  void lay_out();
  void find_structure();
  void pack(double h, const AssemblyOptions& options);
  void mark_felt(std::span<const std::uint8_t> moved);
  void mark_blocks(bool all);
  [[noreturn]] void not_finite(const DiagonalBlock& row) const;

  BodySet& bodies_;
  LocalDynamics& ldy_;
  std::vector<std::unique_ptr<Constraint>> constraints_;  // by id
  std::vector<Ties> ties_;                                // by id
  std::vector<const void*> reads_;                        // by id: what each reads in an update
  std::vector<std::vector<ConstraintId>> of_body_;        // by body
  Kinematics kinematics_;
  Islands islands_;
  std::vector<double> impulse_;     // of all bodies, as velocities lie in `kinematics_`
  std::vector<double> velocities_;  // u and u_free of each, one behind the other
  double step_ = 0;
  std::size_t timed_ = 0;                       // constraints that depend on time
  std::vector<std::uint8_t> moved_constraint_;  // by id: one of its bodies moved
  std::vector<std::uint8_t> felt_;              // by body: one of its constraints moved
};

}  // namespace locdyn
