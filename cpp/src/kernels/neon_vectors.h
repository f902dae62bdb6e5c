// Primitives of NEON, that of armv8 or of armv7: the text of several tables, not a header of its own; see
// vector_rows.h.

using Vec = float32x4_t;
using Words = uint32x4_t;
constexpr size_t kWidth = 4;  // floats in a vector

SPEECH_INLINE Vec zero() { return vdupq_n_f32(0.0F); }
SPEECH_INLINE Vec splat(float x) { return vdupq_n_f32(x); }
SPEECH_INLINE Vec load(const float* p) { return vld1q_f32(p); }
SPEECH_INLINE void store(float* p, Vec v) { vst1q_f32(p, v); }
SPEECH_INLINE Vec load_part(const float* p, size_t n) {
  float part[kWidth] = {};
  for (size_t i = 0; i < n; ++i) {
    part[i] = p[i];
  }
  return load(part);
}
SPEECH_INLINE void store_part(float* p, Vec v, size_t n) {
  float part[kWidth];
  store(part, v);
  for (size_t i = 0; i < n; ++i) {
    p[i] = part[i];
  }
}

SPEECH_INLINE Vec add(Vec a, Vec b) { return vaddq_f32(a, b); }
SPEECH_INLINE Vec sub(Vec a, Vec b) { return vsubq_f32(a, b); }
SPEECH_INLINE Vec mul(Vec a, Vec b) { return vmulq_f32(a, b); }
SPEECH_INLINE Vec maximum(Vec a, Vec b) { return vmaxq_f32(a, b); }
SPEECH_INLINE Vec minimum(Vec a, Vec b) { return vminq_f32(a, b); }
SPEECH_INLINE Vec keep_first(Vec v, size_t n) {
  const uint32_t lanes[kWidth] = {0, 1, 2, 3};
  const uint32x4_t kept = vcltq_u32(vld1q_u32(lanes), vdupq_n_u32(static_cast<uint32_t>(n)));
  return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(v), kept));
}
SPEECH_INLINE Vec keep_from(float bound, Vec x, Vec v) {
  return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(v), vcltq_f32(x, splat(bound))));
}

#if defined(__aarch64__)

constexpr size_t kSumChains = 16;
constexpr size_t kRegisters = 32;
constexpr size_t kTileRows = 6;  // 6 x 4 vectors of sums, 2 of weights and 6 of activations fill all 32 registers

SPEECH_INLINE Vec fma(Vec a, Vec b, Vec c) { return vfmaq_f32(c, a, b); }
SPEECH_INLINE Vec fnma(Vec a, Vec b, Vec c) { return vfmsq_f32(c, a, b); }
// Written out: from the intrinsic, GCC makes copies of lanes first where several products share one.
template <int kLane>
SPEECH_INLINE Vec fma_lane(Vec b, Vec a, Vec c) {
  __asm__("fmla %0.4s, %1.4s, %2.s[%3]" : "+w"(c) : "w"(b), "w"(a), "i"(kLane));
  return c;
}
SPEECH_INLINE Vec round_to_even(Vec v) { return vrndnq_f32(v); }
SPEECH_INLINE float max_lane(Vec v) { return vmaxvq_f32(v); }
SPEECH_INLINE int32_t max_word(uint32x4_t w) { return vmaxvq_s32(vreinterpretq_s32_u32(w)); }
SPEECH_INLINE int32_t sum_words(uint32x4_t w) { return vaddvq_s32(vreinterpretq_s32_u32(w)); }
// (v0 + v1) + (v2 + v3): the order of every sum over lanes here.
SPEECH_INLINE float sum_lanes(Vec v) { return vaddvq_f32(v); }
SPEECH_INLINE void sum_each_of_8(const Vec* v, float* out) {
  store(out, vpaddq_f32(vpaddq_f32(v[0], v[1]), vpaddq_f32(v[2], v[3])));
  store(out + 4, vpaddq_f32(vpaddq_f32(v[4], v[5]), vpaddq_f32(v[6], v[7])));
}
SPEECH_INLINE Vec load_halves(const uint8_t* p) { return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(p))); }
SPEECH_INLINE void load_16_halves(const uint8_t* p, Vec* v) {
  SPEECH_UNROLL
  for (size_t i = 0; i < 2; ++i) {
    const float16x8_t halves = vreinterpretq_f16_u8(vld1q_u8(p + 16 * i));
    v[2 * i] = vcvt_f32_f16(vget_low_f16(halves));
    v[2 * i + 1] = vcvt_high_f32_f16(halves);
  }
}
SPEECH_INLINE void store_halves(uint16_t* p, Vec v) { vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(v))); }
SPEECH_INLINE float half_value(const uint8_t* p) {
  uint16_t half;
  __builtin_memcpy(&half, p, sizeof(half));
  return vgetq_lane_f32(vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(half))), 0);
}
SPEECH_INLINE uint16_t half_bits(float x) { return vget_lane_u16(vreinterpret_u16_f16(vcvt_f16_f32(splat(x))), 0); }

#else  // armv7: no fused sums, and no binary16 that all of them have

constexpr size_t kSumChains = 8;
constexpr size_t kRegisters = 16;
constexpr size_t kTileRows = 2;

SPEECH_INLINE Vec fma(Vec a, Vec b, Vec c) { return vmlaq_f32(c, a, b); }
SPEECH_INLINE Vec fnma(Vec a, Vec b, Vec c) { return vmlsq_f32(c, a, b); }
template <int kLane>
SPEECH_INLINE Vec fma_lane(Vec b, Vec a, Vec c) {
  return vmlaq_lane_f32(c, b, kLane < 2 ? vget_low_f32(a) : vget_high_f32(a), kLane % 2);
}
SPEECH_INLINE Vec round_to_even(Vec v) {
  const Vec shift = splat(12582912.0F);  // 1.5 * 2^23: the sum is rounded to an integer
  return vsubq_f32(vaddq_f32(v, shift), shift);
}
SPEECH_INLINE float32x2_t pair_sums(Vec v) { return vpadd_f32(vget_low_f32(v), vget_high_f32(v)); }
SPEECH_INLINE float max_lane(Vec v) {
  const float32x2_t m = vpmax_f32(vget_low_f32(v), vget_high_f32(v));
  return vget_lane_f32(vpmax_f32(m, m), 0);
}
SPEECH_INLINE int32_t max_word(uint32x4_t w) {
  const int32x4_t v = vreinterpretq_s32_u32(w);
  const int32x2_t m = vpmax_s32(vget_low_s32(v), vget_high_s32(v));
  return vget_lane_s32(vpmax_s32(m, m), 0);
}
SPEECH_INLINE int32_t sum_words(uint32x4_t w) {
  const int32x4_t v = vreinterpretq_s32_u32(w);
  const int32x2_t s = vpadd_s32(vget_low_s32(v), vget_high_s32(v));
  return vget_lane_s32(vpadd_s32(s, s), 0);
}
SPEECH_INLINE float sum_lanes(Vec v) {
  const float32x2_t s = pair_sums(v);
  return vget_lane_f32(vpadd_f32(s, s), 0);
}
SPEECH_INLINE void sum_each_of_8(const Vec* v, float* out) {
  SPEECH_UNROLL
  for (size_t i = 0; i < 8; i += 2) {
    vst1_f32(out + i, vpadd_f32(pair_sums(v[i]), pair_sums(v[i + 1])));
  }
}
// As in scalar.cpp.
SPEECH_INLINE float half_value(const uint8_t* p) {
  uint16_t half;
  __builtin_memcpy(&half, p, sizeof(half));
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16U;
  const uint32_t magnitude = half & 0x7FFFU;
  if (magnitude >= 0x7C00U) {
    return __builtin_bit_cast(float, sign | 0x7F800000U | ((magnitude & 0x3FFU) << 13U));
  }
  if (magnitude < 0x0400U) {
    const float value = static_cast<float>(magnitude) * 0x1p-24F;
    return sign != 0 ? -value : value;
  }
  return __builtin_bit_cast(float, sign | ((magnitude << 13U) + (112U << 23U)));
}
SPEECH_INLINE uint16_t half_bits(float x) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, x);
  const uint32_t sign = (bits >> 16U) & 0x8000U;
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  uint32_t half = 0;
  if (magnitude > 0x7F800000U) {
    half = 0x7E00U;
  } else if (magnitude >= 0x477FF000U) {
    half = 0x7C00U;
  } else if (magnitude < 0x38800000U) {
    half = __builtin_bit_cast(uint32_t, __builtin_bit_cast(float, magnitude) + 0.5F) - 0x3F000000U;
  } else {
    half = (magnitude - (112U << 23U) + 0x0FFFU + ((magnitude >> 13U) & 1U)) >> 13U;
  }
  return static_cast<uint16_t>(sign | half);
}
SPEECH_INLINE Vec load_halves(const uint8_t* p) {
  const float values[kWidth] = {half_value(p), half_value(p + 2), half_value(p + 4), half_value(p + 6)};
  return load(values);
}
SPEECH_INLINE void load_16_halves(const uint8_t* p, Vec* v) {
  for (size_t i = 0; i < kPanelColumns / kWidth; ++i) {
    v[i] = load_halves(p + 2 * kWidth * i);
  }
}
SPEECH_INLINE void store_halves(uint16_t* p, Vec v) {
  float values[kWidth];
  store(values, v);
  for (size_t i = 0; i < kWidth; ++i) {
    p[i] = half_bits(values[i]);
  }
}

#endif

SPEECH_INLINE Vec load_bytes(const int8_t* p) {
  int32_t four;
  __builtin_memcpy(&four, p, sizeof(four));
  return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(four))))));
}
SPEECH_INLINE Words load_words(const uint8_t* p) { return vreinterpretq_u32_u8(vld1q_u8(p)); }
SPEECH_INLINE Words load_byte_words(const uint8_t* p) {
  uint32_t four;
  __builtin_memcpy(&four, p, sizeof(four));
  return vmovl_u16(vget_low_u16(vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(four)))));
}
SPEECH_INLINE Words words(int32_t w) { return vdupq_n_u32(static_cast<uint32_t>(w)); }
template <int kBits>
SPEECH_INLINE Words shift_left(Words w) {
  return vshlq_n_u32(w, kBits);
}
template <int kBits>
SPEECH_INLINE Words shift_right(Words w) {
  return vshrq_n_u32(w, kBits);
}
template <int kBits>
SPEECH_INLINE Words shift_right_signed(Words w) {
  return vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(w), kBits));
}
SPEECH_INLINE Words shift_right_by(Words w, int bits) { return vshlq_u32(w, vdupq_n_s32(-bits)); }
SPEECH_INLINE Words both(Words a, Words b) { return vandq_u32(a, b); }
SPEECH_INLINE Words either(Words a, Words b) { return vorrq_u32(a, b); }
SPEECH_INLINE Vec to_float(Words w) { return vcvtq_f32_s32(vreinterpretq_s32_u32(w)); }

SPEECH_INLINE Words as_words(Vec v) { return vreinterpretq_u32_f32(v); }
SPEECH_INLINE Vec as_floats(Words w) { return vreinterpretq_f32_u32(w); }
SPEECH_INLINE Words add_words(Words a, Words b) { return vaddq_u32(a, b); }
SPEECH_INLINE Words maximum_words(Words a, Words b) {
  return vreinterpretq_u32_s32(vmaxq_s32(vreinterpretq_s32_u32(a), vreinterpretq_s32_u32(b)));
}
SPEECH_INLINE Words to_words(Vec v) { return vreinterpretq_u32_s32(vcvtq_s32_f32(v)); }
SPEECH_INLINE void store_bytes(int8_t* p, Words w) {
  const int16x4_t halves = vmovn_s32(vreinterpretq_s32_u32(w));
  const int8x8_t bytes = vmovn_s16(vcombine_s16(halves, halves));
  const int32_t four = vget_lane_s32(vreinterpret_s32_s8(bytes), 0);
  __builtin_memcpy(p, &four, sizeof(four));
}
SPEECH_INLINE Words splat_words(const void* p) {
  uint32_t word;
  __builtin_memcpy(&word, p, sizeof(word));
  return vdupq_n_u32(word);
}
