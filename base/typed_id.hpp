#pragma once
// Names of things by number, each kind a type of its own: a body's id is no constraint's id, and a number is neither
// until somebody says so. An id serves as an index, since it counts from 0 in the order of insertion.

#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>

namespace locdyn {

/// 4 bytes, trivial to copy. `Tag` tells the kinds apart and needs no definition.
template <class Tag>
class TypedId {
 public:
  constexpr TypedId() noexcept = default;
  /// From a number, on purpose alone: `BodyId{3}`.
  template <std::integral Number>
  explicit constexpr TypedId(Number value) noexcept : value_(static_cast<std::uint32_t>(value)) {}
  template <class Other>
  TypedId(TypedId<Other>) = delete;

  /// Its number, for files and messages.
  [[nodiscard]] constexpr std::uint32_t value() const noexcept { return value_; }
  /// As an index of arrays.
  constexpr operator std::uint32_t() const noexcept { return value_; }  // NOLINT: as an index

  /// The next number, whether somebody has it or not.
  constexpr TypedId& operator++() noexcept {
    ++value_;
    return *this;
  }
  constexpr TypedId operator++(int) noexcept { return TypedId{value_++}; }

  friend constexpr bool operator==(TypedId, TypedId) noexcept = default;
  friend constexpr auto operator<=>(TypedId, TypedId) noexcept = default;
  template <class Other>
  friend constexpr bool operator==(TypedId, TypedId<Other>) = delete;
  template <class Other>
  friend constexpr std::strong_ordering operator<=>(TypedId, TypedId<Other>) = delete;

 private:
  std::uint32_t value_ = 0;
};

}  // namespace locdyn

template <class Tag>
struct std::hash<locdyn::TypedId<Tag>> {
  [[nodiscard]] std::size_t operator()(locdyn::TypedId<Tag> id) const noexcept { return id.value(); }
};
