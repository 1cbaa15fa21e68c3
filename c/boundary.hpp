#pragma once
// The boundary of the C interface: exceptions become a status and one line, handles are known before they are used.

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include "locdyn.h"

namespace locdyn::c {

/// A step that could not be taken.
class StepFault : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The status of the exception that is being handled; its line becomes the last error of this thread. Throws nothing.
locdyn_status status_of_exception() noexcept;

/// Runs `work`: no exception leaves it.
template <class Work>
locdyn_status guarded(const Work& work) noexcept {
  try {
    work();
    return LOCDYN_OK;
  } catch (...) {
    return status_of_exception();
  }
}

/// Throws std::invalid_argument "<what>: expected <expected>, found <found>".
[[noreturn]] void refuse(const std::string& what, const std::string& expected, const std::string& found);

/// Refuses NULL.
void require(const void* pointer, const char* what);
/// Refuses another size of a struct or an array.
void require_size(const char* what, std::size_t expected, std::size_t found);

/// `count` items from `items` on, which may be NULL where there are none.
template <class Item>
std::span<Item> items_of(Item* items, std::size_t count, const char* what) {
  if (count > 0) require(items, what);
  return {items, count};
}

/// Copies what fits of `text`, whole characters of UTF-8 and a 0 at the end.
void copy_text(const std::string& text, std::span<char> target) noexcept;

// --- handles
// -----------------------------------------------------------------------------------------------------------

enum class Kind { problem, scene };

/// Handles that were made and not freed, over all threads.
void enter(const void* handle, Kind kind);
/// Refuses what is not live. Forgets it.
void leave(const void* handle, Kind kind);
void require_live(const void* handle, Kind kind);

/// While it lives this thread alone reads or writes a file.
class FileTurn {
 public:
  FileTurn();
  ~FileTurn();
  FileTurn(const FileTurn&) = delete;
  FileTurn& operator=(const FileTurn&) = delete;
};

}  // namespace locdyn::c
