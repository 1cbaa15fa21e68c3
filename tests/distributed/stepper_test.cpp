// Steps of scenes over ranks: the run of one rank, bit for bit, while bodies change their owners.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <locdyn/distributed/distributed_stepper.hpp>
#include <locdyn/forces/force.hpp>
#include <locdyn/io/scene/build_scene.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include "distributed/ranks.hpp"

using namespace locdyn;
using namespace locdyn::distributed;

namespace {

// Balls and a box that fly towards each other over a floor, along all of it.
std::string crossing_scene() {
  std::string bodies = R"({"name": "floor", "kind": "obstacle", "surface": "s", "shape": {"type": "plane"}})";
  for (int i = 0; i < 8; ++i) {
    const double x = -1.4 + 0.4 * i;
    bodies += R"(, {"name": "ball)" + std::to_string(i) + R"(", "surface": "s", "density": 1000, "position": [)" +
              std::to_string(x) + ", " + std::to_string(0.02 * i) + R"(, 0.101], "velocity": [)" +
              std::to_string(x < 0 ? 4 : -4) + R"(, 0, 0], "shape": {"type": "sphere", "radius": 0.1}})";
  }
  bodies += R"(, {"name": "box", "surface": "s", "density": 1000, "position": [0, 0.6, 0.1], "velocity": [0, -3, 0],
                  "shape": {"type": "box", "size": [0.3, 0.2, 0.2]}})";
  return R"({"step": 0.004, "duration": 1, "surfaces": {"s": {"friction": 0.4, "restitution": 0.2}}, "bodies": [)" +
         bodies + "]}";
}

// The same with joints over borders: a link, a hinge with limits, a motor and friction of its own, a slide with a
// spring, a ball that hangs on the ground, a wheel with a rotor.
std::string jointed_scene() {
  std::string scene = crossing_scene();
  scene.replace(scene.rfind("]}"), 2, R"(,
     {"name": "arm", "surface": "s", "density": 500, "position": [0, 0.6, 0.4],
      "shape": {"type": "box", "size": [0.1, 0.1, 0.3]}}],
    "joints": [
     {"type": "rigid_link", "bodies": ["ball0", "ball7"], "points": [[-1.4, 0, 0.101], [1.4, 0.14, 0.101]]},
     {"type": "hinge", "bodies": ["arm", "box"], "point": [0, 0.6, 0.25], "axis": [0, 1, 0], "limits": [-0.02, 0.05],
      "restitution": 0.3, "speed": 3, "torque_range": [-2, 2],
      "friction": {"torque": 0.1, "coefficient": 0.2, "radius": 0.02, "arm": 0.1}},
     {"type": "prismatic", "bodies": ["ball1", "ball6"], "point": [0, 0.05, 0.101], "axis": [1, 0, 0],
      "spring": {"stiffness": 200, "damping": 5, "rest": 0.1}},
     {"type": "fixed_point", "bodies": ["ball3"], "point": [-0.2, 0.06, 0.6],
      "friction": {"torque": 0.2, "coefficient": 0.1, "radius": 0.01}},
     {"type": "hinge", "bodies": ["ball4", "ball2"], "point": [-0.1, 0.05, 0.101], "axis": [0, 0, 1], "armature": 0.05}]})");
  return scene;
}

// Of all bodies at once: on a rank that does not know where they are it would be another one.
class Attraction final : public Force {
 public:
  [[nodiscard]] std::string_view kind() const noexcept override { return "mutual attraction"; }
  [[nodiscard]] std::span<const BodyId> bodies() const noexcept override { return {}; }
  void attach(const BodySet&) override {}
  void add_to(BodySet&) override {}
  [[nodiscard]] bool depends_on_velocity() const noexcept override { return false; }
};

DistributedStepOptions step_options() {
  DistributedStepOptions options;
  options.stepping.step = 0.004;
  options.stepping.stop.tolerance = 1e-3;
  options.stepping.stop.max_iterations = 12;
  options.spread_every = 4;
  return options;
}

// Thirty steps with so many bodies that move, in each what one rank, which comes first, has left in `one`. Returns how
// often a body changed its owner.
std::uint64_t step_as_one_rank(DistributedStepper& stepper, MPI_Comm comm, std::uint64_t bodies,
                               std::vector<DistributedStepReport>& one) {
  std::uint64_t crossed = 0;
  for (std::size_t k = 0; k < 30; ++k) {
    const DistributedStepReport report = stepper.step();
    crossed += report.crossed;
    CHECK(report.bodies == bodies);
    if (size_of(comm) == 1) one.push_back(report);
    if (rank_of(comm) != 0) continue;
    CAPTURE(size_of(comm));
    CAPTURE(k);
    CHECK(report.state == one[k].state);
    CHECK(report.reactions == one[k].reactions);
    CHECK((report.reactions != 0) == (report.contacts > 0));
    CHECK(report.contacts == one[k].contacts);
    CHECK(report.sweeps == one[k].sweeps);
    CHECK(report.residual == one[k].residual);
    CHECK(report.kinetic_energy == one[k].kinetic_energy);
    CHECK(report.momentum == one[k].momentum);
    CHECK(report.penetration == one[k].penetration);
  }
  return crossed;
}

}  // namespace

TEST_CASE("distributed steps: the bits of one rank while bodies cross borders, and none is lost") {
  std::vector<DistributedStepReport> one;
  std::uint64_t crossed = 0;
  for_each_rank_count([&](MPI_Comm comm) {
    const std::unique_ptr<System> system = build(parse_scene(crossing_scene()));
    DistributedStepper stepper(comm, *system, step_options());
    crossed += step_as_one_rank(stepper, comm, 9, one);
    CHECK(system->bodies().size() == 10);
  });
  if (size_of(MPI_COMM_WORLD) > 1 && rank_of(MPI_COMM_WORLD) == 0) CHECK(crossed > 0);
}

// Springs with dampers and a torsion spring between bodies of different ranks, one to the ground, in a frame that
// turns.
TEST_CASE(
    "distributed steps: applied forces reach over borders with the bits of one rank, and are those of one machine") {
  std::string text = crossing_scene();
  text.pop_back();
  text += R"(, "forces": [
    {"type": "rotating_frame", "angular_velocity": [0, 0, 0.7]},
    {"type": "spring_damper", "bodies": ["ball0", "ball7"], "points": [[-1.4, 0, 0.101], [1.4, 0.14, 0.101]],
     "stiffness": 300, "damping": 40, "rest_length": 1},
    {"type": "spring_damper", "bodies": ["ball3"], "points": [[-0.2, 0.06, 0.101], [0, -2, 1]], "damping": 60},
    {"type": "torsion_spring", "bodies": ["box", "ball5"], "axis": [0, 0, 1], "stiffness": 30, "damping": 0.5}]})";
  std::vector<DistributedStepReport> one;
  std::uint64_t crossed = 0;
  for_each_rank_count([&](MPI_Comm comm) {
    const std::unique_ptr<System> system = build(parse_scene(text));
    DistributedStepper stepper(comm, *system, step_options());
    crossed += step_as_one_rank(stepper, comm, 9, one);
  });
  if (size_of(MPI_COMM_WORLD) > 1 && rank_of(MPI_COMM_WORLD) == 0) CHECK(crossed > 0);
  // Without the forces it is another motion.
  const std::unique_ptr<System> without = build(parse_scene(crossing_scene()));
  DistributedStepper free(MPI_COMM_SELF, *without, step_options());
  CHECK(free.step().state != (one.empty() ? 0 : one[0].state));

  // High above the floor there are no contacts, and steps of one machine say what they are. With a strong damper ũ
  // matters.
  const std::string apart = R"({"step": 0.004, "duration": 1, "bodies": [
    {"name": "a", "density": 900, "position": [-1, 0, 9], "velocity": [1, 2, 0], "angular_velocity": [0, 0, 3],
     "shape": {"type": "box", "size": [0.2, 0.3, 0.1]}},
    {"name": "b", "density": 900, "position": [1, 0, 9], "angular_velocity": [1, 0, -2],
     "shape": {"type": "box", "size": [0.2, 0.1, 0.3]}}],
    "forces": [{"type": "rotating_frame", "angular_velocity": [0.1, 0, 2]},
    {"type": "spring_damper", "bodies": ["a", "b"], "points": [[-0.9, 0.1, 9], [0.9, 0, 9.1]], "stiffness": 400, "damping": 200},
    {"type": "torsion_spring", "bodies": ["a", "b"], "axis": [0, 0, 1], "stiffness": 5, "damping": 0.2}]})";
  const std::unique_ptr<System> alone = build(parse_scene(apart));
  TimeStepperOptions options;
  options.step = 0.004;
  options.sleep = false;
  TimeStepper reference(*alone, options);
  for (int k = 0; k < 100; ++k) reference.step();
  for_each_rank_count([&](MPI_Comm comm) {
    const std::unique_ptr<System> system = build(parse_scene(apart));
    DistributedStepper stepper(comm, *system, step_options());
    for (int k = 0; k < 100; ++k) (void)stepper.step();
    for (const BodyId id : stepper.own()) {
      CAPTURE(id.value());
      CHECK((system->bodies()[id].configuration() - alone->bodies()[id].configuration()).norm() < 1e-12);
      CHECK((system->bodies()[id].velocity() - alone->bodies()[id].velocity()).norm() < 1e-11);
    }
  });
}

TEST_CASE(
    "distributed steps: joints reach over borders with the bits of one rank, closed, and are those of one machine") {
  std::vector<DistributedStepReport> one;
  std::uint64_t crossed = 0;
  for_each_rank_count([&](MPI_Comm comm) {
    const std::unique_ptr<System> system = build(parse_scene(jointed_scene()));
    DistributedStepper stepper(comm, *system, step_options());
    crossed += step_as_one_rank(stepper, comm, system->bodies().size() - 1, one);
  });
  if (size_of(MPI_COMM_WORLD) > 1 && rank_of(MPI_COMM_WORLD) == 0) CHECK(crossed > 0);
  for (const DistributedStepReport& report : one) CHECK(report.joint_error <= 1e-12);

  // High above the floor there are no contacts, and steps of one machine say what they are.
  const std::string apart = R"({"step": 0.004, "duration": 1, "bodies": [
    {"name": "a", "density": 900, "position": [-1, 0, 9], "velocity": [1, 2, 0], "angular_velocity": [0, 0, 3],
     "shape": {"type": "box", "size": [0.2, 0.3, 0.1]}},
    {"name": "b", "density": 900, "position": [0, 0, 9], "angular_velocity": [1, 0, -2],
     "shape": {"type": "box", "size": [0.2, 0.1, 0.3]}},
    {"name": "c", "density": 900, "position": [1, 0, 9], "angular_velocity": [0, 3, 0],
     "shape": {"type": "box", "size": [0.2, 0.1, 0.3]}}],
    "joints": [
     {"type": "fixed_point", "bodies": ["a"], "point": [-1.5, 0, 9]},
     {"type": "hinge", "bodies": ["b", "a"], "point": [-0.5, 0, 9], "axis": [0, 1, 0], "limits": [-0.2, 0.3]},
     {"type": "rigid_link", "bodies": ["b", "c"], "points": [[0.2, 0, 9], [0.8, 0, 9]]}]})";
  const std::unique_ptr<System> alone = build(parse_scene(apart));
  TimeStepperOptions options;
  options.step = 0.004;
  options.sleep = false;
  options.stop.tolerance = 1e-12;
  TimeStepper reference(*alone, options);
  for (int k = 0; k < 100; ++k) reference.step();
  for_each_rank_count([&](MPI_Comm comm) {
    const std::unique_ptr<System> system = build(parse_scene(apart));
    DistributedStepOptions solved = step_options();
    solved.stepping.stop.tolerance = 1e-12;
    solved.stepping.stop.max_iterations = 20'000;
    DistributedStepper stepper(comm, *system, solved);
    for (int k = 0; k < 100; ++k) CHECK(stepper.step().status == SolveStatus::converged);
    for (const BodyId id : stepper.own()) {
      CAPTURE(id.value());
      CHECK((system->bodies()[id].configuration() - alone->bodies()[id].configuration()).norm() < 1e-8);
      CHECK((system->bodies()[id].velocity() - alone->bodies()[id].velocity()).norm() < 1e-7);
    }
  });
}

TEST_CASE("distributed steps: small islands solved whole leave the bits of one rank, and the motion of sweeps") {
  for (const std::uint64_t most : {3u, 100u}) {
    for (const std::string& text : {crossing_scene(), jointed_scene()}) {
      CAPTURE(most);
      std::vector<DistributedStepReport> one;
      std::uint64_t bodies = 0;
      for_each_rank_count([&](MPI_Comm comm) {
        const std::unique_ptr<System> system = build(parse_scene(text));
        DistributedStepOptions options = step_options();
        options.small_islands = most;
        DistributedStepper stepper(comm, *system, options);
        bodies = system->bodies().size() - 1;
        (void)step_as_one_rank(stepper, comm, bodies, one);
      });
      if (rank_of(MPI_COMM_WORLD) == 0) CHECK(one.back().small_islands > 0);
    }
  }
  DistributedStepOptions options = step_options();
  options.stepping.stop.tolerance = 1e-10;
  options.stepping.stop.max_iterations = 20'000;
  const std::unique_ptr<System> by_sweeps = build(parse_scene(crossing_scene()));
  const std::unique_ptr<System> by_islands = build(parse_scene(crossing_scene()));
  DistributedStepper sweeps(MPI_COMM_SELF, *by_sweeps, options);
  options.small_islands = 100;
  DistributedStepper islands(MPI_COMM_SELF, *by_islands, options);
  for (int k = 0; k < 10; ++k) {
    const DistributedStepReport expected = sweeps.step(), report = islands.step();
    CHECK(report.status == SolveStatus::converged);
    CHECK(report.sweeps == 0);
    CHECK(report.kinetic_energy == doctest::Approx(expected.kinetic_energy).epsilon(1e-7));
    CHECK((report.momentum - expected.momentum).norm() <= 1e-6);
  }
}

TEST_CASE("distributed steps: by ADMM and by Newton the motion of sweeps, on any number of ranks") {
  DistributedStepOptions options = step_options();
  options.stepping.stop.tolerance = 1e-10;
  options.stepping.stop.max_iterations = 20'000;
  std::vector<DistributedStepReport> swept;
  {
    const std::unique_ptr<System> system = build(parse_scene(crossing_scene()));
    DistributedStepper stepper(MPI_COMM_SELF, *system, options);
    for (int k = 0; k < 10; ++k) swept.push_back(stepper.step());
  }
  for (const int turn : {0, 1, 2}) {
    CAPTURE(turn);
    options.admm.reset();
    options.newton.reset();
    if (turn < 2) {
      options.admm.emplace();
      options.admm->linear.method = turn == 0 ? LinearMethod::automatic : LinearMethod::multigrid;
    } else {
      options.newton.emplace();
    }
    for_each_rank_count([&](MPI_Comm comm) {
      const std::unique_ptr<System> system = build(parse_scene(crossing_scene()));
      DistributedStepper stepper(comm, *system, options);
      long steps = 0;
      for (const DistributedStepReport& expected : swept) {
        const DistributedStepReport report = stepper.step();
        CAPTURE(size_of(comm));
        CAPTURE(report.step);
        CHECK(report.status == SolveStatus::converged);
        CHECK(report.contacts == expected.contacts);
        // Ten steps of a solve to 1e-10 each, of some 1 kJ.
        CHECK(report.kinetic_energy == doctest::Approx(expected.kinetic_energy).epsilon(1e-7));
        CHECK((report.momentum - expected.momentum).norm() <= 1e-6);
        steps += report.sweeps % 10;
      }
      if (options.admm) CHECK(steps == 0);  // it judges every ten
    });
  }
}

TEST_CASE("distributed steps: a block on a floor stays, and slides as far as friction lets it") {
  // v²/(2 μ g), to within the step.
  const std::string scene = R"({"step": 0.002, "duration": 1, "surfaces": {"s": {"friction": 0.5}}, "bodies": [
    {"name": "floor", "kind": "obstacle", "surface": "s", "shape": {"type": "plane"}},
    {"name": "block", "surface": "s", "density": 1000, "position": [0, 0, 0.05], "velocity": [1, 0, 0],
     "shape": {"type": "box", "size": [0.4, 0.4, 0.1]}}]})";
  const std::unique_ptr<System> system = build(parse_scene(scene));
  DistributedStepOptions options = step_options();
  options.stepping.step = 0.002;
  options.stepping.stop.tolerance = 1e-9;
  options.stepping.stop.max_iterations = 4000;
  DistributedStepper stepper(MPI_COMM_SELF, *system, options);
  for (int k = 0; k < 150; ++k) (void)stepper.step();
  const Body& block = system->bodies()[system->find("block")];
  CHECK(std::abs(block.to_space(Eigen::Vector3d::Zero())[0] - 1 / (2 * 0.5 * 9.81)) <= 0.002);
  CHECK(block.velocity().norm() <= 1e-6);
}

TEST_CASE("distributed steps: a checkpoint goes on with the same bits on any number of ranks") {
  std::string scene = crossing_scene();
  SUBCASE("contacts") {}
  SUBCASE("joints") {
    scene = jointed_scene();
  }
  // Of all ranks together, each of which has a part.
  StepperState state;
  std::uint64_t at_end = 0;
  {
    const std::unique_ptr<System> system = build(parse_scene(scene));
    DistributedStepper stepper(MPI_COMM_WORLD, *system, step_options());
    for (int k = 0; k < 12; ++k) (void)stepper.step();
    state = stepper.state_part();
    for (int k = 0; k < 8; ++k) at_end = stepper.step().state;
  }
  const auto join = [](auto& numbers) {  // those of rank 0, then those of rank 1, …
    Writer own;
    own.put_all(std::span(std::as_const(numbers)));
    const std::vector<Bytes> parts = share_with_all(MPI_COMM_WORLD, own.bytes());
    numbers.clear();
    for (const Bytes& part : parts) {
      for (Reader reader(part); !reader.done();) {
        numbers.push_back(reader.get<typename std::remove_reference_t<decltype(numbers)>::value_type>());
      }
    }
  };
  join(state.bodies);
  join(state.forces);
  join(state.reactions);
  join(state.contacts);
  join(state.identities);
  for_each_rank_count([&](MPI_Comm comm) {
    const std::unique_ptr<System> system = build(parse_scene(scene));
    DistributedStepper stepper(comm, *system, step_options());
    stepper.restore(state);
    CHECK(stepper.steps() == 12);
    if (rank_of(comm) == 0) {  // one machine goes on from it, too
      const std::unique_ptr<System> alone = build(parse_scene(scene));
      TimeStepper one(*alone, step_options().stepping);
      one.restore(state);
      CHECK(one.steps() == 12);
      CHECK(one.step().status == SolveStatus::converged);
    }
    DistributedStepReport report;
    for (int k = 0; k < 8; ++k) report = stepper.step();
    CHECK(report.state == at_end);
    StepperState wrong = state;
    wrong.bodies.pop_back();
    CHECK_THROWS_WITH_AS(stepper.restore(wrong), doctest::Contains("state: bodies: expected"), std::invalid_argument);
    wrong = state;
    wrong.reactions.push_back(0);
    CHECK_THROWS_WITH_AS(stepper.restore(wrong), doctest::Contains("state: reactions: expected"),
                         std::invalid_argument);
  });
}

TEST_CASE(
    "distributed steps: loads, on bodies that change their owner, give each its impulse, on any number of ranks") {
  // The crossing balls, one pushed by a table of forces; far off a cube on nothing, with 2 N along x against its
  // weight.
  std::string scene = crossing_scene();
  scene.replace(scene.rfind("]}"), 2, R"(, {"name": "free", "surface": "s", "density": 1000, "position": [0, 0, 40],
      "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}},
     {"name": "ramp", "surface": "s", "density": 1000, "position": [0, 0, 60],
      "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}}],
    "loads": [{"body": "free", "force": [2, 0, 9.81]},
              {"body": "ramp", "force": {"times": [0, 1], "values": [[0, 0, 9.81], [10, 0, 9.81]]}},
              {"body": "ball3", "force": {"times": [0, 0.05, 1], "values": [[0, 0, 0], [60, 20, 0], [60, 20, 0]]}},
              {"body": "box", "torque": [0, 0, 3]}]})");
  std::vector<DistributedStepReport> one;
  std::uint64_t crossed = 0;
  for_each_rank_count([&](MPI_Comm comm) {
    const std::unique_ptr<System> system = build(parse_scene(scene));
    DistributedStepper stepper(comm, *system, step_options());
    crossed += step_as_one_rank(stepper, comm, 11, one);
    // p = ∫ F dt, after 0.12 s.
    const auto velocity_of = [&](const char* name) -> Eigen::Vector3d {
      return system->bodies()[system->find(name)].velocity().tail<3>();
    };
    const auto is_own = [&](const char* name) {
      return std::find(stepper.own().begin(), stepper.own().end(), system->find(name)) != stepper.own().end();
    };
    if (is_own("free")) CHECK((velocity_of("free") - Eigen::Vector3d(2 * 0.12, 0, 0)).norm() <= 1e-12);
    if (is_own("ramp")) CHECK((velocity_of("ramp") - Eigen::Vector3d(5 * 0.12 * 0.12, 0, 0)).norm() <= 1e-12);
  });
  if (size_of(MPI_COMM_WORLD) > 1 && rank_of(MPI_COMM_WORLD) == 0) CHECK(crossed > 0);
}

TEST_CASE("distributed steps: what they do not know is refused by name") {
  const auto refused = [](const std::string& text, const char* what) {
    const std::unique_ptr<System> system = build(parse_scene(text));
    CHECK_THROWS_WITH_AS(DistributedStepper(MPI_COMM_SELF, *system, {}), doctest::Contains(what),
                         std::invalid_argument);
  };
  refused(R"({"step": 0.01, "duration": 1, "bodies": [
    {"name": "a", "kind": "particle", "mass": 1, "position": [0, 0, 1]},
    {"name": "b", "kind": "particle", "mass": 1, "position": [0, 0, 2]}], "joints": [{"name": "fuse",
     "type": "rigid_link", "bodies": ["a", "b"], "points": [[0, 0, 1], [0, 0, 2]], "breaks": {"force": 10}}]})",
          "a joint that may break 'fuse'");
  const std::unique_ptr<System> rolling = build(parse_scene(crossing_scene()));
  (void)rolling->add_constraint(std::make_unique<Contact>(ContactPoint{.master = rolling->find("floor"),
                                                                       .slave = rolling->find("ball0"),
                                                                       .point = {-1.4, 0, 0},
                                                                       .material = {.friction = 0.3, .rolling = 0.01}}),
                                "stay");
  CHECK_THROWS_WITH_AS(DistributedStepper(MPI_COMM_SELF, *rolling, step_options()),
                       doctest::Contains("a contact with a law of"), std::invalid_argument);
  const std::unique_ptr<System> rubs = build(parse_scene(jointed_scene()));
  DistributedStepOptions second_order = step_options();
  second_order.admm.emplace();
  CHECK_THROWS_WITH_AS(DistributedStepper(MPI_COMM_SELF, *rubs, second_order),
                       doctest::Contains("which ADMM does not know"), std::invalid_argument);
  const std::unique_ptr<System> system = build(parse_scene(crossing_scene()));
  const ForceId all = system->forces().add(std::make_unique<Attraction>(), system->bodies());
  CHECK_THROWS_WITH_AS(DistributedStepper(MPI_COMM_SELF, *system, step_options()),
                       doctest::Contains("an applied force on all bodies together, a mutual attraction"),
                       std::invalid_argument);
  system->forces().remove(all);
  DistributedStepOptions options = step_options();
  options.largest_imbalance = 1;
  CHECK_THROWS_AS(DistributedStepper(MPI_COMM_SELF, *system, options), std::invalid_argument);
  options = step_options();
  options.spread_every = -1;
  CHECK_THROWS_AS(DistributedStepper(MPI_COMM_SELF, *system, options), std::invalid_argument);
}
