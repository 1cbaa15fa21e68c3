#pragma once
// Memory that fails at the n-th call, of every thread: operator new, and what SuiteSparse takes by its own hooks. What
// Eigen takes by malloc is left alone: a vector of Eigen 3.4 that is resized gives its old memory back before it asks
// for the new, and where there is none it gives it back a second time (DenseStorage::resize).

namespace locdyn::test {

/// While it lives the n-th call from its making on fails, counted from 0; none where n < 0. One at a time.
class FailingMemory {
 public:
  explicit FailingMemory(long n);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  /// Calls so far.
  [[nodiscard]] long calls() const;
  /// Has the n-th call come?
  [[nodiscard]] bool failed() const;
  /// Was it a new (std::nothrow), whose caller may do without? std::stable_sort does, by a slower way to the same
  /// order.
  [[nodiscard]] bool told_by_null() const;
};

}  // namespace locdyn::test
