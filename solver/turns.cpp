#include <locdyn/solver/turns.hpp>

#include <algorithm>
#include <utility>

namespace locdyn::detail {

StopOptions Turns::left(long iterations) const {
  StopOptions stop = limits_left(stop_, total_.iterations, total_.seconds, total_.work());
  stop.max_iterations = std::min(iterations, stop.max_iterations);
  return stop;
}

bool Turns::ended() const {
  if (total_.history.empty()) return false;
  return total_.status == SolveStatus::converged || out_of_time() || limit_reached() != nullptr;
}

// A turn that found no time for a factorisation leaves some to the next.
bool Turns::out_of_time() const {
  if (total_.status != SolveStatus::max_time) return false;
  return total_.seconds >= stop_.max_seconds || (stop_.interrupt != nullptr && *stop_.interrupt);
}

const char* Turns::limit_reached() const {
  if (total_.iterations >= stop_.max_iterations) return kIterationLimit;
  return total_.work() >= stop_.max_work ? kWorkLimit : nullptr;
}

SolveReport Turns::finish(SolveStatus status, std::string reason) {
  if (total_.status == SolveStatus::converged || out_of_time()) return std::move(total_);
  const char* limit = limit_reached();
  total_.status = limit != nullptr ? SolveStatus::max_iterations : status;
  total_.reason = limit != nullptr ? limit : std::move(reason);
  return std::move(total_);
}

}  // namespace locdyn::detail
