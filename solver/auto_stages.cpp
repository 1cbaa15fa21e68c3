#include <locdyn/solver/auto_stages.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <locdyn/solver/convex/admm.hpp>
#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/convex/interior.hpp>
#include <locdyn/solver/schwarz/schwarz.hpp>
#include <locdyn/solver/step/sweeps_and_newton.hpp>
#include <locdyn/solver/step/wandering_sweeps.hpp>

namespace locdyn::detail {
namespace {

// What fails in one round is tried otherwise in the next.
constexpr std::array kAutoAugmentations = {10.0, 100.0, 1.0, 30.0};
constexpr std::array kAutoRelaxations = {1.0, 1.0, 1.3, 1.0, 1.6};

constexpr auto any_graph = [](const AutoRun&) { return true; };
constexpr auto in_velocities = [](const AutoRun& run) { return run.in_velocities(); };
constexpr auto blocks_alone = [](const AutoRun& run) { return !run.in_velocities(); };
constexpr auto dear_steps = [](const AutoRun& run) { return run.steps_are_dear(); };
constexpr auto all_rows_at_once = [](const AutoRun& run) { return run.all_rows_at_once(); };
constexpr auto all_blocks_at_once = [](const AutoRun& run) { return blocks_alone(run) && run.all_rows_at_once(); };
constexpr auto convex = [](const AutoRun& run) { return run.convex(); };

constexpr auto every_round = [](const AutoRun&) { return true; };
constexpr auto unless_dearest = [](const AutoRun& run) { return !run.first_round() || !run.steps_are_dearest(); };
constexpr auto first_round = [](const AutoRun& run) { return run.first_round(); };
constexpr auto near_the_end = [](const AutoRun& run) { return run.interior_is_due(); };
constexpr auto after_its_share = [](const AutoRun& run) { return run.path_is_due(); };

constexpr auto its_patience = [](const AutoRun&) { return std::numeric_limits<double>::infinity(); };
constexpr auto as_much_again = [](const AutoRun& run) { return run.spent(); };
constexpr auto share_of_patches = [](const AutoRun& run) {
  return run.spent() > 0 ? run.tuning().patches_take_at_most * run.spent() : its_patience(run);
};

// clang-format off
constexpr std::array kStages = {
    AutoStage{"step", "sweeps through velocities and Newton in the same space, in turn: time steps",
              in_velocities, first_round, its_patience, [](AutoRun& run) {
                SolveReport report = solve_sweeps_and_newton(run.ldy(), {.stop = run.left(), .swept = run.swept()});
                if (report.status == SolveStatus::failed) run.sequence().give_up(report.reason);
                run.sequence().add(std::move(report));
                run.step_has_ended();
              }},
    AutoStage{"wander", "sweeps that run around a solution, and short turns of Newton from where they are nearest",
              in_velocities, first_round, its_patience, [](AutoRun& run) {
                take_wandering_sweeps(run.ldy(), run.sequence());
              }},
    AutoStage{"nsgs", "sweeps, as long as their contraction promises to end sooner than Newton would",
              any_graph, every_round, its_patience, [](AutoRun& run) { run.sweep(); }},
    AutoStage{"factor", "W = F Fᵀ found from its blocks, where F is sparser: the rest as \"step\", else sweeps again",
              blocks_alone, first_round, its_patience, [](AutoRun& run) { run.recover_the_factor(); }},
    AutoStage{"schwarz", "Newton on the few patches that hold most of the residual, and sweeps",
              dear_steps, every_round, share_of_patches, [](AutoRun& run) { run.solve_patches(); }},
    AutoStage{"admm", "alternating directions, as far as they are quick",
              all_rows_at_once, first_round, its_patience, [](AutoRun& run) { run.alternate_directions(); }},
    AutoStage{"newton", "proximal Newton, with patience that doubles each round",
              any_graph, unless_dearest, its_patience, [](AutoRun& run) { run.step(); }},
    AutoStage{"interior", "interior points, where Newton creeps along the null space of W",
              all_blocks_at_once, near_the_end, its_patience, [](AutoRun& run) { run.solve_interior_points(); }},
    AutoStage{"newton-on", "Newton again with more patience, before what is dearer",
              convex, after_its_share, as_much_again, [](AutoRun& run) { run.step_on(); }},
    AutoStage{"path", "the central path: the surest way and the dearest",
              convex, after_its_share, its_patience, [](AutoRun& run) { run.follow_path(); }},
};
// clang-format on

}  // namespace

std::span<const AutoStage> auto_stages() {
  return kStages;
}

AutoRun::AutoRun(LocalDynamics& ldy, const AutoOptions& options)
    : ldy_(ldy),
      options_(options),
      sequence_(options.stop),
      sweeps_(ldy, {.stop = options.stop,
                    .stall_window = options.tuning.sweeps_without_gain,
                    .momentum = !options.leaves_out("momentum")}),
      path_(ldy),
      factor_is_due_(!in_velocities() && !options.leaves_out("factor")) {}

AutoRun::~AutoRun() {
  if (recovered_) ldy_.forget_factor();
}

void AutoRun::begin_round(std::size_t round) {
  round_ = round;
  round_costs_.reset();
}

long AutoRun::newton_cost() const {
  if (!newton_cost_) newton_cost_ = sweeps_per_newton_step(ldy_);
  return *newton_cost_;
}

const AutoRun::RoundCosts& AutoRun::round_costs() const {
  const long step = newton_cost();
  if (!round_costs_) {
    round_costs_ = {step > tuning().dear_step, tuning().newton_steps_per_solve * static_cast<double>(step)};
  }
  return *round_costs_;
}

long AutoRun::first_sweeps() const {
  if (!first_sweeps_) {
    const auto share = static_cast<long>(tuning().sweeps_first * static_cast<double>(newton_cost()));
    first_sweeps_ = std::clamp(share, tuning().least_first_sweeps, tuning().most_first_sweeps);
  }
  return *first_sweeps_;
}

bool AutoRun::convex() const {
  if (!convex_) convex_ = suits_convex(ldy_);
  return *convex_;
}

StopOptions AutoRun::left(long iterations) const {
  StopOptions stop = sequence_.left(iterations);
  stop.max_work = std::min(stop.max_work, budget_);
  return stop;
}

// Beyond their budget they go on as long as they ask for no more than Newton would take, and where patches come next
// for at most so many times what they have taken: looked at after the first sweeps, then each time after twice as many
// more.
void AutoRun::sweep() {
  const long patience = tuning().first_steps << std::min<std::size_t>(round_, 8);
  const long first = first_sweeps(), budget = first_round() ? first : newton_cost() * patience;
  const double waiting = round_costs().waiting;
  const bool loose = options_.stop.tolerance >= tuning().loose_from;
  const double beside_patches = loose ? tuning().promise_where_loose : tuning().promise_beside_patches;
  const double promise = steps_are_dear() ? beside_patches : std::numeric_limits<double>::infinity();
  long look = first;
  sequence_.add(sweeps_.solve(left(), kAutoRelaxations[round_ % kAutoRelaxations.size()], [&](const SolveReport& turn) {
    const long done = turn.history.back().iteration;
    if (done < look) return false;
    look = first + 2 * done;
    const double to_go = sweeps_to_go(turn, options_.stop.tolerance);
    if (factor_is_due_ && to_go > tuning().sweeps_a_factor_costs) return true;
    return done >= budget && to_go > std::min(waiting, promise * static_cast<double>(done));
  }));
  if (!sequence_.ended()) newton_cost_ = sweeps_per_newton_step(ldy_);  // of what presses now
}

void AutoRun::recover_the_factor() {
  factor_is_due_ = false;
  recovered_ = recover_factor(ldy_, tuning().factor_holds_at_most);
  if (!recovered_) return sweep();
  ldy_.set_factor(recovered_->view());
  newton_cost_.reset();
  round_costs_.reset();
  sequence_.add(solve_sweeps_and_newton(ldy_, {.stop = left(), .swept = true}));
}

void AutoRun::solve_patches() {
  SchwarzOptions patches;
  patches.stop = left();
  patches.patience = tuning().rounds_of_patches;
  patches.most_spread = tuning().patches_cover_at_most;
  sequence_.add(solve_schwarz(ldy_, patches));
}

void AutoRun::newton(long first_sweeps, long steps) {
  NewtonOptions direct;
  direct.stop = left();
  direct.first_sweeps = first_sweeps;
  direct.augmentation = kAutoAugmentations[round_ % kAutoAugmentations.size()];
  direct.patience = steps << std::min<std::size_t>(round_, 8);
  sequence_.add(solve_newton(ldy_, direct));
}

void AutoRun::step() {
  newton(first_round() ? first_sweeps() : 0, tuning().first_steps);
}

void AutoRun::step_on() {
  newton(0, tuning().steps_before_the_path);
}

void AutoRun::alternate_directions() {
  AdmmOptions options;
  options.stop = left();
  options.stop.tolerance = std::max(options_.stop.tolerance, tuning().directions_down_to);
  SolveReport turn = solve_admm(ldy_, options);
  const bool whole = turn.own_residual <= options_.stop.tolerance;
  if (turn.status == SolveStatus::converged && !whole) turn.status = SolveStatus::stalled;
  sequence_.add(std::move(turn));
}

bool AutoRun::interior_is_due() const {
  const double residual = sequence_.total().own_residual;
  const double near = std::min(tuning().near_the_end * options_.stop.tolerance, tuning().near_the_end_below);
  return residual <= near && residual < tuning().interior_again_below * interior_level_;
}

void AutoRun::solve_interior_points() {
  InteriorOptions cones;
  cones.stop = left();
  cones.patience = tuning().convex_problems;
  sequence_.add(solve_interior(ldy_, cones));
  interior_level_ = sequence_.total().own_residual;
}

bool AutoRun::path_is_due() const {
  if (path_.stuck()) return false;
  if (path_due_at_ == 0) {
    path_due_at_ =
        tuning().path_after_factorisations_per_row * static_cast<double>(ldy_.row_count()) * cost_of_all_rows(ldy_);
  }
  return sequence_.total().work() - path_spent_ >= std::max(path_due_at_, path_spent_);
}

void AutoRun::follow_path() {
  const double before = sequence_.total().work();
  const auto rows = static_cast<long>(ldy_.row_count());
  sequence_.add(path_.solve({.stop = left(), .patience = std::max(tuning().least_path_patience, rows / 4)}));
  path_spent_ += sequence_.total().work() - before;
}

}  // namespace locdyn::detail
