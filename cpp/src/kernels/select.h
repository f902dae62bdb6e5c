// Picks the kernel table of this machine, once. Knows which instruction sets exist and what each table needs; no
// arithmetic.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/kernel_table.h"

namespace speech {

/// The tables that this machine can run, slowest first; never empty, the first is scalar.
std::span<const KernelTable* const> available_kernels();

/// A choice, and what to warn about if it is not what was asked for (else empty).
struct KernelChoice {
  const KernelTable* table;
  std::string warning;
};

/// The table called `forced`, or the fastest of `available` if that is empty or names none of them.
KernelChoice choose_kernels(std::string_view forced, std::span<const KernelTable* const> available);

/// The table that the process uses: chosen at the first call by CPUID and the environment variable WSPKIT_KERNELS, with
/// a warning in the log if that variable asks for what this machine or this build has not. Any thread.
const KernelTable& active_kernels();

}  // namespace speech
