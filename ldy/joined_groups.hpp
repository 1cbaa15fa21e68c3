#pragma once
// Sets of groups of velocities that constraints have joined, each by one of its members.
//
// Source: Tarjan, J. ACM 22 (1975) 215–225.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <locdyn/ldy/delassus_factor.hpp>

namespace locdyn::detail {

class JoinedGroups {
 public:
  /// So many groups, each by itself.
  explicit JoinedGroups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }

  /// The least member of the set that a group is in.
  [[nodiscard]] std::uint32_t find(std::uint32_t group) {
    while (parent_[group] != group) group = parent_[group] = parent_[parent_[group]];
    return group;
  }
  /// The groups that a row acts on are one set.
  void join(std::span<const Coupling> couplings) {
    for (const Coupling& c : couplings) join(couplings[0].body, c.body);
  }

 private:
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  std::vector<std::uint32_t> parent_;
};

}  // namespace locdyn::detail
