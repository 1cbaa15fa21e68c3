#pragma once
// A folder of its own for what a program needs for a while, removed afterwards.

#include <filesystem>
#include <string>

namespace locdyn::app {

class TemporaryFolder {
 public:
  /// Throws FileError where none can be made.
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace locdyn::app
