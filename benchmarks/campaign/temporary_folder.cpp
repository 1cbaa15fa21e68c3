#include "temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn::app {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "locdyn_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw FileError(name, "", "a temporary folder", std::strerror(errno));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code none;
  std::filesystem::remove_all(path_, none);
}

}  // namespace locdyn::app
