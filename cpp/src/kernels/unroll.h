// How each compiler is told to unroll a loop of a small constant count, and to inline, which keeps what a loop works on
// in registers. Sanitizers put checks around each load; unrolled and inlined they take minutes to compile, so there
// neither is asked for: the same text, slower.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SPEECH_SANITIZED_
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SPEECH_SANITIZED_
#endif
#endif

#if defined(SPEECH_SANITIZED_)
#define SPEECH_UNROLL
#define SPEECH_UNROLL_4
#define SPEECH_ALWAYS_INLINE_
#elif defined(__clang__)
#define SPEECH_UNROLL _Pragma("clang loop unroll(full)")
#define SPEECH_UNROLL_4 _Pragma("clang loop unroll_count(4)")
#define SPEECH_ALWAYS_INLINE_ always_inline
#else
#define SPEECH_UNROLL _Pragma("GCC unroll 16")
#define SPEECH_UNROLL_4 _Pragma("GCC unroll 4")
#define SPEECH_ALWAYS_INLINE_ always_inline
#endif
