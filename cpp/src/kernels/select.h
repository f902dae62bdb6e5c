// Picks the kernel table of this machine, once. Knows which instruction sets exist and what each table needs; no
// arithmetic.
#pragma once

#include <span>
#include <string_view>

#include "base/status.h"
#include "kernels/kernel_table.h"

namespace speech {

/// The tables that this machine can run, slowest first; never empty, the first is scalar.
std::span<const KernelTable* const> available_kernels();

/// The table called `forced`, the fastest of `available` if that is empty; unsupported, with the names that there are,
/// if it is none of them: who asks for a table must not measure or test another one.
Result<const KernelTable*> choose_kernels(std::string_view forced, std::span<const KernelTable* const> available);

/// The table that the process uses: chosen at the first call by CPUID and the environment variable WSPKIT_KERNELS;
/// choose_kernels()' error if that variable asks for what this machine or this build has not. Any thread.
const Result<const KernelTable*>& active_kernels();

}  // namespace speech
