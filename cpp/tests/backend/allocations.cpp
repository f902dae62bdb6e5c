// Replaces operator new and delete in the test executable to count allocations; see allocations.h.

#include "backend/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> count = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  count.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  return rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded != 0 ? rounded : alignment);
}

void* counted_or_throw(std::size_t bytes, std::size_t alignment) {
  void* memory = counted(bytes, alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

constexpr std::size_t kDefault = alignof(std::max_align_t);

}  // namespace

namespace speech {
std::size_t allocations() { return count.load(std::memory_order_relaxed); }
}  // namespace speech

void* operator new(std::size_t bytes) { return counted_or_throw(bytes, kDefault); }
void* operator new[](std::size_t bytes) { return counted_or_throw(bytes, kDefault); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes, kDefault); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return counted(bytes, kDefault); }
void* operator new(std::size_t bytes, std::align_val_t a) {
  return counted_or_throw(bytes, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t bytes, std::align_val_t a) {
  return counted_or_throw(bytes, static_cast<std::size_t>(a));
}
void* operator new(std::size_t bytes, std::align_val_t a, const std::nothrow_t&) noexcept {
  return counted(bytes, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
