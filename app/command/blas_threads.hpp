#pragma once
// The threads that OpenBLAS starts as it is loaded.

namespace locdyn::app {

/// Ends them: islands and steps are shared out by our own threads, and each factorisation has one. They spin for 0.13 s
/// from the start of the program on, on the cores that others work on, and that is counted as processor time of its
/// steps. Does nothing where the program is linked to another BLAS.
void end_blas_threads();

}  // namespace locdyn::app
