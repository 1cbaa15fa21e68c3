#pragma once
// The ids of a set from which some were removed: those that are there, ascending.

#include <cstddef>
#include <iterator>

namespace locdyn {

/// A range over the ids below `set.id_bound()` of which `set.contains(id)` holds. The set outlives it; an id that comes
/// or goes meanwhile is seen or not.
template <class Set, class Id>
class PresentIds {
 public:
  /// Of `set`, which outlives it.
  explicit PresentIds(const Set& set) noexcept : set_(&set) {}

  class Iterator {
   public:
    using value_type = Id;
    using difference_type = std::ptrdiff_t;
    using reference = Id;
    using pointer = const Id*;
    using iterator_category = std::input_iterator_tag;

    Iterator(const Set& set, Id at) noexcept : set_(&set), at_(at) { skip(); }
    [[nodiscard]] Id operator*() const noexcept { return at_; }
    Iterator& operator++() noexcept {
      ++at_;
      skip();
      return *this;
    }
    [[nodiscard]] bool operator==(const Iterator& other) const noexcept { return at_ == other.at_; }

   private:
    void skip() noexcept {
      while (at_ < set_->id_bound() && !set_->contains(at_)) ++at_;
    }
    const Set* set_;
    Id at_;
  };

  [[nodiscard]] Iterator begin() const noexcept { return {*set_, Id{0}}; }
  [[nodiscard]] Iterator end() const noexcept { return {*set_, Id{set_->id_bound()}}; }

 private:
  const Set* set_;
};

}  // namespace locdyn
