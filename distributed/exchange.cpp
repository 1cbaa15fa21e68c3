#include <locdyn/distributed/exchange.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace locdyn::distributed {
namespace {

constexpr std::size_t kLargestMessage = std::numeric_limits<int>::max();
constexpr std::size_t kLargestPiece = std::size_t{1} << 30;
constexpr int kExchangeTag = 9;

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
  // Who sends how much to whom; then messages between those alone, in pieces that an int can count.
  const auto ranks = static_cast<std::size_t>(size_of(comm)), own = static_cast<std::size_t>(rank_of(comm));
  std::vector<std::uint64_t> sent(ranks), got(ranks);
  for (std::size_t r = 0; r < ranks; ++r) sent[r] = to[r].size();
  MPI_Alltoall(sent.data(), 1, MPI_UINT64_T, got.data(), 1, MPI_UINT64_T, comm);
  std::vector<Bytes> from(ranks);
  std::vector<MPI_Request> requests;
  const auto for_each_piece = [&](std::size_t length, const auto& work) {
    for (std::size_t at = 0; at < length; at += kLargestPiece) {
      work(at, static_cast<int>(std::min(kLargestPiece, length - at)), &requests.emplace_back());
    }
  };
  from[own] = to[own];
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == own) continue;
    from[r].resize(got[r]);
    for_each_piece(got[r], [&](std::size_t at, int length, MPI_Request* request) {
      MPI_Irecv(from[r].data() + at, length, MPI_BYTE, static_cast<int>(r), kExchangeTag, comm, request);
    });
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == own) continue;
    for_each_piece(sent[r], [&](std::size_t at, int length, MPI_Request* request) {
      MPI_Isend(to[r].data() + at, length, MPI_BYTE, static_cast<int>(r), kExchangeTag, comm, request);
    });
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return from;
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
