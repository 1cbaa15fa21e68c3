#pragma once
// What ranks have to know of bodies that others hold. Every body has a registrar, the rank that its id hashes to:
// whoever holds something of a body tells it there, whoever needs it asks there, so that no rank knows all bodies.
//
// Source: Pınar & Hendrickson, Communication support for adaptive computation, SIAM PPSC (2001), the rendezvous
// algorithm.

#include <mpi.h>

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <locdyn/distributed/problem_part.hpp>

namespace locdyn::distributed {

/// A well mixed number of an id: weights and registrars. Source: Steele, Lea & Flood, OOPSLA (2014), SplitMix64.
[[nodiscard]] constexpr std::uint64_t hash_of(std::uint64_t id) noexcept {
  id += 0x9e3779b97f4a7c15u;
  id = (id ^ (id >> 30)) * 0xbf58476d1ce4e5b9u;
  id = (id ^ (id >> 27)) * 0x94d049bb133111ebu;
  return id ^ (id >> 31);
}

/// What the partition asks of a body.
struct BodyFacts {
  std::uint64_t place = 0;        ///< along Hilbert's curve
  std::uint64_t constraints = 0;  ///< that act on it, over all ranks
};

/// A batch that visits a body: where it lies and when its turn is.
struct BatchVisit {
  std::uint64_t batch = 0;
  std::int32_t colour = 0;
  std::int32_t rank = 0;
  std::uint32_t line = 0;  ///< the body's first line among the velocities of that rank
};

/// All members are collective; ids come each once in a call.
class BodyRegistry {
 public:
  explicit BodyRegistry(MPI_Comm comm);

  /// The bodies that this rank gives. All ranks throw std::invalid_argument where a body is given twice.
  void give(std::span<const PartBody> bodies, std::span<const std::uint64_t> places);
  /// `counts[i]` constraints of this rank act on body `ids[i]`. All ranks throw std::invalid_argument naming a body
  /// that nobody gave.
  void count(std::span<const GlobalId> ids, std::span<const std::uint64_t> counts);
  /// By `ids`.
  [[nodiscard]] std::vector<BodyFacts> facts(std::span<const GlobalId> ids);
  [[nodiscard]] std::vector<Eigen::MatrixXd> inertias(std::span<const GlobalId> ids);
  /// Empty where the body was given without.
  [[nodiscard]] std::vector<Eigen::MatrixXd> motions(std::span<const GlobalId> ids);

  /// Forgets the visits of before; this rank's visits of body `ids[i]` are `visits[i]`. Returns those of all ranks,
  /// by `ids`, ascending by colour, then batch.
  [[nodiscard]] std::vector<std::vector<BatchVisit>> visits(std::span<const GlobalId> ids,
                                                            std::span<const std::vector<BatchVisit>> visits);

 private:
  struct Entry {
    BodyFacts facts;
    Eigen::MatrixXd A, motions;
    std::vector<BatchVisit> visits;
  };
  [[nodiscard]] std::size_t registrar(GlobalId id) const noexcept { return hash_of(id) % ranks_; }
  template <class Answer, class Take>
  void ask(std::span<const GlobalId> ids, const Answer& answer, const Take& take);
  std::vector<Eigen::MatrixXd> matrices(std::span<const GlobalId> ids, Eigen::MatrixXd Entry::*which);
  void require(GlobalId id, std::string& fault) const;

  MPI_Comm comm_;
  std::size_t ranks_;
  std::unordered_map<GlobalId, Entry> entries_;
};

}  // namespace locdyn::distributed
