#pragma once
// What is behind a handle of a problem.

#include <locdyn/io/problem/file_problem.hpp>

#include "boundary.hpp"

/// Constraints by id, without gaps.
struct locdyn_problem : locdyn::FileProblem {};

namespace locdyn::c {

/// Refuses what is no live problem.
[[nodiscard]] locdyn_problem& live(locdyn_problem* handle);

/// Calls work(row) for every row in order of id: the rows of the C interface's arrays.
template <class Work>
void each_row(LocalDynamics& ldy, const Work& work) {
  for (ConstraintId id{0}; id < ldy.id_bound(); ++id) {
    for (int k = 0; k < block_count(ldy.law(id)); ++k) work(ldy.row(id, k));
  }
}

}  // namespace locdyn::c
