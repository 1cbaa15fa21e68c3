#include <algorithm>

#include <locdyn/solver/newton/block_lu.hpp>
#include <locdyn/solver/newton/dense_panels.hpp>

namespace locdyn::detail {

// From each group up to the root: a pivot's fill is its parent's pattern, so that no other has anything of B. Each
// pivot once.
void BlockLu::take_paths(std::span<const Columns> B, Half& half) {
  taken_.resize(pivots_.size(), 0);
  half.pivots.clear();
  for (const Columns& columns : B) {
    int p = place_[columns.group];
    while (p >= 0 && taken_[p] == 0) {
      taken_[p] = 1;
      half.pivots.push_back(p);
      const Pivot& k = pivots_[p];
      p = k.later < k.no_more ? entries_[k.later].pivot : -1;
    }
  }
  std::sort(half.pivots.begin(), half.pivots.end());
  for (const int p : half.pivots) taken_[p] = 0;
}

// The way down of `substitute` for four columns at once.
void BlockLu::halve(Side side, std::span<const Columns> B, Half& half) {
  const bool turned = side == Side::transposed;
  take_paths(B, half);
  columns_.resize(4 * unknowns(), 0.0);
  behind_.resize(std::max(behind_.size(), columns_.size()));
  for (const Columns& columns : B) {
    const Pivot& own = pivots_[place_[columns.group]];
    for (int s = 0; s < own.size; ++s) {
      for (int c = 0; c < 3; ++c) columns_[4 * (own.first + s) + c] += columns.values[c * own.size + s];
    }
  }
  half.values.clear();
  for (const int p : half.pivots) {
    const Pivot& k = pivots_[p];
    double* own = columns_.data() + 4 * k.first;
    if (turned) {
      transposed_times_four(factor_.data() + k.diagonal, k.size, k.size, own, behind_.data());
      std::copy_n(behind_.data(), 4 * k.size, own);
    }
    transposed_times_four(factor_.data() + (turned ? k.upper : k.lower), k.size, k.width, own, behind_.data());
    const double* from = behind_.data();
    for (std::uint32_t e = k.later; e < k.no_more; ++e) {
      const Pivot& i = pivots_[entries_[e].pivot];
      double* to = columns_.data() + 4 * i.first;
      for (int c = 0; c < 4 * i.size; ++c) to[c] -= *from++;
    }
    half.values.insert(half.values.end(), own, own + 4 * k.size);
    std::fill_n(own, 4 * k.size, 0.0);
  }
}

Eigen::Matrix3d BlockLu::join(const Half& C, const Half& B) const {
  Eigen::Matrix<double, 4, 3> sum = Eigen::Matrix<double, 4, 3>::Zero();  // the transpose
  const double *left = C.values.data(), *right = B.values.data();
  for (auto c = C.pivots.begin(), b = B.pivots.begin(); c != C.pivots.end() && b != B.pivots.end();) {
    const bool both = *c == *b;
    if (both) {
      for (int s = 0; s < 4 * pivots_[*c].size; s += 4) {
        const auto numbers = Eigen::Map<const Eigen::Vector4d>(right + s);
        for (int i = 0; i < 3; ++i) sum.col(i) += left[s + i] * numbers;
      }
    }
    const bool left_goes_on = both || *c < *b, right_goes_on = both || *b < *c;
    if (left_goes_on) left += 4 * pivots_[*c++].size;
    if (right_goes_on) right += 4 * pivots_[*b++].size;
  }
  return sum.topRows<3>().transpose();
}

void BlockLu::add_half(const Half& B, const Eigen::Vector3d& q, std::span<double> x) const {
  const double* from = B.values.data();
  for (const int p : B.pivots) {
    const Pivot& k = pivots_[p];
    for (int s = 0; s < k.size; ++s, from += 4) x[k.first + s] += from[0] * q[0] + from[1] * q[1] + from[2] * q[2];
  }
}

}  // namespace locdyn::detail
