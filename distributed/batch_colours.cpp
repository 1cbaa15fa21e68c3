#include <locdyn/distributed/batch_colours.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace locdyn::distributed {
namespace {

constexpr std::int32_t kNoColour = -1;

bool heavier(std::uint64_t a, std::uint64_t b) {
  return std::pair(hash_of(a), a) > std::pair(hash_of(b), b);
}

struct ColourOf {
  std::uint64_t batch = 0;
  std::int32_t colour = 0;
};

}  // namespace

BatchColours colour_batches(MPI_Comm comm, std::span<const std::uint64_t> batches,
                            std::span<const std::vector<NeighbourBatch>> neighbours) {
  const auto ranks = static_cast<std::size_t>(size_of(comm));
  const auto own_rank = static_cast<std::int32_t>(rank_of(comm));
  BatchColours result;
  result.colour.assign(batches.size(), kNoColour);
  std::unordered_map<std::uint64_t, std::int32_t> known;  // colours so far, own and neighbours'
  std::vector<std::size_t> left(batches.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  std::sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) { return heavier(batches[a], batches[b]); });

  std::vector<char> taken;
  // The least colour free, or none where a heavier neighbour waits still.
  const auto colour_now = [&](std::size_t i) {
    taken.assign(neighbours[i].size() + 1, 0);
    for (const NeighbourBatch& other : neighbours[i]) {
      const auto at = known.find(other.batch);
      if (at == known.end()) {
        if (heavier(other.batch, batches[i])) return kNoColour;
      } else if (static_cast<std::size_t>(at->second) < taken.size()) {
        taken[static_cast<std::size_t>(at->second)] = 1;
      }
    }
    return static_cast<std::int32_t>(std::find(taken.begin(), taken.end(), 0) - taken.begin());
  };

  for (int waiting = 1; waiting != 0; ++result.rounds) {
    std::vector<Writer> to(ranks);
    std::size_t kept = 0;
    for (const std::size_t i : left) {  // in order of weight: what one settles another may use at once
      const std::int32_t colour = colour_now(i);
      if (colour == kNoColour) {
        left[kept++] = i;
        continue;
      }
      result.colour[i] = colour;
      known[batches[i]] = colour;
      result.count = std::max(result.count, colour + 1);
      std::vector<std::int32_t> told;
      for (const NeighbourBatch& other : neighbours[i]) {
        if (other.rank == own_rank || std::find(told.begin(), told.end(), other.rank) != told.end()) continue;
        told.push_back(other.rank);
        to[static_cast<std::size_t>(other.rank)].put(ColourOf{batches[i], colour});
      }
    }
    left.resize(kept);
    for (const Bytes& bytes : exchange_bytes(comm, to)) {
      for (Reader reader(bytes); !reader.done();) {
        const auto one = reader.get<ColourOf>();
        known[one.batch] = one.colour;
      }
    }
    waiting = left.empty() ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &waiting, 1, MPI_INT, MPI_MAX, comm);
  }
  MPI_Allreduce(MPI_IN_PLACE, &result.count, 1, MPI_INT32_T, MPI_MAX, comm);
  return result;
}

}  // namespace locdyn::distributed
