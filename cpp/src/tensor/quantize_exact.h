// Included last by the files of the quantisers: from here on the compiler may not contract a product and a sum into one
// rounding. Their results are compared to the last bit with files that were made elsewhere, so they must not depend on
// whether a processor has fused multiply-add.
#pragma once

#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
