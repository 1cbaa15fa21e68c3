#include <locdyn/queries/bounds_tree.hpp>

#include <numeric>

namespace locdyn::detail {
namespace {

constexpr std::uint32_t kLeaf = 4;
constexpr double kMargin = 1e-13;

// Infinite sides have a middle, too.
double middle(const Bounds& box, int axis) {
  return 0.5 * std::clamp(box.low[axis], -1e300, 1e300) + 0.5 * std::clamp(box.high[axis], -1e300, 1e300);
}

}  // namespace

BoundsTree::BoundsTree(std::vector<Bounds> boxes) : entries_(boxes.size()) {
  if (boxes.empty()) return;
  for (Bounds& box : boxes) {  // by more than rounding costs: a flat one has a thickness
    const Eigen::Vector3d margin = kMargin * box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs());
    box.low -= margin;
    box.high += margin;
  }
  std::iota(entries_.begin(), entries_.end(), 0u);
  nodes_.emplace_back();
  build(0, 0, static_cast<std::uint32_t>(boxes.size()), boxes);
  for (const std::uint32_t entry : entries_) boxes_.push_back(boxes[entry]);
}

void BoundsTree::build(std::uint32_t at, std::uint32_t begin, std::uint32_t end, const std::vector<Bounds>& boxes) {
  Bounds all = boxes[entries_[begin]];
  Eigen::Vector3d low = Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (std::uint32_t k = begin; k < end; ++k) {
    const Bounds& box = boxes[entries_[k]];
    all.low = all.low.cwiseMin(box.low);
    all.high = all.high.cwiseMax(box.high);
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], middle(box, axis));
      high[axis] = std::max(high[axis], middle(box, axis));
    }
  }
  nodes_[at].box = all;
  if (end - begin <= kLeaf) {
    nodes_[at].first = begin;
    nodes_[at].count = end - begin;
    return;
  }
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const std::uint32_t half = begin + (end - begin) / 2;
  std::nth_element(entries_.begin() + begin, entries_.begin() + half, entries_.begin() + end,
                   [&](std::uint32_t a, std::uint32_t b) {
                     return std::pair(middle(boxes[a], axis), a) < std::pair(middle(boxes[b], axis), b);
                   });
  const auto children = static_cast<std::uint32_t>(nodes_.size());
  nodes_[at].first = children;
  nodes_.emplace_back();
  nodes_.emplace_back();
  build(children, begin, half, boxes);
  build(children + 1, half, end, boxes);
}

}  // namespace locdyn::detail
