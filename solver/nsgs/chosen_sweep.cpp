#include <locdyn/solver/nsgs/chosen_sweep.hpp>

#include <algorithm>
#include <utility>

#include <locdyn/solver/nsgs/carried_rows.hpp>
#include <locdyn/solver/nsgs/coloured_sweep.hpp>
#include <locdyn/solver/nsgs/dissection.hpp>
#include <locdyn/solver/nsgs/focus.hpp>
#include <locdyn/solver/nsgs/sweep.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>

namespace locdyn::detail {
namespace {

// From so many constraints on a focus is dissected, and into so many domains or more. A pile of 2000 at 1e-3 takes on
// two threads 0.96 of the time that it takes where a focus is as the whole, on one as long; from 300 constraints on
// into 8 domains the same, into 6 0.98.
constexpr std::size_t kDissectedFocus = 400, kDomainsOfFocus = 4;

class BlockForm final : public ChosenSweep {
 public:
  explicit BlockForm(LocalDynamics& ldy) : ldy_(ldy), sweep_(ldy) {}
  double run(SweepDirection direction, double relaxation) override { return sweep_.run(direction, relaxation); }
  double run_active(double relaxation) override { return sweep_.run_active(relaxation); }
  void carry_on(double share) override { carried_.carry_on(ldy_, share); }
  double focus(double, double) override { return 0; }
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
  double focus(double, double) override { return 0; }
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
  VelocityForm(LocalDynamics& ldy, const NsgsOptions& options)
      : ldy_(ldy),
        options_(options),
        threads_(options.stop.threads),
        sweep_(ldy, schedule_of(ldy.sequence()), threads_, exactness()) {}
  double run(SweepDirection direction, double relaxation) override {
    return sweep_.run(direction, relaxation, threads_);
  }
  double run_active(double relaxation) override { return sweep_.run_active(relaxation, threads_); }
  void carry_on(double share) override { sweep_.carry_on(share, threads_); }
  double focus(double enough, double most) override {
    const std::vector<ConstraintId> where = find_focus(ldy_, threads_);
    if (where.empty()) return 0;
    const auto count = static_cast<double>(ldy_.constraint_count());
    VelocitySweep sweep(ldy_, schedule_of_focus(where), threads_, exactness());
    sweep_focus(sweep, enough, most * count, threads_);
    sweep_.read_reactions_of(where, threads_);
    focused_products_ += sweep.products();
    return sweep.visits() / count;
  }
  void read_reactions() override {
    sweep_.read_reactions(threads_);
    sweep_.activate_all();
  }
  void read_reactions(std::span<const ConstraintId> changed) override { sweep_.read_reactions_of(changed, threads_); }
  void write_reactions() override { sweep_.write_reactions(threads_); }
  // Rounding that sweeps have gathered in the velocities goes when they are taken from R anew.
  Judgement judge(LocalDynamics& ldy, int threads) override {
    sweep_.write_reactions(threads_);
    sweep_.read_reactions(threads_);
    sweep_.write_velocities(threads_);
    return judgement_of(residual_of_velocities(ldy, threads));
  }
  [[nodiscard]] double products() const override { return sweep_.products() + focused_products_; }

 private:
  [[nodiscard]] SweepSchedule schedule_of(std::vector<ConstraintId> sequence) const {
    return sequence.size() >= options_.dissected_from
               ? dissected_schedule_of(ldy_, std::move(sequence), kDomain, threads_)
               : grouped_schedule_of(ldy_, std::move(sequence));
  }
  // Threads share a focus, too, where they share the whole.
  [[nodiscard]] SweepSchedule schedule_of_focus(std::vector<ConstraintId> focus) const {
    const std::size_t count = focus.size();
    const bool dissected = ldy_.constraint_count() >= options_.dissected_from && count >= kDissectedFocus;
    const auto domain = static_cast<Index>(std::min<std::size_t>(kDomain, count / kDomainsOfFocus));
    return dissected ? dissected_schedule_of(ldy_, std::move(focus), domain, threads_)
                     : grouped_schedule_of(ldy_, std::move(focus));
  }
  [[nodiscard]] double exactness() const {
    return VelocitySweep::exactness_for(options_.stop.measure == Measure::scaled ? options_.stop.tolerance : 0);
  }

  LocalDynamics& ldy_;
  NsgsOptions options_;
  int threads_;
  VelocitySweep sweep_;
  double focused_products_ = 0;
};

}  // namespace

SweepForm choose_form(const LocalDynamics& ldy) {
  if (ldy.factor() == nullptr) return SweepForm::blocks;
  if (!ldy.has_blocks()) return SweepForm::velocities;
  const bool many = ldy.row_count() >= kVelocityRows && ldy.off_diagonal_count() >= kVelocityBlocks * ldy.row_count();
  return many ? SweepForm::velocities : SweepForm::blocks;
}

std::unique_ptr<ChosenSweep> choose_sweep(LocalDynamics& ldy, const NsgsOptions& options) {
  const SweepForm form = options.form == SweepForm::automatic ? choose_form(ldy) : options.form;
  if (form == SweepForm::velocities) return std::make_unique<VelocityForm>(ldy, options);
  const bool coloured = ldy.constraint_count() >= options.coloured_from;
  if (coloured) return std::make_unique<ColouredForm>(ldy, options.stop.threads);
  return std::make_unique<BlockForm>(ldy);
}

}  // namespace locdyn::detail
