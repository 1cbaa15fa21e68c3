#pragma once
// One contact of a step, linearised: what U, V, σ and its pull on the bodies change by. With z = (δx, δφ, δgap), the
// place, the turning of the frame and the gap, and d the changes of q* of master and slave,
//
//   z = Z (d, shapes) + z₀,   z₀ = Φ δφ⁻ + own,   δU = H δu⁺ + U_q d + U_z z,   δV = H δu + V_q d + V_z z,
//   δ(Hᵀ R) = Hᵀ δR + P_q d + P_z z,   δσ_n = σ_V δV_n + σ_g δgap + σ_e δe,   δσ_t = (δV − δU⁻)_t/2 where it acts.
//
// Products are with the sum that the law asks for, U + σ, so that they read little memory:
//
//   δ(U + σ) = H δu⁺ + S H δu + L_in (d, shapes) + L_z z₀ + σ_e δe − S δU⁻_t,   S = diag(½, ½, σ_V) with ½ where σ_t
//   acts,
//
// where L_z is U_z + S V_z and σ_g, L_in = (U_q + S V_q, 0) + L_z Z; and U alone by U_in = (U_q, 0) + U_z Z.

#include <Eigen/Core>
#include <memory>

#include <locdyn/contact/collider.hpp>
#include <locdyn/contact/contact_point.hpp>
#include <locdyn/sensitivity/body_linearisation.hpp>
#include <locdyn/sensitivity/contact_geometry.hpp>
#include <locdyn/sensitivity/variation.hpp>
#include <locdyn/simulation/time_stepper.hpp>

namespace locdyn::detail {

using PairVector = Eigen::Matrix<double, 2 * kMostFreedoms, 1>;
using PlaceVector = Eigen::Matrix<double, 7, 1>;
using ShapeVector = Eigen::Matrix<double, 12, 1>;
using InVector = Eigen::Matrix<double, kGeometryColumns, 1>;  ///< d and shapes
using RowVector = Eigen::Matrix<double, 6, 1>;

/// Row by row, since contacts without moments use the first three rows alone.
template <int kRows, int kColumns>
using RowByRow = Eigen::Matrix<double, kRows, kColumns, Eigen::RowMajor>;

/// What an adjoint of velocities does not read where contacts stick: apart, since memory is what it waits for.
struct ContactDetail {
  RowByRow<6, kGeometryColumns> U_in;
  RowByRow<6, 7> U_z;
  Eigen::Matrix<double, 2 * kMostFreedoms, 2 * kMostFreedoms> P_q;
  Eigen::Matrix<double, 2 * kMostFreedoms, 7> P_z;
  RowByRow<7, kGeometryColumns> Z;
};

struct ContactLinearisation {
  ConstraintId constraint{kNone};
  std::uint64_t identity = 0;  ///< 0: a constraint for life, whose place does not change by itself
  Index place = kNone;         ///< of its first row
  int size = 3;                ///< rows: 6 with moments
  BodyId master{0}, slave{0};
  ColliderId master_shape{0}, slave_shape{0};
  Eigen::Index pair = -1;  ///< of surfaces, −1 where it has none
  double reaction = 0;     ///< R_n
  bool slips = false;      ///< by its law
  RowByRow<6, 2 * kMostFreedoms> H;
  RowByRow<6, kGeometryColumns> L_in;
  RowByRow<6, 7> L_z;
  Eigen::Matrix3d frame_by_past;
  Eigen::Vector3d S = Eigen::Vector3d::Zero();
  double shift_by_e = 0;
  bool turned = false;  ///< σ_t acts
  bool pulls = false;   ///< R or its moment is not 0: P_q and P_z are not, either
  std::unique_ptr<ContactDetail> detail;
};

/// What of a contact was before the step; its past is that of the step to come, none where detection has gone on to
/// another place or the surfaces have changed their motion.
struct ContactBefore {
  Eigen::Matrix3d frame;
  ContactPast past;
};

/// What is left of a contact that was not detected: its collider ids are not there.
struct ContactAsked {
  const ActiveContact& contact;
  const ContactBefore* before;  ///< null where it is new
  const System& system;
  const BodyLinearisation &master, &slave;
  const TimeStepperOptions& options;
  double slow;  ///< what does not move [m/s]
  bool detected;
};

/// Fills all but `place` and `slips`. An edge of the geometry goes to `geometry`, one of gap or restitution to `kink`;
/// both keep what they hold where there is none.
[[nodiscard]] ContactLinearisation linearise(const ContactAsked& asked, const char*& geometry, const char*& kink);

}  // namespace locdyn::detail
