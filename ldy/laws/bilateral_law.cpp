#include <locdyn/ldy/laws/bilateral_law.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

namespace locdyn {

void BilateralLaw::validate() const {
  if (block_count < 1 || block_count > kMaxBlocks) {
    throw std::invalid_argument("blocks: expected 1 to " + std::to_string(kMaxBlocks) + ", found " +
                                std::to_string(block_count));
  }
  for (int k = 0; k < block_count; ++k) {
    if (block[k].rows == 0 || block[k].rows > kRowsAll) {
      throw std::invalid_argument("rows: expected a mask from 1 to 7, found " + std::to_string(block[k].rows));
    }
    for (int row = 0; row < 3; ++row) {
      const double s = block[k].shift[row];
      const double c = block[k].compliance[row];
      if (!std::isfinite(s)) {
        throw std::invalid_argument("shift: expected a finite velocity, found " + std::to_string(s));
      }
      if (!(c >= 0) || !std::isfinite(c)) {
        throw std::invalid_argument("compliance: expected a finite number >= 0, found " + std::to_string(c));
      }
    }
  }
}

}  // namespace locdyn
