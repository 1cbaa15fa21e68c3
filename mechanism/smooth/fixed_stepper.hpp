#pragma once
// What the schemes of fixed_step.hpp have in common: a mechanism where a step ended, and one step on.

#include <memory>

#include <locdyn/mechanism/smooth/first_order_form.hpp>
#include <locdyn/mechanism/smooth/fixed_step.hpp>

namespace locdyn::detail {

class FixedStepper {
 public:
  virtual ~FixedStepper() = default;
  /// From t to t + h; the bodies are there then. Throws MotionError.
  virtual FixedStepPoint step(double t, double h) = 0;
  [[nodiscard]] long iterations() const noexcept { return iterations_; }

 protected:
  FixedStepper(FirstOrderForm& form, const AppliedLoads& loads)
      : form_(form), mechanism_(form.mechanism()), loads_(loads), A_(inertia(mechanism_)) {}

  /// λ (m) of all rows, from that of the independent ones.
  [[nodiscard]] Eigen::VectorXd spread(const Eigen::VectorXd& independent) const;

  FirstOrderForm& form_;
  Mechanism& mechanism_;
  const AppliedLoads& loads_;
  SparseMatrix A_;
  long iterations_ = 0;
};

/// Each starts where the bodies are, `form` being started there.
[[nodiscard]] std::unique_ptr<FixedStepper> make_generalised_alpha(FirstOrderForm& form, const AppliedLoads& loads,
                                                                   const FixedStepOptions& options, double h);
[[nodiscard]] std::unique_ptr<FixedStepper> make_half_step(FirstOrderForm& form, const AppliedLoads& loads);

}  // namespace locdyn::detail
