#include <locdyn/io/output/output_folder.hpp>

#include <system_error>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn::detail {
namespace fs = std::filesystem;

fs::path made_folder(const fs::path& folder) {
  if (folder.empty()) throw FileError("output folder: expected a name, found an empty one");
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::exists(status) && !fs::is_directory(status)) throw FileError(folder, "", "a folder", "a file");
  if (!fs::exists(status) && !fs::create_directory(folder, error)) {
    throw FileError(folder, "", "a folder that can be made", error.message());
  }
  return folder;
}

}  // namespace locdyn::detail
