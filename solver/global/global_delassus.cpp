#include <locdyn/solver/global/global_delassus.hpp>

#include <stdexcept>
#include <string>

#include <locdyn/ldy/moment_scale.hpp>

namespace locdyn::detail {

GlobalDelassus::GlobalDelassus(const GlobalCondensation& condensed, const LocalDynamics& ldy)
    : condensed_(condensed), r_(condensed.problem().w.size()) {
  std::vector<Eigen::Index> first(1, 0);  // block of each constraint, by id
  for (const Law& law : condensed.problem().laws) first.push_back(first.back() + block_count(law));
  if (ldy.id_bound() + 1 != first.size() || static_cast<Eigen::Index>(ldy.row_count()) != first.back()) {
    throw std::invalid_argument("global Delassus: expected the condensed graph of " + std::to_string(first.back()) +
                                " rows, found one of " + std::to_string(ldy.row_count()));
  }
  for (const DiagonalBlock& row : ldy.rows()) {
    place_.push_back(first[row.constraint]++);
    length_.push_back(row_length(ldy, row));
  }
}

void GlobalDelassus::apply(const Eigen::Ref<const Eigen::VectorXd>& R, Eigen::Ref<Eigen::VectorXd> U) {
  require_sizes(R.size(), U.size());
  for (std::size_t i = 0; i < place_.size(); ++i) {
    r_.segment<3>(3 * place_[i]) = length_[i] * R.segment<3>(3 * static_cast<Eigen::Index>(i));
  }
  const Eigen::VectorXd u = condensed_.response(r_);
  for (std::size_t i = 0; i < place_.size(); ++i) {
    U.segment<3>(3 * static_cast<Eigen::Index>(i)) = length_[i] * u.segment<3>(3 * place_[i]);
  }
}

}  // namespace locdyn::detail
