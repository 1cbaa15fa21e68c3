// Batches and colours: the same for any number of ranks, and what they promise.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/distributed/distributed_graph.hpp>
#include <locdyn/distributed/hilbert_curve.hpp>
#include "builtin_part.hpp"
#include "distributed/ranks.hpp"

using namespace locdyn;
using namespace locdyn::distributed;

namespace {

struct Visit {
  int colour = 0;
  std::uint64_t batch = 0;
  std::size_t place = 0;  // in the batch
  auto operator<=>(const Visit&) const = default;
};

// Of all constraints, on rank 0.
std::map<GlobalId, Visit> gather_schedule(const DistributedGraph& graph) {
  Writer own;
  const auto& schedule = graph.schedule();
  for (Index colour = 0; colour < schedule.colour_count(); ++colour) {
    for (Index batch = schedule.colour[colour]; batch < schedule.colour[colour + 1]; ++batch) {
      for (Index i = schedule.first[batch]; i < schedule.first[batch + 1]; ++i) {
        own.put(graph.constraints()[schedule.sequence[i]]);
        own.put(Visit{static_cast<int>(colour), graph.batch_names()[batch], i - schedule.first[batch]});
      }
    }
  }
  std::map<GlobalId, Visit> all;
  for (const Bytes& bytes : gather(graph.comm(), own.bytes())) {
    for (Reader reader(bytes); !reader.done();) {
      const auto id = reader.get<GlobalId>();
      CHECK(!all.contains(id));
      all[id] = reader.get<Visit>();
    }
  }
  return all;
}

// Spheres on one plate: the i-th constraint acts on plate 0 and stone i + 1.
ProblemPart stones_on_a_plate(std::size_t count, MPI_Comm comm) {
  ProblemPart part;
  const auto rank = static_cast<std::size_t>(rank_of(comm)), ranks = static_cast<std::size_t>(size_of(comm));
  if (rank == 0) part.bodies.push_back({count, {0, 0, 0}, 1e4 * Eigen::MatrixXd::Identity(6, 6)});
  for (std::size_t i = rank; i < count; i += ranks) {
    part.bodies.push_back(
        {i, {static_cast<double>(i % 100), static_cast<double>(i / 100), 1}, Eigen::MatrixXd::Identity(6, 6)});
    PartConstraint contact;
    contact.id = i;
    contact.law = ContactLaw{.friction = 0.5};
    contact.bodies = {count, i};
    contact.freedoms = {6, 6};
    Eigen::Matrix<double, 3, 6> H = Eigen::Matrix<double, 3, 6>::Zero();
    H.rightCols<3>().setIdentity();
    const Eigen::Matrix<double, 3, 6> negative = -H;
    contact.H.assign(negative.data(), negative.data() + 18);
    contact.H.insert(contact.H.end(), H.data(), H.data() + 18);
    contact.blocks[0].W = (1 + 1e-4) * Eigen::Matrix3d::Identity();
    contact.blocks[0].B = {0.01, 0, -1};
    part.constraints.push_back(contact);
  }
  return part;
}

}  // namespace

TEST_CASE("hilbert curve: cells that follow one another are neighbours, and every cell is met once") {
  // Of the coarsest 8³ cells of a cube of edge 8.
  const CurveCube cube{Eigen::Vector3d::Zero(), 8};
  std::map<std::uint64_t, Eigen::Vector3d> by_place;
  for (int x = 0; x < 8; ++x) {
    for (int y = 0; y < 8; ++y) {
      for (int z = 0; z < 8; ++z) {
        const Eigen::Vector3d middle(x + 0.5, y + 0.5, z + 0.5);
        by_place[hilbert_place(cube, middle) >> 54] = middle;  // three bits of each axis
      }
    }
  }
  CHECK(by_place.size() == 512);
  for (auto at = by_place.begin(); std::next(at) != by_place.end(); ++at) {
    CHECK((std::next(at)->second - at->second).cwiseAbs().sum() == 1);
  }
  CHECK(hilbert_place(cube, {-1, -1, -1}) == hilbert_place(cube, {0, 0, 0}));
  const CurveCube around = cube_around({1, 2, 3}, {4, 2, 3});
  CHECK(around.edge == 4);
  CHECK(cube_around({1, 1, 1}, {1, 1, 1}).edge == 1);
}

TEST_CASE("distributed graph: the schedule is the same for any number of ranks, and no colour shares a body") {
  for (const std::string scene : {"wall", "tower", "spheres", "machine", "chain"}) {
    CAPTURE(scene);
    const BuiltinProblem problem = make_builtin(scene, 1500);
    std::map<GlobalId, Visit> one;
    for_each_rank_count([&](MPI_Comm comm) {
      const DistributedGraph graph(comm, builtin_part(problem, comm), {.length = 24});
      CHECK(graph.constraint_count() == problem.ldy->constraint_count());
      const std::map<GlobalId, Visit> all = gather_schedule(graph);
      if (rank_of(comm) != 0) return;
      if (size_of(comm) == 1) one = all;
      CHECK(all == one);
    });
    if (rank_of(MPI_COMM_WORLD) != 0) continue;
    CHECK(one.size() == problem.ldy->constraint_count());
    std::map<std::pair<int, std::uint32_t>, std::set<std::uint64_t>> batches;  // by colour and body
    const LocalDynamics& ldy = *problem.ldy;
    for (const auto& [id, visit] : one) {
      const auto place = static_cast<Index>(&ldy.row(ConstraintId{id}) - ldy.diagonal_arena().data());
      for (const Coupling& c : ldy.factor()->couplings(place)) batches[{visit.colour, c.body}].insert(visit.batch);
    }
    CHECK(std::all_of(batches.begin(), batches.end(), [](const auto& entry) { return entry.second.size() == 1; }));
  }
}

TEST_CASE("distributed graph: shares are even, and ten thousand stones on one plate are one batch") {
  for_each_rank_count([&](MPI_Comm comm) {
    const BuiltinProblem problem = make_builtin("wall", 4000);
    const DistributedGraph wall(comm, builtin_part(problem, comm), {.length = 24});
    const auto own = static_cast<double>(wall.ldy().constraint_count());
    const double mean = static_cast<double>(wall.constraint_count()) / size_of(comm);
    CHECK(own <= 1.2 * mean);
    CHECK(own >= 0.8 * mean);

    const DistributedGraph plate(comm, stones_on_a_plate(10'000, comm));
    CHECK(plate.colour_count() == 1);
    CHECK(plate.constraint_count() == 10'000);
  });
}

TEST_CASE("distributed graph: bad input is told by all ranks in one line") {
  for_each_rank_count([](MPI_Comm comm) {
    const bool last = rank_of(comm) == size_of(comm) - 1;
    const auto refused = [&](auto change, const char* line) {
      ProblemPart part = stones_on_a_plate(40, comm);
      if (last) change(part);
      CHECK_THROWS_WITH_AS(DistributedGraph(comm, part), doctest::Contains(line), std::invalid_argument);
    };
    refused([](ProblemPart& part) { part.h = 0; }, "h: expected a step > 0");
    refused([](ProblemPart& part) { part.bodies.push_back(part.bodies.back()); }, "expected once, found twice");
    refused([](ProblemPart& part) { part.constraints.back().bodies[1] = 777; }, "body 777: expected to be given");
    refused([](ProblemPart& part) { part.constraints.back().bodies = {}; }, "expected a body that moves");
    refused([](ProblemPart& part) { part.constraints.back().H.pop_back(); }, "expected H of 36 numbers, found 35");
    refused([](ProblemPart& part) { part.constraints.back().freedoms = {6, 3}; }, "expected H of 27 numbers");
    refused([](ProblemPart& part) { part.constraints.back().blocks[0].B[1] = std::nan(""); }, "expected finite W, B");
    refused([](ProblemPart& part) { part.constraints.back().law = ContactLaw{.friction = -1}; }, "friction");
    refused(
        [](ProblemPart& part) {
          part.constraints.back().law = EllipticLaw{.friction = {0.5, 0.2}};
        },
        "expected a law that sweeps");
    refused([](ProblemPart& part) { part.bodies.back().A = Eigen::MatrixXd::Zero(2, 3); }, "inertia (n×n)");
    refused([](ProblemPart& part) { part.constraints.push_back(part.constraints.back()); },
            "expected once, found twice");
    CHECK_THROWS_AS(DistributedGraph(comm, stones_on_a_plate(4, comm), {.length = 0}), std::invalid_argument);
    CHECK_THROWS_AS(DistributedGraph(comm, stones_on_a_plate(4, comm), {.heavy = 0}), std::invalid_argument);
  });
}
