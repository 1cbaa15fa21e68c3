#pragma once
// How input may be refused: an exception that the headers name, with lines for people.

#include <locdyn/ldy/file_error.hpp>
#include <new>
#include <stdexcept>
#include <string>

#include "fuzz_target.hpp"

namespace locdyn::fuzz {

/// Throws `Broken` unless each line says something and holds nothing that a terminal takes for more than text.
inline void check_message(const std::string& message, bool several_lines) {
  promise(!message.empty() && message.front() != '\n' && message.back() != '\n', "expected a message, found none");
  promise(several_lines || message.find('\n') == std::string::npos, "expected one line, found: " + message);
  // Some that pass on what a function of a system or of a library says have no "expected …, found …" of their own.
  promise(message.find("expected ") != std::string::npos, "expected \"expected …\" in: " + message);
}

/// Does the work; true where the input was refused as it should be. Other exceptions are let through.
template <class Work>
bool refused(const Work& work, bool several_lines = false) {
  try {
    work();
    return false;
  } catch (const FileError& fault) {
    check_message(fault.what(), several_lines);
  } catch (const std::out_of_range&) {
    throw;
  } catch (const std::invalid_argument& fault) {
    check_message(fault.what(), several_lines);
  }
  return true;
}

}  // namespace locdyn::fuzz
