#pragma once
// Output files are whole or not there: written beside the target, forced to disk, then renamed over it.

#include <filesystem>
#include <string_view>

namespace locdyn::detail {

/// Writes `bytes` as the whole content of `path`, replacing the file that was there in one step; a symbolic link is
/// followed. Throws FileError where the folder is missing or not writable, the target is not a regular file, or the
/// disk is full: whatever was at `path` then is as it was.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace locdyn::detail
