#pragma once
// The applied forces of a system, in the order in which they came, and their sums.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <locdyn/base/present_ids.hpp>
#include <locdyn/forces/force.hpp>

namespace locdyn {

/// By place in a ForceSet; never changes, and one that was removed is never given again.
using ForceId = TypedId<class ForceTag>;

class ForceSet {
 public:
  /// Attaches the force to bodies where they lie now. A name may be empty, else it must be new. Throws
  /// std::invalid_argument naming the force and what is at fault: a null pointer, a body that does not exist or has no
  /// mass, none that moves, what `Force::attach` refuses; then nothing has changed.
  ForceId add(std::unique_ptr<Force> force, const BodySet& bodies, std::string name = {});

  /// Ends the force; its name is free again. Throws std::out_of_range naming it where it was removed, or never given.
  void remove(ForceId id);

  /// Forces that are there; all ids are below `id_bound`.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::size_t id_bound() const noexcept { return forces_.size(); }
  [[nodiscard]] bool contains(ForceId id) const noexcept { return id < forces_.size() && forces_[id] != nullptr; }
  [[nodiscard]] PresentIds<ForceSet, ForceId> ids() const noexcept { return PresentIds<ForceSet, ForceId>(*this); }
  /// Throws std::out_of_range as `remove` does.
  [[nodiscard]] Force& operator[](ForceId id);
  [[nodiscard]] const Force& operator[](ForceId id) const;
  /// Empty where it was given none. Of one that was removed, too.
  [[nodiscard]] const std::string& name(ForceId id) const { return names_.at(id); }
  /// Throws std::invalid_argument where no force has that name.
  [[nodiscard]] ForceId find(std::string_view name) const;

  // Each as in `Force`, over all in turn; an error of one names it.

  /// What they do to the bodies, by `Body::add_force` and the like.
  void add_to(BodySet& bodies);
  /// Of any of them.
  [[nodiscard]] bool depends_on_velocity() const noexcept { return depends_on_velocity_; }
  [[nodiscard]] double potential_energy(const BodySet& bodies) const;
  [[nodiscard]] double dissipated_power(const BodySet& bodies) const;

  /// The memories one after the other, and back. Throws std::invalid_argument where the size is another.
  [[nodiscard]] std::vector<double> memory() const;
  void set_memory(std::span<const double> memory);
  [[nodiscard]] std::size_t memory_size() const noexcept;

 private:
  template <class Act>
  void for_each(const Act& act) const;
  void require(ForceId id) const;
  [[nodiscard]] std::size_t place_of(std::string_view name) const;

  std::vector<std::unique_ptr<Force>> forces_;  // by id, null where it was removed
  std::size_t count_ = 0;
  std::vector<std::string> names_;
  bool depends_on_velocity_ = false;
};

}  // namespace locdyn
