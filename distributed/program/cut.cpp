// locdyn_mpi cut: our own cut of a problem between ranks, runs of Hilbert's curve of about as many constraints each,
// beside those of others: PT-Scotch, which cuts the graph of bodies and constraints (through PETSc), and Zoltan's own
// Hilbert curve where this program was built with it.
//
// Source: Chevalier & Pellegrini, Parallel Comput. 34 (2008) 318–331 (PT-Scotch); Devine et al., Comput. Sci. Eng. 4
// (2002) 90–97 (Zoltan).

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <petscmat.h>
#ifdef LOCDYN_WITH_ZOLTAN
#include <zoltan.h>
#endif

#include <locdyn/distributed/hilbert_curve.hpp>
#include <locdyn/distributed/second_order/velocity_unknowns.hpp>
#include "command.hpp"
#include "problems.hpp"

namespace locdyn::distributed {
namespace {

struct CutArguments {
  std::string what;
  std::vector<int> parts = {4, 16, 64, 256};
};

// Bodies as a cut sees them: where they are, which constraints have their home there, whom constraints bring together.
struct CutProblem {
  std::vector<Eigen::Vector3d> place;
  std::vector<std::uint64_t> weight;                  // constraints whose body of lowest id it is
  std::vector<std::vector<std::int32_t>> of;          // bodies of each constraint
  std::vector<std::vector<std::int32_t>> neighbours;  // of each body, ascending

  explicit CutProblem(const ProblemPart& part) {
    std::unordered_map<GlobalId, std::int32_t> number;
    for (const PartBody& body : part.bodies) {
      number.emplace(body.id, static_cast<std::int32_t>(place.size()));
      place.push_back(body.place);
    }
    weight.assign(place.size(), 0);
    neighbours.resize(place.size());
    for (const PartConstraint& constraint : part.constraints) {
      of.emplace_back();
      for (const GlobalId body : constraint.bodies) of.back().push_back(number.at(body));
      ++weight[static_cast<std::size_t>(
          number.at(*std::min_element(constraint.bodies.begin(), constraint.bodies.end())))];
      for (const std::int32_t a : of.back()) {
        for (const std::int32_t b : of.back()) {
          if (a != b) neighbours[static_cast<std::size_t>(a)].push_back(b);
        }
      }
    }
    for (std::vector<std::int32_t>& list : neighbours) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }
};

using Parts = std::vector<std::int32_t>;  // by body

Parts by_hilbert(const CutProblem& problem, int parts) {
  Eigen::Vector3d low = problem.place.front(), high = low;
  for (const Eigen::Vector3d& x : problem.place) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  const CurveCube cube = cube_around(low, high);
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < problem.place.size(); ++i) order.emplace_back(hilbert_place(cube, problem.place[i]), i);
  std::sort(order.begin(), order.end());
  const std::uint64_t total = std::accumulate(problem.weight.begin(), problem.weight.end(), std::uint64_t{0});
  Parts part(problem.place.size());
  std::uint64_t before = 0;
  for (const auto& [at, body] : order) {
    part[body] = static_cast<std::int32_t>(
        std::min(before * static_cast<std::uint64_t>(parts) / total, static_cast<std::uint64_t>(parts) - 1));
    before += problem.weight[body];
  }
  return part;
}

Parts by_scotch(const CutProblem& problem, int parts) {
  const auto count = static_cast<PetscInt>(problem.place.size());
  PetscInt edges = 0;
  for (const auto& list : problem.neighbours) edges += static_cast<PetscInt>(list.size());
  PetscInt *first = nullptr, *columns = nullptr, *weights = nullptr;
  require_petsc(PetscMalloc1(count + 1, &first), "cut");
  require_petsc(PetscMalloc1(edges, &columns), "cut");
  require_petsc(PetscMalloc1(count, &weights), "cut");
  first[0] = 0;
  for (PetscInt i = 0; i < count; ++i) {
    const auto& list = problem.neighbours[static_cast<std::size_t>(i)];
    std::copy(list.begin(), list.end(), columns + first[i]);
    first[i + 1] = first[i] + static_cast<PetscInt>(list.size());
    weights[i] = static_cast<PetscInt>(problem.weight[static_cast<std::size_t>(i)]);
  }
  Mat graph = nullptr;
  MatPartitioning partitioning = nullptr;
  IS found = nullptr;
  require_petsc(MatCreateMPIAdj(PETSC_COMM_SELF, count, count, first, columns, nullptr, &graph), "cut");
  require_petsc(MatPartitioningCreate(PETSC_COMM_SELF, &partitioning), "cut");
  require_petsc(MatPartitioningSetAdjacency(partitioning, graph), "cut");
  require_petsc(MatPartitioningSetType(partitioning, MATPARTITIONINGPTSCOTCH), "cut");
  require_petsc(MatPartitioningSetNParts(partitioning, parts), "cut");
  require_petsc(MatPartitioningSetVertexWeights(partitioning, weights), "cut");
  require_petsc(MatPartitioningApply(partitioning, &found), "cut");
  const PetscInt* numbers = nullptr;
  require_petsc(ISGetIndices(found, &numbers), "cut");
  Parts part(numbers, numbers + count);
  require_petsc(ISRestoreIndices(found, &numbers), "cut");
  require_petsc(ISDestroy(&found), "cut");
  require_petsc(MatPartitioningDestroy(&partitioning), "cut");
  require_petsc(MatDestroy(&graph), "cut");
  return part;
}

#ifdef LOCDYN_WITH_ZOLTAN
Parts by_zoltan(const CutProblem& problem, int parts) {
  float version = 0;
  Zoltan_Initialize(0, nullptr, &version);
  Zoltan_Struct* zoltan = Zoltan_Create(MPI_COMM_SELF);
  for (const auto& [name, value] : {std::pair{"DEBUG_LEVEL", std::string("0")},
                                    {"NUM_GLOBAL_PARTS", std::to_string(parts)},
                                    {"OBJ_WEIGHT_DIM", "1"},
                                    {"RETURN_LISTS", "PARTS"},
                                    {"NUM_GID_ENTRIES", "1"},
                                    {"LB_METHOD", "HSFC"}}) {
    Zoltan_Set_Param(zoltan, name, value.c_str());
  }
  auto* data = const_cast<CutProblem*>(&problem);
  Zoltan_Set_Num_Obj_Fn(
      zoltan,
      [](void* from, int* fault) {
        *fault = ZOLTAN_OK;
        return static_cast<int>(static_cast<CutProblem*>(from)->place.size());
      },
      data);
  Zoltan_Set_Obj_List_Fn(
      zoltan,
      [](void* from, int, int, ZOLTAN_ID_PTR id, ZOLTAN_ID_PTR local, int, float* weight, int* fault) {
        const auto* of = static_cast<CutProblem*>(from);
        for (std::size_t i = 0; i < of->place.size(); ++i) {
          id[i] = local[i] = static_cast<ZOLTAN_ID_TYPE>(i);
          weight[i] = static_cast<float>(of->weight[i]);
        }
        *fault = ZOLTAN_OK;
      },
      data);
  Zoltan_Set_Num_Geom_Fn(
      zoltan,
      [](void*, int* fault) {
        *fault = ZOLTAN_OK;
        return 3;
      },
      data);
  Zoltan_Set_Geom_Fn(
      zoltan,
      [](void* from, int, int, ZOLTAN_ID_PTR id, ZOLTAN_ID_PTR, double* x, int* fault) {
        Eigen::Map<Eigen::Vector3d>(x, 3) = static_cast<CutProblem*>(from)->place[*id];
        *fault = ZOLTAN_OK;
      },
      data);
  int changed = 0, ids = 0, own_ids = 0, import_count = 0, export_count = 0;
  ZOLTAN_ID_PTR imported = nullptr, local_imported = nullptr, exported = nullptr, local_exported = nullptr;
  int *import_ranks = nullptr, *import_parts = nullptr, *export_ranks = nullptr, *export_parts = nullptr;
  const int fault =
      Zoltan_LB_Partition(zoltan, &changed, &ids, &own_ids, &import_count, &imported, &local_imported, &import_ranks,
                          &import_parts, &export_count, &exported, &local_exported, &export_ranks, &export_parts);
  Parts part(problem.place.size(), 0);
  for (int i = 0; i < export_count; ++i) part[exported[i]] = export_parts[i];
  Zoltan_LB_Free_Part(&imported, &local_imported, &import_ranks, &import_parts);
  Zoltan_LB_Free_Part(&exported, &local_exported, &export_ranks, &export_parts);
  Zoltan_Destroy(&zoltan);
  if (fault != ZOLTAN_OK) throw std::runtime_error("cut: Zoltan reports error " + std::to_string(fault));
  return part;
}
#endif

// The share of constraints that act on a body of another part's constraints, and the largest part over the mean.
void tell_cut(const CutProblem& problem, int parts, const char* name, const Parts& part, double seconds) {
  const auto home = [&](const std::vector<std::int32_t>& bodies) {
    return part[static_cast<std::size_t>(*std::min_element(bodies.begin(), bodies.end()))];
  };
  std::vector<std::int32_t> seen(problem.place.size(), -1);
  std::vector<std::uint8_t> shared(problem.place.size(), 0);
  std::vector<double> load(static_cast<std::size_t>(parts), 0);
  for (const auto& bodies : problem.of) {
    ++load[static_cast<std::size_t>(home(bodies))];
    for (const std::int32_t body : bodies) {
      std::int32_t& by = seen[static_cast<std::size_t>(body)];
      if (by >= 0 && by != home(bodies)) shared[static_cast<std::size_t>(body)] = 1;
      by = home(bodies);
    }
  }
  std::uint64_t across = 0;
  for (const auto& bodies : problem.of) {
    if (std::any_of(bodies.begin(), bodies.end(),
                    [&](std::int32_t b) { return shared[static_cast<std::size_t>(b)]; })) {
      ++across;
    }
  }
  const double count = static_cast<double>(problem.of.size());
  std::printf("%7d %-10s %8.3f %10.3f %10.3g\n", parts, name, static_cast<double>(across) / count,
              *std::max_element(load.begin(), load.end()) * parts / count, seconds);
}

int cut(const CutArguments& arguments, MPI_Comm comm) {
  if (size_of(comm) != 1) {
    throw std::invalid_argument("cut: expected one rank, which cuts for all, found " + std::to_string(size_of(comm)));
  }
  for (const int parts : arguments.parts) {
    if (parts < 2) throw std::invalid_argument("--parts: expected at least 2, found " + std::to_string(parts));
  }
  for (const auto& [name, part] : problems_of(arguments.what, comm)) {
    const CutProblem problem(part());
    if (problem.of.empty()) continue;
    std::printf("%s: %zu constraints, %zu bodies\n%7s %-10s %8s %10s %10s\n", name.c_str(), problem.of.size(),
                problem.place.size(), "parts", "cut by", "shared", "most/mean", "seconds");
    const auto tell = [&](const char* method, int parts, const auto& make) {
      const double began = MPI_Wtime();
      const Parts found = make(problem, parts);
      tell_cut(problem, parts, method, found, MPI_Wtime() - began);
    };
    for (const int parts : arguments.parts) {
      tell("hilbert", parts, by_hilbert);
#ifdef LOCDYN_WITH_ZOLTAN
      tell("zoltan", parts, by_zoltan);
#endif
      tell("pt-scotch", parts, by_scotch);
    }
  }
  return kConverged;
}

}  // namespace

Command cut_command(CLI::App& app) {
  auto arguments = std::make_shared<CutArguments>();
  CLI::App* parser = app.add_subcommand("cut", "cuts between ranks, by Hilbert's curve and by others; run it on one");
  parser->add_option("what", arguments->what, "builtin[:scene[:size]], or lattice:N, N³ spheres")->required();
  parser->add_option("--parts", arguments->parts, "numbers of parts, separated by commas")->delimiter(',');
  return {parser, [arguments](MPI_Comm comm) { return cut(*arguments, comm); }};
}

}  // namespace locdyn::distributed
