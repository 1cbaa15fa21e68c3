#include <locdyn/solver/patience.hpp>

#include <cmath>

namespace locdyn::detail {

std::string Patience::reason(long count, std::string_view counted) const {
  const long percent = std::lround(100 * (1 - share_));
  return "the residual did not fall by " + std::to_string(percent) + " % in " + std::to_string(count - since_) + " " +
         std::string(counted);
}

}  // namespace locdyn::detail
