#include <locdyn/forces/force.hpp>

#include <stdexcept>
#include <string>

namespace locdyn {

void Force::set_memory(std::span<const double> memory) {
  if (memory.empty()) return;
  throw std::invalid_argument(std::string(kind()) + ": memory: expected no numbers, found " +
                              std::to_string(memory.size()));
}

}  // namespace locdyn
