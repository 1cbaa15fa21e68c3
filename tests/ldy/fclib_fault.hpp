#pragma once
// What the reader of local files says of a file that is wrong: one line that names the file.

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

#include <ldy/raw_problem.hpp>
#include <locdyn/ldy/fclib/fclib.hpp>
#include <scratch_folder.hpp>

namespace locdyn::test {

/// The fault of reading `raw`, empty where there is none.
inline std::string fault_of(const RawProblem& raw) {
  const ScratchFolder folder;
  raw.write(folder / "problem.hdf5");
  try {
    (void)read_fclib(folder / "problem.hdf5");
  } catch (const FileError& fault) {
    const std::string line = fault.what();
    CHECK(line.find("problem.hdf5") != std::string::npos);
    CHECK(line.find('\n') == std::string::npos);
    return line;
  }
  return "";
}

/// Checks that there is a fault, and that it says each of `parts`.
inline void check_fault(const RawProblem& raw, std::initializer_list<std::string> parts) {
  const std::string line = fault_of(raw);
  CAPTURE(line);
  CHECK(!line.empty());
  for (const std::string& part : parts) CHECK(line.find(part) != std::string::npos);
}

}  // namespace locdyn::test
