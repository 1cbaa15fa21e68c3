#include "format.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace locdyn::app {
namespace {

std::string printed(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

bool starts_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}

}  // namespace

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "–";
  const auto digits = [](double value) {
    return printed(value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
  };
  if (seconds < 0.9995e-3) return digits(seconds * 1e6) + " µs";
  if (seconds < 0.9995) return digits(seconds * 1e3) + " ms";
  return digits(seconds) + " s";
}

std::string roughly(double seconds) {
  const long whole = static_cast<long>(seconds + 0.5), minutes = (whole + 30) / 60;
  if (whole < 60) return std::to_string(whole) + " s";
  if (minutes < 60) return std::to_string(minutes) + " min";
  const std::string rest = std::to_string(minutes % 60);
  return std::to_string(minutes / 60) + " h " + (rest.size() < 2 ? "0" : "") + rest + " min";
}

std::string scientific(double value) {
  return printed("%.1e", value);
}

std::string plain(double value) {
  return printed("%.4g", value);
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string left(std::string_view text, std::size_t columns) {
  const std::size_t used = width(text);
  return std::string(text) + std::string(used < columns ? columns - used : 0, ' ');
}

std::string right(std::string_view text, std::size_t columns) {
  const std::size_t used = width(text);
  return std::string(used < columns ? columns - used : 0, ' ') + std::string(text);
}

std::string shortened(std::string_view text, std::size_t columns) {
  if (width(text) <= columns) return std::string(text);
  std::vector<std::size_t> starts;  // of each code point
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (starts_code_point(text[at])) starts.push_back(at);
  }
  const std::size_t tail = (columns - 1) / 2;
  const std::size_t head = columns - 1 - tail;
  return std::string(text.substr(0, starts[head])) + "…" + std::string(text.substr(starts[starts.size() - tail]));
}

}  // namespace locdyn::app
