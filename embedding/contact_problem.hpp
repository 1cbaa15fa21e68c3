#pragma once
// Contact problems of a program with bodies and collision detection of its own, over many steps:
//
//   W = h H A⁻¹ Hᵀ,   B = H u,   U = B + W R with the law of each contact,   u⁺ = u + h A⁻¹ Σ Hᵀ R
//
// The program says once what bodies there are and, from step to step, which contacts came, stayed and went; it sets u
// and the contacts' places, solves, and reads u⁺ back. Contacts that share a body that can move are coupled. What stays
// keeps its reaction as warm start; nothing is rebuilt while no contact comes or goes.
//
//   ContactProblem problem;
//   const BodyIndex ground = problem.add_fixed_body();
//   const BodyIndex ball = problem.add_body(rigid_inverse_inertia(mass, inertia));
//   const ContactId contact = problem.add_contact({.master = ground, .slave = ball, .point = x, .friction = 0.5});
//   problem.set_velocity(ball, u);                    // with the forces of the step in it: u + h A⁻¹ f
//   problem.solve({.step = 1e-3});
//   problem.velocity_after(ball);                     // u⁺
//
// Source: Koziara & Bićanić, IJNME 87 (2011) 437–456, §§3–4; Moreau (1999) for the step.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <locdyn/embedding/body_jacobian.hpp>
#include <locdyn/embedding/point_contact.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/solve_islands.hpp>

namespace locdyn {

/// What `add_contact` hands out: good until the contact is removed, and not given again before 2³² others.
enum class ContactId : std::uint64_t {};

/// How a problem is solved, of one step.
struct ContactSolveOptions {
  double step = 1e-3;                     ///< h [s] > 0
  std::string solver = "auto";            ///< a name of `solvers()`
  std::vector<std::string> without = {};  ///< stages that `auto` leaves out
  /// Of each island, by its own ‖b‖; as of `TimeStepperOptions`.
  StopOptions stop = {};
  double velocity_tolerance = 0;  ///< an island is solved, too, at this residual as a velocity [m/s] ≥ 0
  long sweep_budget = 0;          ///< ≥ 0: at most so many sweeps of each island, 0 for as many as it takes
};

class ContactProblem {
 public:
  ContactProblem();
  ContactProblem(ContactProblem&&) noexcept;
  ContactProblem& operator=(ContactProblem&&) noexcept;
  ~ContactProblem();

  // --- bodies --------------------------------------------------------------------------------------------------------

  /// A body of n velocities: A⁻¹ (n×n), symmetric to 1e-10 of its largest entry and positive semidefinite, at rest and
  /// with its centre at the origin. What A⁻¹ cannot move (a locked axis, all of a fixed body) keeps the velocity that
  /// it is given. Bodies stay for the life of the problem; one without contacts costs nothing but its u⁺ = u. Throws
  /// std::invalid_argument. Cost: O(n³).
  BodyIndex add_body(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia);
  /// An obstacle: A⁻¹ = 0; the velocity that it is given enters B. `freedoms` ≥ 1, 6 where point contacts touch it.
  BodyIndex add_fixed_body(int freedoms = 6);
  /// Another A⁻¹ of the same n: of a body whose axes turn, or one that is fixed or let go. Cost: O(n³), and the rows of
  /// its contacts at the next solve; all rows are laid out anew where the rank is another. Throws
  /// std::invalid_argument as `add_body`.
  void set_inverse_inertia(BodyIndex body, const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia);
  /// u (n): the velocity that the body would have at the end of the step without contacts, u + h A⁻¹ f of its forces.
  void set_velocity(BodyIndex body, const Eigen::Ref<const Eigen::VectorXd>& velocity);
  /// Where a body of 6 velocities is, for the point contacts that are added or set from now on.
  void set_pose(BodyIndex body, const BodyPose& pose);

  // --- contacts ------------------------------------------------------------------------------------------------------

  /// A contact at a point of two bodies of 6 velocities (point_contact.hpp says which), by their poses as they are now.
  /// Throws std::invalid_argument naming the field. Cost: O(1), and one pass over all rows at the next solve.
  ContactId add_contact(const PointContact& contact);
  /// A contact by its H for each body and any law (ldy/law.hpp): rolling friction, joints, limits. Throws
  /// std::invalid_argument for a body that does not exist or comes twice, a size of H that is not (3·blocks × n) or a
  /// number in it that is not finite, and for a law that is not valid.
  ContactId add_contact(std::span<const BodyJacobian> bodies, const Law& law);
  ContactId add_contact(std::initializer_list<BodyJacobian> bodies, const Law& law) {
    return add_contact(std::span<const BodyJacobian>(bodies.begin(), bodies.size()), law);
  }

  /// The contact in a new place, with a new law, between the same bodies in the same order; its reaction stays as it is
  /// in the frame. Laws keep their number of blocks and rows in use. Throws std::invalid_argument as `add_contact`, and
  /// for an id that is not in the problem or other bodies; then nothing has changed. Cost: O(1).
  void set_contact(ContactId id, const PointContact& contact);
  void set_contact(ContactId id, std::span<const BodyJacobian> bodies, const Law& law);
  void set_contact(ContactId id, std::initializer_list<BodyJacobian> bodies, const Law& law) {
    set_contact(id, std::span<const BodyJacobian>(bodies.begin(), bodies.size()), law);
  }
  void remove_contact(ContactId id);

  // --- solve ---------------------------------------------------------------------------------------------------------

  /// Solves for R, U and u⁺; an island that its warm start solves already costs one residual. A status other than
  /// `converged` comes with the best reactions found. Throws std::invalid_argument for options out of range, a solver
  /// that does not exist, and a contact between bodies none of which can move. Cost beside the solver's: one pass over
  /// the contacts; where some came or went also a sort of them by their bodies.
  IslandsReport solve(const ContactSolveOptions& options = {});

  /// R and U (t1, t2, n) of a block of a contact, of the last solve: mean reaction [N] over the step, on the bodies as
  /// the sign in H says (of a point contact: on the slave), and relative velocity [m/s] at its end. 0 for a new one.
  /// The second block of rolling friction holds M/ℓ and ℓ ω. Throws std::invalid_argument for an id that is not in the
  /// problem or a block that its law does not have.
  [[nodiscard]] Eigen::Vector3d reaction(ContactId id, int block = 0) const;
  [[nodiscard]] Eigen::Vector3d relative_velocity(ContactId id, int block = 0) const;
  /// Warm start of a block, from elsewhere: a checkpoint, a neighbour. Finite.
  void set_reaction(ContactId id, const Eigen::Vector3d& reaction, int block = 0);
  /// u⁺ (n) of the last solve; holds until the next one or the next body.
  [[nodiscard]] std::span<const double> velocity_after(BodyIndex body) const;

  /// How many there are, and is this one of them?
  [[nodiscard]] std::size_t body_count() const noexcept;
  [[nodiscard]] std::size_t contact_count() const noexcept;
  [[nodiscard]] bool contains(ContactId id) const noexcept;
  /// As the last solve left it: to judge, to write as a file, to look at. It knows the factors of W.
  [[nodiscard]] const LocalDynamics& graph() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace locdyn
