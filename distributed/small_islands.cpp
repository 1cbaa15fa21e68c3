#include <locdyn/distributed/small_islands.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <locdyn/distributed/part_graph.hpp>
#include <locdyn/solver/solve_islands.hpp>

namespace locdyn::distributed {
namespace {

// Where an island is solved, if it is small.
struct Verdict {
  std::uint64_t constraints = 0;
  GlobalId first = std::numeric_limits<GlobalId>::max();  // constraint
  std::int32_t rank = 0, large = 0;

  void take(const Verdict& other) {
    constraints += other.constraints;
    large |= other.large;
    if (other.first >= first) return;
    first = other.first;
    rank = other.rank;
  }
};

// Asks of each id a value of the registrar's, which has merged what all ranks say of it.
template <class Value, class Merge>
std::vector<Value> merged(MPI_Comm comm, std::span<const GlobalId> ids, std::span<const Value> values,
                          const Merge& merge) {
  const auto ranks = static_cast<std::size_t>(size_of(comm));
  std::vector<Writer> to(ranks), answers(ranks);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    to[hash_of(ids[i]) % ranks].put(ids[i]);
    to[hash_of(ids[i]) % ranks].put(values[i]);
  }
  const std::vector<Bytes> told = exchange_bytes(comm, to);
  std::unordered_map<GlobalId, Value> all;
  for (const Bytes& bytes : told) {
    for (Reader reader(bytes); !reader.done();) {
      const auto id = reader.get<GlobalId>();
      const auto value = reader.get<Value>();
      if (const auto [at, fresh] = all.try_emplace(id, value); !fresh) merge(at->second, value);
    }
  }
  for (std::size_t r = 0; r < told.size(); ++r) {
    for (Reader reader(told[r]); !reader.done();) {
      answers[r].put(all.at(reader.get<GlobalId>()));
      (void)reader.get<Value>();
    }
  }
  const std::vector<Bytes> got = exchange_bytes(comm, answers);
  std::vector<Reader> readers(got.begin(), got.end());
  std::vector<Value> result;
  for (const GlobalId id : ids) result.push_back(readers[hash_of(id) % ranks].template get<Value>());
  return result;
}

// This rank's bodies, in sets that its own constraints connect.
class LocalSets {
 public:
  explicit LocalSets(std::span<const PartConstraint> constraints) : bodies_(bodies_of(constraints)) {
    parent_.resize(bodies_.size());
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (const PartConstraint& constraint : constraints) {
      for (const GlobalId body : constraint.bodies) join(place(constraint.bodies.front()), place(body));
    }
    label_.resize(bodies_.size());
    for (std::size_t i = 0; i < bodies_.size(); ++i) label_[i] = bodies_[root(i)];
  }

  [[nodiscard]] std::span<const GlobalId> bodies() const noexcept { return bodies_; }
  /// By body: that of its set.
  [[nodiscard]] std::span<const GlobalId> labels() const noexcept { return label_; }
  [[nodiscard]] GlobalId label(const PartConstraint& constraint) const {
    return label_[place(constraint.bodies.front())];
  }
  /// A set gets the least that its bodies have.
  void lower(std::span<const GlobalId> to) {
    for (std::size_t i = 0; i < to.size(); ++i) label_[root(i)] = std::min(label_[root(i)], to[i]);
    for (std::size_t i = 0; i < to.size(); ++i) label_[i] = label_[root(i)];
  }

 private:
  [[nodiscard]] std::size_t place(GlobalId body) const {
    return static_cast<std::size_t>(std::lower_bound(bodies_.begin(), bodies_.end(), body) - bodies_.begin());
  }
  [[nodiscard]] std::size_t root(std::size_t i) {
    for (; parent_[i] != i; i = parent_[i]) parent_[i] = parent_[parent_[i]];
    return i;
  }
  // The lower one is the root, so that its id is the least of the set.
  void join(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  std::vector<GlobalId> bodies_;  // ascending
  std::vector<std::size_t> parent_;
  std::vector<GlobalId> label_;
};

// What becomes of each of this rank's constraints.
std::vector<Verdict> judge_islands(MPI_Comm comm, std::span<const PartConstraint> constraints, std::uint64_t most) {
  LocalSets sets(constraints);
  std::unordered_map<GlobalId, Verdict> own;  // by label
  for (std::uint64_t turn = 0;; ++turn) {
    const std::vector<GlobalId> least = merged<GlobalId>(
        comm, sets.bodies(), sets.labels(), [](GlobalId& value, GlobalId other) { value = std::min(value, other); });
    int differs = std::equal(least.begin(), least.end(), sets.labels().begin()) ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, comm);
    if (differs == 0) break;
    if (turn > most) {
      // Two labels that still meet are of one island, which has more constraints than there were turns.
      for (std::size_t i = 0; i < least.size(); ++i) {
        if (least[i] == sets.labels()[i]) continue;
        own[least[i]].large = own[sets.labels()[i]].large = 1;
      }
      break;
    }
    sets.lower(least);
  }

  for (const PartConstraint& constraint : constraints) {
    own[sets.label(constraint)].take({.constraints = 1, .first = constraint.id, .rank = rank_of(comm)});
  }
  std::vector<GlobalId> labels;
  std::vector<Verdict> said;
  for (const auto& [label, verdict] : own) {
    labels.push_back(label);
    said.push_back(verdict);
  }
  const std::vector<Verdict> found =
      merged<Verdict>(comm, labels, said, [](Verdict& value, const Verdict& other) { value.take(other); });
  for (std::size_t i = 0; i < labels.size(); ++i) own[labels[i]] = found[i];
  std::vector<Verdict> verdicts;
  for (const PartConstraint& constraint : constraints) {
    verdicts.push_back(own[sets.label(constraint)]);
    if (verdicts.back().constraints > most) verdicts.back().large = 1;
  }
  return verdicts;
}

// A constraint that is solved here, and where it came from.
struct Received {
  GlobalId island = 0;  // its first constraint
  std::int32_t rank = 0;
  std::uint64_t number = 0;
  PartConstraint constraint;  // until all are in order
};

// In order of islands, each in order of ids.
std::vector<PartConstraint> take_in_order(std::vector<Received>& received) {
  std::sort(received.begin(), received.end(), [](const Received& a, const Received& b) {
    return std::tie(a.island, a.constraint.id) < std::tie(b.island, b.constraint.id);
  });
  std::vector<PartConstraint> constraints;
  for (Received& one : received) constraints.push_back(std::move(one.constraint));
  return constraints;
}

// One island: R and U of its constraints, in their order.
std::vector<DistributedGraph::Solution> solve_island(std::span<const PartConstraint> constraints,
                                                     std::span<const GlobalId> bodies,
                                                     std::span<const Eigen::MatrixXd> inertias, double h,
                                                     const StopOptions& stop, SolvedIslands& report) {
  PartGraph graph(constraints, bodies, inertias, h, Responses::all);
  LocalDynamics& ldy = graph.ldy();
  double accepted = std::numeric_limits<double>::infinity();
  const IslandsReport solved = solve_islands(ldy, find_islands(ldy), find_solver("auto"), stop, accepted);
  report.iterations += solved.iterations;
  report.residual = std::max(report.residual, solved.residual);
  report.status = std::max(report.status, solved.status);
  std::vector<DistributedGraph::Solution> solutions(constraints.size());
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) {
      solutions[id].R[static_cast<std::size_t>(k)] = ldy.row(id, k).R;
      solutions[id].U[static_cast<std::size_t>(k)] = ldy.row(id, k).U;
    }
  }
  return solutions;
}

// All that came to this rank, in order; solutions go where the constraints came from.
void solve_received(std::span<const Received> received, std::span<const PartConstraint> constraints,
                    std::span<const GlobalId> bodies, std::span<const Eigen::MatrixXd> inertias, double h,
                    const StopOptions& stop, SolvedIslands& report, std::vector<Writer>& to) {
  for (std::size_t begin = 0, end = 0; begin < received.size(); begin = end) {
    while (end < received.size() && received[end].island == received[begin].island) ++end;
    const std::span<const PartConstraint> island = constraints.subspan(begin, end - begin);
    const std::vector<GlobalId> own = bodies_of(island);
    std::vector<Eigen::MatrixXd> A;
    for (const GlobalId body : own) {
      A.push_back(
          inertias[static_cast<std::size_t>(std::lower_bound(bodies.begin(), bodies.end(), body) - bodies.begin())]);
    }
    const std::vector<DistributedGraph::Solution> solutions = solve_island(island, own, A, h, stop, report);
    ++report.count;
    report.constraints += island.size();
    for (std::size_t i = 0; i < island.size(); ++i) {
      const Received& one = received[begin + i];
      Writer& writer = to[static_cast<std::size_t>(one.rank)];
      writer.put(one.number);
      writer.put(solutions[i]);
    }
  }
}

void sum_up(MPI_Comm comm, SolvedIslands& report) {
  std::array<std::uint64_t, 3> sums = {report.count, report.constraints, static_cast<std::uint64_t>(report.iterations)};
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_UINT64_T, MPI_SUM, comm);
  report.count = sums[0];
  report.constraints = sums[1];
  report.iterations = static_cast<long>(sums[2]);
  MPI_Allreduce(MPI_IN_PLACE, &report.residual, 1, MPI_DOUBLE, MPI_MAX, comm);
  int status = static_cast<int>(report.status);
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, comm);
  report.status = static_cast<SolveStatus>(status);
}

}  // namespace

SolvedIslands solve_small_islands(MPI_Comm comm, ProblemPart& part, std::uint64_t most, const StopOptions& stop) {
  if (most < 1) throw std::invalid_argument("small islands: most: expected at least 1 constraint, found 0");
  SolvedIslands report;
  report.solutions.resize(part.constraints.size());
  const std::vector<Verdict> verdicts = judge_islands(comm, part.constraints, most);

  // Small ones to their ranks, the rest stays.
  std::vector<Writer> to(static_cast<std::size_t>(size_of(comm)));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].large != 0) {
      if (kept != i) part.constraints[kept] = std::move(part.constraints[i]);
      ++kept;
      continue;
    }
    Writer& writer = to[static_cast<std::size_t>(verdicts[i].rank)];
    writer.put(verdicts[i].first);
    writer.put(static_cast<std::uint64_t>(i));
    put(writer, part.constraints[i]);
  }
  part.constraints.resize(kept);
  std::vector<Received> received;
  const std::vector<Bytes> from = exchange_bytes(comm, to);
  for (std::size_t r = 0; r < from.size(); ++r) {
    for (Reader reader(from[r]); !reader.done();) {
      Received one{reader.get<GlobalId>(), static_cast<std::int32_t>(r), reader.get<std::uint64_t>(), {}};
      one.constraint = get_constraint(reader);
      received.push_back(std::move(one));
    }
  }
  BodyRegistry registry(comm);
  registry.give(part.bodies, std::vector<std::uint64_t>(part.bodies.size(), 0));
  const std::vector<PartConstraint> constraints = take_in_order(received);
  const std::vector<GlobalId> bodies = bodies_of(constraints);
  const std::vector<Eigen::MatrixXd> inertias = registry.inertias(bodies);

  std::vector<Writer> answers(to.size());
  agree_on(comm, [&] { solve_received(received, constraints, bodies, inertias, part.h, stop, report, answers); });
  for (const Bytes& bytes : exchange_bytes(comm, answers)) {
    for (Reader reader(bytes); !reader.done();) {
      const auto number = reader.get<std::uint64_t>();
      report.solutions[number] = reader.get<DistributedGraph::Solution>();
    }
  }
  sum_up(comm, report);
  return report;
}

}  // namespace locdyn::distributed
