#pragma once
// What has moved. Contact geometry and W are taken at reference configurations: a body's reference follows it as soon
// as it has left it by more than 1e-10 of its extent, so that bodies at rest cost nothing and still obey every
// equation, with geometry that is 1e-10 of their size out of date.

#include <cstdint>
#include <span>
#include <vector>

#include <locdyn/simulation/system.hpp>

namespace locdyn::detail {

class ReferenceGeometry {
 public:
  /// Moves the references of the bodies `ids` that are left behind, at the configuration that holds now. Everything
  /// counts as moved where `forget` was called before, or a body is new. The bits do not depend on `threads`.
  void follow(const BodySet& bodies, std::span<const BodyId> ids, std::span<const double> extent, int threads = 1);
  /// One entry a body: its reference moved at the last `follow` that had it, or it is an obstacle whose motion changed.
  [[nodiscard]] std::span<const std::uint8_t> moved() const noexcept { return moved_; }
  [[nodiscard]] bool all_moved() const noexcept { return all_moved_; }
  /// Takes the bodies `ids` to their references, from where the last `follow` found them; and all that were taken there
  /// back.
  void enter(BodySet& bodies, std::span<const BodyId> ids);
  void leave(BodySet& bodies);

  /// The body falls asleep: it has not moved from now on. It wakes: it counts as moved at the next `follow`, its
  /// reference stays.
  void rest(BodyId body);
  void rouse(BodyId body);

  /// From now on nothing counts as known, the references stay.
  void forget() noexcept { known_ = false; }
  /// The references, one body after the other, and back (of bodies of the same kinds).
  [[nodiscard]] std::vector<double> save(const BodySet& bodies) const;
  void restore(const BodySet& bodies, std::span<const double> saved);

 private:
  std::vector<Eigen::VectorXd> reference_, actual_;
  std::vector<Eigen::Matrix<double, 6, 1>> motion_;  // of an obstacle, as rows last felt it; else zero
  std::vector<std::uint8_t> moved_, roused_;
  std::vector<std::uint8_t> at_reference_;  // those whose reference `follow` has put where they are
  std::vector<BodyId> away_;  // bodies that `enter` took to their references
  bool known_ = false;
  bool all_moved_ = true;
};

/// A length that stands for the size of each body: the largest distance of its shapes from its mass centre, 1 where it
/// has none or they have no end [m].
[[nodiscard]] std::vector<double> body_extents(const System& system);

}  // namespace locdyn::detail
