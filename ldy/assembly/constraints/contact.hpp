#pragma once
// Unilateral contact with friction at a given point: U = frameᵀ (v_slave − v_master − v_surface), the master's part of
// H negative, and the law of Moreau's impact: σ_n = e·min(V_n, 0) − feedback where the gap is closed, σ_n = gap/h where
// it is open.
//
// Across a step a contact adds the energy h R·(U + V)/2. With σ_n = gap/h the normal share is R_n times the change of
// the gap; with
//
//   σ_t = (V − U⁻)_t / 2,   U⁻ the velocity at the end of the step before,
//
// a contact that goes on sticking has U + V = U⁻ − U along t: these sums telescope, and what is left is of second order
// in h. V − U⁻ = (H − H⁻) u is what the turning of the bodies alone has done to the velocity, the same at every point
// that two bodies share, so that a second contact never contradicts the first. A contact that did not press in the step
// before has σ_t = 0, and so has one that slid faster than that, whose friction is against U itself, and one whose
// obstacle has changed its drive, where no energy is kept.
//
// A material with a stiffness makes it a compliant contact: `kelvin_voigt` says C and σ_n, of Hertz's spring by what
// stands for it in the step (`of_step`). With a stiffness along t too, `held_kelvin_voigt` says C and σ_t from the
// stretch that it remembers (`ContactPast`): then the energy of what sticks is the spring's.
//
// Source (the impact): Moreau (1988), Unilateral contact and dry friction in finite freedom dynamics; Jean, CMAME 177
// (1999) 235–257.

#include <array>
#include <functional>
#include <memory>

#include <locdyn/contact/contact_point.hpp>
#include <locdyn/ldy/assembly/constraint.hpp>

namespace locdyn {

/// Which rows a contact has: all three, or (t1, n) for bodies that move in a plane. Where its material has rolling or
/// torsional friction there is a second block, of the relative spin and the moment: three rows, or in the plane t2.
enum class ContactRows { space, plane };

class Contact final : public Constraint {
 public:
  /// Throws std::invalid_argument at insertion (`attach`).
  explicit Contact(const ContactPoint& point, ContactRows rows = ContactRows::space);
  /// One whose point another keeps (`std::cref`), where it stays for as long as the contact lives. Whoever keeps it may
  /// write another place, frame, gap or past there between the updates, and another material where that has moments and
  /// gives way as before; nothing of it is checked again.
  explicit Contact(std::reference_wrapper<const ContactPoint> kept, ContactRows rows = ContactRows::space);

  /// Does such a contact belong in the graph? Not with e > 0 while its gap is open: there Newton's law acts on a
  /// velocity that is reached at the impact alone.
  [[nodiscard]] static bool acts(const ContactPoint& point) noexcept {
    return point.gap <= 0 || point.material.restitution == 0;
  }

  /// As `set_point` and `set_past` left it, or whoever keeps it.
  [[nodiscard]] const ContactPoint& point() const noexcept { return *point_; }
  /// Does it have a block of moments?
  [[nodiscard]] bool rolls() const noexcept { return rolls_; }
  /// ℓ [m] that its moments are divided by in the graph, as of the last `evaluate`; 1 where it has none.
  [[nodiscard]] double moment_length() const noexcept { return length_; }
  /// A new place, frame, gap or material between the same bodies, from the next `update` on. Throws
  /// std::invalid_argument for other bodies, for a material with moments where it had none or none where it had, and
  /// for what `attach` would refuse, std::logic_error where another keeps its point; then nothing has changed.
  void set_point(const ContactPoint& point, const BodySet& bodies);

  /// What it did in the step before, from the next `update` on. Throws std::logic_error where another keeps its point.
  void set_past(const ContactPast& past);

  [[nodiscard]] std::string_view kind() const noexcept override { return "contact"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return bodies_; }
  /// Throws std::invalid_argument for what `validate(ContactPoint)` refuses and for a contact that does not act.
  void attach(const BodySet& bodies) override;
  void evaluate(const BodySet& bodies, ConstraintKinematics& kinematics) override;
  /// The gap, as `set_point` gave it.
  void position_error(const BodySet&, std::span<Eigen::Vector3d> error) const override {
    error[0] = {0, 0, point_->gap};
    if (rolls_) error[1].setZero();
  }
  /// The gap alone.
  [[nodiscard]] RowMask holonomic_rows(int block) const override { return block == 0 ? kRowNormal : RowMask{0}; }
  [[nodiscard]] Law law(double h, std::span<const Eigen::Vector3d> V) const override;
  [[nodiscard]] const void* reads() const noexcept override { return point_; }
  [[nodiscard]] const ContactPoint* plain_point() const noexcept override;

 private:
  [[nodiscard]] ContactPoint& own_point();
  void check(const ContactPoint& point, const BodySet& bodies) const;
  [[nodiscard]] RowMask moment_rows() const noexcept {
    return rows_ == ContactRows::plane ? kRowPlanarRolling : kRowsAll;
  }
  void evaluate_spin(const BodySet& bodies, ConstraintKinematics& kinematics);
  [[nodiscard]] CompliantLaw compliant_law(double h, double V_n, const Eigen::Vector3d& shift) const;

  std::unique_ptr<ContactPoint> own_;  // where nobody else keeps it
  const ContactPoint* point_;
  std::array<BodyId, 2> bodies_;  // master, slave
  ContactRows rows_;
  bool rolls_;
  double length_ = 1;               // ℓ
  double response_ = 0;             // of the gap to a unit force, where the material gives way [1/kg]
  double tangential_response_ = 0;  // the mean of those along t1 and t2, where it gives way along them
};

}  // namespace locdyn
