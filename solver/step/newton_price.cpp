#include <locdyn/solver/step/newton_price.hpp>

#include <algorithm>

namespace locdyn::detail {
namespace {

// About how many Newton steps a solve takes: 8 to 50 on steps of a wall of 87 bodies that a ball has hit.
constexpr double kStepsPerSolve = 25;
// One for every so many contacts where that is more and sweeps go on (`sweeps_go_on`). Deep piles that settle take
// Newton at 1e-4 18 to 68 steps of 1200 contacts in the mean (up to 400), 82 of 2300, 200 to 600 of 6200, and where
// sweeps went on until they stood still it is often 2. A settled pile of 2000 balls and boxes takes 0.16 of the time
// that it takes with 25 and 0.2 of them, six deep ones of balls, or of balls and boxes, 0.30 to 1.27, in the mean 0.67;
// what falls, slides and breaks in its first 2 s, 25 scenes, 1.03 at 1e-4 and 1.01 at 1e-3. One for 30: 1.09 times the
// time of what settles, one for 8 1.03. Where Newton's steps are cheap it stays at 25: a tower takes 3.7 and Jenga 23
// times the time at 1e-4 if sweeps take longer.
constexpr double kContactsPerStep = 15;
// Down to this tolerance. At 1e-5 sweeps seldom end it: the pile of 2000 that falls takes 1.6 times the time with it
// and 1.15 without, five piles in their first seconds 1.23 and 0.98.
constexpr double kManyStepsFrom = 5e-5;
// With so many constraints they go on for so long that it matters how (sweeps_and_newton.cpp).
constexpr std::size_t kManyConstraints = 1000;

// A Newton step that costs more sweeps than this has patches tried before it: 26 to 33 on hopper, logs, rubble and
// drum, which gain; 14 to 20 on Jenga, arch, dominoes, bin and pile, where every Newton step is about as cheap as a
// round of patches: there patches take 1.2 to 1.5 times the time at 1e-3.
constexpr long kDearStep = 22;

}  // namespace

NewtonSystem& NewtonPrice::system() {
  if (!system_) system_ = make_newton_system(ldy_);
  return *system_;
}

long NewtonPrice::step() {
  if (step_ == 0) step_ = sweeps_per_newton_step(ldy_, system());
  return step_;
}

double NewtonPrice::solve() {
  const double by_size = static_cast<double>(ldy_.constraint_count()) / kContactsPerStep;
  const bool may_be_many = sweeps_go_on() && tolerance_ >= kManyStepsFrom;
  return (may_be_many ? std::max(kStepsPerSolve, by_size) : kStepsPerSolve) * static_cast<double>(step());
}

double NewtonPrice::work() {
  return kStepsPerSolve * system().step_cost();
}

double NewtonPrice::least_solve() const {
  return kStepsPerSolve * static_cast<double>(least_sweeps_per_newton_step(ldy_));
}

bool NewtonPrice::is_dear() {
  return step() > kDearStep;
}

bool NewtonPrice::sweeps_go_on_for_long() {
  return ldy_.constraint_count() >= kManyConstraints && tolerance_ >= kManyStepsFrom && sweeps_go_on();
}

}  // namespace locdyn::detail
