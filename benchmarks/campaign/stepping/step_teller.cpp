#include "step_teller.hpp"

namespace locdyn::app {
namespace {

constexpr double kBetweenWrites = 0.05;  // [s]

}  // namespace

void StepTeller::tell(const StepSample& sample) {
  const std::lock_guard<std::mutex> lock(speaking_);
  waiting_ += line_of(sample) + "\n";
  if (since_.read().wall_s < kBetweenWrites) return;
  channel_.say(waiting_ + "solving");
  waiting_.clear();
  since_ = CallClock();
}

void StepTeller::tell_rest() {
  const std::lock_guard<std::mutex> lock(speaking_);
  if (waiting_.empty()) return;
  waiting_.pop_back();  // `say` ends the line
  channel_.say(waiting_);
  waiting_.clear();
}

}  // namespace locdyn::app
