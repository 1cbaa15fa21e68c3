#pragma once
// The processes that write a file together, each the rows that it has: one alone, or the ranks of a cluster. Number 0
// leads: it alone calls HDF5, which lays out what is in the file; to where it lies each process writes its own rows.

#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include <locdyn/base/slices.hpp>

namespace locdyn::detail {

/// One process alone; ranks derive from it. All but `rank` and `size` are collective: called by all in the same order.
class FileGroup {
 public:
  [[nodiscard]] virtual int rank() const { return 0; }
  [[nodiscard]] virtual int size() const { return 1; }

  /// Of each number its sum over the processes before this one, and over all.
  struct Sums {
    std::vector<std::uint64_t> before, all;
  };
  [[nodiscard]] virtual Sums add_up(std::span<const std::uint64_t> numbers) {
    return {std::vector<std::uint64_t>(numbers.size()), {numbers.begin(), numbers.end()}};
  }
  /// The leader's numbers become those of all.
  virtual void tell(std::vector<std::uint64_t>& numbers) { (void)numbers; }
  /// Throws on all where one has met an error: that error, or its words.
  virtual void agree(const std::exception_ptr& error) {
    if (error) std::rethrow_exception(error);
  }

  [[nodiscard]] bool leads() const { return rank() == 0; }
  /// What this process writes of a list that all know.
  [[nodiscard]] Slice slice_of(std::size_t count) const {
    return detail::slice_of(count, static_cast<std::size_t>(rank()), static_cast<std::size_t>(size()));
  }

  FileGroup() = default;
  FileGroup(const FileGroup&) = delete;
  FileGroup& operator=(const FileGroup&) = delete;
  virtual ~FileGroup() = default;

  /// Of a process that is alone.
  [[nodiscard]] static FileGroup& alone() {
    static FileGroup group;
    return group;
  }
};

/// `work()`, whose exception all processes `agree` on. It calls nothing collective.
template <class Work>
void together(FileGroup& group, const Work& work) {
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  group.agree(error);
}

}  // namespace locdyn::detail
