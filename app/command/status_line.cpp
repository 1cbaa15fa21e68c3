#include "status_line.hpp"

#include <unistd.h>

#include <iostream>

namespace locdyn::app {

StatusLine::StatusLine(double patience, Wish wish)
    : patience_(patience), terminal_(wish == Wish::shown && ::isatty(STDERR_FILENO) == 1) {}

bool StatusLine::due() {
  const Clock::time_point now = Clock::now();
  if (!terminal_ || now - last_ < std::chrono::milliseconds(200) || elapsed() < patience_) return false;
  last_ = now;
  return true;
}

void StatusLine::show(const std::string& text) {
  if (!terminal_) return;
  drawn_ = true;
  std::cerr << "\r\033[K" << text << std::flush;
}

void StatusLine::clear() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
  drawn_ = false;
}

double StatusLine::elapsed() const {
  return std::chrono::duration<double>(Clock::now() - began_).count();
}

}  // namespace locdyn::app
