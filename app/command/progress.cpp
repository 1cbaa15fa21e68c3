#include "progress.hpp"

#include <algorithm>
#include <cmath>

#include "format.hpp"

namespace locdyn::app {

void StepProgress::update(const StepReport& report) {
  if (!line_.due()) return;
  show(report.step, report.time,
       counted(report.contacts, "contact") + "  residual " + scientific(report.residual) + "  ");
}

void StepProgress::update(long step, double time) {
  if (line_.due()) show(step, time, "");
}

void StepProgress::show(long step, double time, const std::string& more) {
  const double wall = line_.elapsed(), done = time - start_;
  const double left = done > 0 ? wall * (end_ - time) / done : 0;
  line_.show("step " + std::to_string(step) + "  " + plain(time) + " of " + plain(end_) + " s  " + more +
             plain(done / wall) + " × real time  " + duration(left) + " left");
}

void RunProgress::start(std::size_t at, std::size_t of, const std::string& run, double left_s) {
  if (left_s < 0 && at > 1) left_s = line_.elapsed() / double(at - 1) * double(of - at + 1);
  line_.show("[" + std::to_string(at) + "/" + std::to_string(of) + "] " + shortened(run, 56) +
             (left_s >= 0 ? "  about " + roughly(left_s) + " left" : ""));
}

StopOptions SolveProgress::watched(StopOptions stop) {
  tolerance_ = stop.tolerance;
  max_seconds_ = stop.max_seconds;
  stop.observer = &observer_;
  return stop;
}

void SolveProgress::take(const SolveReport::Sample& sample) {
  const std::lock_guard<std::mutex> one(lock_);
  if (first_ < 0) first_ = sample.residual;
  if (!line_.due()) return;
  const double fallen = std::log(first_ / sample.residual), whole = std::log(first_ / tolerance_);
  double left = max_seconds_ - line_.elapsed();
  if (fallen > 0 && whole > fallen) left = std::min(left, line_.elapsed() * (whole - fallen) / fallen);
  line_.show("iteration " + std::to_string(sample.iteration) + "  residual " + scientific(sample.residual) + " of " +
             plain(tolerance_) + "  " + roughly(line_.elapsed()) +
             (std::isfinite(left) ? ", about " + roughly(std::max(left, 0.0)) + " left" : ""));
}

}  // namespace locdyn::app
