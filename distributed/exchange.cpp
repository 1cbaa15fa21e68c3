#include <locdyn/distributed/exchange.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace locdyn::distributed {
namespace {

constexpr std::size_t kLargestMessage = std::numeric_limits<int>::max();

// Where the bytes of each rank begin in one array, and the length of all; −1 where it has no room in an int.
long offsets_of(std::span<const int> counts, std::vector<int>& offsets) {
  std::size_t at = 0;
  offsets.resize(counts.size());
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (at > kLargestMessage) return -1;
    offsets[r] = static_cast<int>(at);
    at += static_cast<std::size_t>(counts[r]);
  }
  return at > kLargestMessage ? -1 : static_cast<long>(at);
}

std::vector<Bytes> split(const Bytes& all, std::span<const int> counts, std::span<const int> offsets) {
  std::vector<Bytes> parts(counts.size());
  for (std::size_t r = 0; r < counts.size(); ++r) {
    parts[r].assign(all.begin() + offsets[r], all.begin() + offsets[r] + counts[r]);
  }
  return parts;
}

void require_room(MPI_Comm comm, bool room) {
  int fits = room ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, comm);
  if (fits == 0) {
    throw std::length_error("messages: expected at most 2 GiB a rank, found more: use more ranks");
  }
}

}  // namespace

void Reader::require(std::size_t length) const {
  if (length > bytes_.size()) {
    throw std::length_error("message: expected " + std::to_string(length) + " more bytes, found " +
                            std::to_string(bytes_.size()));
  }
}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

std::vector<Bytes> exchange_bytes(MPI_Comm comm, std::span<const Bytes> to) {
  const auto ranks = static_cast<std::size_t>(size_of(comm));
  std::vector<int> sent(ranks), got(ranks), sent_at, got_at;
  bool room = true;
  for (std::size_t r = 0; r < ranks; ++r) {
    room = room && to[r].size() <= kLargestMessage;
    sent[r] = static_cast<int>(std::min(to[r].size(), kLargestMessage));
  }
  MPI_Alltoall(sent.data(), 1, MPI_INT, got.data(), 1, MPI_INT, comm);
  const long sending = offsets_of(sent, sent_at), getting = offsets_of(got, got_at);
  require_room(comm, room && sending >= 0 && getting >= 0);

  Bytes outgoing, incoming(static_cast<std::size_t>(getting));
  outgoing.reserve(static_cast<std::size_t>(sending));
  for (const Bytes& part : to) outgoing.insert(outgoing.end(), part.begin(), part.end());
  MPI_Alltoallv(outgoing.data(), sent.data(), sent_at.data(), MPI_BYTE, incoming.data(), got.data(), got_at.data(),
                MPI_BYTE, comm);
  return split(incoming, got, got_at);
}

std::vector<Bytes> exchange_bytes(MPI_Comm comm, std::span<const Writer> to) {
  std::vector<Bytes> bytes;
  bytes.reserve(to.size());
  for (const Writer& writer : to) bytes.push_back(writer.bytes());
  return exchange_bytes(comm, bytes);
}

std::vector<Bytes> share_with_all(MPI_Comm comm, const Bytes& own) {
  const auto ranks = static_cast<std::size_t>(size_of(comm));
  const int length = static_cast<int>(std::min(own.size(), kLargestMessage));
  std::vector<int> lengths(ranks), offsets;
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
  const long total = offsets_of(lengths, offsets);
  require_room(comm, own.size() <= kLargestMessage && total >= 0);
  Bytes all(static_cast<std::size_t>(total));
  MPI_Allgatherv(own.data(), length, MPI_BYTE, all.data(), lengths.data(), offsets.data(), MPI_BYTE, comm);
  return split(all, lengths, offsets);
}

std::vector<Bytes> gather(MPI_Comm comm, const Bytes& own) {
  std::vector<Bytes> to(static_cast<std::size_t>(size_of(comm)));
  to[0] = own;
  std::vector<Bytes> parts = exchange_bytes(comm, to);
  if (rank_of(comm) != 0) parts.clear();
  return parts;
}

void agree(MPI_Comm comm, const std::string& fault) {
  const int rank = rank_of(comm), ranks = size_of(comm);
  int first = fault.empty() ? ranks : rank;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == ranks) return;
  int length = static_cast<int>(fault.size());
  MPI_Bcast(&length, 1, MPI_INT, first, comm);
  std::string line = fault;
  line.resize(static_cast<std::size_t>(length));
  MPI_Bcast(line.data(), length, MPI_CHAR, first, comm);
  throw std::invalid_argument(line);
}

}  // namespace locdyn::distributed
