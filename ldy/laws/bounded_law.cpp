#include <locdyn/ldy/laws/bounded_law.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

namespace locdyn {

void BoundedLaw::validate() const {
  BilateralLaw{.block_count = block_count, .block = block}.validate();
  const RowMask used = rows(block_count - 1);
  if (bounded == 0 || (bounded & ~used) != 0) {
    throw std::invalid_argument("bounded rows: expected some of the rows in use, " + std::to_string(used) +
                                ", found mask " + std::to_string(bounded));
  }
  if (!std::isfinite(lower) || !std::isfinite(upper) || !(lower <= upper)) {
    throw std::invalid_argument("bounds: expected finite numbers, lower <= upper, found " + std::to_string(lower) +
                                " and " + std::to_string(upper));
  }
  if (rows_in_use(bounded) > 1 && !(upper >= 0 && lower == -upper)) {
    throw std::invalid_argument("bounds of several rows: expected -upper and upper >= 0, found " +
                                std::to_string(lower) + " and " + std::to_string(upper));
  }
  for (const double weight : load) {
    if (weight >= 0 && std::isfinite(weight)) continue;
    throw std::invalid_argument("load weight: expected a finite number >= 0, found " + std::to_string(weight));
  }
}

}  // namespace locdyn
