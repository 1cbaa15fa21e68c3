#include <locdyn/ldy/assembly/body_delassus.hpp>

#include <stdexcept>
#include <string>

namespace locdyn::detail {

BodyDelassus::BodyDelassus(const Assembly& assembly, int threads)
    : kinematics_(assembly.kinematics()),
      threads_(threads),
      place_(assembly.graph().diagonal_arena().size(), kNone),
      change_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(kinematics_.freedom_count()))) {
  if (threads < 1) {
    throw std::invalid_argument("Delassus operator: expected at least 1 thread, found " + std::to_string(threads));
  }
  sequence_.reserve(assembly.graph().row_count());
  const DiagonalBlock* arena = assembly.graph().diagonal_arena().data();
  for (const DiagonalBlock& row : assembly.graph().rows()) {
    const auto at = static_cast<Index>(&row - arena);
    place_[at] = static_cast<Index>(sequence_.size());
    sequence_.push_back(at);
  }
}

void BodyDelassus::apply(const Eigen::Ref<const Eigen::VectorXd>& R, Eigen::Ref<Eigen::VectorXd> U) {
  require_sizes(R.size(), U.size());

  // Each body gathers its change of velocity, h A⁻¹ Σ Hᵀ R.
  const auto groups = static_cast<std::int64_t>(kinematics_.bodies().size());
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
  for (std::int64_t at = 0; at < groups; ++at) {
    const auto group = static_cast<Index>(at);
    const auto first = static_cast<Eigen::Index>(kinematics_.first_freedom(group));
    const auto n = static_cast<Eigen::Index>(kinematics_.first_freedom(group + 1)) - first;
    auto change = change_.segment(first, n);
    change.setZero();
    for (const Kinematics::Hold& hold : kinematics_.holds_of_group(group)) {
      const double* Y = kinematics_.response(kinematics_.coupling(hold));
      const Eigen::Vector3d reaction = R.segment<3>(3 * Eigen::Index(place_[hold.row]));
      change.noalias() += Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3>>(Y, n, 3) * reaction;
    }
  }

  // Each row sees it through H.
  const auto rows = static_cast<std::int64_t>(sequence_.size());
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
  for (std::int64_t i = 0; i < rows; ++i) {
    Eigen::Vector3d product = Eigen::Vector3d::Zero();
    for (const Coupling& c : kinematics_.couplings(sequence_[i])) {
      const auto first = static_cast<Eigen::Index>(kinematics_.first_freedom(c.body));
      product.noalias() += kinematics_.H(c) * change_.segment(first, Eigen::Index(c.freedoms));
    }
    U.segment<3>(3 * i) = product;
  }
}

}  // namespace locdyn::detail
