#include <locdyn/io/output/line_file.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn::detail {
namespace fs = std::filesystem;

LineFile::LineFile(fs::path path, const std::string& first) : path_(std::move(path)) {
  std::error_code none;
  const fs::file_status status = fs::status(path_, none);
  if (fs::is_directory(status)) throw FileError(path_, "", "a file to write", "a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw FileError(path_, "", "a regular file to write", "a device, pipe or socket");
  }
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw FileError(path_, "", "a file that can be written to", std::strerror(errno));
  try {
    append(first);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

LineFile::~LineFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void LineFile::append(const std::string& line) {
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = ::write(descriptor_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = written < 0 ? errno : ENOSPC;
      if (::ftruncate(descriptor_, end_) != 0) errno = 0;  // the line in part stays: the error below says so
      throw FileError(path_, "", "room for another line", std::strerror(error));
    }
    done += static_cast<std::size_t>(written);
  }
  end_ += static_cast<off_t>(line.size());
}

void LineFile::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && ::close(descriptor) != 0) {
    throw FileError(path_, "", "room for the whole table", std::strerror(errno));
  }
}

void append_number(std::string& line, double value) {
  char text[32];
  std::snprintf(text, sizeof text, ",%.17g", value);
  line += text;
}

}  // namespace locdyn::detail
