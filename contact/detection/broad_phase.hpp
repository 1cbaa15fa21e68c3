#pragma once
// Which colliders' boxes overlap, from Bullet's dynamic tree of boxes. The tree keeps boxes with a margin, so that it
// changes only where something has left its margin; what it gives is then compared box by box, so that neither the
// margins nor the tree's history show in the result.

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace locdyn::detection {

/// How far a box reaches that ends nowhere: finite, since differences are taken.
inline constexpr double kBoundless = 1e100;

struct Bounds {
  Eigen::Vector3d low, high;

  [[nodiscard]] bool overlaps(const Bounds& other) const {
    return (low - other.high).cwiseMax(other.low - high).maxCoeff() <= 0;  // in one go: no guess which side it fails
  }
  [[nodiscard]] bool holds(const Bounds& other) const {
    return (low.array() <= other.low.array()).all() && (other.high.array() <= high.array()).all();
  }
};

class BroadPhase {
 public:
  BroadPhase();
  ~BroadPhase();

  /// `may_pair(a, b)`, a < b, says once and for all whether the pair is wanted.
  using Filter = std::function<bool(std::uint32_t, std::uint32_t)>;

  /// The box of a collider; ids count up from 0.
  void set(std::uint32_t id, const Bounds& bounds);
  /// Ends the box of a collider, if it has one: no pair with it is found again.
  void remove(std::uint32_t id);
  /// A collider at rest, or one that is not any more. Pairs of two at rest are not looked for.
  void set_resting(std::uint32_t id, bool resting);
  /// Forgets all pairs, so that the filter is asked again.
  void forget_pairs();

  /// Pairs (a << 32 | b), a < b, sorted; a superset of those that overlap, of which not both are at rest. Cost: what
  /// has left its place, on so many threads, and the pairs. Threads ask the filter at the same time.
  [[nodiscard]] const std::vector<std::uint64_t>& pairs(const Filter& may_pair, int threads);
  [[nodiscard]] bool overlap(std::uint64_t pair) const {
    return bounds_[pair >> 32].overlaps(bounds_[pair & 0xffffffffu]);
  }

 private:
  struct Tree;
  void insert_fresh();
  void note_left(std::uint32_t id);
  void find_pairs(std::span<const std::uint32_t> ids, const Filter& may_pair, std::vector<std::uint64_t>& found) const;

  std::unique_ptr<Tree> tree_;
  std::vector<Bounds> bounds_, wide_;
  std::vector<std::uint32_t> fresh_ids_;  // that are not in the tree yet
  std::vector<std::uint8_t> left_;        // its wide box since the last `pairs`
  std::vector<std::uint32_t> left_ids_;   // those
  std::vector<std::uint8_t> resting_;
  bool more_rest_ = false;  // since the last `pairs`
  std::vector<std::uint64_t> pairs_;
  std::vector<std::vector<std::uint64_t>> found_;  // by run of boxes; its places are kept
};

}  // namespace locdyn::detection
