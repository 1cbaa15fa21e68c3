#include <locdyn/solver/newton/velocity_system.hpp>

namespace locdyn::detail {

template class VelocitySystemOf<VelocityMatrix>;

bool VelocitySystem::solve(std::span<const LinearisedRow> rows, std::span<Eigen::Vector3d> step) {
  few_.clear();
  return VelocitySystemOf::solve(rows, step);
}

bool VelocitySystem::find_responses(std::span<const Index> few, FewRowsMatrix& Z) {
  const auto known =
      static_cast<std::size_t>(std::mismatch(few_.begin(), few_.end(), few.begin(), few.end()).first - few_.begin());
  few_.assign(few.begin(), few.end());
  for (std::size_t b = known; b < few.size(); ++b) {
    if (!matrix_.halve(few[b], left_[b], right_[b])) {
      few_.clear();
      return false;
    }
  }
  const auto n = static_cast<Eigen::Index>(3 * few.size());
  Z.resize(n, n);
  for (std::size_t b = 0; b < few.size(); ++b) {
    for (std::size_t c = 0; c < few.size(); ++c) {
      Z.block<3, 3>(static_cast<Eigen::Index>(3 * b), static_cast<Eigen::Index>(3 * c)) =
          matrix_.blocks().join(left_[b], right_[c]);
    }
  }
  return true;
}

Eigen::Matrix3d VelocitySystem::yield(const LinearisedRow& row, Index place) const {
  return row.pressed ? response_[place].K : Eigen::Matrix3d::Zero();
}

void VelocitySystem::respond(std::span<const LinearisedRow> rows, const FewRowsVector& q,
                             std::span<Eigen::Vector3d> step, std::span<Eigen::Vector3d> motion) {
  std::fill(change_.begin(), change_.end(), 0.0);
  for (std::size_t b = 0; b < few_.size(); ++b) {
    matrix_.blocks().add_half(right_[b], q.segment<3>(static_cast<Eigen::Index>(3 * b)), change_);
  }
  matrix_.blocks().complete(change_);

  const auto* arena = ldy_.diagonal_arena().data();
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    motion[place] = matrix_.motion(place, change_);
    step[place].setZero();
    if (rows[place].pressed) step[place] = -(response_[place].K * motion[place]);
  }
  for (std::size_t b = 0; b < few_.size(); ++b) step[few_[b]] += q.segment<3>(static_cast<Eigen::Index>(3 * b));
  for (const DiagonalBlock& row : ldy_.rows()) {
    const auto place = static_cast<Index>(&row - arena);
    const LinearisedRow& own = rows[place];
    if (!own.follows || !own.pressed) continue;
    step[place] -=
        response_[place].G * (own.d.E_n * motion[place - 1][2] + dependence_on_reaction(own) * step[place - 1]);
  }
}

}  // namespace locdyn::detail
