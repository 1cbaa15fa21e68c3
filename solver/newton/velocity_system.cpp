#include <locdyn/solver/newton/velocity_system.hpp>

namespace locdyn::detail {

template class VelocitySystemOf<VelocityMatrix>;

}  // namespace locdyn::detail
