// Kernels for AVX2, FMA and F16C. Empty on other architectures.

#include "kernels/kernel_table.h"

namespace speech {

const KernelTable* avx2_kernels() { return nullptr; }

}  // namespace speech
