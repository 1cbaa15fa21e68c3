#pragma once
// Bodies by id. An id is the order of insertion; it never changes, and one that was removed is never given again.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/base/present_ids.hpp>
#include <locdyn/bodies/body.hpp>

namespace locdyn {

class BodySet {
 public:
  /// Takes the body and returns its id. Throws std::invalid_argument for a null pointer.
  BodyId add(std::unique_ptr<Body> body);

  /// `add` of a body made in place: `auto id = bodies.emplace<Particle>(mass, position);`.
  template <class Kind, class... Args>
  BodyId emplace(Args&&... args) {
    return add(std::make_unique<Kind>(std::forward<Args>(args)...));
  }

  /// Ends the body. Throws std::out_of_range where none has that id.
  void remove(BodyId id);

  /// Bodies that are there.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// All ids are below: the length of an array by id.
  [[nodiscard]] std::size_t id_bound() const noexcept { return bodies_.size(); }
  [[nodiscard]] bool contains(BodyId id) const noexcept { return id < bodies_.size() && bodies_[id] != nullptr; }
  /// Of the bodies that are there, ascending.
  [[nodiscard]] PresentIds<BodySet, BodyId> ids() const noexcept { return PresentIds<BodySet, BodyId>(*this); }
  /// Throws std::out_of_range naming the id where it was never given or its body was removed.
  [[nodiscard]] Body& operator[](BodyId id) {
    require(id);
    return *bodies_[id];
  }
  [[nodiscard]] const Body& operator[](BodyId id) const {
    require(id);
    return *bodies_[id];
  }

  /// The whole set at once, each as in `Body`; an error of one names its id.
  void advance(double dt);
  void predict(double h, const Eigen::Vector3d& gravity, Scheme scheme = Scheme::half_step);
  /// The same of some alone, none of them watched, by `Scheme::half_step`; on so many threads, which changes no bit.
  void advance(double dt, std::span<const BodyId> ids, int threads = 1);
  void predict(double h, const Eigen::Vector3d& gravity, std::span<const BodyId> ids, int threads = 1);

  // --- changes from outside -----------------------------------------------------------------------------------------

  /// From now on the first change of the body's velocity, configuration, motion or forces puts its id on `written`, and
  /// ends the watch.
  void watch(BodyId id);
  void unwatch(BodyId id);
  /// The body was changed by what it cannot see: a shape, a constraint, a force.
  void touch(BodyId id) { (*this)[id].written(); }
  /// Watched bodies that were changed, in the order in which they were.
  [[nodiscard]] std::span<const BodyId> written() const noexcept { return *written_; }
  void forget_written() noexcept { written_->clear(); }

  /// The time [s] that belongs to the configuration that holds now: what constraints that depend on time are evaluated
  /// at. 0 at first. `advance` leaves it: whoever moves the bodies sets it. Throws std::invalid_argument where not
  /// finite.
  [[nodiscard]] double time() const noexcept { return time_; }
  void set_time(double time);

  /// Sums over all bodies [J].
  [[nodiscard]] double kinetic_energy() const;
  [[nodiscard]] double potential_energy(const Eigen::Vector3d& gravity) const;

 private:
  void require(BodyId id) const {
    if (!contains(id)) [[unlikely]] {
      not_there(id);
    }
  }
  [[noreturn]] void not_there(BodyId id) const;
  void advance_run(double dt, std::span<const BodyId> ids);
  void predict_run(double h, const Eigen::Vector3d& gravity, std::span<const BodyId> ids);
  void predict_one(BodyId id, double h, const Eigen::Vector3d& gravity, Scheme scheme);

  std::vector<std::unique_ptr<Body>> bodies_;  // by id, null where it was removed
  std::size_t count_ = 0;
  std::unique_ptr<std::vector<BodyId>> written_ = std::make_unique<std::vector<BodyId>>();  // bodies point to it
  double time_ = 0;
};

/// "7", or "body 7, which was removed": what a message found where `contains` says no.
[[nodiscard]] std::string missing_body(const BodySet& bodies, BodyId id);

}  // namespace locdyn
