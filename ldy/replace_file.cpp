#include <locdyn/ldy/replace_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn::detail {
namespace fs = std::filesystem;
namespace {

fs::path resolved_target(const fs::path& path) {
  if (path.empty()) throw FileError("output file: expected a name, found an empty one");
  std::error_code none;
  const fs::path target = fs::is_symlink(path, none) ? fs::weakly_canonical(path, none) : path;
  const fs::file_status status = fs::status(target, none);
  if (fs::is_directory(status)) throw FileError(path, "", "a file to write", "a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw FileError(path, "", "a regular file to write", "a device, pipe or socket");
  }
  return target;
}

}  // namespace

FileBeside::FileBeside(const fs::path& target)
    : target_(resolved_target(target)),
      name_(target_.string() + "." + std::to_string(::getpid()) + ".part"),
      descriptor_(::open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail("a folder that can be written to", errno);
  struct stat before = {};
  if (::stat(target_.c_str(), &before) == 0 && ::fchmod(descriptor_, before.st_mode & 07777) != 0) {
    const int error = errno;
    ::close(descriptor_);
    ::unlink(name_.c_str());
    fail("a file whose mode can be kept", error);
  }
}

FileBeside::~FileBeside() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!renamed_) ::unlink(name_.c_str());
}

void FileBeside::fail(const char* expected, int error) const {
  throw FileError(target_, "", expected, std::strerror(error));
}

void FileBeside::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("room for the whole file", written < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void FileBeside::become_target() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail("room for the whole file", errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail("room for the whole file", errno);
  if (::rename(name_.c_str(), target_.c_str()) != 0) fail("a name that can be written to", errno);
  renamed_ = true;
}

void replace_file(const fs::path& path, std::string_view bytes) {
  FileBeside file(path);
  file.write(bytes);
  file.become_target();
}

}  // namespace locdyn::detail
