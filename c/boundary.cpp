#include "boundary.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>

#include <locdyn/ldy/file_error.hpp>

namespace locdyn::c {
namespace {

// Set without allocating: it must hold when memory is gone.
thread_local char last_error[1024] = "";

locdyn_status fail(locdyn_status status, const char* line) noexcept {
  std::size_t end = 0;
  for (; line[end] != '\0' && end + 1 < sizeof last_error; ++end) last_error[end] = line[end] == '\n' ? ';' : line[end];
  if (line[end] != '\0') {  // cut: not within a character
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
  }
  last_error[end] = '\0';
  return status;
}

// The one thing that is shared by all threads beside files: which handles are live.
struct Live {
  std::mutex mutex;
  std::map<const void*, Kind> kind_of;
};
Live& live() {
  static Live handles;
  return handles;
}

std::mutex& files() {
  static std::mutex mutex;
  return mutex;
}

const char* name_of(Kind kind) {
  return kind == Kind::problem ? "problem" : "scene";
}

void require_kind(const Live& handles, const void* handle, Kind kind) {
  const std::string expected = std::string("a live ") + name_of(kind);
  if (handle == nullptr) refuse(name_of(kind), expected, "NULL");
  const auto found = handles.kind_of.find(handle);
  if (found == handles.kind_of.end()) refuse(name_of(kind), expected, "a pointer that was freed or never was one");
  if (found->second != kind) refuse(name_of(kind), expected, std::string("a ") + name_of(found->second));
}

}  // namespace

locdyn_status status_of_exception() noexcept {
  try {
    throw;
  } catch (const FileError& fault) {
    return fail(LOCDYN_FILE_ERROR, fault.what());
  } catch (const StepFault& fault) {
    return fail(LOCDYN_STEP_FAILED, fault.what());
  } catch (const std::bad_alloc&) {
    return fail(LOCDYN_OUT_OF_MEMORY, "memory: expected enough for the problem, found none left");
  } catch (const std::logic_error& fault) {  // std::invalid_argument, std::out_of_range, std::length_error
    return fail(LOCDYN_BAD_INPUT, fault.what());
  } catch (const std::exception& fault) {
    return fail(LOCDYN_INTERNAL_ERROR, fault.what());
  } catch (...) {
    return fail(LOCDYN_INTERNAL_ERROR, "expected no fault, found one without a name");
  }
}

void refuse(const std::string& what, const std::string& expected, const std::string& found) {
  throw std::invalid_argument(what + ": expected " + expected + ", found " + found);
}

void require(const void* pointer, const char* what) {
  if (pointer == nullptr) refuse(what, "a pointer", "NULL");
}

void require_size(const char* what, std::size_t expected, std::size_t found) {
  if (expected != found) refuse(what, std::to_string(expected), std::to_string(found));
}

void copy_text(const std::string& text, std::span<char> target) noexcept {
  std::size_t length = std::min(text.size(), target.size() - 1);
  if (length < text.size()) {
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  }
  std::copy_n(text.begin(), length, target.begin());
  target[length] = '\0';
}

void enter(const void* handle, Kind kind) {
  const std::lock_guard lock(live().mutex);
  live().kind_of.insert_or_assign(handle, kind);
}

void leave(const void* handle, Kind kind) {
  const std::lock_guard lock(live().mutex);
  require_kind(live(), handle, kind);
  live().kind_of.erase(handle);
}

void require_live(const void* handle, Kind kind) {
  const std::lock_guard lock(live().mutex);
  require_kind(live(), handle, kind);
}

FileTurn::FileTurn() {
  files().lock();
}
FileTurn::~FileTurn() {
  files().unlock();
}

}  // namespace locdyn::c

const char* locdyn_last_error(void) {
  return locdyn::c::last_error;
}

const char* locdyn_version(void) {
  return LOCDYN_VERSION;
}
