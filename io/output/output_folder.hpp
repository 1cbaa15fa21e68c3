#pragma once
// The folder of a run.

#include <filesystem>

namespace locdyn::detail {

/// The folder, made where it is missing (its parent must be there). Throws FileError where it has no name, is a file,
/// or cannot be made.
std::filesystem::path made_folder(const std::filesystem::path& folder);

}  // namespace locdyn::detail
