#include <locdyn/distributed/second_order/velocity_unknowns.hpp>

#include <limits>
#include <stdexcept>
#include <string>

namespace locdyn::distributed {
namespace {

std::size_t blocks_of(std::uint64_t inertia_entries) {
  std::uint64_t n = 0;
  while (n * n < inertia_entries) ++n;
  return static_cast<std::size_t>((n + VelocityUnknowns::kBlock - 1) / VelocityUnknowns::kBlock);
}

}  // namespace

void require_petsc(PetscErrorCode error, const char* what) {
  if (error != 0) {
    throw std::runtime_error(std::string("second order: ") + what + ": PETSc reports error " + std::to_string(error));
  }
}

VelocityUnknowns::VelocityUnknowns(DistributedGraph& graph) : comm_(graph.comm()) {
  const DelassusFactor& factor = *graph.ldy().factor();
  const std::size_t groups = graph.bodies().size();
  const int rank = rank_of(comm_);
  std::size_t blocks = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    first_.push_back(blocks);
    blocks += blocks_of(factor.first_inertia[g + 1] - factor.first_inertia[g]);
  }
  first_.push_back(blocks);

  // Who acts on a body: one of them has it, by lot, so that none has all that it shares.
  std::vector<std::vector<BatchVisit>> visits(groups, {{static_cast<std::uint64_t>(rank), 0, rank, 0}});
  const std::vector<std::vector<BatchVisit>> acting = graph.registry().visits(graph.bodies(), visits);
  std::vector<int> owner_of(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    owner_of[g] = acting[g][hash_of(graph.bodies()[g]) % acting[g].size()].rank;
    visits[g].clear();
    if (owner_of[g] != rank) continue;
    own_.push_back(static_cast<std::uint32_t>(g));
    visits[g].push_back({0, 0, rank, static_cast<std::uint32_t>(own_blocks_)});
    own_blocks_ += static_cast<PetscInt>(first_[g + 1] - first_[g]);
  }

  // Numbers: rank after rank, and there in the order of bodies.
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(size_of(comm_))), begin;
  const auto own_count = static_cast<std::uint64_t>(own_blocks_);
  MPI_Allgather(&own_count, 1, MPI_UINT64_T, counts.data(), 1, MPI_UINT64_T, comm_);
  for (const std::uint64_t count : counts) {
    begin.push_back(all_blocks_);
    all_blocks_ += count;
  }
  if (all_blocks_ * kBlock > static_cast<std::uint64_t>(std::numeric_limits<PetscInt>::max())) {
    throw std::invalid_argument("second order: expected at most " +
                                std::to_string(std::numeric_limits<PetscInt>::max() / kBlock) +
                                " bodies, which this PETSc can number, found " + std::to_string(all_blocks_));
  }
  first_own_ = static_cast<PetscInt>(begin[static_cast<std::size_t>(rank)]);
  const std::vector<std::vector<BatchVisit>> places = graph.registry().visits(graph.bodies(), visits);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::uint64_t first = begin[static_cast<std::size_t>(owner_of[g])] + places[g].front().line;
    for (std::size_t k = 0; k < first_[g + 1] - first_[g]; ++k) {
      number_.push_back(static_cast<PetscInt>(first + k));
      owner_.push_back(owner_of[g]);
    }
  }

  Vec all = global_vector(), copies = copies_vector();
  IS from = nullptr, to = nullptr;
  const auto count = static_cast<PetscInt>(number_.size());
  require_petsc(ISCreateBlock(comm_, kBlock, count, number_.data(), PETSC_COPY_VALUES, &from), "numbers");
  require_petsc(ISCreateStride(PETSC_COMM_SELF, kBlock * count, 0, 1, &to), "numbers");
  require_petsc(VecScatterCreate(all, from, copies, to, &scatter_), "copies");
  require_petsc(ISDestroy(&from), "numbers");
  require_petsc(ISDestroy(&to), "numbers");
  require_petsc(VecDestroy(&all), "vectors");
  require_petsc(VecDestroy(&copies), "vectors");
}

VelocityUnknowns::~VelocityUnknowns() {
  if (scatter_ != nullptr) (void)VecScatterDestroy(&scatter_);
}

Vec VelocityUnknowns::copies_vector() const {
  Vec copies = nullptr;
  require_petsc(VecCreateSeq(PETSC_COMM_SELF, static_cast<PetscInt>(kBlock * number_.size()), &copies), "vectors");
  return copies;
}

Vec VelocityUnknowns::global_vector() const {
  Vec all = nullptr;
  require_petsc(VecCreate(comm_, &all), "vectors");
  require_petsc(VecSetSizes(all, kBlock * own_blocks_, PETSC_DETERMINE), "vectors");
  require_petsc(VecSetBlockSize(all, kBlock), "vectors");
  require_petsc(VecSetType(all, VECSTANDARD), "vectors");
  return all;
}

void VelocityUnknowns::add_up(Vec copies, Vec all) const {
  require_petsc(VecSet(all, 0), "send");
  require_petsc(VecScatterBegin(scatter_, copies, all, ADD_VALUES, SCATTER_REVERSE), "send");
  require_petsc(VecScatterEnd(scatter_, copies, all, ADD_VALUES, SCATTER_REVERSE), "receive");
}

void VelocityUnknowns::hand_out(Vec all, Vec copies) const {
  require_petsc(VecScatterBegin(scatter_, all, copies, INSERT_VALUES, SCATTER_FORWARD), "send");
  require_petsc(VecScatterEnd(scatter_, all, copies, INSERT_VALUES, SCATTER_FORWARD), "receive");
}

}  // namespace locdyn::distributed
