#pragma once
// Which forces between bodies are true. Where contacts are more than motion can tell apart, a wall, a table on four
// legs, a solver finds one of many sets of reactions; what all of them have in common is a force that can be trusted,
// the rest is its choice (solver/free_reactions.hpp).

#include <span>
#include <vector>

#include <locdyn/simulation/contact_forces.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn {

/// What of a reaction, or of a sum of reactions, every solution with these velocities has.
struct Uniqueness {
  bool known = true;     ///< false where a contact sleeps: nobody solved it; the others then are false, too
  bool normal = true;    ///< the part along the normals, Σ R_n n
  bool friction = true;  ///< what friction gives
  bool force = true;     ///< the sum of both, which may be unique where its parts are not
  bool moment = true;    ///< the moment, about any point where the force is unique, too
};

class UniqueForces {
 public:
  /// Of the contacts of the last step, by the states that they are in: what moves by less than 1e-6 of the largest
  /// free velocity sticks. Throws std::runtime_error where memory runs out. Cost: that of `free_reactions`.
  explicit UniqueForces(const TimeStepper& stepper);

  /// In the order of `TimeStepper::contacts`. Cost: one look at each contact.
  [[nodiscard]] std::vector<Uniqueness> of_contacts() const;
  /// What the shapes of `first` do to those of `second`, as `force_between` sums it.
  [[nodiscard]] Uniqueness between(const ColliderGroup& first, const ColliderGroup& second) const;
  /// Each pair in the order of `forces_by_body`.
  [[nodiscard]] std::vector<Uniqueness> by_body() const;

 private:
  std::vector<ActiveContact> contacts_;
  std::vector<bool> asleep_;                         // by contact
  std::vector<std::vector<ActiveContact>> samples_;  // with δ in place of their reactions
};

}  // namespace locdyn
