#include <locdyn/distributed/distributed_graph.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <locdyn/distributed/batch_colours.hpp>
#include <locdyn/distributed/hilbert_curve.hpp>

namespace locdyn::distributed {
namespace {

[[noreturn]] void refuse(GlobalId constraint, const std::string& what) {
  throw std::invalid_argument("distributed problem: constraint " + std::to_string(constraint) + ": " + what);
}

void check_part_constraint(const PartConstraint& constraint) {
  try {
    validate(constraint.law);
  } catch (const std::invalid_argument& error) {
    refuse(constraint.id, error.what());
  }
  if (!is_coulomb(constraint.law) && is_contact(constraint.law)) {
    refuse(constraint.id,
           std::string("expected a law that sweeps through velocities know, Coulomb's or bilateral, found ") +
               law_name(constraint.law));
  }
  if (constraint.bodies.empty()) refuse(constraint.id, "expected a body that moves, found none");
  if (constraint.freedoms.size() != constraint.bodies.size()) {
    refuse(constraint.id, "expected freedoms of " + std::to_string(constraint.bodies.size()) + " bodies, found " +
                              std::to_string(constraint.freedoms.size()));
  }
  const auto columns = std::accumulate(constraint.freedoms.begin(), constraint.freedoms.end(), std::size_t{0});
  const auto blocks = static_cast<std::size_t>(block_count(constraint.law));
  if (constraint.H.size() != 3 * columns * blocks) {
    refuse(constraint.id, "expected H of " + std::to_string(3 * columns * blocks) + " numbers, found " +
                              std::to_string(constraint.H.size()));
  }
  bool finite = std::all_of(constraint.H.begin(), constraint.H.end(), [](double x) { return std::isfinite(x); });
  for (std::size_t k = 0; k < blocks; ++k) {
    const PartConstraint::Block& block = constraint.blocks[k];
    finite = finite && block.W.allFinite() && block.B.allFinite() && block.R.allFinite();
  }
  if (!finite) refuse(constraint.id, "expected finite W, B, R and H, found one that is not");
}

void check_part(const ProblemPart& part) {
  if (!(part.h > 0 && std::isfinite(part.h))) {
    throw std::invalid_argument("distributed problem: h: expected a step > 0, found " + std::to_string(part.h));
  }
  for (const PartBody& body : part.bodies) {
    if (body.A.rows() == 0 || body.A.rows() != body.A.cols() || !body.A.allFinite() || !body.place.allFinite()) {
      throw std::invalid_argument("distributed problem: body " + std::to_string(body.id) +
                                  ": expected a finite place and inertia (n×n), found others");
    }
    if (body.motions.size() != 0 &&
        (body.motions.rows() != body.A.rows() || body.motions.cols() != 6 || !body.motions.allFinite())) {
      throw std::invalid_argument("distributed problem: body " + std::to_string(body.id) +
                                  ": expected no motions or finite ones (n×6), found others");
    }
  }
  for (const PartConstraint& constraint : part.constraints) check_part_constraint(constraint);
}

// The cube around all bodies of all ranks.
CurveCube cube_of(MPI_Comm comm, std::span<const PartBody> bodies) {
  constexpr double kFar = std::numeric_limits<double>::max();
  Eigen::Vector3d low = Eigen::Vector3d::Constant(kFar), high = Eigen::Vector3d::Constant(-kFar);
  for (const PartBody& body : bodies) {
    low = low.cwiseMin(body.place);
    high = high.cwiseMax(body.place);
  }
  MPI_Allreduce(MPI_IN_PLACE, low.data(), 3, MPI_DOUBLE, MPI_MIN, comm);
  MPI_Allreduce(MPI_IN_PLACE, high.data(), 3, MPI_DOUBLE, MPI_MAX, comm);
  return low[0] <= high[0] ? cube_around(low, high) : CurveCube{};
}

// How many of this rank's constraints act on each body.
void count_constraints(std::span<const PartConstraint> constraints, BodyRegistry& registry) {
  std::unordered_map<GlobalId, std::size_t> number;
  std::vector<GlobalId> ids;
  std::vector<std::uint64_t> counts;
  for (const PartConstraint& constraint : constraints) {
    for (const GlobalId body : constraint.bodies) {
      const auto [at, fresh] = number.try_emplace(body, ids.size());
      if (fresh) {
        ids.push_back(body);
        counts.push_back(0);
      }
      ++counts[at->second];
    }
  }
  registry.count(ids, counts);
}

}  // namespace

DistributedGraph::DistributedGraph(MPI_Comm comm, ProblemPart part, const BatchOptions& options)
    : comm_(comm), registry_(comm) {
  agree_on(comm, [&] { check_part(part); });
  constraint_count_ = part.constraints.size();
  MPI_Allreduce(MPI_IN_PLACE, &constraint_count_, 1, MPI_UINT64_T, MPI_SUM, comm);
  give_bodies(part);
  count_constraints(part.constraints, registry_);
  send_constraints(part.constraints, cut_batches(comm, part.constraints, registry_, options));
  fill(part.h);
  make_schedule(options.length);
}

void DistributedGraph::give_bodies(const ProblemPart& part) {
  const CurveCube cube = cube_of(comm_, part.bodies);
  std::vector<std::uint64_t> places;
  places.reserve(part.bodies.size());
  for (const PartBody& body : part.bodies) places.push_back(hilbert_place(cube, body.place));
  registry_.give(part.bodies, places);
}

// Every constraint to the rank of its batch, there in the order of batches.
void DistributedGraph::send_constraints(std::vector<PartConstraint>& own, std::span<const BatchPlace> places) {
  std::vector<Writer> to(static_cast<std::size_t>(size_of(comm_)));
  for (std::size_t i = 0; i < own.size(); ++i) {
    Writer& writer = to[static_cast<std::size_t>(places[i].rank)];
    writer.put(places[i]);
    writer.put(static_cast<std::uint64_t>(i));
    put(writer, own[i]);
  }
  given_ = own.size();
  own = {};
  std::vector<PartConstraint> got;
  std::vector<Source> sources;
  std::vector<BatchPlace> got_places;
  const std::vector<Bytes> from = exchange_bytes(comm_, to);
  for (std::size_t r = 0; r < from.size(); ++r) {
    for (Reader reader(from[r]); !reader.done();) {
      got_places.push_back(reader.get<BatchPlace>());
      sources.push_back({static_cast<std::int32_t>(r), reader.get<std::uint64_t>()});
      got.push_back(get_constraint(reader));
    }
  }
  std::vector<std::size_t> order(got.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    return std::tuple(got_places[i].batch, got_places[i].home_place, got_places[i].home, got[i].id);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::string fault;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && key(order[i]) == key(order[i - 1])) {
      fault = "distributed problem: constraint " + std::to_string(got[order[i]].id) + ": expected once, found twice";
    }
    received_places_.push_back(got_places[order[i]]);
    source_.push_back(sources[order[i]]);
    received_.push_back(std::move(got[order[i]]));
  }
  agree(comm_, fault);
}

// The graph of this rank's constraints, and the factors of its W.
void DistributedGraph::fill(double h) {
  body_ids_ = bodies_of(received_);
  for (std::size_t i = 0; i < received_.size(); ++i) {
    constraint_ids_.push_back(received_[i].id);
    batch_of_.push_back(received_places_[i].batch);
  }
  const std::vector<Eigen::MatrixXd> inertias = registry_.inertias(body_ids_);
  agree_on(comm_, [&] { graph_ = std::make_unique<PartGraph>(received_, body_ids_, inertias, h, Responses::none); });
  received_ = {};
  received_places_ = {};
}

std::vector<DistributedGraph::Solution> DistributedGraph::solutions() const {
  std::vector<Writer> to(static_cast<std::size_t>(size_of(comm_)));
  for (ConstraintId id{0}; id < ldy().id_bound(); ++id) {
    Solution solution;
    for (int k = 0; k < block_count(ldy().law(id)); ++k) {
      solution.R[static_cast<std::size_t>(k)] = ldy().row(id, k).R;
      solution.U[static_cast<std::size_t>(k)] = ldy().row(id, k).U;
    }
    Writer& writer = to[static_cast<std::size_t>(source_[id].rank)];
    writer.put(source_[id].number);
    writer.put(solution);
  }
  std::vector<Solution> solutions(given_);
  for (const Bytes& bytes : exchange_bytes(comm_, to)) {
    for (Reader reader(bytes); !reader.done();) {
      const auto number = reader.get<std::uint64_t>();
      solutions[number] = reader.get<Solution>();
    }
  }
  return solutions;
}

std::span<const Coupling> DistributedGraph::couplings_of(ConstraintId id) const {
  return ldy().factor()->couplings(static_cast<Index>(&ldy().row(id) - ldy().diagonal_arena().data()));
}

// Colours of the batches, and this rank's batches in order of colour, each in groups that may be visited at once.
void DistributedGraph::make_schedule(std::uint64_t group_length) {
  // This rank's batches: runs of its constraints.
  const std::size_t count = constraint_ids_.size();
  std::vector<std::uint64_t> batches;
  std::vector<std::size_t> begin;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && batch_of_[i] == batch_of_[i - 1]) continue;
    batches.push_back(batch_of_[i]);
    begin.push_back(i);
  }
  begin.push_back(count);

  // Which batches of all ranks act on each body, and so which are neighbours.
  const auto own_rank = static_cast<std::int32_t>(rank_of(comm_));
  std::vector<std::vector<BatchVisit>> own(body_ids_.size());
  for (std::size_t b = 0; b < batches.size(); ++b) {
    for (std::size_t i = begin[b]; i < begin[b + 1]; ++i) {
      for (const Coupling& c : couplings_of(ConstraintId{i})) {
        std::vector<BatchVisit>& visits = own[c.body];
        if (visits.empty() || visits.back().batch != batches[b]) visits.push_back({batches[b], 0, own_rank, 0});
      }
    }
  }
  const std::vector<std::vector<BatchVisit>> all = registry_.visits(body_ids_, own);
  std::vector<std::vector<NeighbourBatch>> neighbours(batches.size());
  for (std::size_t body = 0; body < own.size(); ++body) {
    for (const BatchVisit& visit : own[body]) {
      const auto b =
          static_cast<std::size_t>(std::lower_bound(batches.begin(), batches.end(), visit.batch) - batches.begin());
      for (const BatchVisit& other : all[body]) {
        if (other.batch != visit.batch) neighbours[b].push_back({other.batch, other.rank});
      }
    }
  }
  for (std::vector<NeighbourBatch>& list : neighbours) {
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.batch < b.batch; });
    list.erase(std::unique(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.batch == b.batch; }),
               list.end());
  }
  const BatchColours colours = colour_batches(comm_, batches, neighbours);

  // In order of colour. A long batch is searched for groups in pieces.
  std::vector<Index> group_first;
  schedule_.first.push_back(0);
  schedule_.colour.push_back(0);
  for (std::int32_t colour = 0; colour < colours.count; ++colour) {
    for (std::size_t b = 0; b < batches.size(); ++b) {
      if (colours.colour[b] != colour) continue;
      for (std::size_t i = begin[b]; i < begin[b + 1]; ++i) {
        if ((i - begin[b]) % (4 * group_length) == 0)
          group_first.push_back(static_cast<Index>(schedule_.sequence.size()));
        schedule_.sequence.push_back(ConstraintId{i});
      }
      schedule_.first.push_back(static_cast<Index>(schedule_.sequence.size()));
      batch_names_.push_back(batches[b]);
    }
    schedule_.colour.push_back(schedule_.batch_count());
  }
  schedule_.parallel = schedule_.colour_count();
  group_first.push_back(static_cast<Index>(count));
  detail::set_batches_in_groups(ldy(), group_first, 4, detail::GroupFilling::full, schedule_.sequence);
}

}  // namespace locdyn::distributed
