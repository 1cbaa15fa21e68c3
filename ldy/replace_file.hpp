#pragma once
// Output files are whole or not there: written beside the target, forced to disk, then renamed over it.

#include <filesystem>
#include <string_view>

namespace locdyn::detail {

/// A file beside the target, which becomes the target or is removed. Its functions throw FileError, naming the target.
class FileBeside {
 public:
  /// Empty, with the mode of the target, where there is one; a symbolic link is followed.
  explicit FileBeside(const std::filesystem::path& target);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return name_; }
  void write(std::string_view bytes);
  /// Forced to disk and renamed.
  void become_target();

  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;
  ~FileBeside();

 private:
  [[noreturn]] void fail(const char* expected, int error) const;

  std::filesystem::path target_, name_;
  int descriptor_;
  bool renamed_ = false;
};

/// Writes `bytes` as the whole content of `path`, replacing the file that was there in one step; a symbolic link is
/// followed. Throws FileError where the folder is missing or not writable, the target is not a regular file, or the
/// disk is full: whatever was at `path` then is as it was.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace locdyn::detail
