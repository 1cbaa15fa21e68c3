#include <locdyn/solver/convex/cone_program.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/contact/coulomb_cone.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/iterate_watch.hpp>

namespace locdyn::detail {
namespace {

// Rows that are unknowns: a contact without friction has R_t = 0.
RowMask unknown_rows(const Law& law, int block) {
  return is_contact(law) && friction_discs(law).sliding[0] == 0 ? kRowNormal : rows(law, block);
}

// W_αα as the cone meets it: what makes a contact give way is part of its own block.
Eigen::Matrix3d response(const Law& law, int block, const Eigen::Matrix3d& W) {
  if (!is_contact(law)) return W;
  return W + Eigen::Matrix3d(compliance(law, block).asDiagonal());
}

bool has_cone(const Law& law) {
  return is_coulomb(law) || is_bilateral(law);
}

[[noreturn]] void refuse_law(ConstraintId id, const Law& law) {
  throw std::invalid_argument("cone program: constraint " + std::to_string(id) +
                              ": expected Coulomb friction or a bilateral law, found " + law_name(law));
}

// √ of the mean of tr W_αα/d over the rows.
double mean_scale(const LocalDynamics& ldy) {
  double sum = 0;
  for (const DiagonalBlock& row : ldy.rows()) {
    const ConstraintId id = row.constraint;
    const int block = ldy.block_of(row);
    sum += 1 / row_scale(row.W, rows(ldy.law(id), block));
  }
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(ldy.row_count(), 1)));
}

}  // namespace

bool suits_convex(const LocalDynamics& ldy) {
  for (const DiagonalBlock& row : ldy.rows()) {
    const Law& law = ldy.law(row.constraint);
    if (!has_cone(law)) return false;
  }
  return true;
}

ConeProgram::ConeProgram(const LocalDynamics& ldy, Scaling scaling) {
  list_rows(ldy, scaling);
  list_blocks(ldy);
  centre_.assign(rows_.size(), Eigen::Vector3d::Zero());
  load_ = velocity_at_centre_ = centre_;
}

void ConeProgram::list_rows(const LocalDynamics& ldy, Scaling scaling) {
  const double common = scaling == Scaling::equal ? mean_scale(ldy) : 0;
  const auto diagonal = ldy.diagonal_arena();
  number_.assign(diagonal.size(), -1);
  double scaled_squares = 0;
  int scalars = 0;
  for (const DiagonalBlock& at : ldy.rows()) {
    const ConstraintId id = at.constraint;
    const int block = ldy.block_of(at);
    const Law& law = ldy.law(id);
    if (!has_cone(law)) refuse_law(id, law);
    const auto place = static_cast<Index>(&at - diagonal.data());
    const RowMask mask = unknown_rows(law, block);
    Row row{
        .place = place,
        .first = unknowns_,
        .count = rows_in_use(mask),
        .contact = is_contact(law),
        .friction = friction_discs(law).sliding[0],
        .stiffness = Eigen::Vector3d::Zero(),
        .in_use = Eigen::Vector3d::Zero(),
        .scale = common > 0 ? common : 1 / std::sqrt(row_scale(response(law, block, at.W), locdyn::rows(law, block)))};
    const Eigen::Vector3d b = at.B + offset(law, block);
    for (int k = 0; k < 3; ++k) {
      if (!uses(locdyn::rows(law, block), k)) continue;
      scaled_squares += b[k] * b[k] / (row.scale * row.scale);
      ++scalars;
      if (uses(mask, k)) row.in_use[k] = 1;
    }
    if (!row.contact) row.stiffness = compliance(law, block) / (row.scale * row.scale);
    number_[place] = static_cast<int>(rows_.size());
    unknowns_ += row.count;
    rows_.push_back(row);
  }
  load_norm_ = load_norm(ldy);
  if (scaled_squares > 0) velocity_ = std::sqrt(scaled_squares / scalars);
}

void ConeProgram::list_blocks(const LocalDynamics& ldy) {
  const auto diagonal = ldy.diagonal_arena();
  // The places of the lower triangle, column by column.
  std::vector<std::size_t> start(rows_.size() + 1);
  std::vector<int> below;
  for (std::size_t column = 0; column < rows_.size(); ++column) {
    start[column] = blocks_.size();
    const auto beta = static_cast<int>(column);
    const DiagonalBlock& at = diagonal[rows_[column].place];
    below.clear();
    for (const OffDiagonalBlock& block : ldy.adjacent(at)) {
      if (number_[block.other] > beta) below.push_back(number_[block.other]);
    }
    std::sort(below.begin(), below.end());
    const Eigen::Matrix3d W = response(ldy.law(at.constraint), ldy.block_of(at), at.W);
    blocks_.push_back({beta, beta, 0.5 * (W + W.transpose())});
    for (const int row : below) blocks_.push_back({row, beta, Eigen::Matrix3d::Zero()});
  }
  start.back() = blocks_.size();

  // Half of W_αβ and half of W_βαᵀ.
  for (std::size_t alpha = 0; alpha < rows_.size(); ++alpha) {
    const auto number = static_cast<int>(alpha);
    for (const OffDiagonalBlock& block : ldy.adjacent(diagonal[rows_[alpha].place])) {
      const int other = number_[block.other];
      const int row = std::max(number, other), column = std::min(number, other);
      const auto found = std::lower_bound(blocks_.begin() + start[column] + 1, blocks_.begin() + start[column + 1], row,
                                          [](const Block& entry, int wanted) { return entry.row < wanted; });
      if (other < number) {
        found->W += 0.5 * block.W;
      } else {
        found->W += 0.5 * block.W.transpose();
      }
    }
  }
  for (Block& block : blocks_) block.W /= rows_[block.row].scale * rows_[block.column].scale;
}

std::vector<Eigen::Vector3d> ConeProgram::free_velocity(const LocalDynamics& ldy) const {
  std::vector<Eigen::Vector3d> b;
  for (const Row& row : rows_) {
    const DiagonalBlock& at = ldy.diagonal_arena()[row.place];
    const Eigen::Vector3d free = at.B + offset(ldy.law(at.constraint), ldy.block_of(at));
    // What is not in use may be anything, not a number among them.
    b.push_back((row.in_use.array() != 0).select(free, 0.0) / (row.scale * velocity_));
  }
  return b;
}

void ConeProgram::centre_on(const LocalDynamics& ldy) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    centre_[i] = ldy.diagonal_arena()[row.place].R.cwiseProduct(row.in_use) * (row.scale / velocity_);
  }
  multiply(centre_, load_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const DiagonalBlock& at = ldy.diagonal_arena()[row.place];
    const ConstraintId id = at.constraint;
    const int block = ldy.block_of(at);
    Eigen::Vector3d U = at.U + offset(ldy.law(id), block);
    if (row.contact) {
      U += compliance(ldy.law(id), block).cwiseProduct(at.R);
      U[2] += row.friction * U.head<2>().norm();
    }
    velocity_at_centre_[i] = U.cwiseProduct(row.in_use) / (row.scale * velocity_);
    load_[i] = velocity_at_centre_[i] - load_[i];
  }
}

void ConeProgram::centre_on_zero(const std::vector<Eigen::Vector3d>& held) {
  multiply(held, load_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    load_[i] = velocity_at_centre_[i] - load_[i];
    centre_[i].setZero();
  }
}

void ConeProgram::multiply(const std::vector<Eigen::Vector3d>& R, std::vector<Eigen::Vector3d>& product) const {
  std::fill(product.begin(), product.end(), Eigen::Vector3d::Zero());
  for (const Block& block : blocks_) {
    product[block.row] += block.W * R[block.column];
    if (block.row != block.column) product[block.column] += block.W.transpose() * R[block.row];
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) product[i] = product[i].cwiseProduct(rows_[i].in_use);
}

double ConeProgram::residual(const std::vector<Eigen::Vector3d>& R, const std::vector<Eigen::Vector3d>& V) const {
  double sum = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    Eigen::Vector3d left;
    if (row.contact) {
      left = R[i] - project_on_cone(R[i] - V[i], row.friction);
    } else {
      left = V[i] + row.stiffness.cwiseProduct(R[i]);
    }
    sum += (row.scale * left.cwiseProduct(row.in_use)).squaredNorm();
  }
  return std::sqrt(sum) * velocity_ / load_norm_;
}

void ConeProgram::write(const std::vector<Eigen::Vector3d>& R, LocalDynamics& ldy) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    ldy.diagonal_arena()[rows_[i].place].R = R[i].cwiseProduct(rows_[i].in_use) * (velocity_ / rows_[i].scale);
  }
}

}  // namespace locdyn::detail
