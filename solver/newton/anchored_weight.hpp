#pragma once
// The proximal weight of a walk that stays anchored: it falls while the centre R̄ stays where the walk began, so that R
// follows the path of Tikhonov's regularisation, from next to R̄ at a large weight to a solution at 0. Where friction
// leaves the proximal map no attraction the other way, a centre that moves at each weight, runs around a solution
// forever, for a centre that moves feels whether a solution is stable and one that stays does not. The path folds and
// kinks: where Newton finds no smaller weight it jumps to another branch or the centre moves there, once, and the
// weight begins anew from a larger one.
//
// Source: Tikhonov & Arsenin, Solutions of Ill-Posed Problems (1977); for complementarity: Facchinei & Pang,
// Finite-Dimensional Variational Inequalities (2003) §12.2.

namespace locdyn::detail {

class AnchoredWeight {
 public:
  /// What the next regularised problem has.
  [[nodiscard]] double trial() const noexcept { return value_ * share_; }
  /// Is it the first about its centre?
  [[nodiscard]] bool first() const noexcept { return share_ == 1; }
  /// As large as it gets, and the first about its centre was missed.
  [[nodiscard]] bool spent() const noexcept { return first() && value_ >= kLargest; }

  /// Solved in so many Newton steps.
  void reached(long steps);
  /// Not solved: `first` then says whether the centre moves to the last that was.
  void missed();

 private:
  static constexpr double kFirst = 0.3, kLargest = 1;

  double value_ = kFirst;  // of the last that was solved, or the first
  double share_ = 1;       // of it, next
};

}  // namespace locdyn::detail
