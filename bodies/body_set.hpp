#pragma once
// Bodies by id. An id is the order of insertion and never changes.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <locdyn/bodies/body.hpp>

namespace locdyn {

using BodyId = std::uint32_t;

class BodySet {
 public:
  /// Takes the body and returns its id. Throws std::invalid_argument for a null pointer.
  BodyId add(std::unique_ptr<Body> body);

  /// `add` of a body made in place: `auto id = bodies.emplace<Particle>(mass, position);`.
  template <class Kind, class... Args>
  BodyId emplace(Args&&... args) {
    return add(std::make_unique<Kind>(std::forward<Args>(args)...));
  }

  [[nodiscard]] std::size_t size() const noexcept { return bodies_.size(); }
  /// Throws std::out_of_range naming the id.
  [[nodiscard]] Body& operator[](BodyId id);
  [[nodiscard]] const Body& operator[](BodyId id) const;

  /// The whole set at once, each as in `Body`; an error of one names its id.
  void advance(double dt);
  void predict(double h, const Eigen::Vector3d& gravity, Scheme scheme = Scheme::half_step);

  /// The time [s] that belongs to the configuration that holds now: what constraints that depend on time are evaluated
  /// at. 0 at first. `advance` leaves it: whoever moves the bodies sets it. Throws std::invalid_argument where not
  /// finite.
  [[nodiscard]] double time() const noexcept { return time_; }
  void set_time(double time);

  [[nodiscard]] double kinetic_energy() const;
  [[nodiscard]] double potential_energy(const Eigen::Vector3d& gravity) const;

 private:
  std::vector<std::unique_ptr<Body>> bodies_;
  double time_ = 0;
};

}  // namespace locdyn
