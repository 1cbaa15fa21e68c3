#include <locdyn/ldy/moment_scale.hpp>

#include <cmath>
#include <vector>

namespace locdyn::detail {
namespace {

// ℓ of a rolling contact from its own blocks.
double moment_length(const LocalDynamics& ldy, ConstraintId id, const RollingLaw& law) {
  const double force = ldy.row(id, 0).W.trace() / rows_in_use(law.rows(0));
  const double moment = ldy.row(id, 1).W.trace() / rows_in_use(law.rows(1));
  const double length = force > 0 && moment > 0 ? std::sqrt(force / moment) : 1;
  return std::isfinite(length) && length > 0 ? length : 1;
}

}  // namespace

void scale_moments(LocalDynamics& ldy, std::span<const double> rolling) {
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    if (!ldy.contains(id)) continue;
    const auto* known = std::get_if<RollingLaw>(&ldy.law(id));
    if (known == nullptr) continue;
    RollingLaw law = *known;
    law.rolling = rolling[id];
    law.length = moment_length(ldy, id, law);
    ldy.set_law(id, law);
  }
  const auto arena = ldy.diagonal_arena();
  for (DiagonalBlock& row : ldy.rows()) {
    const double length = row_length(ldy, row);
    row.B *= length;
    row.W *= length * length;
    for (OffDiagonalBlock& block : ldy.adjacent(row)) block.W *= length * row_length(ldy, arena[block.other]);
  }
}

double row_length(const LocalDynamics& ldy, const DiagonalBlock& row) {
  return &row == &ldy.row(row.constraint) ? 1.0 : friction_discs(ldy.law(row.constraint)).length;
}

}  // namespace locdyn::detail
