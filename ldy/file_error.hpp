#pragma once
// What is wrong with a file, in one line: the file, the place in it, what was expected and what was found.

#include <filesystem>
#include <stdexcept>
#include <string>

namespace locdyn {

namespace detail {

/// What a file holds, fit for one line: control characters as '?'.
[[nodiscard]] inline std::string printable(std::string text) {
  for (char& character : text) {
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) character = '?';
  }
  return text;
}

}  // namespace detail

class FileError : public std::runtime_error {
 public:
  /// `line`: file, place, what was expected and what was found.
  explicit FileError(const std::string& line) : std::runtime_error(line) {}
  /// "file: place: expected …, found …"; `place` may be empty: the fault is the file's own. `found` may come from the
  /// file: what would break the line in it is replaced.
  FileError(const std::filesystem::path& file, const std::string& place, const std::string& expected,
            const std::string& found)
      : std::runtime_error(file.string() + ": " + (place.empty() ? "" : place + ": ") + "expected " + expected +
                           ", found " + detail::printable(found)) {}
};

}  // namespace locdyn
