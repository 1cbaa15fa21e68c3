#pragma once
// What is behind a handle of a problem.

#include <memory>

#include <locdyn/ldy/fclib/fclib.hpp>
#include <locdyn/ldy/local_dynamics.hpp>
#include <locdyn/solver/global/global_condensation.hpp>

#include "boundary.hpp"

struct locdyn_problem {
  locdyn::LocalDynamics ldy;  ///< constraints by id, without gaps
  int spacedim = 3;
  locdyn::FclibInfo info;
  std::unique_ptr<locdyn::GlobalCondensation> global;  ///< of a global file
};

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
