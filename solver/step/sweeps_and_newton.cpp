#include <locdyn/solver/step/sweeps_and_newton.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <locdyn/solver/convex/cone_program.hpp>
#include <locdyn/solver/newton/newton.hpp>
#include <locdyn/solver/newton/newton_system.hpp>
#include <locdyn/solver/nsgs/nsgs.hpp>
#include <locdyn/solver/path/path.hpp>
#include <locdyn/solver/patience.hpp>
#include <locdyn/solver/schwarz/schwarz.hpp>
#include <locdyn/solver/stage_sequence.hpp>
#include <locdyn/solver/step/anchored_turns.hpp>
#include <locdyn/solver/step/carried_sweeps.hpp>
#include <locdyn/solver/step/damped_sweeps.hpp>
#include <locdyn/solver/step/fresh_start.hpp>
#include <locdyn/solver/step/newton_price.hpp>
#include <locdyn/solver/step/pace.hpp>
#include <locdyn/solver/step/prospect.hpp>
#include <locdyn/solver/step/short_turns.hpp>
#include <locdyn/solver/tuning.hpp>

namespace locdyn::detail {
namespace {

// Sweeps before the first look at what they promise, as many as so far before each further one: a look costs about two
// residuals. Not measured apart from the shares below, which were measured with 20; 50 in place of 25: the same.
constexpr long kFirstSweeps = 25;
// What sweeps may cost, beside what Newton is expected to: so much where they promise nothing, for they find most of
// the states that what follows starts from, and at most so much where they do promise, for they slow down. Fifteen
// moving scenes at 1e-3 and 1e-6: 0.05 in place of 0.02 takes 1.04 times as long (bin, hopper, pile and rubble at 1e-6
// 1.1 to 1.3, hopper at 1e-3 0.94), 0.1 1.2 times; 0.01 and less are the same, the first look comes later. Wall, tower,
// pile and rubble: 0.2 in place of 0.5 up to 1.3 times. Where patches come next sweeps are given up sooner: hopper,
// logs, rubble, drum and pile_large at 1e-6 take 0.59, 0.59, 0.87, 0.99 and 0.36 of the time without patches; with 0.5
// there, too, 0.66, 0.72, 0.98, 1.01 and 0.38; 0.1 in place of 0.2: the same. Sweeps with momentum take their
// share there whatever they promise, for they slow down and speed up again, and the larger one: 28 runs of piles of
// capsules, cylinders, hulls, spheres and boxes take with 0.1, 0.2, 0.35 and 0.5 0.98, 0.96, 0.96 and 0.96 of the time
// at 1e-3 that they take where sweeps have to promise, and 0.98, 0.95, 0.95 and 0.95 at 1e-4 (a press on spheres 0.63
// and 0.86); piles that settle gain (newton_price.cpp).
constexpr double kLeastShare = 0.02, kMostShare = 0.5, kMostShareBeforePatches = 0.2;
// Where no patches solve it a dear Newton that is further off than this begins from sweeps with momentum, up to such a
// share of what it is expected to cost: from 25 sweeps it took 100 to 300 steps a solve in a silo, each of 45 sweeps.
// Thirty runs of silos, hoppers, piles, rubble and logs take 0.92 of the time at 1e-6 and at 1e-8 (silos 0.4 to 0.9);
// however near it is 0.87 and 0.99, beyond 3e-4 0.93 and 0.89 on half of them. A share of 0.1 0.96 at 1e-6, 0.5 and 1
// however near 1.03 times what 0.2 takes; without momentum 1.16 times.
constexpr double kShareBeforeNewton = 0.2, kFarBeforeNewton = 1e-3;
// Newton steps in which the residual must halve, twice as many in each round that comes near a solution, but where
// sweeps go on: a turn given up begins again from its best iterate with a weight that has failed there. Eleven runs of
// moving scenes, most at 1e-8, three trajectories each: 200 in place of 100 0.87 of the factorisations and 0.83 of the
// time (wrecking_ball 0.51, Jenga 0.53 of it, where three steps ended unsolved and none does), 150 and 250 0.93 and
// 0.85; 400 in five of them 1.2 times the time of 200.
constexpr long kPatience = 200;
// Where sweeps go on for long and Newton has short turns: 192 steps of the pile in short_turns.cpp take 0.9 of the time
// that they take with 200, the largest 6 to 9 s in place of 35; 25 as long as 50, in 115 of them.
constexpr long kPatienceBesideShortTurns = 50;
// Sweeps with momentum that go on for long stand still where their residual has not halved in so many, twice as many
// each time, and so few of many constraints hold it: those push each other round a cycle that no sweep leaves. Patches,
// which grow until they hold the cycle, end most of these in 20 to 60 more, for as much as was spent until then. Five
// piles of 2000 that fall, at 1e-4: of 1240 steps of 1000 contacts and more 21 took over 3500 block products a contact,
// up to 58 000, and none does, 2691 being the most. 70 sweeps in place of 50 take as long, nine runs; with sweeps
// before the first patches 1.03. Without that limit such a pile takes 2 to 5 times as long once it settles, 5500
// contacts and more; with it about as long as where nothing ends those steps, with 5 % in place of 2 % 2 to 3 times.
// Four settling piles of 200, 600 contacts: 0.93 to 1.09 of the time, boxes in a bin 1.06 times as long; not there.
constexpr long kStandingSweeps = 50;
constexpr double kFewHold = 0.02;
// Newton's steps in which the residual must halve for it to go on before patches do, where sweeps have momentum or a
// step costs at most so many. Hulls with friction above 1 end in 1 to 10 steps, where patches took 20 to 40 times as
// long: sixteen runs of rocks, hulls, silos, hoppers, piles and a drum take 0.89 and 0.88 of the time at 1e-3 and 1e-4
// (hulls 0.35 to 1, a silo 1.3). At 1e-6 and 1e-8, each step from the same state, twelve and nineteen take 0.92 and
// 0.88 (piles 0.76 to 0.94, drum, rubble, logs and hopper 0.82 to 0.9, silo 1.0, rocks 0.97 to 1.06). 2, 12 and 25
// steps 1.05, 1.02 and 1.05 times what 6 take at 1e-8; where dearer ones are tried, too, a silo takes 1.2 to 1.4 times.
constexpr long kPatienceBeforePatches = 6, kDearestBeforePatches = 40;
// What patches may take, of what Newton is expected to: where they grow as large as a small island a step on them is as
// dear as one of it all. Thirty runs of such scenes, of chains on boxes and of rolling logs take 0.95 of the time at
// 1e-6 that they take without a limit (hulls 0.6 to 1), fourteen 0.97 at 1e-8; 1 in place of 0.5 0.96 and 0.99, 0.35
// and 0.25 more on half of them. At 1e-3 and 1e-4 0.97 and 1.00 of what as much as was spent until then took.
constexpr double kShareOfPatches = 0.5;
// Newton's patience where it has come no nearer than `Prospect::kNear`. Boxes and capsules that a paddle jams, 350
// contacts that no reactions solve, take 0.63 of the time that they take with kPatience, 25 as long; eight scenes that
// move the same.
constexpr long kPatienceWhereFar = 50;
constexpr const char* kJammed = "no reactions come near a solution: what moves the bodies jams them, it seems";
// Newton has come from R = 0 as near as before, to within this share, and the path no nearer: what hinders them is in
// the problem. A bridge of planks with a hinge too many, 28 constraints that contradict each other by 2e-6, took 540 to
// 780 ms a step at 1e-8 in all other solvers, for 100 here. Of eighteen scenes at 1e-4, 1e-6 and 1e-8 that one and a
// paddle that jams stand so, by 6e-5 to 3e-3, and gravel by 1e-3 until the path ends it; a castle by 2e-2 is solved.
constexpr double kSame = 5e-3;
constexpr const char* kAlike = "all starts end alike: what moves the bodies jams them, or joints contradict each other";
constexpr long kStallWindow = 2000;
// Of sweeps with momentum, which stand still for long and go on. With it those that go on are granted as much as
// Newton's last turn took where that came close, and its patience no longer doubles there: a silo of 360 balls had a
// turn of 3200 steps, 4.3 s, that gained nothing, and 1600 sweeps between such turns. Ten piles that settle at 1e-4
// take 0.87 of the time, up to 1.18, of 2500 balls 0.50; this window alone 0.96, without it 1.13.
constexpr long kStallWindowWithMomentum = 8000;
// From this round on a Newton turn without a gain of 1 % has the central path tried, once, for so much of what was
// spent until then: a step of pile_large at 1e-6, 3758 contacts, on which Newton stands at 3e-5 through six rounds,
// takes 7 s in place of 33. One round sooner walls at 1e-8, where it never ends in time, take 1.8 times as long; two
// sooner 1.1 times the time in the mean of twelve scenes. With 1 in place of 0.3 the whole of scenes/wall.json at 1e-6
// takes 1.07 times as long. All that was while the path factorised all rows; since it works in the space of velocities
// an arch that is shaken takes 0.31 of the time at 1e-8, fifteen other runs the same. Since few rows are bent, and its
// products count, of six scenes at 1e-8 Jenga alone comes to it, for 2 % of the time; twice the share takes 1.01.
constexpr std::size_t kRoundOfThePath = 2;
constexpr double kShareOfThePath = 0.3;
// Newton's patience where the solve has come nowhere (`Prospect::kNowhere`). Five boxes in a gripper that goes on
// closing: 240 to 800 ms a step with more, where nobody asks for a solution, 1 to 3 ms with this.
constexpr long kLittlePatience = 20;
// Sweeps after which that is asked where Newton is dear, so that they may go on for long. Of seventy moving scenes two
// have steps in which so many are still nowhere, of 2 and 42 contacts. A lid on 1440 balls, 4224 contacts, takes 0.06 s
// a step in place of 3.7, one on 18 000 balls 1.6 s in place of minutes.
constexpr long kSweepsBeforeHope = 200;

class Rounds {
 public:
  Rounds(LocalDynamics& ldy, const StopOptions& stop)
      : ldy_(ldy),
        stop_(stop),
        sequence_(stop),
        momentum_(counts_on_momentum(stop.tolerance)),
        price_(ldy, stop.tolerance, momentum_),
        prospect_(ldy, stop.tolerance, price_),
        sweeps_(ldy, {.stop = stop,
                      .stall_window = momentum_ ? kStallWindowWithMomentum : kStallWindow,
                      .momentum = are_carried(ldy, stop.tolerance)}) {}

  // The first sweeps, and on while they promise to end before what follows would, but never for longer than that. Where
  // they go on and stand still for what few constraints do to each other those are solved in between, and near the end
  // Newton has short turns.
  void sweep(double relaxation, const GivesUp& also_given_up = {}) {
    long look = kFirstSweeps, window = kStandingSweeps, before = 0;
    for (bool stand = true; stand && !sequence_.ended();) {
      stand = false;
      Patience patience(Patience::kHalved, window);
      ShortTurns short_turns(ldy_);
      SolveReport swept = sweeps_.solve(sequence_.left(), relaxation, [&](const SolveReport& turn) {
        const auto& last = turn.history.back();
        const long done = before + last.iteration;
        if (also_given_up && also_given_up(turn)) return true;
        if (short_turn_is_due(short_turns, turn) && short_turns.take(price_.system(), sequence_.left(), turn)) {
          return true;
        }
        patience.note(last.residual, last.iteration);
        if (patience.spent(last.iteration, window) && price_.sweeps_go_on_for_long()) {
          patience.restart(last.iteration);
          window *= 2;
          if (stand = spread_of_residual(ldy_, PatchOptions().cover, stop_.threads) <= kFewHold; stand) return true;
        }
        if (done < look) return false;
        const double to_go = look == kFirstSweeps ? promise_of_start(turn) : sweeps_to_go(turn, stop_.tolerance);
        look = 2 * done;
        // No share of theirs is less: as long as they promise to end within it nobody asks what Newton costs. That took
        // 3.4 % of the instructions of pile_large at 1e-3 and takes 0.9.
        const double least_share = kMostShare * price_.least_solve();
        if (momentum_ && std::max(to_go, static_cast<double>(done)) <= least_share) return false;
        const double share = !momentum_ && price_.is_dear() ? kMostShareBeforePatches : kMostShare;
        const double most = std::max(share * price_.solve(), cost_of_last_turn());
        const double least = price_.sweeps_go_on() ? most : kLeastShare * price_.solve();
        return static_cast<double>(done) >= least && (to_go > most || static_cast<double>(done) > most);
      });
      before += swept.iterations;
      swept_ = before;
      short_turns.add_to(sequence_, std::move(swept));
      if (stand && !sequence_.ended()) solve_what_stands();
    }
  }

  // Those of the first round, but where they were given up already and what follows is cheap. Where it is dear: is
  // there a solution at all? What it costs is not asked before it matters.
  void first_sweeps(double relaxation, double augmentation, bool swept) {
    if (swept && !price_.is_dear()) return;
    bool paused = false;
    sweep(relaxation, [&](const SolveReport& turn) {
      const auto& last = turn.history.back();
      return paused = last.iteration >= kSweepsBeforeHope && last.residual > Prospect::kNowhere && price_.is_dear();
    });
    if (sequence_.ended() || !price_.is_dear()) return;
    look_for_hope(augmentation);
    if (paused && !sequence_.ended()) sweep(relaxation);
  }

  // Newton on the few clusters of contacts that hold most of the residual, as far as there are such.
  void solve_patches() {
    SolveReport turn = solve_schwarz(ldy_, patches(kShareOfPatches * price_.work()));
    swept_ += turn.iterations;
    sequence_.add(std::move(turn));
  }
  // The same of the few that stand still, at once, for as much as was spent until then.
  void solve_what_stands() {
    SchwarzOptions options = patches(sequence_.total().work());
    options.swept = true;
    sequence_.add(solve_schwarz(ldy_, options));
  }

  // Sweeps with momentum where patches leave a dear Newton far from the solution, up to their share in this round; in
  // the first as many damped ones.
  void sweep_before_newton(bool first) {
    if (momentum_ || !price_.is_dear() || sequence_.total().residual.scaled <= kFarBeforeNewton) return;
    const long left = static_cast<long>(kShareBeforeNewton * price_.solve()) - swept_;
    if (left <= 0) return;
    GaussSeidel sweeps(ldy_, {.stop = stop_, .momentum = true});
    sequence_.add(sweeps.solve(sequence_.left(left), 1));
    if (first && stop_.tolerance >= kDampedFrom) take_damped_sweeps(ldy_, sweeps, left, sequence_);
  }

  // Where Newton is dear: its walk, where it is short enough for its steps to pay before patches do, while the residual
  // goes on halving; then as many damped sweeps as there were, with momentum.
  void before_patches(double augmentation) {
    if (!price_.is_dear()) return;
    const bool short_enough = momentum_ || price_.step() <= kDearestBeforePatches;
    if (short_enough) newton(kPatienceBeforePatches, augmentation);
    if (momentum_) take_damped_sweeps(ldy_, sweeps_, swept_, sequence_);
  }
  void newton(long patience, double augmentation) {
    const bool hopes = prospect_.masses_are_apart() || (prospect_.tried() && prospect_.may_be_near());
    newton(patience, Prospect::kNear, hopes ? patience : std::min(patience, kPatienceWhereFar), augmentation);
  }
  // The first turn. Where its steps are cheap nobody has asked yet whether there is a solution: it has little patience
  // as long as it is nowhere, and then that is asked.
  void first_newton(long patience, double augmentation) {
    if (price_.is_dear()) return newton(patience, augmentation);
    newton(patience, Prospect::kNowhere, prospect_.masses_are_apart() ? patience : kLittlePatience, augmentation);
    if (sequence_.ended() || !is_nowhere()) return;
    look_for_hope(augmentation);
    if (!sequence_.ended()) newton(patience, augmentation);
  }

  void follow_path() {
    if (path_tried_ || !suits_convex(ldy_)) return;
    path_tried_ = true;
    CentralPathOptions options;
    options.stop = sequence_.left();
    options.stop.max_work = std::min(options.stop.max_work, kShareOfThePath * sequence_.total().work());
    sequence_.add(solve_path(ldy_, options));
  }

  // From R = 0, once.
  void begin_anew() {
    if (start_.taken()) return;
    start_.take(ldy_, sequence_.total().own_residual);
    const bool far = start_.residual() > kFarWhereAnchored;
    if (!far || price_.sweeps_go_on_for_long() || !prospect_.may_be_near()) return;
    take_anchored_turns(ldy_, price_.system(), sequence_);
  }
  void take_the_better() { start_.keep_the_better(ldy_, sweeps_, sequence_); }

  // Gives up where no reactions solve it, and where next to none would and a short turn of Newton finds none.
  void look_for_hope(double augmentation) {
    if (!is_nowhere()) return;
    const std::optional<PressingSearch> search = prospect_.search(sequence_.left());
    if (!search) return;
    sequence_.add_cost(*search, search->seconds);
    if (search->pressed()) {
      return sequence_.give_up("no reactions solve it: contacts are pressed together whatever they bear");
    }
    if (!search->nearly()) return;
    if (price_.is_dear()) newton(kLittlePatience, augmentation);  // else it has had that turn
    if (!sequence_.ended() && is_nowhere()) sequence_.give_up(kJammed);
  }
  // The same where all rounds have come nowhere near one: what else there is has nothing to begin with.
  void give_up_unless_near(bool creeps) {
    if (sequence_.ended()) return;
    const bool near = creeps ? prospect_.may_be_near_though_creeping() : prospect_.may_be_near();
    if (!near) sequence_.give_up(kJammed);
  }
  // The same where Newton stands where it stood before it began anew, and all else was tried.
  void give_up_where_all_starts_end() {
    if (sequence_.ended()) return;
    const bool same = std::abs(residual_of_last_turn_ - start_.residual()) <= kSame * start_.residual();
    const bool all_tried = start_.taken() && (path_tried_ || !suits_convex(ldy_));
    if (all_tried && same && !prospect_.must_be_one()) sequence_.give_up(kAlike);
  }
  [[nodiscard]] bool may_be_near() { return prospect_.may_be_near(); }
  [[nodiscard]] bool begun_anew() const noexcept { return start_.taken(); }

  [[nodiscard]] StageSequence& sequence() noexcept { return sequence_; }
  [[nodiscard]] NewtonPrice& price() noexcept { return price_; }

 private:
  // With the numbers that files have. Twice as many constraints in patches: the same on the four scenes above.
  [[nodiscard]] SchwarzOptions patches(double most_work) const {
    const Tuning tuning;
    SchwarzOptions options;
    options.stop = sequence_.left();
    options.stop.max_work = std::min(options.stop.max_work, most_work);
    options.patience = tuning.rounds_of_patches;
    options.most_spread = tuning.patches_cover_at_most;
    return options;
  }
  [[nodiscard]] bool is_nowhere() const noexcept { return sequence_.total().residual.scaled > Prospect::kNowhere; }
  void newton(long patience, double far, long patience_where_far, double augmentation) {
    NewtonOptions options;
    options.stop = sequence_.left();
    options.first_sweeps = 0;
    options.patience = price_.sweeps_go_on_for_long() ? std::min(patience, kPatienceBesideShortTurns) : patience;
    options.far = far;
    options.patience_where_far = patience_where_far;
    options.augmentation = augmentation;
    // After a long walk the next is one from its first step: 0.95 of the time of eight scenes at 1e-8 (Jenga 0.8).
    if (steps_of_last_turn_ >= options.long_walk) options.long_walk = 0;
    SolveReport turn = solve_newton(ldy_, price_.system(), options);
    steps_of_last_turn_ = turn.iterations;
    residual_of_last_turn_ = turn.own_residual;
    sequence_.add(std::move(turn));
    prospect_.note(sequence_.total().residual.scaled);
  }
  // Sweeps to go at the first look, which has often nothing but the steep start to tell by: that counts where Newton's
  // steps are dear or sweeps have momentum, and no more is promised than was done. Rocks (560 and 620 hulls), capsules,
  // cylinders and boxes that fall into bins and a wall that a ball hits, twelve runs: where no start counts they take
  // 1.19 times as long at 1e-3 and 1.07 times at 1e-4 (rocks 1.45 and 1.05, capsules 1.35 times). Where it counts
  // beside cheap steps, too, fifteen scenes, four trajectories each, take 0.95 of the time at 1e-3 (tower 0.71) and
  // 0.98 at 1e-4; at 1e-6, without momentum, 1.02 times (tower 1.34, wall 1.09).
  double promise_of_start(const SolveReport& turn) {
    const auto& history = turn.history;
    const double to_go = sweeps_to_go(turn, stop_.tolerance);
    const bool counts = momentum_ || price_.is_dear();
    if (std::isfinite(to_go) || history.size() < 2 || !counts) return to_go;
    const double from_start = sweeps_to_go(*(history.end() - 2), history.back(), stop_.tolerance);
    return from_start <= static_cast<double>(history.back().iteration) ? from_start : to_go;
  }
  // Have the sweeps of this turn taken as long as Newton may take to end them, and promise to take as long again?
  [[nodiscard]] bool short_turn_is_due(const ShortTurns& turns, const SolveReport& swept) {
    const auto& last = swept.history.back();
    if (!turns.may_be_due(last.residual / stop_.tolerance, last.iteration)) return false;
    const double both = std::min(static_cast<double>(last.iteration), sweeps_to_go(swept, stop_.tolerance));
    return turns.pays(both, least_sweeps_per_newton_step(ldy_)) && price_.sweeps_go_on_for_long() &&
           turns.pays(both, price_.step());
  }
  // Of Newton's, in sweeps, where sweeps go on and it came close.
  double cost_of_last_turn() {
    return prospect_.close() && price_.sweeps_go_on() ? static_cast<double>(steps_of_last_turn_ * price_.step()) : 0;
  }

  LocalDynamics& ldy_;
  const StopOptions& stop_;
  StageSequence sequence_;
  bool momentum_;  // is counted on
  NewtonPrice price_;
  Prospect prospect_;
  GaussSeidel sweeps_;
  long swept_ = 0;                    // in this round
  long steps_of_last_turn_ = 0;       // of Newton
  double residual_of_last_turn_ = 0;  // of the same
  bool path_tried_ = false;
  FreshStart start_;
};

}  // namespace

SolveReport solve_sweeps_and_newton(LocalDynamics& ldy, const SweepsAndNewtonOptions& options) {
  constexpr std::array kAugmentations = {10.0, 100.0, 1.0, 30.0};
  constexpr std::array kRelaxations = {1.0, 1.0, 1.3, 1.0, 1.6};
  check_options(options.stop, "sweeps and Newton");
  if (options.rounds < 1) {
    throw std::invalid_argument("sweeps and Newton: rounds: expected a number >= 1, found " +
                                std::to_string(options.rounds));
  }
  Rounds rounds(ldy, options.stop);
  Pace pace(options.stop.tolerance);
  bool gained = true;
  long patience = kPatience;
  std::size_t round = 0;
  for (; round < static_cast<std::size_t>(options.rounds) && !pace.creeps(); ++round) {
    if (!gained || (round > 0 && rounds.price().sweeps_go_on_for_long())) rounds.begin_anew();
    const double relaxation = kRelaxations[round % kRelaxations.size()];
    const double augmentation = kAugmentations[round % kAugmentations.size()];
    round == 0 ? rounds.first_sweeps(relaxation, augmentation, options.swept) : rounds.sweep(relaxation);
    if (rounds.sequence().ended()) break;
    if (round == 0) rounds.before_patches(augmentation);
    if (rounds.sequence().ended()) break;
    if (rounds.price().is_dear()) rounds.solve_patches();
    if (rounds.sequence().ended()) break;
    rounds.sweep_before_newton(round == 0);
    if (rounds.sequence().ended()) break;
    round == 0 ? rounds.first_newton(patience, augmentation) : rounds.newton(patience, augmentation);
    if (rounds.sequence().ended()) break;
    if (!rounds.price().sweeps_go_on() && rounds.may_be_near()) patience *= 2;
    gained = pace.note(rounds.sequence().total().own_residual);
    if (!gained && !rounds.may_be_near() && rounds.begun_anew()) break;
    if (!gained && round >= kRoundOfThePath) rounds.follow_path();
    if (!gained) rounds.give_up_where_all_starts_end();
    if (rounds.sequence().ended()) break;
  }
  rounds.take_the_better();
  rounds.give_up_unless_near(pace.creeps());
  return rounds.sequence().finish(SolveStatus::stalled, "neither sweeps nor Newton steps reached the tolerance in " +
                                                            std::to_string(round) + " rounds");
}

}  // namespace locdyn::detail
