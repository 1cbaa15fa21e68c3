#include "progress.hpp"

#include <unistd.h>

#include <iostream>
#include <string>

#include "format.hpp"

namespace locdyn::app {

Progress::Progress(double start, double end, Wish wish)
    : start_(start), end_(end), shown_(wish == Wish::shown && ::isatty(STDERR_FILENO) == 1) {}

void Progress::update(const StepReport& report) {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now;
  drawn_ = true;
  const double wall = std::chrono::duration<double>(now - began_).count();
  const double done = report.time - start_;
  const double left = done > 0 ? wall * (end_ - report.time) / done : 0;
  std::cerr << "\r\033[K"
            << "step " << report.step << "  " << plain(report.time) << " of " << plain(end_) << " s  "
            << counted(report.contacts, "contact") << "  residual " << scientific(report.residual) << "  "
            << plain(done / wall) << " × real time  " << duration(left) << " left" << std::flush;
}

void Progress::clear() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
  drawn_ = false;
}

}  // namespace locdyn::app
