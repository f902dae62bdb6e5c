// Primitives of AVX2, FMA and F16C: the text of several tables, not a header of its own; see vector_rows.h.

using Vec = __m256;
using Words = __m256i;
constexpr size_t kWidth = 8;  // floats in a vector
constexpr size_t kSumChains = 8;
constexpr size_t kRegisters = 16;

alignas(32) constexpr int32_t kTailMasks[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

// All ones in the first count <= 8 lanes.
SPEECH_INLINE __m256i tail_mask(size_t count) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kTailMasks + kWidth - count));
}

SPEECH_INLINE Vec zero() { return _mm256_setzero_ps(); }
SPEECH_INLINE Vec splat(float x) { return _mm256_set1_ps(x); }
SPEECH_INLINE Vec load(const float* p) { return _mm256_loadu_ps(p); }
SPEECH_INLINE void store(float* p, Vec v) { _mm256_storeu_ps(p, v); }
SPEECH_INLINE Vec load_part(const float* p, size_t n) { return _mm256_maskload_ps(p, tail_mask(n)); }
SPEECH_INLINE void store_part(float* p, Vec v, size_t n) { _mm256_maskstore_ps(p, tail_mask(n), v); }
SPEECH_INLINE Vec keep_first(Vec v, size_t n) { return _mm256_and_ps(v, _mm256_castsi256_ps(tail_mask(n))); }
SPEECH_INLINE Vec load_halves(const uint8_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
SPEECH_INLINE void load_16_halves(const uint8_t* p, Vec* v) {
  v[0] = load_halves(p);
  v[1] = load_halves(p + 16);
}
SPEECH_INLINE void store_halves(uint16_t* p, Vec v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
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

SPEECH_INLINE Vec add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
SPEECH_INLINE Vec sub(Vec a, Vec b) { return _mm256_sub_ps(a, b); }
SPEECH_INLINE Vec mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
SPEECH_INLINE Vec maximum(Vec a, Vec b) { return _mm256_max_ps(a, b); }
SPEECH_INLINE Vec minimum(Vec a, Vec b) { return _mm256_min_ps(a, b); }
SPEECH_INLINE Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
SPEECH_INLINE Vec fnma(Vec a, Vec b, Vec c) { return _mm256_fnmadd_ps(a, b, c); }
SPEECH_INLINE Vec round_to_even(Vec v) { return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
SPEECH_INLINE Vec keep_from(float bound, Vec x, Vec v) {
  return _mm256_and_ps(v, _mm256_cmp_ps(x, splat(bound), _CMP_NLT_UQ));
}

// ((v0 + v1) + (v2 + v3)) + ((v4 + v5) + (v6 + v7)): the order of every sum over lanes here.
SPEECH_INLINE float sum_lanes(Vec v) {
  const __m256 pairs = _mm256_hadd_ps(v, v);
  const __m256 fours = _mm256_hadd_ps(pairs, pairs);
  return _mm_cvtss_f32(_mm_add_ss(_mm256_castps256_ps128(fours), _mm256_extractf128_ps(fours, 1)));
}
SPEECH_INLINE void sum_each_of_8(const Vec* v, float* out) {
  const __m256 s0123 = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
  const __m256 s4567 = _mm256_hadd_ps(_mm256_hadd_ps(v[4], v[5]), _mm256_hadd_ps(v[6], v[7]));
  store(out, add(_mm256_permute2f128_ps(s0123, s4567, 0x20), _mm256_permute2f128_ps(s0123, s4567, 0x31)));
}
SPEECH_INLINE float max_lane(Vec v) {
  __m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  m = _mm_max_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

SPEECH_INLINE Vec load_bytes(const int8_t* p) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
SPEECH_INLINE Words load_words(const uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
SPEECH_INLINE Words load_byte_words(const uint8_t* p) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}
SPEECH_INLINE Words words(int32_t w) { return _mm256_set1_epi32(w); }
template <int kBits>
SPEECH_INLINE Words shift_left(Words w) {
  return _mm256_slli_epi32(w, kBits);
}
template <int kBits>
SPEECH_INLINE Words shift_right(Words w) {
  return _mm256_srli_epi32(w, kBits);
}
template <int kBits>
SPEECH_INLINE Words shift_right_signed(Words w) {
  return _mm256_srai_epi32(w, kBits);
}
SPEECH_INLINE Words shift_right_by(Words w, int bits) { return _mm256_srl_epi32(w, _mm_cvtsi32_si128(bits)); }
SPEECH_INLINE Words both(Words a, Words b) { return _mm256_and_si256(a, b); }
SPEECH_INLINE Words either(Words a, Words b) { return _mm256_or_si256(a, b); }
SPEECH_INLINE Vec to_float(Words w) { return _mm256_cvtepi32_ps(w); }

SPEECH_INLINE Words as_words(Vec v) { return _mm256_castps_si256(v); }
SPEECH_INLINE Vec as_floats(Words w) { return _mm256_castsi256_ps(w); }
SPEECH_INLINE Words add_words(Words a, Words b) { return _mm256_add_epi32(a, b); }
SPEECH_INLINE Words maximum_words(Words a, Words b) { return _mm256_max_epi32(a, b); }
SPEECH_INLINE int32_t sum_words(Words w) {
  __m128i s = _mm_add_epi32(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1)));
}
SPEECH_INLINE int32_t max_word(Words w) {
  __m128i m = _mm_max_epi32(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
  m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4E));
  return _mm_cvtsi128_si32(_mm_max_epi32(m, _mm_shuffle_epi32(m, 0xB1)));
}
SPEECH_INLINE Words to_words(Vec v) { return _mm256_cvtps_epi32(v); }
SPEECH_INLINE void store_bytes(int8_t* p, Words w) {
  const __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128(w), _mm256_extracti128_si256(w, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(halves, halves));
}
SPEECH_INLINE Words splat_words(const void* p) {
  int32_t word;
  __builtin_memcpy(&word, p, sizeof(word));
  return _mm256_set1_epi32(word);
}
