#include <locdyn/solver/nsgs/chosen_sweep.hpp>

#include <locdyn/solver/nsgs/carried_rows.hpp>
#include <locdyn/solver/nsgs/coloured_sweep.hpp>
#include <locdyn/solver/nsgs/dissection.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>

namespace locdyn::detail {
namespace {

class BlockForm final : public ChosenSweep {
 public:
  explicit BlockForm(LocalDynamics& ldy) : ldy_(ldy), sweep_(ldy) {}
  double run(SweepDirection direction, double relaxation) override { return sweep_.run(direction, relaxation); }
  double run_active(double relaxation) override { return sweep_.run_active(relaxation); }
  void carry_on(double share) override { carried_.carry_on(ldy_, share); }
  void read_reactions() override { sweep_.activate_all(); }
  void read_reactions(std::span<const ConstraintId> changed) override { sweep_.activate_neighbours(changed); }
  void write_reactions() override {}
  Judgement judge(LocalDynamics& ldy, int threads) override { return judge_by_residual(ldy, threads); }
  [[nodiscard]] double products() const override { return sweep_.products(); }

 private:
  LocalDynamics& ldy_;
  GaussSeidelSweep sweep_;
  CarriedRows carried_;
};

class ColouredForm final : public ChosenSweep {
 public:
  ColouredForm(LocalDynamics& ldy, int threads) : sweep_(ldy, threads) {}
  double run(SweepDirection direction, double relaxation) override { return sweep_.run(direction, relaxation); }
  double run_active(double relaxation) override { return sweep_.run(SweepDirection::forward, relaxation); }
  void carry_on(double share) override { sweep_.carry_on(share); }
  void read_reactions() override { sweep_.read_reactions(); }
  void read_reactions(std::span<const ConstraintId>) override { sweep_.read_reactions(); }
  void write_reactions() override { sweep_.write_reactions(); }
  Judgement judge(LocalDynamics& ldy, int threads) override {
    sweep_.write_reactions();
    return judge_by_residual(ldy, threads);
  }
  [[nodiscard]] double products() const override { return sweep_.products(); }

 private:
  ColouredSweep sweep_;
};

class VelocityForm final : public ChosenSweep {
 public:
  VelocityForm(LocalDynamics& ldy, SweepSchedule schedule, const StopOptions& stop)
      : threads_(stop.threads),
        sweep_(ldy, std::move(schedule), stop.threads,
               VelocitySweep::exactness_for(stop.measure == Measure::scaled ? stop.tolerance : 0)) {}
  double run(SweepDirection direction, double relaxation) override {
    return sweep_.run(direction, relaxation, threads_);
  }
  double run_active(double relaxation) override { return sweep_.run_active(relaxation, threads_); }
  void carry_on(double share) override { sweep_.carry_on(share, threads_); }
  void read_reactions() override {
    sweep_.read_reactions(threads_);
    sweep_.activate_all();
  }
  void read_reactions(std::span<const ConstraintId> changed) override { sweep_.read_reactions_of(changed); }
  void write_reactions() override { sweep_.write_reactions(threads_); }
  // Rounding that sweeps have gathered in the velocities goes when they are taken from R anew.
  Judgement judge(LocalDynamics& ldy, int threads) override {
    sweep_.write_reactions(threads_);
    sweep_.read_reactions(threads_);
    sweep_.write_velocities(threads_);
    return judgement_of(residual_of_velocities(ldy, threads));
  }
  [[nodiscard]] double products() const override { return sweep_.products_per_visit() * sweep_.visits(); }

 private:
  int threads_;
  VelocitySweep sweep_;
};

}  // namespace

SweepForm choose_form(const LocalDynamics& ldy) {
  if (!VelocitySweep::applies(ldy)) return SweepForm::blocks;
  if (!ldy.has_blocks()) return SweepForm::velocities;
  const bool many = ldy.row_count() >= kVelocityRows && ldy.off_diagonal_count() >= kVelocityBlocks * ldy.row_count();
  return many ? SweepForm::velocities : SweepForm::blocks;
}

std::unique_ptr<ChosenSweep> choose_sweep(LocalDynamics& ldy, const NsgsOptions& options) {
  const SweepForm form = options.form == SweepForm::automatic ? choose_form(ldy) : options.form;
  if (form == SweepForm::velocities) {
    const bool dissected = ldy.constraint_count() >= options.dissected_from;
    return std::make_unique<VelocityForm>(
        ldy, dissected ? dissected_schedule(ldy, kDomain, options.stop.threads) : grouped_schedule(ldy), options.stop);
  }
  const bool coloured = ldy.constraint_count() >= options.coloured_from;
  if (coloured) return std::make_unique<ColouredForm>(ldy, options.stop.threads);
  return std::make_unique<BlockForm>(ldy);
}

}  // namespace locdyn::detail
