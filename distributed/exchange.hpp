#pragma once
// Messages between ranks while a problem is laid out: every rank has some bytes for every other, and numbers are put
// into them and taken out again in the same order. What is sent in every sweep does not go this way (halo.hpp).

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace locdyn::distributed {

using Bytes = std::vector<std::byte>;

/// Puts values one after the other.
class Writer {
 public:
  /// `T` is its own bytes: numbers, structures of numbers, Eigen's fixed sizes.
  template <class T>
  void put(const T& value) {
    put_all(std::span<const T>(&value, 1));
  }
  template <class T>
  void put_all(std::span<T> values) {
    const std::size_t at = bytes_.size(), length = values.size() * sizeof(T);
    bytes_.resize(at + length);
    if (length > 0) std::memcpy(bytes_.data() + at, static_cast<const void*>(values.data()), length);
  }
  [[nodiscard]] Bytes& bytes() noexcept { return bytes_; }
  [[nodiscard]] const Bytes& bytes() const noexcept { return bytes_; }

 private:
  Bytes bytes_;
};

/// Takes them out in the same order. Throws std::length_error beyond the end.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  [[nodiscard]] T get() {
    T value;
    get_all(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  void get_all(std::span<T> values) {
    const std::size_t length = values.size() * sizeof(T);
    require(length);
    if (length > 0) std::memcpy(static_cast<void*>(values.data()), bytes_.data(), length);
    bytes_ = bytes_.subspan(length);
  }
  [[nodiscard]] bool done() const noexcept { return bytes_.empty(); }

 private:
  void require(std::size_t length) const;
  std::span<const std::byte> bytes_;
};

/// This rank's number, and how many there are.
[[nodiscard]] int rank_of(MPI_Comm comm);
[[nodiscard]] int size_of(MPI_Comm comm);

/// Sends `to[r]` to rank r; returns what came from each. Collective. Cost: an all-to-all of one number, and messages
/// where there is something to send.
[[nodiscard]] std::vector<Bytes> exchange_bytes(MPI_Comm comm, std::span<const Bytes> to);
[[nodiscard]] std::vector<Bytes> exchange_bytes(MPI_Comm comm, std::span<const Writer> to);

/// The bytes of all ranks, by rank, on every rank (all ranks throw std::length_error beyond 2 GiB in all); or on rank 0
/// alone, nothing on the others. Collective.
[[nodiscard]] std::vector<Bytes> share_with_all(MPI_Comm comm, const Bytes& own);
[[nodiscard]] std::vector<Bytes> gather(MPI_Comm comm, const Bytes& own);

/// All ranks say whether they met a fault, in one line; empty where they did not. Where some did, all throw
/// std::invalid_argument with the line of the lowest of them, so that nobody waits for a rank that has gone.
/// Collective.
void agree(MPI_Comm comm, const std::string& fault);

/// `work()`, whose std::exception becomes the fault that all ranks `agree` on. `work` calls nothing collective.
template <class Work>
void agree_on(MPI_Comm comm, const Work& work) {
  std::string fault;
  try {
    work();
  } catch (const std::exception& error) {
    fault = error.what();
    if (fault.empty()) fault = "an error without words";
  }
  agree(comm, fault);
}

}  // namespace locdyn::distributed
