#pragma once
// Rows that keep all others from the solution of a regularised problem: what the others do leaves their own map without
// a zero near, or with one that Newton's steps jump across again and again. Each has a proximal weight of its own, ten
// times the common one for each time that it hindered, until it has been forgotten: they follow slowly, and the common
// weight stays as small as the others can bear. Of centres missed on long walks of a tower and of a pile of rocks, 1000
// and 2120 contacts, most had 0.9 of ‖F‖² in one to nine rows.
//
// Any positive weights, row by row, have the same fixed points (Rockafellar 1976, in the metric that they give).

#include <cstddef>
#include <span>
#include <vector>

namespace locdyn::detail {

class HeldRows {
 public:
  explicit HeldRows(std::size_t places) : times_(places, 1) {}

  /// The row's weight over the common one, ≥ 1, by place in the arena.
  [[nodiscard]] double times(std::size_t place) const noexcept { return times_[place]; }

  /// Holds each row with a marked share of `sum`; `squares` has that of each row, by place. Returns how many there are.
  std::size_t hold(std::span<const double> squares, double sum);
  /// A centre was reached: what was held is held less.
  void forget();

 private:
  std::vector<double> times_;
};

}  // namespace locdyn::detail
