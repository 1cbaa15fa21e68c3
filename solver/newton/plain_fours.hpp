#pragma once
// The maps of hard contacts in space with round cones, which most rows are, four at once: one lane of a vector register
// each. What they give is bit for bit what `row_map` gives of one. A Newton step of towers, walls, bins and piles takes
// 0.92 of the time that it takes with all rows one by one.

#include <array>
#include <span>
#include <vector>

#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/newton/friction_map.hpp>
#include <locdyn/solver/newton/newton_system.hpp>

namespace locdyn::detail {

/// Each number of all four together.
struct PlainFour {
  std::array<const DiagonalBlock*, 4> row;
  std::array<const ContactLaw*, 4> law;
  std::array<Index, 4> place;                                          ///< in the arena
  double shift[3][4], friction[4], normal_scale[4], tangent_scale[4];  ///< as in NewtonRow
};

class PlainFours {
 public:
  /// `rows` by place in the arena of the graph, which outlives this and does not change but in R and U.
  PlainFours(const LocalDynamics& ldy, std::span<const NewtonRow> rows);

  /// Places of all other rows in sweep order: those with other laws, and up to three that are left.
  [[nodiscard]] std::span<const Index> others() const noexcept { return others_; }

  /// ‖F‖² of each row of a four for the U and R in the graph, by place.
  void find_squares(FrictionMap map, double augmentation, std::span<double> square) const;
  /// F, whether it presses and the derivative of each row of a four, by place.
  void linearise(FrictionMap map, double augmentation, std::span<LinearisedRow> linear) const;
  /// Σ ‖R − P_K(R − ρ Û)‖²/ρ² over rows of fours, of as many as it takes to be above `enough`.
  [[nodiscard]] double residual_square(double enough) const;

 private:
  std::vector<PlainFour> fours_;
  std::vector<Index> others_;
};

}  // namespace locdyn::detail
