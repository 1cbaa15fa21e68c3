#include <locdyn/distributed/body_registry.hpp>

#include <algorithm>
#include <tuple>

namespace locdyn::distributed {

namespace {

void put_matrix(Writer& to, const Eigen::MatrixXd& matrix) {
  to.put(static_cast<std::int64_t>(matrix.rows()));
  to.put(static_cast<std::int64_t>(matrix.cols()));
  to.put_all(std::span(matrix.data(), static_cast<std::size_t>(matrix.size())));
}

void get_matrix(Reader& from, Eigen::MatrixXd& matrix) {
  const auto rows = from.get<std::int64_t>(), columns = from.get<std::int64_t>();
  matrix.resize(rows, columns);
  from.get_all(std::span(matrix.data(), static_cast<std::size_t>(matrix.size())));
}

}  // namespace

BodyRegistry::BodyRegistry(MPI_Comm comm) : comm_(comm), ranks_(static_cast<std::size_t>(size_of(comm))) {}

void BodyRegistry::give(std::span<const PartBody> bodies, std::span<const std::uint64_t> places) {
  std::vector<Writer> to(ranks_);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Writer& writer = to[registrar(bodies[i].id)];
    writer.put(bodies[i].id);
    writer.put(places[i]);
    put_matrix(writer, bodies[i].A);
    put_matrix(writer, bodies[i].motions);
  }
  std::string fault;
  for (const Bytes& bytes : exchange_bytes(comm_, to)) {
    for (Reader reader(bytes); !reader.done();) {
      const auto id = reader.get<GlobalId>();
      const auto [entry, fresh] = entries_.try_emplace(id);
      if (!fresh) fault = "distributed problem: body " + std::to_string(id) + ": expected once, found twice";
      entry->second.facts.place = reader.get<std::uint64_t>();
      get_matrix(reader, entry->second.A);
      get_matrix(reader, entry->second.motions);
    }
  }
  agree(comm_, fault);
}

void BodyRegistry::require(GlobalId id, std::string& fault) const {
  if (fault.empty() && !entries_.contains(id)) {
    fault = "distributed problem: body " + std::to_string(id) +
            ": expected to be given by one rank, found in a constraint alone";
  }
}

void BodyRegistry::count(std::span<const GlobalId> ids, std::span<const std::uint64_t> counts) {
  std::vector<Writer> to(ranks_);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    to[registrar(ids[i])].put(ids[i]);
    to[registrar(ids[i])].put(counts[i]);
  }
  std::string fault;
  for (const Bytes& bytes : exchange_bytes(comm_, to)) {
    for (Reader reader(bytes); !reader.done();) {
      const auto id = reader.get<GlobalId>();
      const auto more = reader.get<std::uint64_t>();
      require(id, fault);
      if (fault.empty()) entries_[id].facts.constraints += more;
    }
  }
  agree(comm_, fault);
}

// Asks for bodies; `answer(entry, writer)` is what the registrar says of each, `take(i, reader)` gets it for ids[i].
template <class Answer, class Take>
void BodyRegistry::ask(std::span<const GlobalId> ids, const Answer& answer, const Take& take) {
  std::vector<Writer> questions(ranks_);
  for (const GlobalId id : ids) questions[registrar(id)].put(id);
  const std::vector<Bytes> asked = exchange_bytes(comm_, questions);
  std::vector<Writer> answers(ranks_);
  for (std::size_t r = 0; r < ranks_; ++r) {
    for (Reader reader(asked[r]); !reader.done();) answer(entries_.at(reader.get<GlobalId>()), answers[r]);
  }
  const std::vector<Bytes> told = exchange_bytes(comm_, answers);
  std::vector<Reader> readers;
  for (const Bytes& bytes : told) readers.emplace_back(bytes);
  for (std::size_t i = 0; i < ids.size(); ++i) take(i, readers[registrar(ids[i])]);
}

std::vector<BodyFacts> BodyRegistry::facts(std::span<const GlobalId> ids) {
  std::vector<BodyFacts> facts(ids.size());
  ask(
      ids, [](const Entry& entry, Writer& to) { to.put(entry.facts); },
      [&](std::size_t i, Reader& from) { facts[i] = from.get<BodyFacts>(); });
  return facts;
}

std::vector<Eigen::MatrixXd> BodyRegistry::inertias(std::span<const GlobalId> ids) {
  return matrices(ids, &Entry::A);
}

std::vector<Eigen::MatrixXd> BodyRegistry::motions(std::span<const GlobalId> ids) {
  return matrices(ids, &Entry::motions);
}

std::vector<Eigen::MatrixXd> BodyRegistry::matrices(std::span<const GlobalId> ids, Eigen::MatrixXd Entry::*which) {
  std::vector<Eigen::MatrixXd> matrices(ids.size());
  ask(
      ids, [which](const Entry& entry, Writer& to) { put_matrix(to, entry.*which); },
      [&](std::size_t i, Reader& from) { get_matrix(from, matrices[i]); });
  return matrices;
}

std::vector<std::vector<BatchVisit>> BodyRegistry::visits(std::span<const GlobalId> ids,
                                                          std::span<const std::vector<BatchVisit>> visits) {
  for (auto& [id, entry] : entries_) entry.visits.clear();
  std::vector<Writer> to(ranks_);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (const BatchVisit& visit : visits[i]) {
      to[registrar(ids[i])].put(ids[i]);
      to[registrar(ids[i])].put(visit);
    }
  }
  for (const Bytes& bytes : exchange_bytes(comm_, to)) {
    for (Reader reader(bytes); !reader.done();) {
      const auto id = reader.get<GlobalId>();
      entries_.at(id).visits.push_back(reader.get<BatchVisit>());
    }
  }
  for (auto& [id, entry] : entries_) {
    std::sort(entry.visits.begin(), entry.visits.end(), [](const BatchVisit& a, const BatchVisit& b) {
      return std::tie(a.colour, a.batch) < std::tie(b.colour, b.batch);
    });
  }

  std::vector<std::vector<BatchVisit>> all(ids.size());
  ask(
      ids,
      [](const Entry& entry, Writer& answer) {
        answer.put(static_cast<std::uint64_t>(entry.visits.size()));
        answer.put_all(std::span(entry.visits));
      },
      [&](std::size_t i, Reader& from) {
        all[i].resize(from.get<std::uint64_t>());
        from.get_all(std::span(all[i]));
      });
  return all;
}

}  // namespace locdyn::distributed
