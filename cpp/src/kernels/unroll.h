// How each compiler is told to unroll a loop of a small constant count, which keeps what it works on in registers.
#pragma once

#if defined(__clang__)
#define SPEECH_UNROLL _Pragma("clang loop unroll(full)")
#define SPEECH_UNROLL_4 _Pragma("clang loop unroll_count(4)")
#else
#define SPEECH_UNROLL _Pragma("GCC unroll 16")
#define SPEECH_UNROLL_4 _Pragma("GCC unroll 4")
#endif
