#pragma once
// Axis-aligned boxes in a binary tree, halved at the median of their middles along the longest side: what a ray may
// meet is found in about log n steps, near boxes first.
//
// Source: Kay & Kajiya, SIGGRAPH (1986) 269–278 (slabs); Williams, Barrus, Morley & Shirley, J. Graphics Tools 10
// (2005) 49–54 (the test by reciprocals, right where a direction is 0).

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace locdyn::detail {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// low ≤ high by component [m]; infinite sides are allowed.
struct Bounds {
  Eigen::Vector3d low, high;
};

/// Between the nearest points of two boxes, 0 where they overlap [m].
[[nodiscard]] inline double distance(const Bounds& a, const Bounds& b) {
  return (a.low - b.high).cwiseMax(b.low - a.high).cwiseMax(0).norm();
}

/// A ray x = origin + t direction, t ≥ 0, prepared for boxes; or what moves along it, `half` long to each side.
struct BoxRay {
  Eigen::Vector3d origin, direction, inverse, half;

  BoxRay(const Eigen::Vector3d& o, const Eigen::Vector3d& d, const Eigen::Vector3d& h = Eigen::Vector3d::Zero())
      : origin(o), direction(d), inverse(d.cwiseInverse()), half(h) {}

  /// The least t ≤ `most` in the box, infinite where there is none. A box is widened by what rounding may cost.
  [[nodiscard]] double enters(const Bounds& box, double most) const {
    constexpr double kWiden = 1 + 1e-14;
    double first = 0, last = most;
    for (int k = 0; k < 3; ++k) {
      const double low = box.low[k] - half[k], high = box.high[k] + half[k];
      double near = (low - origin[k]) * inverse[k], far = (high - origin[k]) * inverse[k];
      if (direction[k] == 0) {  // beside the slab or inside it
        if (origin[k] < low || origin[k] > high) return std::numeric_limits<double>::infinity();
        continue;
      }
      if (near > far) std::swap(near, far);
      first = std::max(first, near);
      last = std::min(last, far * kWiden);
    }
    return first <= last * kWiden ? first : std::numeric_limits<double>::infinity();
  }
};

class BoundsTree {
 public:
  BoundsTree() = default;
  /// Cost: O(n log n).
  explicit BoundsTree(std::vector<Bounds> boxes);

  /// Calls visit(box number, most) for the boxes that the ray enters before `most`, near ones first as far as the tree
  /// knows; visit returns the `most` to go on with.
  template <class Visit>
  void along(const BoxRay& ray, double most, const Visit& visit) const {
    search([&](const Bounds& box, double limit) { return ray.enters(box, limit); }, most, visit);
  }
  /// The same for the boxes that are no farther than `most` from `query`.
  template <class Visit>
  void around(const Bounds& query, double most, const Visit& visit) const {
    search([&](const Bounds& box, double) { return distance(query, box); }, most, visit);
  }

 private:
  struct Node {
    Bounds box;
    std::uint32_t first = 0;  // of an inner node its children first and first + 1, of a leaf its entries
    std::uint32_t count = 0;  // of entries; 0 of an inner node
  };
  template <class Key, class Visit>
  void search(const Key& key, double most, const Visit& visit) const;
  void build(std::uint32_t node, std::uint32_t begin, std::uint32_t end, const std::vector<Bounds>& boxes);

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> entries_;  // box numbers, leaf by leaf
  std::vector<Bounds> boxes_;           // in the same order
};

template <class Key, class Visit>
void BoundsTree::search(const Key& key, double most, const Visit& visit) const {
  if (nodes_.empty()) return;
  std::pair<std::uint32_t, double> stack[128];
  int size = 0;
  const double root = key(nodes_[0].box, most);
  if (root <= most) stack[size++] = {0, root};
  while (size > 0) {
    const auto [at, entry] = stack[--size];
    if (entry > most) continue;
    const Node& node = nodes_[at];
    for (std::uint32_t k = 0; k < node.count; ++k) {
      if (key(boxes_[node.first + k], most) <= most) most = visit(entries_[node.first + k], most);
    }
    if (node.count > 0) continue;
    std::pair<std::uint32_t, double> near{node.first, key(nodes_[node.first].box, most)};
    std::pair<std::uint32_t, double> far{node.first + 1, key(nodes_[node.first + 1].box, most)};
    if (near.second > far.second) std::swap(near, far);
    if (far.second <= most) stack[size++] = far;
    if (near.second <= most) stack[size++] = near;
  }
}

}  // namespace locdyn::detail
