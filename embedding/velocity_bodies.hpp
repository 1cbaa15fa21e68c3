#pragma once
// Bodies of a program that embeds the solvers: n velocities u, A⁻¹ (n×n, symmetric, positive semidefinite) and, where
// contacts are given as points, a pose. What A⁻¹ cannot move is taken out: with A⁻¹ = L Lᵀ (L n×r, r its rank) the
// solvers see r velocities of inertia I and H L in place of H, since W = h H A⁻¹ Hᵀ = h (H L)(H L)ᵀ.

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include <locdyn/embedding/point_contact.hpp>

namespace locdyn::detail {

/// One body.
struct VelocityBody {
  Eigen::MatrixXd inverse_inertia;  ///< A⁻¹ (n×n)
  Eigen::MatrixXd root;             ///< L (n×r) where A⁻¹ is singular, else 0×0
  Eigen::MatrixXd inertia;          ///< A (n×n), or I (r×r) where A⁻¹ is singular
  BodyPose pose;
  std::size_t first = 0;  ///< place of its n velocities in those of all
  bool changed = true;    ///< A⁻¹, since rows were last evaluated

  [[nodiscard]] int freedoms() const noexcept { return static_cast<int>(inverse_inertia.rows()); }
  /// r: the velocities that a reaction can change.
  [[nodiscard]] int rank() const noexcept { return static_cast<int>(inertia.rows()); }
  [[nodiscard]] bool reduced() const noexcept { return root.rows() > 0; }
};

class VelocityBodies {
 public:
  /// Throws std::invalid_argument where A⁻¹ is not square, finite, symmetric to 1e-10 of its largest entry and
  /// positive semidefinite, or has no row.
  BodyIndex add(const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia);
  /// The same of a body that is there, of as many velocities. Is the rank another than before?
  bool set_inverse_inertia(BodyIndex body, const Eigen::Ref<const Eigen::MatrixXd>& inverse_inertia);
  void set_velocity(BodyIndex body, const Eigen::Ref<const Eigen::VectorXd>& velocity);
  void set_pose(BodyIndex body, const BodyPose& pose);

  /// Throws std::invalid_argument where there is no such body.
  void require(BodyIndex body, const char* where) const;
  [[nodiscard]] std::size_t size() const noexcept { return bodies_.size(); }
  [[nodiscard]] const VelocityBody& operator[](BodyIndex body) const { return bodies_[body]; }
  [[nodiscard]] std::span<const double> velocity(BodyIndex body) const { return part(velocity_, body); }
  [[nodiscard]] std::span<const double> velocity_after(BodyIndex body) const { return part(after_, body); }

  /// Every body's u⁺ becomes its u.
  void forget_impulses() { after_ = velocity_; }
  /// u⁺ += A⁻¹ p, p (r) = h Σ Hᵀ R as the solvers see H.
  void add_impulse(BodyIndex body, const Eigen::Ref<const Eigen::VectorXd>& impulse);
  /// No A⁻¹ counts as changed any more.
  void settle();

 private:
  [[nodiscard]] std::span<const double> part(const std::vector<double>& all, BodyIndex body) const {
    return {all.data() + bodies_[body].first, static_cast<std::size_t>(bodies_[body].freedoms())};
  }

  std::vector<VelocityBody> bodies_;
  std::vector<double> velocity_, after_;  // u and u⁺ of all, one after the other
};

}  // namespace locdyn::detail
