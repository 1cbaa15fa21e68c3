// Faults go to standard error, one line each; results to standard output, which may be closed or full.

#include <iostream>

#include <locdyn/ldy/file_error.hpp>

#include "command.hpp"
#include "format.hpp"

namespace locdyn::app {

std::string one_line(std::string text) {
  text = shortened(text, 1000);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  return text;
}

void complain(const std::string& line) {
  std::cerr << "locdyn: " << one_line(line) << std::endl;
}

void flush_output() {
  std::cout.flush();
  if (!std::cout) throw FileError("standard output: expected to be written, found closed or full");
}

}  // namespace locdyn::app
