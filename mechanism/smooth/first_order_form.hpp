#pragma once
// The motion of a mechanism as an ordinary differential equation in y = [q, u], for integrators:
//
//   q̇ = q̇(q, u) (of a quaternion ½ q (0, Ω)),   [A −Gᵀ; G 0] [u̇; λ] = [f; γ]
//
// Its exact solutions stay where C = 0 and G u + d = 0; what an integrator's errors take away from there is taken back
// by the nearest changes in the metric of kinetic energy, positions first, which keeps an integrator's order
// (projection), or pulled back along the way, γ − 2α Ċ − β² C (Baumgarte).
//
// Rows that repeat others on that manifold no longer do beside it, where integrators try states, and a factor of all
// would be worth nothing there: what is solved are rows that are independent on the manifold, chosen anew after each
// step. Near a singular position what a tried state is off the manifold grows as the inverse of the smallest singular
// value: ẏ is then that of the nearest state on the manifold. The other rows are checked after each step, and
// contradict where they do not follow.
//
// Source: Hairer, Lubich & Wanner, Geometric Numerical Integration (2006) §IV.4; Eich, SIAM J. Numer. Anal. 30 (1993)
// 1467–1482; Baumgarte, CMAME 1 (1972) 1–16.

#include <Eigen/Core>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <locdyn/mechanism/smooth/acceleration_solve.hpp>
#include <locdyn/mechanism/smooth/constrained_solve.hpp>
#include <locdyn/mechanism/smooth/motion_error.hpp>
#include <locdyn/mechanism/smooth/stabilisation.hpp>

namespace locdyn::detail {

/// How well the rows hold.
struct ConstraintErrors {
  double position = 0;                  ///< the largest |C| [m]
  double velocity = 0;                  ///< the largest |G u + d| [m/s]
  std::string worst_position_row = {};  ///< empty where there are no rows
  std::string worst_velocity_row = {};
};

class FirstOrderForm {
 public:
  /// Time goes on from where the bodies are; obstacles go on as they move. The mechanism must outlive it. Throws
  /// std::invalid_argument for α or β out of range, and for what the mechanism left out
  /// (`Mechanism::require_complete`).
  FirstOrderForm(Mechanism& mechanism, AppliedLoads loads, const StabilisationOptions& options = {});

  [[nodiscard]] Eigen::Index size() const noexcept { return size_; }
  /// [q, u] of the moving bodies as they are.
  [[nodiscard]] Eigen::VectorXd state() const;
  /// Gives time and state to the bodies; quaternions are made unit.
  void set_state(double t, const Eigen::Ref<const Eigen::VectorXd>& y);
  /// ẏ. Throws MotionError. Cost: one factorisation.
  [[nodiscard]] Eigen::VectorXd rate(double t, const Eigen::Ref<const Eigen::VectorXd>& y);
  /// ẏ of the state that the bodies have, which is taken to meet the rows.
  [[nodiscard]] Eigen::VectorXd rate_here();
  /// The nearest state that meets the rows, for y near to one; the bodies have it then. Throws MotionError where there
  /// is none. Cost: two factorisations or three.
  [[nodiscard]] Eigen::VectorXd projected(double t, const Eigen::Ref<const Eigen::VectorXd>& y);

  /// For the state that the bodies have: where it meets the rows to 1e-6 [m, m/s], takes away what is missing and
  /// examines it. Throws MotionError naming the row that it does not meet.
  AccelerationReport start();
  /// Chooses the independent rows where the bodies are, and solves all rows there. Throws MotionError where they
  /// contradict each other. Cost: a sparse QR.
  AccelerationReport examine();
  /// As `examine`, without a look at contradictions.
  void choose_rows();
  /// Where the bodies are.
  [[nodiscard]] ConstraintErrors errors();
  /// Positions, and velocities in rows posed on them alone, where the bodies have met the independent rows: throws
  /// MotionError naming the row where another one does not follow.
  void require_consistent();

  /// As `projected`, positions alone; `independent` are the rows that it takes.
  void close(double t, const Eigen::Ref<const Eigen::VectorXd>& y);
  [[nodiscard]] const std::vector<Eigen::Index>& independent() const noexcept { return independent_; }
  /// Their G as `Mechanism::evaluate` left it, and their numbers among those of all rows.
  [[nodiscard]] SparseMatrix independent_G() const;
  [[nodiscard]] Eigen::VectorXd of_independent(const Eigen::VectorXd& rows) const;
  /// Time goes to t, and obstacles with it.
  void set_time(double t);

  /// The largest of all smallest singular values of the rows that `examine` found, and whether the last one is so small
  /// beside it that steps should heed it (TangentChart).
  [[nodiscard]] double best() const noexcept { return best_; }
  [[nodiscard]] bool near_singular() const noexcept { return near_singular_; }
  /// What the independent rows leave; 0 where drives decide everything.
  [[nodiscard]] Eigen::Index freedoms() const noexcept {
    return mechanism_.coordinates() - static_cast<Eigen::Index>(independent_.size());
  }

  [[nodiscard]] Mechanism& mechanism() noexcept { return mechanism_; }
  [[nodiscard]] const StabilisationOptions& options() const noexcept { return options_; }

 private:
  void require_closed(double t);
  void factorise();
  [[nodiscard]] Eigen::VectorXd pull();
  void close_positions();
  void meet_velocities();
  // What users' functions throw, as a MotionError.
  template <class Work>
  auto guarded(double t, const Work& work);

  Mechanism& mechanism_;
  AppliedLoads loads_;
  StabilisationOptions options_;
  Accelerations all_;
  ConstrainedSolve solve_;
  double best_ = 0;
  bool near_singular_ = false;
  std::vector<Eigen::Index> independent_;
  std::vector<bool> quaternion_;  // by body: q ends with one
  double start_;                  // time, and where obstacles were then
  std::vector<std::pair<BodyId, Eigen::VectorXd>> obstacles_;
  Eigen::Index size_ = 0, first_velocity_ = 0;
};

template <class Work>
auto FirstOrderForm::guarded(double t, const Work& work) {
  try {
    return work();
  } catch (const MotionError&) {
    throw;
  } catch (const std::exception& fault) {
    throw MotionError(MotionError::Reason::bad_function, t, fault.what());
  }
}

}  // namespace locdyn::detail
