// locdyn_mpi count: what sweeps over very many ranks would send.

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <locdyn/distributed/virtual_ranks.hpp>
#include "command.hpp"
#include "problems.hpp"

namespace locdyn::distributed {
namespace {

struct CountArguments {
  std::string what;
  std::vector<int> ranks = {4, 16, 64, 256, 1024, 4096};
  bool json = false;
};

// One line: what the model of a cluster reads (distributed/model).
void tell_json(const std::string& name, const DistributedGraph& graph, const HaloCount& c) {
  nlohmann::ordered_json out = {{"problem", name},
                                {"contacts", graph.constraint_count()},
                                {"ranks", c.ranks},
                                {"most_constraints", c.most_constraints},
                                {"shared", c.shared},
                                {"neighbours", c.most_neighbours},
                                {"total_bytes", c.total_bytes}};
  for (const ColourCount& colour : c.by_colour) {
    out["messages"].push_back(colour.messages);
    out["bytes"].push_back(colour.bytes);
    out["constraints"].push_back(colour.constraints);
    out["most"].push_back(colour.most);
    out["interior"].push_back(colour.interior);
  }
  std::printf("%s\n", out.dump().c_str());
}

int count(const CountArguments& arguments, MPI_Comm comm) {
  if (size_of(comm) != 1) {
    throw std::invalid_argument("count: expected one rank, which counts for all, found " +
                                std::to_string(size_of(comm)));
  }
  for (const auto& [name, part] : problems_of(arguments.what, comm)) {
    DistributedGraph graph(comm, part());
    if (arguments.json) {
      for (const int ranks : arguments.ranks) tell_json(name, graph, count_halo(graph, ranks));
      continue;
    }
    std::printf("%s: %lu constraints, %d colours\n%7s %12s %12s %8s %11s %10s %12s %12s\n", name.c_str(),
                static_cast<unsigned long>(graph.constraint_count()), graph.colour_count(), "ranks", "constraints",
                "at most", "shared", "neighbours", "messages", "kB a sweep", "interior");
    for (const int ranks : arguments.ranks) {
      const HaloCount c = count_halo(graph, ranks);
      std::printf("%7d %12.0f %12.0f %8.3f %11.0f %10.0f %12.1f %12.0f\n", ranks, c.mean_constraints,
                  c.most_constraints, c.shared, c.most_neighbours, c.messages, c.bytes / 1000, c.interior);
    }
  }
  return kConverged;
}

}  // namespace

Command count_command(CLI::App& app) {
  auto arguments = std::make_shared<CountArguments>();
  CLI::App* parser =
      app.add_subcommand("count", "messages that exact sweeps over many ranks would send; run it on one");
  parser->add_option("what", arguments->what, "builtin[:scene[:size]], or lattice:N, N³ spheres")->required();
  parser->add_option("--ranks", arguments->ranks, "numbers of ranks, separated by commas")->delimiter(',');
  parser->add_flag("--json", arguments->json, "one JSON object a number of ranks, colour by colour");
  return {parser, [arguments](MPI_Comm comm) { return count(*arguments, comm); }};
}

}  // namespace locdyn::distributed
