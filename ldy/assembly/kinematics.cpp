#include <locdyn/ldy/assembly/kinematics.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdint>
#include <numeric>

#include <locdyn/bodies/rigid_body.hpp>
#include <locdyn/ldy/group_levels.hpp>
#include <locdyn/base/instruction_set.hpp>
#include <locdyn/base/lanes_anywhere.hpp>

namespace locdyn {
void Kinematics::start_layout(const LocalDynamics& ldy, const BodySet& bodies) {
  const auto diagonal = ldy.diagonal_arena();
  constraint_.resize(diagonal.size());
  for (std::size_t row = 0; row < diagonal.size(); ++row) constraint_[row] = diagonal[row].constraint;
  layout_.start(bodies.id_bound());
}

// A is constant for life: of bodies that no row has acted on before.
void Kinematics::keep_inertia(const BodySet& bodies) {
  constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  inertia_of_body_.resize(bodies.id_bound(), kNowhere);
  for (const BodyId body : layout_.bodies()) {
    if (inertia_of_body_[body] != kNowhere) continue;
    inertia_of_body_[body] = inertia_.size();
    const Eigen::MatrixXd A = bodies[body].inertia();
    inertia_.insert(inertia_.end(), A.data(), A.data() + A.size());
  }
  first_inertia_.clear();
  for (const BodyId body : layout_.bodies()) first_inertia_.push_back(inertia_of_body_[body]);
  first_inertia_.push_back(inertia_.size());
}

void Kinematics::end_layout(const BodySet& bodies) {
  H_.resize(4 * layout_.places(), 0.0);  // each H and Y is written whole; the padding of a column stays zero
  Y_.resize(3 * layout_.places(), 0.0);
  drive_.resize(constraint_.size());
  V_.resize(constraint_.size());
  layout_.number_groups();
  keep_inertia(bodies);

  // Velocities of all groups one after the other; then what acts on each, by a counting sort over the rows.
  first_freedom_.assign(layout_.bodies().size() + 1, 0);
  first_hold_.assign(layout_.bodies().size() + 1, 0);
  for (const Coupling& c : layout_.couplings()) ++first_hold_[c.body + 1];
  for (Index group = 0; group < layout_.bodies().size(); ++group) {
    first_freedom_[group + 1] = first_freedom_[group] + bodies[layout_.bodies()[group]].freedoms();
    first_hold_[group + 1] += first_hold_[group];
  }
  holds_.resize(layout_.couplings().size());
  std::vector<Index> next(first_hold_.begin(), first_hold_.end() - 1);
  for (Index row = 0; row < constraint_.size(); ++row) {
    for (Index c = layout_.first()[row]; c < layout_.first()[row + 1]; ++c) {
      holds_[next[layout_.couplings()[c].body]++] = {row, c};
    }
  }
  level_.clear();
}

void Kinematics::find_levels() {
  if (constraint_.size() < detail::kLevelledFrom) return;
  std::vector<Index> rows(constraint_.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  level_ = detail::group_levels(factor(1), rows);
}

namespace {

// V += H u and B += H u_free of one group; `n` folds to a constant where the caller gives one.
[[gnu::always_inline]] inline void add_columns(std::uint32_t n, const double* H, const double* u, detail::FourLanes& V,
                                               detail::FourLanes& B) {
  detail::FourLanes column;
  for (std::uint32_t i = 0; i < n; ++i, H += 4) {
    detail::load_lanes(H, column);
    V += column * u[i];
    B += column * u[n + i];
  }
}

}  // namespace

[[gnu::always_inline]] inline void Kinematics::set_velocities_anywhere(Index first, Index last,
                                                                       const double* velocities, DiagonalBlock* arena) {
  for (Index row = first; row < last; ++row) {
    if (arena[row].constraint == kNone) continue;
    const Eigen::Vector3d& drive = drive_[row];
    detail::FourLanes V = {drive[0], drive[1], drive[2], 0}, B = V;
    for (const Coupling& c : couplings(row)) {
      const double* H = jacobian(c);
      const double* u = velocities + 2 * first_freedom(c.body);
      c.freedoms == 6 ? add_columns(6, H, u, V, B) : add_columns(c.freedoms, H, u, V, B);
    }
    for (int axis = 0; axis < 3; ++axis) {
      V_[row][axis] = V[axis];
      arena[row].B[axis] = B[axis];
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void Kinematics::set_velocities_avx2(Index first, Index last, const double* velocities,
                                                             DiagonalBlock* arena) {
  set_velocities_anywhere(first, last, velocities, arena);
}
#endif

void Kinematics::set_velocities(Index first, Index last, const double* velocities, DiagonalBlock* arena) {
#if defined(__x86_64__)
  if (detail::has_avx2()) return set_velocities_avx2(first, last, velocities, arena);
#endif
  set_velocities_anywhere(first, last, velocities, arena);
}

DelassusFactor Kinematics::factor(double h) const {
  return {.first = layout_.first(),
          .coupling = layout_.couplings(),
          .H = H_,
          .Y = Y_,
          .inertia = inertia_,
          .first_inertia = first_inertia_,
          .level = level_,
          .h = h,
          .part = nullptr};
}

namespace {

// As `point_jacobian`, without a virtual call and maps of unknown width.
void set_rigid_point(const RigidBody& body, const Eigen::Vector3d& x, const Eigen::Matrix3d& frame, double sign,
                     double* jacobian) {
  Eigen::Map<Eigen::Matrix<double, 3, 6>, Eigen::Unaligned, Eigen::OuterStride<4>> H(jacobian);
  H.leftCols<3>() = sign * body.turning_jacobian(x, frame);
  H.rightCols<3>() = sign * frame.transpose();
}

}  // namespace

JacobianMap ConstraintKinematics::H(int block, BodyId body) {
  for (const Coupling& c : storage_.couplings(first_ + static_cast<Index>(block))) {
    if (storage_.body(c) == body) return storage_.H(c);
  }
  return {nullptr, 3, 0};
}

void ConstraintKinematics::set_point(int block, const BodySet& bodies, BodyId body, const Eigen::Vector3d& x,
                                     const Eigen::Matrix3d& frame, double sign) {
  JacobianMap jacobian = H(block, body);
  if (jacobian.cols() == 0) {
    drive(block) += sign * (frame.transpose() * bodies[body].prescribed_velocity(x));
    return;
  }
  if (const RigidBody* rigid = bodies[body].rigid()) return set_rigid_point(*rigid, x, frame, sign, jacobian.data());
  bodies[body].point_jacobian(x, frame, jacobian);
  if (sign != 1) jacobian *= sign;
}

void ConstraintKinematics::set_spin(int block, const BodySet& bodies, BodyId body, const Eigen::Matrix3d& frame,
                                    double sign, double length) {
  JacobianMap jacobian = H(block, body);
  if (jacobian.cols() == 0) {
    // ω = ½ Σ_i e_i × (v(x + e_i) − v(x)), exact for a motion without strain.
    const Eigen::Vector3d at_origin = bodies[body].prescribed_velocity(Eigen::Vector3d::Zero());
    Eigen::Vector3d spin = Eigen::Vector3d::Zero();
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Vector3d e = Eigen::Vector3d::Unit(axis);
      spin += 0.5 * e.cross(bodies[body].prescribed_velocity(e) - at_origin);
    }
    drive(block) += sign * length * (frame.transpose() * spin);
    return;
  }
  bodies[body].spin_jacobian(frame, jacobian);
  jacobian *= sign * length;
}

}  // namespace locdyn
