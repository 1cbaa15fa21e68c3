#include <locdyn/ldy/assembly/constraint.hpp>

#include <stdexcept>
#include <string>

namespace locdyn {

void Constraint::acceleration_bias(const BodySet&, std::span<Eigen::Vector3d>) const {
  throw std::logic_error("acceleration bias: expected a joint, found a " + std::string(kind()));
}

void Constraint::set_memory(std::span<const double> memory) {
  if (memory.empty()) return;
  throw std::invalid_argument(std::string(kind()) + ": memory: expected no numbers, found " +
                              std::to_string(memory.size()));
}

}  // namespace locdyn
