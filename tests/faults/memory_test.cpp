// Memory that fails at the n-th call, for n all over a solve, a step and the reading of a scene: std::bad_alloc, or an
// end that is told; nothing changed that was not to change, and the same work done again gives the same bits as ever.
// LOCDYN_FAULTS_EVERY=1 takes every n instead of some spread over the whole.

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <io/scene/scene_documents.hpp>
#include <ldy/assembly/random_scene.hpp>
#include <locdyn/contact/contact_detector.hpp>
#include <locdyn/contact/detection/polytope.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/io/scene/read_scene.hpp>
#include <locdyn/ldy/residual.hpp>
#include <locdyn/solver/newton/block_lu.hpp>
#include <locdyn/solver/registry.hpp>
#include <simulation/stepping/scene.hpp>
#include <solver/random_problem.hpp>

#include "failing_memory.hpp"

using namespace locdyn;
using locdyn::test::FailingMemory;

namespace {

// Calls to fail, of so many: about `tries` of them, the first twenty among them.
std::vector<long> calls_to_fail(long count, long tries) {
  const char* every = std::getenv("LOCDYN_FAULTS_EVERY");
  if (every != nullptr && *every == '1') tries = count;
  std::vector<long> calls;
  const long stride = std::max(1L, count / tries);
  for (long n = 0; n < count; n += n < std::min(20L, tries / 2) ? 1 : stride) calls.push_back(n);
  return calls;
}

template <class Work>
long calls_of(const Work& work) {
  const FailingMemory memory(-1);
  work();
  return memory.calls();
}

// What came of work in which the n-th call fails. went_without: it was told by nullptr and did without that memory, so
// that its result is to be what it would have been; went_on: the call did not come, or its failure was told otherwise.
enum class End { out_of_memory, went_without, went_on, other_fault };

template <class Work>
End with_failure_at(long n, const Work& work, std::string& fault) {
  const FailingMemory memory(n);
  try {
    work();
  } catch (const std::bad_alloc&) {
    return End::out_of_memory;
  } catch (const std::exception& error) {
    fault = error.what();
    return End::other_fault;
  }
  return memory.told_by_null() ? End::went_without : End::went_on;
}

LocalDynamics contacts_and_joints() {
  return test::random_problem({.contacts = 6, .bilateral = 2, .hinges = 1, .friction = 0.5}, 3);
}

}  // namespace

TEST_CASE("memory: a solve that runs out of it throws or says so, and leaves a graph that is solved as ever") {
  long injected = 0, thrown = 0;
  for (const SolverEntry& solver : solvers()) {
    const std::string name(solver.name);
    CAPTURE(name);
    const LocalDynamics problem = contacts_and_joints();
    const StopOptions stop{.max_iterations = 2000};
    const auto solve = [&](LocalDynamics& ldy) { return solver.solve(ldy, stop, SolverChoices(8)); };
    LocalDynamics clean = problem;
    std::string refusal;
    const long calls = calls_of([&] {
      try {
        (void)solve(clean);
      } catch (const std::invalid_argument& error) {
        refusal = error.what();
      }
    });
    if (!refusal.empty()) continue;  // a law that is none of its own
    const Eigen::VectorXd expected = test::reactions(clean);
    for (const long n : calls_to_fail(calls, 30)) {
      CAPTURE(n);
      LocalDynamics ldy = problem;
      std::string fault;
      SolveReport report;
      const End end = with_failure_at(
          n, [&] { report = solve(ldy); }, fault);
      ++injected;
      thrown += end == End::out_of_memory ? 1 : 0;
      CHECK(end != End::other_fault);
      CHECK(fault == "");
      CHECK(test::reactions(ldy).allFinite());
      if (end != End::out_of_memory) CHECK(report.residual.scaled == evaluate_residual(ldy).scaled);
      test::clear(ldy);
      (void)solve(ldy);
      CHECK(test::reactions(ldy) == expected);
    }
  }
  MESSAGE(injected, " failures within solves, ", thrown, " thrown, the others told in a report or not needed");
  CHECK(thrown > injected / 2);
}

TEST_CASE(
    "memory: a step that runs out of it changes nothing or can be taken back, and is made as ever when made again") {
  long injected = 0;
  for (const OnFailure policy : {OnFailure::go_on, OnFailure::stop}) {
    const TimeStepperOptions options{.step = 2e-3, .on_failure = policy};
    test::PileScene whole_scene, scene;
    TimeStepper whole(whole_scene.system, options), stepper(scene.system, options);
    for (int step = 0; step < 60; ++step) {
      (void)whole.step();
      (void)stepper.step();
    }
    for (int step = 0; step < 4; ++step) {
      const StepperState before = stepper.state();
      long calls = 0;
      {
        test::PileScene counted;
        TimeStepper other(counted.system, options);
        other.restore(before);
        calls = calls_of([&] { (void)other.step(); });
      }
      for (const long n : calls_to_fail(calls, 15)) {
        CAPTURE(step);
        CAPTURE(n);
        std::string fault;
        const End end = with_failure_at(
            n, [&] { (void)stepper.step(); }, fault);
        ++injected;
        CHECK(fault == "");
        if (end == End::out_of_memory && policy == OnFailure::stop) {
          test::check_same(stepper.state(), before);
        } else {  // under go_on nothing is kept where no function of others is called: the caller has the state
          stepper.restore(before);
        }
      }
      const StepReport expected = whole.step(), found = stepper.step();
      CHECK(test::numbers_of(found) == test::numbers_of(expected));
      test::check_same(stepper.state(), whole.state());
    }
  }
  MESSAGE(injected, " failures within steps");
}

TEST_CASE("memory: an elimination order that cannot be found for want of it is no fault of the pattern") {
  const std::vector<int> size{3, 3, 3}, start{0, 1, 3, 4}, neighbours{1, 0, 2, 1};
  const auto make = [&] { (void)detail::BlockLu(size, start, neighbours); };
  const long calls = calls_of(make);
  REQUIRE(calls > 5);
  for (long n = 0; n < calls; ++n) {
    CAPTURE(n);
    std::string fault;
    CHECK(with_failure_at(n, make, fault) == End::out_of_memory);
    CHECK(fault == "");
  }
}

TEST_CASE("memory: where a modifier throws and memory runs out besides, no contact stays in the graph") {
  // Six boxes of four contacts each: the modifier's fault comes in the middle of the second step.
  struct Row : test::FloorScene {
    Row() {
      for (int k = 0; k < 6; ++k) test::add_solid(system, Box{{1, 1, 1}}, {2.0 * k, 0, 0.5});
      system.set_contact_modifier([seen = 0](ContactToSolve&) mutable {
        if (++seen > 36) throw std::runtime_error("modifier");
      });
      (void)stepper.step();
      REQUIRE(system.graph().constraint_count() == 24);
    }
    TimeStepper stepper{system, {.step = 2e-3, .sleep = false}};
  };
  long calls = 0;
  {
    Row row;
    calls = calls_of([&] {
      try {
        (void)row.stepper.step();
      } catch (const std::runtime_error&) {
      }
    });
  }
  for (long n = 0; n < calls; ++n) {
    CAPTURE(n);
    Row row;
    std::string fault;
    const End end = with_failure_at(
        n, [&] { (void)row.stepper.step(); }, fault);
    // Memory may fail before contacts are looked at: then they are left as they were.
    const std::size_t left = row.system.graph().constraint_count();
    CHECK(end != End::went_on);
    if (end == End::other_fault) CHECK(fault == "modifier");
    CHECK((left == 0 || (left == 24 && end == End::out_of_memory)));
  }
  MESSAGE(calls, " failures beside a modifier that throws");
}

namespace {

// A copy's lists have no room for more.
LocalDynamics without_room(const LocalDynamics& ldy) {
  return ldy;
}

// Constraints between bodies, whose blocks nobody has asked for yet.
struct BodiesAndGraph {
  BodiesAndGraph() {
    for (int i = 0; i < 12; ++i) ids.push_back(assembly.insert(scene.make_constraint().constraint));
    scene.bodies.predict(test::RandomScene::h, {0, 0, -9.81});
    assembly.update(test::RandomScene::h);
  }

  test::RandomScene scene{4, 6};
  LocalDynamics ldy;
  Assembly assembly{scene.bodies, ldy};
  std::vector<ConstraintId> ids;
};

// Every row is met once, and every block has its other half.
void check_whole(LocalDynamics& ldy) {
  std::size_t rows = 0, constraints = 0, blocks = 0;
  for (const DiagonalBlock& row : ldy.rows()) {
    ++rows;
    REQUIRE(ldy.contains(row.constraint));
    REQUIRE(&ldy.row(row.constraint, ldy.block_of(row)) == &row);
    for (const OffDiagonalBlock& block : ldy.adjacent(row)) {
      ++blocks;
      const DiagonalBlock& other = ldy.diagonal_arena()[block.other];
      REQUIRE(ldy.contains(other.constraint));
      CHECK(ldy.find(other.constraint, ldy.block_of(other), row.constraint, ldy.block_of(row)) != nullptr);
    }
  }
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) constraints += ldy.contains(id) ? 1 : 0;
  CHECK(rows == ldy.row_count());
  CHECK(constraints == ldy.constraint_count());
  CHECK(blocks == ldy.off_diagonal_count());
}

// Each call for memory of `change` fails in turn; the graph is then as it was, and changes as ever when asked again.
template <class Change>
void check_unchanged_by_failures(const LocalDynamics& before, const Change& change) {
  LocalDynamics expected = before;
  change(expected);
  long failures = 0;
  for (long n = 0; n < 12; ++n) {
    CAPTURE(n);
    LocalDynamics ldy = without_room(before);
    std::string fault;
    const End end = with_failure_at(
        n, [&] { change(ldy); }, fault);
    CHECK(fault == "");
    check_whole(ldy);
    if (end == End::went_on) break;
    ++failures;
    CHECK(ldy.constraint_count() == before.constraint_count());
    CHECK(ldy.row_count() == before.row_count());
    CHECK(ldy.id_bound() == before.id_bound());
    CHECK(ldy.off_diagonal_count() == before.off_diagonal_count());
    change(ldy);
    check_whole(ldy);
    CHECK(ldy.constraint_count() == expected.constraint_count());
    CHECK(ldy.row_count() == expected.row_count());
    CHECK(ldy.id_bound() == expected.id_bound());
    CHECK(ldy.off_diagonal_count() == expected.off_diagonal_count());
  }
  CHECK(failures > 0);
  CHECK(failures < 12);
}

}  // namespace

TEST_CASE("memory: a constraint that cannot be removed, inserted or coupled for want of it leaves the graph whole") {
  const LocalDynamics full = contacts_and_joints();
  const Law hinge = BilateralLaw{.block_count = 2};
  const auto insert_hinge = [&](LocalDynamics& ldy) { (void)ldy.insert(hinge); };
  check_unchanged_by_failures(full, [](LocalDynamics& ldy) { ldy.remove(ConstraintId{0}); });
  check_unchanged_by_failures(full, [](LocalDynamics& ldy) { (void)ldy.insert(ContactLaw{}); });
  check_unchanged_by_failures(full, insert_hinge);
  check_unchanged_by_failures(full, [](LocalDynamics& ldy) { (void)ldy.insert(ldy.law(ConstraintId{8})); });

  LocalDynamics free_places = full;  // of one row, where a hinge takes two
  free_places.remove(ConstraintId{1});
  check_unchanged_by_failures(free_places, insert_hinge);

  LocalDynamics uncoupled = full;
  insert_hinge(uncoupled);
  check_unchanged_by_failures(uncoupled, [](LocalDynamics& ldy) { ldy.couple(ConstraintId{8}, ConstraintId{9}); });
}

TEST_CASE("memory: blocks that cannot be made on demand for want of it are made later, or their rows removed") {
  const auto made = [] { return std::make_unique<BodiesAndGraph>(); };
  const std::size_t expected = made()->ldy.off_diagonal_count();
  const long calls = calls_of([&, problem = made()] { problem->ldy.require_blocks(); });
  REQUIRE(calls > 5);
  for (long n = 0; n < calls; ++n) {
    CAPTURE(n);
    const auto problem = made(), shrunk = made();
    for (const auto& each : {problem.get(), shrunk.get()}) {
      std::string fault;
      const End end = with_failure_at(
          n, [&] { each->ldy.require_blocks(); }, fault);
      CHECK(end == End::out_of_memory);
      CHECK(!each->ldy.has_blocks());
    }
    problem->ldy.require_blocks();
    CHECK(problem->ldy.off_diagonal_count() == expected);
    check_whole(problem->ldy);
    for (const ConstraintId id : shrunk->ids) shrunk->assembly.remove(id);
    CHECK(shrunk->ldy.row_count() == 0);
  }
}

TEST_CASE("memory: a constraint of bodies that cannot be added for want of it is in no list") {
  long failures = 0;
  for (int extra = 0; extra < 20; ++extra) {  // each list is full at some of these numbers
    for (long n = 0;; ++n) {
      CAPTURE(extra);
      CAPTURE(n);
      BodiesAndGraph problem;
      for (int k = 0; k < extra; ++k) problem.assembly.insert(problem.scene.make_constraint().constraint);
      std::unique_ptr<Constraint> constraint = problem.scene.make_constraint().constraint;
      const std::size_t before = problem.ldy.constraint_count();
      std::string fault;
      const End end = with_failure_at(
          n, [&] { (void)problem.assembly.insert(std::move(constraint)); }, fault);
      CHECK(fault == "");
      if (end == End::went_on) break;
      ++failures;
      CHECK(problem.ldy.constraint_count() == before);
      for (BodyId body{0}; body < problem.scene.bodies.id_bound(); ++body) {
        for (const ConstraintId id : problem.assembly.constraints_of(body)) CHECK(problem.ldy.contains(id));
      }
    }
  }
  CHECK(failures > 10);

  failures = 0;
  for (long n = 0;; ++n) {
    CAPTURE(n);
    test::PileScene pile;
    const std::size_t before = pile.system.graph().constraint_count();
    auto constraint = std::make_unique<FixedPoint>(Anchor{{0, 0, 1}, BodyId{1}}, Anchor{{0, 0, 1}, BodyId{2}});
    std::string fault;
    const End end = with_failure_at(
        n, [&] { (void)pile.system.add_constraint(std::move(constraint), "ball"); }, fault);
    CHECK(fault == "");
    if (end == End::went_on) break;
    ++failures;
    CHECK(pile.system.graph().constraint_count() == before);
    CHECK(pile.system.constraints().size() == before);
  }
  CHECK(failures > 3);
}

namespace {

// Reads the scene in a process of its own, the n-th call failing: its exit status, 77 where std::terminate ended it.
int read_apart(const std::string& text, long n) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::set_terminate([] { ::_exit(77); });
    std::string fault;
    const End end = with_failure_at(
        n, [&] { (void)parse_scene(text); }, fault);
    ::_exit(end == End::other_fault ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

namespace {

// How a built scene stands and which of its shapes are within 2 m of each other, in numbers.
std::vector<double> numbers_of_start(System& system) {
  std::vector<double> numbers = TimeStepper(system, {}).state().bodies;
  const std::size_t bodies = system.bodies().size();
  const std::vector<double> reach(bodies, 1.0);
  for (const DetectedContact& c :
       system.detector()->detect(system.bodies(), reach, std::vector<std::uint8_t>(bodies, 1))) {
    for (const Eigen::Vector3d& v : {c.point, c.normal}) numbers.insert(numbers.end(), v.begin(), v.end());
    for (const double number : {static_cast<double>(c.master.value()), static_cast<double>(c.slave.value()), c.gap}) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

void check_same_polytope(const detection::Polytope& a, const detection::Polytope& b) {
  CHECK(a.center == b.center);
  CHECK(a.vertices == b.vertices);
  CHECK(a.normals == b.normals);
  CHECK(a.offsets == b.offsets);
  CHECK(a.topology->loops == b.topology->loops);
  CHECK(a.topology->loop_start == b.topology->loop_start);
  REQUIRE(a.edges().size() == b.edges().size());
  for (std::size_t k = 0; k < a.edges().size(); ++k) {
    CHECK(a.edges()[k].vertex == b.edges()[k].vertex);
    CHECK(a.edges()[k].face == b.edges()[k].face);
  }
  CHECK(a.topology->faces_at == b.topology->faces_at);
  CHECK(a.topology->edges_at == b.topology->edges_at);
  CHECK(a.axes == b.axes);
  CHECK(a.size == b.size);
}

}  // namespace

// The triangles are sorted by std::stable_sort, whose buffer is memory that it can do without; many are equally large.
TEST_CASE("memory: a hull that is made without a buffer for sorting is the same hull") {
  ConvexHull prism;
  for (int k = 0; k < 6; ++k) {
    for (const double z : {-0.5, 0.5})
      prism.points.emplace_back(std::cos(k * std::numbers::pi / 3), std::sin(k * std::numbers::pi / 3), z);
  }
  const detection::Polytope expected = detection::polytope_of(prism);
  const long calls = calls_of([&] { (void)detection::polytope_of(prism); });
  long without = 0;
  for (long n = 0; n < calls; ++n) {
    CAPTURE(n);
    detection::Polytope found;
    std::string fault;
    const End end = with_failure_at(
        n, [&] { found = detection::polytope_of(prism); }, fault);
    CHECK(fault == "");
    CHECK((end == End::out_of_memory || end == End::went_without));
    if (end != End::went_without) continue;
    ++without;
    check_same_polytope(found, expected);
  }
  CHECK(without > 0);
  CHECK(without < calls / 10);
}

TEST_CASE("memory: a scene that cannot be built for want of it says so, and is built as ever afterwards") {
  const Scene scenes[] = {parse_scene(test::full_scene().dump()),
                          parse_scene(R"({"step": 1e-3, "duration": 1, "bodies": [
    {"name": "floor", "kind": "obstacle", "shape": {"type": "plane"}},
    {"name": "box", "density": 1000, "position": [0, 0, 0.5], "shape": {"type": "box", "size": [1, 1, 1]}},
    {"name": "ball", "density": 1000, "position": [3, 0, 0.5], "shape": {"type": "sphere", "radius": 0.5}}],
    "joints": [{"type": "hinge", "bodies": ["ball"], "point": [3, 0, 0.5], "axis": [0, 1, 0]}]})")};
  long injected = 0;
  for (const Scene& scene : scenes) {
    const auto make = [&] { return build(scene); };
    const std::size_t expected = make()->bodies().size();
    const std::vector<double> whole = numbers_of_start(*make());
    for (const long n : calls_to_fail(calls_of([&] { (void)make(); }), 60)) {
      CAPTURE(n);
      std::unique_ptr<System> made;
      std::string fault;
      const End end = with_failure_at(
          n, [&] { made = make(); }, fault);
      ++injected;
      CHECK((end == End::out_of_memory || end == End::went_without));
      CHECK(fault == "");
      if (end == End::went_without) CHECK(numbers_of_start(*made) == whole);
    }
    CHECK(make()->bodies().size() == expected);
  }
  MESSAGE(injected, " failures while scenes were built");
}

// The JSON library (nlohmann 3.11) takes memory in its destructors, which may not throw: there std::terminate ends the
// program, as SECURITY.md says. Nothing else does.
TEST_CASE("memory: a scene that cannot be read for want of it is refused in order, but where the JSON library ends") {
  const std::string text = test::full_scene().dump();
  long ended = 0, injected = 0;
  for (const long n : calls_to_fail(calls_of([&] { (void)parse_scene(text); }), 60)) {
    CAPTURE(n);
    const int status = read_apart(text, n);
    ++injected;
    ended += status == 77 ? 1 : 0;
    CHECK((status == 0 || status == 77));
  }
  CHECK(ended < injected / 4);
  MESSAGE(injected, " failures while a scene was read, of which ", ended, " in a destructor of the JSON library");
}
