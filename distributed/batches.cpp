#include <locdyn/distributed/batches.hpp>

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

namespace locdyn::distributed {
namespace {

// A home and how many constraints it carries, those of one rank or of all.
struct Home {
  std::uint64_t place = 0;
  GlobalId body = 0;
  std::uint64_t constraints = 0;

  [[nodiscard]] auto key() const { return std::tie(place, body); }
};

struct Cut {
  std::uint64_t batch = 0;
  std::int32_t rank = 0;
};

constexpr std::size_t kSamples = 64;  // of each rank: runs of equal length to a few per cent

// What cuts the order of homes into one run a rank: each begins at such a home.
std::vector<Home> run_starts(MPI_Comm comm, std::span<const Home> sorted) {
  Writer own;
  const std::size_t samples = std::min(sorted.size(), kSamples);
  for (std::size_t i = 0; i < samples; ++i) own.put(sorted[i * sorted.size() / samples]);
  std::vector<Home> all;
  for (const Bytes& bytes : share_with_all(comm, own.bytes())) {
    for (Reader reader(bytes); !reader.done();) all.push_back(reader.get<Home>());
  }
  std::sort(all.begin(), all.end(), [](const Home& a, const Home& b) { return a.key() < b.key(); });
  const auto ranks = static_cast<std::size_t>(size_of(comm));
  std::vector<Home> starts;
  for (std::size_t r = 1; r < ranks && !all.empty(); ++r) starts.push_back(all[r * all.size() / ranks]);
  return starts;
}

// The homes of all ranks in order, a run on each rank, with what each rank has told of them added; `from` holds, by
// rank, what was asked in which order.
std::vector<Home> sort_over_ranks(MPI_Comm comm, std::span<const Home> own, std::vector<std::size_t>& destination,
                                  std::vector<std::vector<Home>>& asked) {
  std::vector<Home> sorted(own.begin(), own.end());
  const auto before = [](const Home& a, const Home& b) { return a.key() < b.key(); };
  std::sort(sorted.begin(), sorted.end(), before);
  const std::vector<Home> starts = run_starts(comm, sorted);
  std::vector<Writer> to(static_cast<std::size_t>(size_of(comm)));
  destination.clear();
  for (const Home& home : own) {
    const auto run = std::upper_bound(starts.begin(), starts.end(), home, before) - starts.begin();
    destination.push_back(static_cast<std::size_t>(run));
    to[destination.back()].put(home);
  }
  asked.clear();
  std::vector<Home> run;
  for (const Bytes& bytes : exchange_bytes(comm, to)) {
    asked.emplace_back();
    for (Reader reader(bytes); !reader.done();) asked.back().push_back(reader.get<Home>());
    run.insert(run.end(), asked.back().begin(), asked.back().end());
  }
  std::sort(run.begin(), run.end(), before);
  std::size_t kept = 0;
  for (const Home& home : run) {
    if (kept > 0 && run[kept - 1].key() == home.key()) {
      run[kept - 1].constraints += home.constraints;
    } else {
      run[kept++] = home;
    }
  }
  run.resize(kept);
  return run;
}

// Batch and rank of every home of this rank's run.
std::unordered_map<GlobalId, Cut> cut_run(MPI_Comm comm, std::span<const Home> run, std::uint64_t length) {
  std::uint64_t own = 0, before = 0, total = 0;
  for (const Home& home : run) own += home.constraints;
  MPI_Exscan(&own, &before, 1, MPI_UINT64_T, MPI_SUM, comm);
  if (rank_of(comm) == 0) before = 0;
  MPI_Allreduce(&own, &total, 1, MPI_UINT64_T, MPI_SUM, comm);
  const auto ranks = static_cast<std::uint64_t>(size_of(comm));
  const std::uint64_t batches = (total + length - 1) / length;

  std::unordered_map<GlobalId, Cut> cuts;
  for (const Home& home : run) {
    const std::uint64_t batch = before / length;
    cuts[home.body] = {batch, static_cast<std::int32_t>(batch * ranks / batches)};
    before += home.constraints;
  }
  return cuts;
}

// Sorts the homes of all ranks, cuts them and tells every rank of its own.
std::vector<Cut> cut_homes(MPI_Comm comm, std::span<const Home> homes, std::uint64_t length) {
  std::vector<std::size_t> destination;
  std::vector<std::vector<Home>> asked;
  const std::vector<Home> run = sort_over_ranks(comm, homes, destination, asked);
  const std::unordered_map<GlobalId, Cut> cuts = cut_run(comm, run, length);
  std::vector<Writer> answers(asked.size());
  for (std::size_t r = 0; r < asked.size(); ++r) {
    for (const Home& home : asked[r]) answers[r].put(cuts.at(home.body));
  }
  const std::vector<Bytes> told = exchange_bytes(comm, answers);
  std::vector<Reader> readers;
  for (const Bytes& bytes : told) readers.emplace_back(bytes);
  std::vector<Cut> cut_of(homes.size());
  for (std::size_t i = 0; i < homes.size(); ++i) cut_of[i] = readers[destination[i]].get<Cut>();
  return cut_of;
}

void check_batch_options(const BatchOptions& options) {
  const auto check = [](const char* field, std::uint64_t value) {
    if (value < 1) throw std::invalid_argument(std::string("batches: ") + field + ": expected at least 1, found 0");
  };
  check("length", options.length);
  check("heavy", options.heavy);
}

}  // namespace

std::vector<BatchPlace> cut_batches(MPI_Comm comm, std::span<const PartConstraint> constraints, BodyRegistry& registry,
                                    const BatchOptions& options) {
  check_batch_options(options);
  // The bodies met, each once, and what is known of them.
  std::unordered_map<GlobalId, std::size_t> number;
  std::vector<GlobalId> ids;
  for (const PartConstraint& constraint : constraints) {
    for (const GlobalId body : constraint.bodies) {
      if (number.try_emplace(body, ids.size()).second) ids.push_back(body);
    }
  }
  const std::vector<BodyFacts> facts = registry.facts(ids);

  // The home of each constraint.
  std::vector<BatchPlace> places(constraints.size());
  std::vector<Home> homes;
  std::unordered_map<GlobalId, std::size_t> home_number;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const auto heavy = [&](GlobalId body) { return facts[number.at(body)].constraints > options.heavy; };
    const std::vector<GlobalId>& bodies = constraints[i].bodies;
    const GlobalId home = *std::min_element(
        bodies.begin(), bodies.end(), [&](GlobalId a, GlobalId b) { return heavy(a) != heavy(b) ? heavy(a) : a < b; });
    places[i].home = home;
    places[i].home_place = facts[number.at(home)].place;
    const auto [at, fresh] = home_number.try_emplace(home, homes.size());
    if (fresh) homes.push_back({places[i].home_place, home, 0});
    ++homes[at->second].constraints;
  }

  // Their order over all ranks, cut.
  const std::vector<Cut> cut_of = cut_homes(comm, homes, options.length);
  for (BatchPlace& place : places) {
    const Cut& cut = cut_of[home_number.at(place.home)];
    place.batch = cut.batch;
    place.rank = cut.rank;
  }
  return places;
}

std::vector<std::int32_t> spread_bodies(MPI_Comm comm, std::span<const std::uint64_t> places,
                                        std::span<const GlobalId> ids, std::span<const std::uint64_t> weights) {
  std::vector<Home> homes;
  for (std::size_t i = 0; i < ids.size(); ++i) homes.push_back({places[i], ids[i], weights[i]});
  std::vector<std::int32_t> ranks;
  for (const Cut& cut : cut_homes(comm, homes, 1)) ranks.push_back(cut.rank);
  return ranks;
}

}  // namespace locdyn::distributed
