#include <locdyn/solver/stage_sequence.hpp>

#include <algorithm>
#include <utility>

namespace locdyn::detail {

StopOptions StageSequence::left(long iterations) const {
  StopOptions stop = limits_left(stop_, total_.iterations, total_.seconds, total_.work());
  stop.max_iterations = std::min(iterations, stop.max_iterations);
  return stop;
}

bool StageSequence::ended() const {
  if (total_.history.empty()) return false;
  return total_.status == SolveStatus::converged || !hopeless_.empty() || out_of_time() || limit_reached() != nullptr;
}

// A turn that found no time for a factorisation leaves some to the next.
bool StageSequence::out_of_time() const {
  if (total_.status != SolveStatus::max_time) return false;
  return total_.seconds >= stop_.max_seconds || (stop_.interrupt != nullptr && *stop_.interrupt);
}

const char* StageSequence::limit_reached() const {
  if (total_.iterations >= stop_.max_iterations) return kIterationLimit;
  return total_.work() >= stop_.max_work ? kWorkLimit : nullptr;
}

SolveReport StageSequence::finish(SolveStatus status, std::string reason) {
  if (total_.status == SolveStatus::converged || out_of_time()) return std::move(total_);
  if (!hopeless_.empty()) {
    total_.status = SolveStatus::failed;
    total_.reason = std::move(hopeless_);
    return std::move(total_);
  }
  const char* limit = limit_reached();
  total_.status = limit != nullptr ? SolveStatus::max_iterations : status;
  total_.reason = limit != nullptr ? limit : std::move(reason);
  return std::move(total_);
}

}  // namespace locdyn::detail
