#include <locdyn/ldy/assembly/constraints/joint.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;
namespace {

constexpr RowMask kMaskOf[] = {0, kRowNormal, 0b011, kRowsAll};  // one row, two, three

int row_of(int count, int k) {
  return count == 1 ? 2 : k;
}

// a A⁻¹ aᵀ of one row over the bodies; what has no mass counts as held.
double compliance(const BodySet& bodies, std::span<const BodyId> ids, const BodyQuantities& at, const Rate::Row& a) {
  double sum = 0;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const Body& body = bodies[ids[k]];
    Eigen::MatrixXd part = a.segment(at.first(k), body.freedoms()).transpose();
    if (part.rows() == 0) continue;
    const Eigen::VectorXd before = part;
    body.apply_inverse_inertia(part);
    sum += before.dot(part.col(0));
  }
  return sum;
}

}  // namespace

void JointRows::lengths(const VectorQuantity& c) {
  for (int i = 0; i < 3; ++i) length(component(c, i));
}

void JointRows::add_rate(const Rate& w, bool angle, bool friction) {
  Quantity quantity;
  static_cast<Rate&>(quantity) = w;
  add({quantity, angle, false, friction});
}

Joint::Joint(std::initializer_list<std::optional<BodyId>> bodies, std::size_t angles) : memory_(angles, 0.0) {
  for (const std::optional<BodyId>& body : bodies) {
    if (body) ids_.push_back(*body);
  }
}

Joint::Joint(std::vector<BodyId> bodies, std::size_t angles) : ids_(std::move(bodies)), memory_(angles, 0.0) {}

void Joint::set_memory(std::span<const double> memory) {
  if (memory.size() != memory_.size()) {
    throw std::invalid_argument(std::string(kind()) + ": memory: expected " + std::to_string(memory_.size()) +
                                " numbers, found " + std::to_string(memory.size()));
  }
  memory_.assign(memory.begin(), memory.end());
}

void Joint::attach(const BodySet& bodies) {
  take_hold(bodies);
  const BodyQuantities at(bodies, ids_, memory_);
  const JointRows rows = measured(at);
  memory_ = at.found();
  lay_out(rows);
  scale(bodies, rows);
}

// The rows, none of which may hold what is not a number.
JointRows Joint::measured(const BodyQuantities& at) const {
  JointRows rows;
  measure(at, rows);
  for (std::size_t i = 0; i < rows.rows().size(); ++i) {
    const Quantity& c = rows.rows()[i].quantity;
    const double sum = c.value + c.velocity + c.drive + c.bias + c.H.sum();
    if (std::isfinite(sum)) continue;
    throw std::invalid_argument("row " + std::to_string(i) + ": expected finite numbers, found value " +
                                spelled(c.value) + ", velocity " + spelled(c.velocity) + ", bias " + spelled(c.bias) +
                                ", sum of H " + spelled(c.H.sum()));
  }
  return rows;
}

void Joint::lay_out(const JointRows& rows) {
  int count[2] = {0, 0};
  bool lengths_slide = false;
  for (const JointRows::Row& row : rows.rows()) {
    ++count[row.angle ? 1 : 0];
    lengths_slide = lengths_slide || (row.friction && !row.angle);
  }
  block_count_ = (count[0] > 0 ? 1 : 0) + (count[1] > 0 ? 1 : 0);
  // Rows of friction belong into the last block.
  const int angle_block = count[0] == 0 || (lengths_slide && count[1] > 0) ? 0 : 1;
  const int length_block = count[1] > 0 && angle_block == 0 ? 1 : 0;
  angles_[0] = angle_block == 0;
  angles_[1] = !angles_[0];
  int next[2] = {0, 0};
  places_.clear();
  bounded_ = 0;
  for (int block = 0; block < 2; ++block) used_[block] = holonomic_[block] = 0;
  for (const JointRows::Row& row : rows.rows()) {
    const int kind = row.angle ? 1 : 0;
    const Place place{row.angle ? angle_block : length_block, row_of(count[kind], next[kind]++)};
    places_.push_back(place);
    used_[place.block] = kMaskOf[count[kind]];
    if (row.friction) bounded_ |= static_cast<RowMask>(1 << place.row);
    if (row.holonomic) holonomic_[place.block] |= static_cast<RowMask>(1 << place.row);
  }
}

void Joint::scale(const BodySet& bodies, const JointRows& rows) {
  const BodyQuantities at(bodies, ids_);
  double sum[2] = {0, 0};
  int count[2] = {0, 0};
  for (std::size_t i = 0; i < rows.rows().size(); ++i) {
    const JointRows::Row& row = rows.rows()[i];
    if (row.quantity.H.cwiseAbs().maxCoeff() == 0) {
      throw std::invalid_argument("row " + std::to_string(i) + (row.angle ? " (an angle)" : " (a length)") +
                                  ": expected a body that can follow it, found none");
    }
    sum[row.angle ? 1 : 0] += compliance(bodies, ids_, at, row.quantity.H);
    ++count[row.angle ? 1 : 0];
  }
  if (count[1] == 0) return;
  if (count[0] == 0) {
    count[0] = 1;
    for (BodyId id : ids_) sum[0] += bodies[id].mass() > 0 ? 1 / bodies[id].mass() : 0;
  }
  const double square = (sum[0] / count[0]) / (sum[1] / count[1]);
  if (square > 0 && std::isfinite(square)) length_ = std::sqrt(square);
}

void Joint::evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) {
  const BodyQuantities at(bodies, ids_, memory_);
  const JointRows rows = measured(at);
  memory_ = at.found();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto [block, row] = places_[i];
    const Quantity& c = rows.rows()[i].quantity;
    const double factor = rows.rows()[i].angle ? length_ : 1;
    kinematics.drive(block)[row] = factor * c.drive;
    for (std::size_t k = 0; k < ids_.size(); ++k) {
      JacobianMap H = kinematics.H(block, ids_[k]);
      if (H.cols() == 0) continue;  // an obstacle
      H.row(row) = factor * c.H.segment(at.first(k), H.cols());
    }
  }
}

void Joint::position_error(const BodySet& bodies, std::span<Eigen::Vector3d> error) const {
  const BodyQuantities at(bodies, ids_, memory_);
  const JointRows rows = measured(at);
  for (Eigen::Vector3d& e : error) e.setZero();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const JointRows::Row& row = rows.rows()[i];
    if (row.holonomic) error[places_[i].block][places_[i].row] = (row.angle ? length_ : 1) * row.quantity.value;
  }
}

void Joint::acceleration_bias(const BodySet& bodies, std::span<Eigen::Vector3d> bias) const {
  const BodyQuantities at(bodies, ids_, memory_);
  const JointRows rows = measured(at);
  for (Eigen::Vector3d& b : bias) b.setZero();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const JointRows::Row& row = rows.rows()[i];
    bias[places_[i].block][places_[i].row] = (row.angle ? length_ : 1) * row.quantity.bias;
  }
}

void Joint::set_friction(const std::optional<JointFriction>& friction, FrictionOf coordinate) {
  if (friction) validate(*friction, coordinate);
  friction_ = friction;
}

ConstraintLoad Joint::load_of(std::span<const Eigen::Vector3d> R) const {
  ConstraintLoad load;
  for (int k = 0; k < block_count_; ++k) {
    angles_[k] ? load.moment = length_ * R[static_cast<std::size_t>(k)].norm()
               : load.force = R[static_cast<std::size_t>(k)].norm();
  }
  return load;
}

// Rows of angles hold M/ℓ: N = ‖F, ℓ R/a‖, and |R| ≤ (M₀ + μ r N)/ℓ.
BoundedLaw Joint::friction_law() const {
  BoundedLaw law;
  law.block_count = block_count_;
  for (int k = 0; k < block_count_; ++k) law.block[static_cast<std::size_t>(k)].rows = used_[k];
  law.bounded = bounded_;
  const bool of_angle = angles_[block_count_ - 1];
  const double scale = of_angle ? length_ : 1;
  const double share = friction_->coefficient * (of_angle ? friction_->radius : 1) / scale;
  law.upper = friction_->limit / scale;
  law.lower = -law.upper;
  for (int k = 0; k < block_count_; ++k) {
    const double by_moment = friction_->arm > 0 ? length_ / friction_->arm : 0;
    law.load[static_cast<std::size_t>(k)] = share * (angles_[k] ? by_moment : 1);
  }
  return law;
}

Law Joint::law(double, std::span<const Eigen::Vector3d>) const {
  if (bounded_ != 0) return friction_law();
  BilateralLaw law;
  law.block_count = block_count_;
  for (int k = 0; k < block_count_; ++k) law.block[k].rows = used_[k];
  return law;
}

}  // namespace locdyn
