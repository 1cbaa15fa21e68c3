#include "progress.hpp"

#include <unistd.h>

#include <iostream>

#include "format.hpp"

namespace locdyn::app {

Progress::Progress(double start, double end, Wish wish)
    : start_(start), end_(end), shown_(wish == Wish::shown && ::isatty(STDERR_FILENO) == 1) {}

bool Progress::due() {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now - last_ < std::chrono::milliseconds(200)) return false;
  last_ = now;
  return true;
}

void Progress::update(const StepReport& report) {
  if (!due()) return;
  draw(report.step, report.time,
       counted(report.contacts, "contact") + "  residual " + scientific(report.residual) + "  ");
}

void Progress::update(long step, double time) {
  if (due()) draw(step, time, "");
}

void Progress::draw(long step, double time, const std::string& more) {
  drawn_ = true;
  const double wall = std::chrono::duration<double>(last_ - began_).count();
  const double done = time - start_;
  const double left = done > 0 ? wall * (end_ - time) / done : 0;
  std::cerr << "\r\033[K"
            << "step " << step << "  " << plain(time) << " of " << plain(end_) << " s  " << more << plain(done / wall)
            << " × real time  " << duration(left) << " left" << std::flush;
}

void Progress::clear() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
  drawn_ = false;
}

}  // namespace locdyn::app
