// Small islands over ranks: which they are, and that ranks show in no bit of what they get.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <locdyn/distributed/lattice.hpp>
#include <locdyn/distributed/small_islands.hpp>
#include "distributed/ranks.hpp"

using namespace locdyn;
using namespace locdyn::distributed;

namespace {

// Particles of 1 kg, one on the other and the first on the ground; ids from `from` on, in no order along the
// chain. Bodies and constraints lie on any rank.
void add_chain(std::uint64_t length, GlobalId from, MPI_Comm comm, ProblemPart& part) {
  const auto rank = static_cast<std::uint64_t>(rank_of(comm)), ranks = static_cast<std::uint64_t>(size_of(comm));
  const auto id_of = [&](std::uint64_t k) { return from + (17 * k + 5) % 101; };
  for (std::uint64_t k = 0; k < length; ++k) {
    const auto place = static_cast<double>(k);
    if (k % ranks == rank) part.bodies.push_back({id_of(k), {0, 0, place}, Eigen::MatrixXd::Identity(3, 3)});
    if (7 * k % ranks != rank) continue;
    PartConstraint contact;
    contact.id = id_of(k);
    contact.law = ContactLaw{.friction = 0.3};
    const auto act = [&](std::uint64_t body, double sign) {
      const Eigen::Matrix3d H = sign * Eigen::Matrix3d::Identity();
      contact.bodies.push_back(id_of(body));
      contact.freedoms.push_back(3);
      contact.H.insert(contact.H.end(), H.data(), H.data() + H.size());
      contact.blocks[0].W += part.h * Eigen::Matrix3d::Identity();
    };
    if (k > 0) act(k - 1, -1);
    act(k, 1);
    // All fall alike; each is pushed aside a little more than the one below.
    contact.blocks[0].B = {0.1 + 0.01 * place, 0, k == 0 ? -9.81 : 0};
    part.constraints.push_back(std::move(contact));
  }
}

// A lattice whose ids begin at `from`.
void add_lattice(std::uint64_t n, GlobalId from, MPI_Comm comm, ProblemPart& part) {
  ProblemPart lattice = lattice_part(n, rank_of(comm), size_of(comm));
  part.h = lattice.h;
  for (PartBody& body : lattice.bodies) {
    body.id += from;
    part.bodies.push_back(std::move(body));
  }
  for (PartConstraint& constraint : lattice.constraints) {
    constraint.id += from;
    for (GlobalId& body : constraint.bodies) body += from;
    part.constraints.push_back(std::move(constraint));
  }
}

std::uint64_t over_ranks(MPI_Comm comm, std::uint64_t count) {
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_UINT64_T, MPI_SUM, comm);
  return count;
}

StopOptions to(double tolerance) {
  StopOptions stop;
  stop.tolerance = tolerance;
  return stop;
}

// R of the first block by constraint, on rank 0.
std::map<GlobalId, Eigen::Vector3d> gather_solved(MPI_Comm comm, const std::vector<GlobalId>& ids,
                                                  const SolvedIslands& solved) {
  Writer own;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!solved.solutions[i]) continue;
    own.put(ids[i]);
    own.put(solved.solutions[i]->R[0]);
  }
  std::map<GlobalId, Eigen::Vector3d> all;
  for (const Bytes& bytes : gather(comm, own.bytes())) {
    for (Reader reader(bytes); !reader.done();) {
      const auto id = reader.get<GlobalId>();
      all[id] = reader.get<Eigen::Vector3d>();
    }
  }
  return all;
}

}  // namespace

TEST_CASE("small islands: those of at most so many constraints, however they lie on the ranks") {
  for (const std::uint64_t length : {1u, 2u, 6u, 40u, 90u}) {
    for (const std::uint64_t most : {std::uint64_t{1}, std::uint64_t{3}, length - 1, length, length + 1}) {
      if (most == 0) continue;
      CAPTURE(length);
      CAPTURE(most);
      for_each_rank_count([&](MPI_Comm comm) {
        ProblemPart part;
        add_chain(length, 1000, comm, part);
        const std::size_t given = part.constraints.size();
        const SolvedIslands solved = solve_small_islands(comm, part, most, to(1e-8));
        const bool small = length <= most;
        CHECK(solved.count == (small ? 1 : 0));
        CHECK(solved.constraints == (small ? length : 0));
        CHECK(solved.solutions.size() == given);
        CHECK(part.constraints.size() == (small ? 0 : given));
        CHECK(solved.status == SolveStatus::converged);
        for (const auto& solution : solved.solutions) {
          CHECK(solution.has_value() == small);
          // Nothing moves down, and the weight of all above rests on each.
          if (solution) CHECK(std::abs(solution->U[0][2]) <= 1e-6);
        }
      });
    }
  }
}

TEST_CASE("small islands: the bits of one rank, and what is left is the rest") {
  std::map<GlobalId, Eigen::Vector3d> one;
  std::uint64_t iterations = 0;
  double residual = 0;
  for_each_rank_count([&](MPI_Comm comm) {
    ProblemPart part;
    for (const std::uint64_t n : {1u, 2u, 3u}) add_lattice(n, 100'000 * n, comm, part);
    for (const std::uint64_t length : {1u, 2u, 5u, 12u, 30u}) add_chain(length, 1000 * length, comm, part);
    std::vector<GlobalId> ids;
    for (const PartConstraint& constraint : part.constraints) ids.push_back(constraint.id);
    // Of 3, 24 and 81 constraints the lattices.
    const SolvedIslands solved = solve_small_islands(comm, part, 24, to(1e-9));
    CHECK(solved.count == 6);
    CHECK(solved.constraints == 1 + 2 + 5 + 12 + 3 + 24);
    CHECK(solved.status == SolveStatus::converged);
    CHECK(solved.residual <= 1e-9);
    CHECK(over_ranks(comm, part.constraints.size()) == 30 + 81);
    DistributedGraph rest(comm, std::move(part));
    CHECK(rest.constraint_count() == 30 + 81);
    const auto R = gather_solved(comm, ids, solved);
    if (size_of(comm) == 1) {
      one = R;
      iterations = static_cast<std::uint64_t>(solved.iterations);
      residual = solved.residual;
    }
    if (rank_of(comm) != 0) return;
    CAPTURE(size_of(comm));
    CHECK(R.size() == solved.constraints);
    CHECK(R == one);
    CHECK(static_cast<std::uint64_t>(solved.iterations) == iterations);
    CHECK(solved.residual == residual);
  });
}

TEST_CASE("small islands: no ranks, no constraints and no islands do no harm; none of no constraints") {
  for_each_rank_count([&](MPI_Comm comm) {
    ProblemPart nothing;
    const SolvedIslands solved = solve_small_islands(comm, nothing, 10, to(1e-8));
    CHECK(solved.count == 0);
    CHECK(solved.status == SolveStatus::converged);
    CHECK(solved.residual == 0);
    CHECK_THROWS_AS((void)solve_small_islands(comm, nothing, 0, to(1e-8)), std::invalid_argument);
    ProblemPart part;
    add_chain(2, 0, comm, part);
    CHECK_THROWS_AS((void)solve_small_islands(comm, part, 10, to(-1)), std::invalid_argument);
  });
}
