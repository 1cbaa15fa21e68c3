#pragma once
// A text file that grows line by line: each is handed to the system before the call returns, and where one cannot be
// written the file ends with the last whole line.

#include <sys/types.h>
#include <filesystem>
#include <string>

namespace locdyn::detail {

class LineFile {
 public:
  /// Makes the file, replacing what is there, with `first`, which ends with a newline. Throws FileError.
  LineFile(std::filesystem::path path, const std::string& first);

  /// `line` ends with a newline. Throws FileError.
  void append(const std::string& line);
  /// Throws FileError. A second call does nothing.
  void close();

  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile();

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  off_t end_ = 0;  // of the last whole line
};

/// Appends ",%.17g": all digits.
void append_number(std::string& line, double value);

}  // namespace locdyn::detail
