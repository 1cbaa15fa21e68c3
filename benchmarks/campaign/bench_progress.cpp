#include "bench_progress.hpp"

#include <unistd.h>

#include <iostream>

#include "format.hpp"

namespace locdyn::app {

BenchProgress::BenchProgress() : terminal_(::isatty(STDERR_FILENO) == 1) {}

void BenchProgress::start(std::size_t at, std::size_t of, const std::string& run, double left_s) {
  if (!terminal_) return;
  drawn_ = true;
  std::cerr << "\r\033[K[" << at << '/' << of << "] " << shortened(run, 56);
  if (left_s >= 0) std::cerr << "  about " << roughly(left_s) << " left";
  std::cerr << std::flush;
}

void BenchProgress::clear() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
  drawn_ = false;
}

std::string roughly(double seconds) {
  const long whole = static_cast<long>(seconds + 0.5), minutes = (whole + 30) / 60;
  if (whole < 60) return std::to_string(whole) + " s";
  if (minutes < 60) return std::to_string(minutes) + " min";
  const std::string rest = std::to_string(minutes % 60);
  return std::to_string(minutes / 60) + " h " + (rest.size() < 2 ? "0" : "") + rest + " min";
}

}  // namespace locdyn::app
