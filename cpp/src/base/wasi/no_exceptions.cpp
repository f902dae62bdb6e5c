// What throws ends the program: WASI has no exceptions, and the C++ library there lacks the two functions that every
// throw calls. Weak, so that a program may bring its own.

#include <cstddef>
#include <cstdlib>

extern "C" {

[[gnu::weak]] void* __cxa_allocate_exception(std::size_t /*size*/) noexcept { std::abort(); }

[[noreturn, gnu::weak]] void __cxa_throw(void* /*exception*/, void* /*type*/, void (* /*destroy*/)(void*)) {
  std::abort();
}

}  // extern "C"
