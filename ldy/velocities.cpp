#include <locdyn/ldy/velocities.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <locdyn/ldy/row_product.hpp>
#include <locdyn/threads/loops.hpp>

namespace locdyn::detail {
namespace {

const DelassusFactor& factor_of(const LocalDynamics& ldy) {
  if (ldy.factor() == nullptr) {
    throw std::logic_error("velocities: expected a graph with blocks or factor, found one that has changed since");
  }
  return *ldy.factor();
}

// v += Y R and U += H v for a group with n velocities; `n` folds to a constant where the caller gives one.
[[gnu::always_inline]] inline void push(int n, const double* Y, const double* R, double* v) {
  for (int i = 0; i < n; ++i) v[i] += Y[i] * R[0] + Y[n + i] * R[1] + Y[2 * n + i] * R[2];
}
[[gnu::always_inline]] inline void pull(int n, const double* H, const double* v, double* U) {
  for (int i = 0; i < n; ++i, H += 4) {
    for (int axis = 0; axis < 3; ++axis) U[axis] += H[axis] * v[i];
  }
}

// Velocities of all groups, each in as many places as the widest has.
class GroupVelocities {
 public:
  GroupVelocities(const LocalDynamics& ldy, const DelassusFactor& factor) : factor_(factor) {
    for (const Coupling& c : factor.coupling) widest_ = std::max<std::size_t>(widest_, c.freedoms);
    v_.assign(widest_ * factor.group_count(), 0.0);
    const auto* arena = ldy.diagonal_arena().data();
    for (const DiagonalBlock& row : ldy.rows()) {
      for (const Coupling& c : factor.couplings(static_cast<Index>(&row - arena))) {
        const double* Y = factor.Y.data() + 3 * c.place;
        if (c.freedoms == 6) {
          push(6, Y, row.R.data(), &v_[widest_ * c.body]);
        } else {
          push(static_cast<int>(c.freedoms), Y, row.R.data(), &v_[widest_ * c.body]);
        }
      }
    }
  }

  void add_to(Eigen::Vector3d& U, Index place) const {
    for (const Coupling& c : factor_.couplings(place)) {
      const double* H = factor_.H.data() + 4 * c.place;
      if (c.freedoms == 6) {
        pull(6, H, &v_[widest_ * c.body], U.data());
      } else {
        pull(static_cast<int>(c.freedoms), H, &v_[widest_ * c.body], U.data());
      }
    }
  }

 private:
  const DelassusFactor& factor_;
  std::size_t widest_ = 0;
  std::vector<double> v_;
};

// `work(row, place)` for all rows.
template <class Work>
void for_each_row(LocalDynamics& ldy, int threads, const Work& work) {
  const auto diagonal = ldy.diagonal_arena();
  parallel_for(static_cast<std::int64_t>(diagonal.size()), threads, 256, [&](std::int64_t at) {
    if (diagonal[at].constraint != kNone) work(diagonal[at], static_cast<Index>(at));
  });
}

}  // namespace

void update_velocities(LocalDynamics& ldy, int threads) {
  if (ldy.has_blocks()) {
    for_each_row(ldy, threads, [&](DiagonalBlock& row, Index) { row.U = row.B + row_product(ldy, row); });
    return;
  }
  const GroupVelocities velocities(ldy, factor_of(ldy));
  for_each_row(ldy, threads, [&](DiagonalBlock& row, Index place) {
    row.U = row.B;
    velocities.add_to(row.U, place);
  });
}

double velocity_products(const LocalDynamics& ldy) {
  const auto rows = static_cast<double>(ldy.row_count());
  if (ldy.has_blocks()) return rows + static_cast<double>(ldy.off_diagonal_count());
  double products = rows;
  for (const Coupling& c : factor_of(ldy).coupling) products += 2.0 / 3 * c.freedoms;
  return products;
}

}  // namespace locdyn::detail
