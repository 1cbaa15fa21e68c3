// How runs of locdyn bench on scenes are compared, and the rules of the project on them.

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <stepping/scene_rules.hpp>
#include <stepping/scene_run.hpp>

using namespace locdyn;
using app::SceneRule;
using app::SceneRun;
using app::StepSample;

namespace {

SceneRun steps_of(const std::string& scene, const std::string& solver, double tolerance,
                  const std::vector<double>& seconds, double residual = 1e-5) {
  SceneRun run;
  run.scene = scene;
  run.solver = solver;
  run.tolerance = tolerance;
  run.status = "done";
  run.wanted = static_cast<long>(seconds.size());
  for (const double one : seconds) {
    StepSample sample;
    sample.time_s = one;
    sample.residual = residual;
    run.steps.push_back(sample);
  }
  return run;
}

const SceneRule& rule_named(const std::vector<SceneRule>& rules, const std::string& name) {
  for (const SceneRule& rule : rules) {
    if (rule.rule == name) return rule;
  }
  FAIL("expected a rule of the name ", name);
  return rules.front();
}

}  // namespace

TEST_CASE("two runs are compared over the steps that both did") {
  const SceneRun whole = steps_of("s", "auto", 1e-4, {1, 1, 1, 9}), part = steps_of("s", "nsgs", 1e-4, {2, 2, 2});
  CHECK(app::time_ratio(whole, part) == 0.5);
  CHECK(app::time_ratio(part, whole) == 2);
  CHECK(std::isnan(app::time_ratio(whole, steps_of("s", "newton", 1e-4, {}))));
}

TEST_CASE("the step that a run was ended in counts, for as long as it took at least") {
  SceneRun cut = steps_of("wall", "auto", 1e-6, {1, 1});
  cut.wanted = 10;
  cut.unfinished_s = 6;
  const SceneRun whole = steps_of("wall", "newton", 1e-6, {1, 1, 2, 1});
  CHECK(app::time_ratio(cut, whole) == 2);
  CHECK(app::total_seconds(cut) == 8);
  CHECK(app::statistics(cut).largest == 6);
  const std::vector<SceneRun> runs = {cut, whole};
  const std::vector<SceneRule> rules = app::scene_rules(runs);
  CHECK(rule_named(rules, "auto / best single solver").found == 2);
  CHECK(rule_named(rules, "share of the dearest tenth of steps").found == 0.75);
  CHECK(rule_named(rules, "mean step of the whole scene [ms]").found == doctest::Approx(8e3 / 3).epsilon(1e-14));
}

TEST_CASE("the best run did most steps, then took least time, and solved them") {
  const SceneRun fast = steps_of("s", "a", 1e-4, {1, 1, 1}), slow = steps_of("s", "b", 1e-4, {2, 1, 1});
  SceneRun cut = steps_of("s", "c", 1e-4, {0.1, 0.1}), sloppy = steps_of("s", "d", 1e-4, {0.5, 0.5, 0.5});
  sloppy.steps[1].solved = sloppy.steps[2].solved = false;
  const std::vector<app::Trajectories> all = {{&cut}, {&slow}, {&fast}, {&sloppy}};
  CHECK(app::best_of(all, 1) == &all[2]);
  CHECK(app::best_of(all, 2) == &all[3]);
  CHECK(app::best_of({}, 0) == nullptr);
  // Of several trajectories their sums count: the second solver is the faster one in the first alone.
  const std::vector<app::Trajectories> two = {{&fast, &slow}, {&sloppy, &sloppy}, {&slow, &slow}};
  CHECK(app::best_of(two, 3) == &two[0]);
  CHECK(app::best_of(two, 4) == &two[1]);
}

TEST_CASE("several trajectories of a scene: one number, the geometric mean, and its range") {
  const auto on = [](SceneRun run, int trajectory) {
    run.trajectory = trajectory;
    return run;
  };
  const std::vector<SceneRun> runs = {
      on(steps_of("wall", "auto", 1e-6, {2, 2}), 1),   on(steps_of("wall", "nsgs", 1e-6, {1, 1}), 1),
      on(steps_of("wall", "newton", 1e-6, {5, 5}), 1), on(steps_of("wall", "auto", 1e-6, {1, 1}), 2),
      on(steps_of("wall", "nsgs", 1e-6, {4, 4}), 2),   on(steps_of("wall", "newton", 1e-6, {9, 9}), 2)};
  const std::vector<SceneRule> rules = app::scene_rules(runs);
  const SceneRule& best = rule_named(rules, "auto / best single solver");
  CHECK(best.found == doctest::Approx(std::sqrt(2 * 0.25)).epsilon(1e-14));
  CHECK(best.remark == "auto 6.00 s, nsgs 10.0 s, 0.25 … 2 in 2 trajectories");
  CHECK(rule_named(rules, "auto / best single solver, geometric mean").remark == "over 1 run");
  CHECK(rule_named(rules, "mean step of the whole scene [ms]").found ==
        doctest::Approx(std::sqrt(2.0 * 1.0) * 1e3).epsilon(1e-14));
  CHECK(rules.size() == 4);
  CHECK(app::step_of(0.01, 1) == 0.01);
  CHECK(app::step_of(0.01, 3) == doctest::Approx(0.01002).epsilon(1e-15));
}

TEST_CASE("rules: auto beside the best single solver, one by one and in the mean") {
  const std::vector<SceneRun> runs = {steps_of("p", "auto", 1e-4, {2, 2}), steps_of("p", "nsgs", 1e-4, {1, 1}),
                                      steps_of("p", "newton", 1e-4, {3, 3}), steps_of("q", "auto", 1e-4, {1, 0.25}),
                                      steps_of("q", "nsgs", 1e-4, {5, 5})};
  const std::vector<SceneRule> rules = app::scene_rules(runs);
  REQUIRE(rules.size() == 3);
  CHECK(rules[0].where == "p, 1.0e-04");
  CHECK(rules[0].found == 2);
  CHECK_FALSE(rules[0].met());
  CHECK(rules[1].found == 0.125);
  CHECK(rules[1].met());
  CHECK(rules[2].found == doctest::Approx(0.5).epsilon(1e-14));  // √(2 · 0.125)
  CHECK(rules[2].met());
  const std::string text = app::rules_text(rules);
  CHECK(text.find("NOT MET  auto / best single solver") != std::string::npos);
  CHECK(text.find("rules met: 2 of 3\n") != std::string::npos);
}

TEST_CASE("rules: looser tolerances, tails, another build, peers") {
  SceneRun other = steps_of("wall", "auto", 1e-3, {8, 8, 8, 8});
  other.program = "other";
  SceneRun simulated = steps_of("wall", "auto", 1e-3, {3, 2, 2, 1});
  simulated.program = "this";
  SceneRun ten = steps_of("wall", "10", 0, {1, 1, 1, 1}, 1e-2), more = steps_of("wall", "100", 0, {6, 6, 6, 6}, 1e-4);
  ten.program = more.program = "bullet";
  ten.peer = more.peer = true;
  const std::vector<SceneRun> runs = {steps_of("wall", "auto", 1e-6, {1, 1, 1, 1}),
                                      steps_of("wall", "auto", 1e-3, {2, 2, 1, 1}),
                                      simulated,
                                      other,
                                      ten,
                                      more};
  const std::vector<SceneRule> rules = app::scene_rules(runs);
  CHECK(rule_named(rules, "looser / next tighter tolerance").found == 1.5);
  CHECK_FALSE(rule_named(rules, "looser / next tighter tolerance").met());
  CHECK(rule_named(rules, "share of the dearest tenth of steps").found == 0.25);  // at 1e-6 first
  CHECK(rule_named(rules, "mean step of the whole scene [ms]").found == 1000);
  CHECK(rule_named(rules, "mean step of the whole scene [ms]").bound == 25);
  CHECK(rule_named(rules, "other build / this").found == doctest::Approx(32.0 / 8).epsilon(1e-15));
  CHECK(rule_named(rules, "other build / this, geometric mean").found == doctest::Approx(4));
  // At 1e-6 no setting of the peer gets there; at 1e-3 the second does, four times as dear as auto.
  const SceneRule& none = rule_named(rules, "bullet / auto at equal residual");
  CHECK(std::isinf(none.found));
  CHECK(none.remark.find("1.0e-04 by bullet:100") != std::string::npos);
  CHECK(rules.back().found == 4);
  CHECK(rules.back().met());
  CHECK(rules.back().remark.starts_with("bullet:100 24.0 s"));
}

TEST_CASE("rules: the tail under load leaves out steps before a scene has grown") {
  SceneRun growing = steps_of("pile", "auto", 1e-3, {0.25, 0.25, 0.25, 1, 1, 2});
  const std::array<double, 6> contacts = {0, 10, 49, 50, 80, 100};
  for (std::size_t i = 0; i < contacts.size(); ++i) growing.steps[i].contacts = contacts[i];
  const std::vector<SceneRule> rules = app::scene_rules(std::vector<SceneRun>{growing});
  CHECK(rule_named(rules, "99 % step / median").found == 8);
  CHECK(rule_named(rules, "99 % step / median, under load").found == 2);
  growing.unfinished_s = 6;
  CHECK(app::statistics_under_load(growing).largest == 6);
  CHECK(app::statistics_under_load(growing).steps == 4);
}
