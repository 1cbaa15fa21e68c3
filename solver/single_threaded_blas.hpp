#pragma once
// Threads belong to the caller: BLAS, and CHOLMOD's own loops, get one while a factorisation runs, so that its bits do
// not depend on how many there are.

namespace locdyn::detail {

/// While one of them lives, OpenBLAS (where it is the BLAS that SuiteSparse was loaded with) works on one thread, and
/// regions of OpenMP that the calling thread begins have one; the last one to go gives back what there was before.
/// Threads may hold several at once.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  int levels_before_;
};

}  // namespace locdyn::detail
