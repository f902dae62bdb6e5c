// Primitives of AVX-512 (F, BW, DQ, VL): the text of several tables, not a header of its own; see vector_rows.h.

using Vec = __m512;
using Words = __m512i;
constexpr size_t kWidth = 16;  // floats in a vector
constexpr size_t kSumChains = 8;
constexpr size_t kRegisters = 32;

// The first count < 16 lanes.
SPEECH_INLINE __mmask16 first_lanes(size_t count) { return static_cast<__mmask16>((1U << count) - 1U); }

SPEECH_INLINE Vec zero() { return _mm512_setzero_ps(); }
SPEECH_INLINE Vec splat(float x) { return _mm512_set1_ps(x); }
SPEECH_INLINE Vec load(const float* p) { return _mm512_loadu_ps(p); }
SPEECH_INLINE void store(float* p, Vec v) { _mm512_storeu_ps(p, v); }
SPEECH_INLINE Vec load_part(const float* p, size_t n) { return _mm512_maskz_loadu_ps(first_lanes(n), p); }
SPEECH_INLINE void store_part(float* p, Vec v, size_t n) { _mm512_mask_storeu_ps(p, first_lanes(n), v); }
SPEECH_INLINE Vec keep_first(Vec v, size_t n) { return _mm512_maskz_mov_ps(first_lanes(n), v); }
SPEECH_INLINE Vec load_halves(const uint8_t* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
SPEECH_INLINE void load_16_halves(const uint8_t* p, Vec* v) { v[0] = load_halves(p); }
SPEECH_INLINE void store_halves(uint16_t* p, Vec v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
SPEECH_INLINE float half_value(const uint8_t* p) {
  uint16_t half;
  __builtin_memcpy(&half, p, sizeof(half));
  return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(half)));
}
SPEECH_INLINE uint16_t half_bits(float x) {
  return static_cast<uint16_t>(
      _mm_extract_epi16(_mm_cvtps_ph(_mm_set_ss(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC), 0));
}

SPEECH_INLINE Vec add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
SPEECH_INLINE Vec sub(Vec a, Vec b) { return _mm512_sub_ps(a, b); }
SPEECH_INLINE Vec mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
SPEECH_INLINE Vec maximum(Vec a, Vec b) { return _mm512_max_ps(a, b); }
SPEECH_INLINE Vec minimum(Vec a, Vec b) { return _mm512_min_ps(a, b); }
SPEECH_INLINE Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
SPEECH_INLINE Vec fnma(Vec a, Vec b, Vec c) { return _mm512_fnmadd_ps(a, b, c); }
SPEECH_INLINE Vec round_to_even(Vec v) {
  return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
SPEECH_INLINE Vec keep_from(float bound, Vec x, Vec v) {
  return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, splat(bound), _CMP_NLT_UQ), v);
}

// Lane i and lane i + 8 first, then pairs of neighbours, pairs of pairs, and the two fours.
SPEECH_INLINE __m256 fold(Vec v) { return _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1)); }
SPEECH_INLINE float sum_lanes(Vec v) {
  const __m256 eight = fold(v);
  const __m256 pairs = _mm256_hadd_ps(eight, eight);
  const __m256 fours = _mm256_hadd_ps(pairs, pairs);
  return _mm_cvtss_f32(_mm_add_ss(_mm256_castps256_ps128(fours), _mm256_extractf128_ps(fours, 1)));
}
SPEECH_INLINE void sum_each_of_8(const Vec* v, float* out) {
  const __m256 s0123 = _mm256_hadd_ps(_mm256_hadd_ps(fold(v[0]), fold(v[1])), _mm256_hadd_ps(fold(v[2]), fold(v[3])));
  const __m256 s4567 = _mm256_hadd_ps(_mm256_hadd_ps(fold(v[4]), fold(v[5])), _mm256_hadd_ps(fold(v[6]), fold(v[7])));
  _mm256_storeu_ps(
      out, _mm256_add_ps(_mm256_permute2f128_ps(s0123, s4567, 0x20), _mm256_permute2f128_ps(s0123, s4567, 0x31)));
}
SPEECH_INLINE float max_lane(Vec v) { return _mm512_reduce_max_ps(v); }

SPEECH_INLINE Vec load_bytes(const int8_t* p) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
SPEECH_INLINE Words load_words(const uint8_t* p) { return _mm512_loadu_si512(p); }
SPEECH_INLINE Words load_byte_words(const uint8_t* p) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
SPEECH_INLINE Words words(int32_t w) { return _mm512_set1_epi32(w); }
template <int kBits>
SPEECH_INLINE Words shift_left(Words w) {
  return _mm512_slli_epi32(w, kBits);
}
template <int kBits>
SPEECH_INLINE Words shift_right(Words w) {
  return _mm512_srli_epi32(w, kBits);
}
template <int kBits>
SPEECH_INLINE Words shift_right_signed(Words w) {
  return _mm512_srai_epi32(w, kBits);
}
SPEECH_INLINE Words shift_right_by(Words w, int bits) { return _mm512_srl_epi32(w, _mm_cvtsi32_si128(bits)); }
SPEECH_INLINE Words both(Words a, Words b) { return _mm512_and_si512(a, b); }
SPEECH_INLINE Words either(Words a, Words b) { return _mm512_or_si512(a, b); }
SPEECH_INLINE Vec to_float(Words w) { return _mm512_cvtepi32_ps(w); }

SPEECH_INLINE Words as_words(Vec v) { return _mm512_castps_si512(v); }
SPEECH_INLINE Vec as_floats(Words w) { return _mm512_castsi512_ps(w); }
SPEECH_INLINE Words add_words(Words a, Words b) { return _mm512_add_epi32(a, b); }
SPEECH_INLINE Words maximum_words(Words a, Words b) { return _mm512_max_epi32(a, b); }
SPEECH_INLINE int32_t sum_words(Words w) { return _mm512_reduce_add_epi32(w); }
SPEECH_INLINE int32_t max_word(Words w) { return _mm512_reduce_max_epi32(w); }
SPEECH_INLINE Words to_words(Vec v) { return _mm512_cvtps_epi32(v); }
SPEECH_INLINE void store_bytes(int8_t* p, Words w) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(w));
}
SPEECH_INLINE Words splat_words(const void* p) {
  int32_t word;
  __builtin_memcpy(&word, p, sizeof(word));
  return _mm512_set1_epi32(word);
}
