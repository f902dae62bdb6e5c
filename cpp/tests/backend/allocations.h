// Counts every allocation of the test executable, by replacing operator new.
#pragma once

#include <cstddef>

namespace speech {

/// Calls of any operator new so far, on all threads.
std::size_t allocations();

}  // namespace speech
