#include "failing_memory.hpp"

#include <SuiteSparse_config.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> armed = false, null_was_told = false;
std::atomic<long> calls_made = 0, fails_at = -1;

bool due() {
  return armed.load(std::memory_order_relaxed) && calls_made.fetch_add(1) == fails_at.load(std::memory_order_relaxed);
}

// nullptr at the call that fails.
void* plain(std::size_t bytes) {
  return due() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void* aligned(std::size_t bytes, std::align_val_t alignment) {
  const auto line = static_cast<std::size_t>(alignment);
  return due() ? nullptr : std::aligned_alloc(line, (std::max(bytes, std::size_t{1}) + line - 1) / line * line);
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* or_null(void* memory) {
  if (memory == nullptr) null_was_told = true;
  return memory;
}

void* sparse_malloc(std::size_t bytes) {
  return due() ? nullptr : std::malloc(bytes);
}
void* sparse_calloc(std::size_t count, std::size_t bytes) {
  return due() ? nullptr : std::calloc(count, bytes);
}
void* sparse_realloc(void* old, std::size_t bytes) {
  return due() ? nullptr : std::realloc(old, bytes);
}

}  // namespace

// Every form of new and of delete, since what a checker of memory finds not replaced here is its own.
void* operator new(std::size_t bytes) {
  return or_throw(plain(bytes));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return or_throw(aligned(bytes, alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return or_null(plain(bytes));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return or_null(aligned(bytes, alignment));
}
void* operator new[](std::size_t bytes) {
  return ::operator new(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return ::operator new(bytes, std::nothrow);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return ::operator new(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return ::operator new(bytes, alignment, std::nothrow);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace locdyn::test {

FailingMemory::FailingMemory(long n) {
  SuiteSparse_config.malloc_func = &sparse_malloc;
  SuiteSparse_config.calloc_func = &sparse_calloc;
  SuiteSparse_config.realloc_func = &sparse_realloc;
  calls_made = 0;
  fails_at = n;
  null_was_told = false;
  armed = true;
}

FailingMemory::~FailingMemory() {
  armed = false;
}

long FailingMemory::calls() const {
  return calls_made;
}

bool FailingMemory::failed() const {
  return fails_at >= 0 && calls_made > fails_at;
}

bool FailingMemory::told_by_null() const {
  return null_was_told;
}

}  // namespace locdyn::test
