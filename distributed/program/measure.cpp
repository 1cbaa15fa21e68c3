// locdyn_mpi measure: what sweeps, judgements and messages cost here, for the model of a cluster (distributed/model).

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <locdyn/distributed/distributed_sweeps.hpp>
#include <locdyn/solver/nsgs/dissection.hpp>
#include <locdyn/solver/nsgs/velocity_sweep.hpp>
#include "command.hpp"
#include "problems.hpp"

namespace locdyn::distributed {
namespace {

struct MeasureArguments {
  std::string what;
  int sweeps = 30, threads = 0;
};

double processor_seconds() {
  std::timespec now{};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What one call took: on the slowest rank by the clock, and of all ranks in processor time.
struct Took {
  double wall = 0, processor = 0;
};

template <class Work>
Took time_of(MPI_Comm comm, const Work& work) {
  MPI_Barrier(comm);
  const double wall = MPI_Wtime(), processor = processor_seconds();
  work();
  Took took{MPI_Wtime() - wall, processor_seconds() - processor};
  MPI_Allreduce(MPI_IN_PLACE, &took.wall, 1, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, &took.processor, 1, MPI_DOUBLE, MPI_SUM, comm);
  return took;
}

// Whoever shares the machine only adds: the least of many is what it takes.
template <class Work>
Took least_of(MPI_Comm comm, int times, const Work& work) {
  Took least = time_of(comm, work);
  for (int k = 1; k < times; ++k) {
    const Took one = time_of(comm, work);
    least.wall = std::min(least.wall, one.wall);
    least.processor = std::min(least.processor, one.processor);
  }
  return least;
}

// Half a round trip between ranks 0 and 1 [s]; 0 where there is one rank.
double one_way(MPI_Comm comm, int bytes) {
  const int rank = rank_of(comm);
  std::vector<char> message(static_cast<std::size_t>(bytes));
  constexpr int kTrips = 50, kTag = 5;
  const Took took = least_of(comm, 20, [&] {
    for (int k = 0; k < kTrips && rank < 2; ++k) {
      const auto send = [&] { MPI_Send(message.data(), bytes, MPI_CHAR, 1 - rank, kTag, comm); };
      const auto get = [&] { MPI_Recv(message.data(), bytes, MPI_CHAR, 1 - rank, kTag, comm, MPI_STATUS_IGNORE); };
      if (rank == 0) send();
      get();
      if (rank == 1) send();
    }
  });
  return took.wall / (2 * kTrips);
}

// A sweep of one machine's on several threads over the same constraints, in the order that nsgs sweeps them there, from
// the R that the graph has and keeps; by the clock [s]. Processor time says nothing here: what a thread on another core
// has taken shows at the next tick of the system's clock, and the least of many sweeps are those without one.
double sweep_on_threads(MPI_Comm comm, DistributedGraph& graph, const MeasureArguments& arguments) {
  detail::VelocitySweep sweep(graph.ldy(), detail::dissected_schedule(graph.ldy()));
  return least_of(comm, arguments.sweeps,
                  [&] { (void)sweep.run(detail::SweepDirection::forward, 1, arguments.threads); })
      .wall;
}

int measure(const MeasureArguments& arguments, MPI_Comm comm) {
  if (arguments.sweeps < 1) {
    throw std::invalid_argument("--sweeps: expected at least 1, found " + std::to_string(arguments.sweeps));
  }
  if (arguments.threads < 0 || (arguments.threads > 0 && size_of(comm) > 1)) {
    throw std::invalid_argument("--threads: expected at least 1, on one rank, found " +
                                std::to_string(arguments.threads) + " on " + std::to_string(size_of(comm)));
  }
  for (const auto& [name, part] : problems_of(arguments.what, comm)) {
    DistributedGraph graph(comm, part());
    const double on_threads = arguments.threads > 0 ? sweep_on_threads(comm, graph, arguments) : 0;
    DistributedSweeps sweeps(graph);
    const Took sweep = least_of(comm, arguments.sweeps, [&] { sweeps.sweep(1); });
    const Took judgement = least_of(comm, std::max(1, arguments.sweeps / 10), [&] { (void)sweeps.judge(); });
    const bool two = size_of(comm) > 1;
    const double latency = two ? one_way(comm, 64) : 0, megabyte = two ? one_way(comm, 1 << 20) : 0;
    if (rank_of(comm) != 0) continue;
    nlohmann::ordered_json out = {{"problem", name},
                                  {"contacts", graph.constraint_count()},
                                  {"ranks", size_of(comm)},
                                  {"colours", graph.colour_count()},
                                  {"sweep_wall", sweep.wall},
                                  {"sweep_processor", sweep.processor},
                                  {"judge_wall", judgement.wall},
                                  {"judge_processor", judgement.processor},
                                  {"latency", latency},
                                  {"megabyte", megabyte}};
    if (arguments.threads > 0) {
      out.update({{"threads", arguments.threads}, {"threads_sweep_wall", on_threads}});
    }
    std::printf("%s\n", out.dump().c_str());
  }
  return kConverged;
}

}  // namespace

Command measure_command(CLI::App& app) {
  auto arguments = std::make_shared<MeasureArguments>();
  CLI::App* parser = app.add_subcommand(
      "measure", "the least time of a sweep, a judgement and a message here [s], one JSON object a problem");
  parser->add_option("what", arguments->what, "builtin[:scene[:size]], or lattice:N, N³ spheres")->required();
  parser->add_option("--sweeps", arguments->sweeps, "the least of so many (30)");
  parser->add_option("--threads", arguments->threads,
                     "on one rank: sweeps of one machine on so many threads beside them (wants mpirun --bind-to none)");
  return {parser, [arguments](MPI_Comm comm) { return measure(*arguments, comm); }};
}

}  // namespace locdyn::distributed
