// Faults go to standard error, one line each; results to standard output, which may be closed or full.

#include <iostream>

#include <locdyn/ldy/file_error.hpp>

#include "command.hpp"

namespace locdyn::app {

void complain(const std::string& line) {
  std::cerr << "locdyn: " << line << std::endl;
}

void flush_output() {
  std::cout.flush();
  if (!std::cout) throw FileError("standard output: expected to be written, found closed or full");
}

}  // namespace locdyn::app
