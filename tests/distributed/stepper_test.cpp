// Steps of scenes over ranks: the run of one rank, bit for bit, while bodies change their owners.

#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/distributed/distributed_stepper.hpp>
#include <locdyn/io/scene/build_scene.hpp>
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

DistributedStepOptions step_options() {
  DistributedStepOptions options;
  options.stepping.step = 0.004;
  options.stepping.stop.tolerance = 1e-3;
  options.stepping.stop.max_iterations = 12;
  options.spread_every = 4;
  return options;
}

}  // namespace

TEST_CASE("distributed steps: the bits of one rank while bodies cross borders, and none is lost") {
  std::vector<DistributedStepReport> one;
  std::uint64_t crossed = 0;
  for_each_rank_count([&](MPI_Comm comm) {
    const std::unique_ptr<System> system = build(parse_scene(crossing_scene()));
    DistributedStepper stepper(comm, *system, step_options());
    for (std::size_t k = 0; k < 30; ++k) {
      const DistributedStepReport report = stepper.step();
      crossed += report.crossed;
      CHECK(report.bodies == 9);
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
    CHECK(system->bodies().size() == 10);
  });
  if (size_of(MPI_COMM_WORLD) > 1 && rank_of(MPI_COMM_WORLD) == 0) CHECK(crossed > 0);
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
  // Of all ranks together; rank 0 has it and gives it to the others.
  StepperState state;
  std::uint64_t at_end = 0;
  {
    const std::unique_ptr<System> system = build(parse_scene(crossing_scene()));
    DistributedStepper stepper(MPI_COMM_WORLD, *system, step_options());
    for (int k = 0; k < 12; ++k) (void)stepper.step();
    state = stepper.gather_state();
    for (int k = 0; k < 8; ++k) at_end = stepper.step().state;
  }
  const auto share = [](auto& numbers) {
    std::uint64_t count = numbers.size();
    MPI_Bcast(&count, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    numbers.resize(count);
    MPI_Bcast(numbers.data(), static_cast<int>(count * sizeof(numbers[0])), MPI_BYTE, 0, MPI_COMM_WORLD);
  };
  share(state.bodies);
  share(state.contacts);
  share(state.identities);
  MPI_Bcast(&state.time, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Bcast(&state.step, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  for_each_rank_count([&](MPI_Comm comm) {
    const std::unique_ptr<System> system = build(parse_scene(crossing_scene()));
    DistributedStepper stepper(comm, *system, step_options());
    stepper.restore(state);
    CHECK(stepper.steps() == 12);
    DistributedStepReport report;
    for (int k = 0; k < 8; ++k) report = stepper.step();
    CHECK(report.state == at_end);
    StepperState wrong = state;
    wrong.bodies.pop_back();
    CHECK_THROWS_WITH_AS(stepper.restore(wrong), doctest::Contains("state: bodies: expected"), std::invalid_argument);
  });
}

TEST_CASE("distributed steps: what they do not know is refused by name") {
  const auto refused = [](const std::string& text, const char* what) {
    const std::unique_ptr<System> system = build(parse_scene(text));
    CHECK_THROWS_WITH_AS(DistributedStepper(MPI_COMM_SELF, *system, {}), doctest::Contains(what),
                         std::invalid_argument);
  };
  const std::string body = R"({"name": "a", "kind": "particle", "mass": 1, "position": [0, 0, 1]})";
  refused(R"({"step": 0.01, "duration": 1, "bodies": [)" + body + R"(],
            "loads": [{"body": "a", "force": [1, 0, 0]}]})",
          "loads");
  const std::unique_ptr<System> system = build(parse_scene(crossing_scene()));
  DistributedStepOptions options = step_options();
  options.largest_imbalance = 1;
  CHECK_THROWS_AS(DistributedStepper(MPI_COMM_SELF, *system, options), std::invalid_argument);
  options = step_options();
  options.spread_every = -1;
  CHECK_THROWS_AS(DistributedStepper(MPI_COMM_SELF, *system, options), std::invalid_argument);
}
