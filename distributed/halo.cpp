#include <locdyn/distributed/halo.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace locdyn::distributed {
namespace {

constexpr std::size_t kNumbersOfLine = 8;  // numbers

void check_petsc(PetscErrorCode error, const char* where) {
  if (error != 0) {
    throw std::runtime_error(std::string("halo: ") + where + ": PETSc reports error " + std::to_string(error));
  }
}

std::size_t lines_of(std::uint64_t freedoms) {
  return freedoms == 6 ? 1 : (freedoms + kNumbersOfLine - 1) / kNumbersOfLine;
}

}  // namespace

PetscSF Halo::plant(MPI_Comm comm, std::size_t roots, std::span<const Leaf> leaves) const {
  PetscSF forest = nullptr;
  check_petsc(PetscSFCreate(comm, &forest), "create");
  const auto count = static_cast<PetscInt>(leaves.size());
  PetscInt* local = nullptr;
  PetscSFNode* remote = nullptr;
  check_petsc(PetscMalloc1(leaves.size(), &local), "memory");
  check_petsc(PetscMalloc1(leaves.size(), &remote), "memory");
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    local[i] = static_cast<PetscInt>(leaves[i].line);
    remote[i].rank = leaves[i].rank;
    remote[i].index = static_cast<PetscInt>(leaves[i].root);
  }
  check_petsc(
      PetscSFSetGraph(forest, static_cast<PetscInt>(roots), count, local, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER),
      "graph");
  check_petsc(PetscSFSetUp(forest), "set-up");
  return forest;
}

Halo::Halo(DistributedGraph& graph, const detail::VelocitySweep& sweep) {
  MPI_Type_contiguous(static_cast<int>(kNumbersOfLine), MPI_DOUBLE, &line_);
  MPI_Type_commit(&line_);
  const auto own_rank = static_cast<std::int32_t>(rank_of(graph.comm()));
  const detail::SweepSchedule& schedule = graph.schedule();
  const DelassusFactor& factor = *graph.ldy().factor();
  const auto* arena = graph.ldy().diagonal_arena().data();

  // This rank's visits of its bodies, then those of all ranks.
  std::vector<std::vector<BatchVisit>> own(graph.bodies().size());
  std::vector<std::size_t> lines(graph.bodies().size(), 0);
  std::size_t roots = 1;  // nobody's line
  for (std::int32_t colour = 0; colour < graph.colour_count(); ++colour) {
    for (Index batch = schedule.colour[static_cast<std::size_t>(colour)];
         batch < schedule.colour[static_cast<std::size_t>(colour) + 1]; ++batch) {
      const std::uint64_t name = graph.batch_names()[batch];
      for (Index i = schedule.first[batch]; i < schedule.first[batch + 1]; ++i) {
        for (const Coupling& c : factor.couplings(static_cast<Index>(&graph.ldy().row(schedule.sequence[i]) - arena))) {
          std::vector<BatchVisit>& visits = own[c.body];
          if (visits.empty()) {
            lines[c.body] = lines_of(c.freedoms);
            roots += lines[c.body];
          }
          if (!visits.empty() && visits.back().batch == name) continue;
          visits.push_back({name, colour, own_rank, static_cast<std::uint32_t>(sweep.first_line(c.body))});
        }
      }
    }
  }
  const std::vector<std::vector<BatchVisit>> all = graph.registry().visits(graph.bodies(), own);

  // From the visit before each of this rank's, and from the last of all.
  colours_.resize(static_cast<std::size_t>(graph.colour_count()));
  std::vector<std::vector<Leaf>> leaves(colours_.size());
  std::vector<Leaf> last;
  std::vector<char> reads(schedule.batch_count(), 0);
  std::vector<std::vector<std::uint64_t>> reading(colours_.size());  // names of batches
  shared_.assign(roots, 0);
  for (std::size_t body = 0; body < all.size(); ++body) {
    const std::vector<BatchVisit>& visits = all[body];
    if (visits.empty()) continue;
    const auto get = [&](std::vector<Leaf>& to, const BatchVisit& from) {
      for (std::uint32_t k = 0; k < lines[body]; ++k) {
        to.push_back({sweep.first_line(static_cast<std::uint32_t>(body)) + k, from.rank, from.line + k});
      }
    };
    for (std::size_t v = 0; v < visits.size(); ++v) {
      const BatchVisit& before = visits[(v + visits.size() - 1) % visits.size()];
      if (visits[v].rank != own_rank) {
        for (std::size_t k = 0; k < lines[body]; ++k) {
          shared_[sweep.first_line(static_cast<std::uint32_t>(body)) + k] = 1;
        }
      } else if (before.rank != own_rank) {
        get(leaves[static_cast<std::size_t>(visits[v].colour)], before);
        reading[static_cast<std::size_t>(visits[v].colour)].push_back(visits[v].batch);
      }
    }
    if (visits.back().rank != own_rank) get(last, visits.back());
  }

  for (std::size_t colour = 0; colour < colours_.size(); ++colour) {
    received_lines_ += leaves[colour].size();
    colours_[colour].forest = plant(graph.comm(), roots, leaves[colour]);
    std::sort(reading[colour].begin(), reading[colour].end());
    for (Index batch = schedule.colour[colour]; batch < schedule.colour[colour + 1]; ++batch) {
      const bool waits = std::binary_search(reading[colour].begin(), reading[colour].end(), graph.batch_names()[batch]);
      (waits ? colours_[colour].boundary : colours_[colour].interior).push_back(batch);
    }
  }
  last_ = plant(graph.comm(), roots, last);
}

Halo::~Halo() {
  for (Colour& colour : colours_) {
    if (colour.forest != nullptr) (void)PetscSFDestroy(&colour.forest);
  }
  if (last_ != nullptr) (void)PetscSFDestroy(&last_);
  if (line_ != MPI_DATATYPE_NULL) MPI_Type_free(&line_);
}

void Halo::begin(int colour, std::span<double> lines) {
  check_petsc(PetscSFBcastBegin(colours_[static_cast<std::size_t>(colour)].forest, line_, lines.data(), lines.data(),
                                MPI_REPLACE),
              "send");
}

void Halo::end(int colour, std::span<double> lines) {
  check_petsc(PetscSFBcastEnd(colours_[static_cast<std::size_t>(colour)].forest, line_, lines.data(), lines.data(),
                              MPI_REPLACE),
              "receive");
}

void Halo::share_last(std::span<double> lines) {
  check_petsc(PetscSFBcastBegin(last_, line_, lines.data(), lines.data(), MPI_REPLACE), "send");
  check_petsc(PetscSFBcastEnd(last_, line_, lines.data(), lines.data(), MPI_REPLACE), "receive");
}

void Halo::add_to_last(std::span<const double> changes, std::span<double> lines) {
  check_petsc(PetscSFReduceBegin(last_, line_, changes.data(), lines.data(), MPI_SUM), "send");
  check_petsc(PetscSFReduceEnd(last_, line_, changes.data(), lines.data(), MPI_SUM), "receive");
}

}  // namespace locdyn::distributed
