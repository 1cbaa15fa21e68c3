#pragma once
// Threads belong to the caller: BLAS gets one while a factorisation runs, so that its bits do not depend on how many
// there are.

namespace locdyn::detail {

/// While one of them lives, OpenBLAS (where it is the BLAS that SuiteSparse was loaded with) works on one thread; the
/// last one to go gives back what there was before. Threads may hold several at once.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

}  // namespace locdyn::detail
