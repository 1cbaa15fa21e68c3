#pragma once
// The ranks of a communicator as processes that write a file together.

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <locdyn/distributed/exchange.hpp>
#include <locdyn/io/output/file_group.hpp>

namespace locdyn::distributed {

class RankGroup : public detail::FileGroup {
 public:
  explicit RankGroup(MPI_Comm comm) : comm_(comm) {}

  [[nodiscard]] int rank() const override { return rank_of(comm_); }
  [[nodiscard]] int size() const override { return size_of(comm_); }

  [[nodiscard]] Sums add_up(std::span<const std::uint64_t> numbers) override {
    Sums sums{std::vector<std::uint64_t>(numbers.size()), std::vector<std::uint64_t>(numbers.size())};
    const int count = static_cast<int>(numbers.size());
    MPI_Exscan(numbers.data(), sums.before.data(), count, MPI_UINT64_T, MPI_SUM, comm_);
    MPI_Allreduce(numbers.data(), sums.all.data(), count, MPI_UINT64_T, MPI_SUM, comm_);
    if (leads()) std::fill(sums.before.begin(), sums.before.end(), 0);  // where MPI leaves anything
    return sums;
  }

  void tell(std::vector<std::uint64_t>& numbers) override {
    std::uint64_t count = numbers.size();
    MPI_Bcast(&count, 1, MPI_UINT64_T, 0, comm_);
    numbers.resize(count);
    MPI_Bcast(numbers.data(), static_cast<int>(count), MPI_UINT64_T, 0, comm_);
  }

  /// All ranks throw std::invalid_argument with the words of the lowest that met an error.
  void agree(const std::exception_ptr& error) override {
    agree_on(comm_, [&] {
      if (error) std::rethrow_exception(error);
    });
  }

 private:
  MPI_Comm comm_;
};

}  // namespace locdyn::distributed
