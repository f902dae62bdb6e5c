// Transposing rows into panels with 256-bit vectors: the text of several x86-64 tables, not a header of its own; see
// vector_rows.h for how it is included.

// The transpose of eight rows of eight values, stored kPanelColumns apart.
SPEECH_INLINE void transpose_8x8(const float* src, size_t src_stride, float* dst) {
  __m256 r[8];
  SPEECH_UNROLL
  for (size_t i = 0; i < 8; ++i) {
    r[i] = _mm256_loadu_ps(src + i * src_stride);
  }
  __m256 t[8];
  SPEECH_UNROLL
  for (size_t i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  __m256 s[8];
  SPEECH_UNROLL
  for (size_t i = 0; i < 8; i += 4) {
    s[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    s[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xEE);
    s[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    s[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xEE);
  }
  SPEECH_UNROLL
  for (size_t i = 0; i < 4; ++i) {
    _mm256_storeu_ps(dst + i * kPanelColumns, _mm256_permute2f128_ps(s[i], s[i + 4], 0x20));
    _mm256_storeu_ps(dst + (i + 4) * kPanelColumns, _mm256_permute2f128_ps(s[i], s[i + 4], 0x31));
  }
}

SPEECH_TARGET void pack_panel(const float* src, size_t src_stride, size_t n_rows, size_t k, float* panel) {
  size_t i = 0;
  if (n_rows == kPanelColumns) {
    for (; i + 8 <= k; i += 8) {
      transpose_8x8(src + i, src_stride, panel + i * kPanelColumns);
      transpose_8x8(src + 8 * src_stride + i, src_stride, panel + i * kPanelColumns + 8);
    }
  }
  for (; i < k; ++i) {
    for (size_t column = 0; column < kPanelColumns; ++column) {
      panel[i * kPanelColumns + column] = column < n_rows ? src[column * src_stride + i] : 0.0F;
    }
  }
}

// The same of sixteen rows of binary16, eight inputs at a time.
SPEECH_TARGET void pack_rows_f16(const void* rows, size_t row_stride_bytes, size_t n_rows, size_t k, void* panel) {
  auto* out = static_cast<uint16_t*>(panel);
  const auto* from = static_cast<const uint8_t*>(rows);
  size_t i = 0;
  if (n_rows == kPanelColumns) {
    for (; i + 8 <= k; i += 8) {
      for (size_t half = 0; half < 2; ++half) {
        __m128i r[8];
        SPEECH_UNROLL
        for (size_t j = 0; j < 8; ++j) {
          r[j] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + (half * 8 + j) * row_stride_bytes + i * 2));
        }
        __m128i t[8];
        SPEECH_UNROLL
        for (size_t j = 0; j < 4; ++j) {
          t[j] = _mm_unpacklo_epi16(r[2 * j], r[2 * j + 1]);  // inputs 0 .. 3 of two rows
          t[4 + j] = _mm_unpackhi_epi16(r[2 * j], r[2 * j + 1]);
        }
        __m128i u[8];
        SPEECH_UNROLL
        for (size_t j = 0; j < 8; j += 4) {
          u[j] = _mm_unpacklo_epi32(t[j], t[j + 1]);  // inputs 0, 1 of rows 0 .. 3
          u[j + 1] = _mm_unpackhi_epi32(t[j], t[j + 1]);
          u[j + 2] = _mm_unpacklo_epi32(t[j + 2], t[j + 3]);
          u[j + 3] = _mm_unpackhi_epi32(t[j + 2], t[j + 3]);
        }
        SPEECH_UNROLL
        for (size_t j = 0; j < 4; ++j) {
          const size_t at = j / 2 * 4 + j % 2;
          auto* to = reinterpret_cast<__m128i*>(out + (i + 2 * j) * kPanelColumns + half * 8);
          _mm_storeu_si128(to, _mm_unpacklo_epi64(u[at], u[at + 2]));
          _mm_storeu_si128(to + 2, _mm_unpackhi_epi64(u[at], u[at + 2]));
        }
      }
    }
  }
  for (; i < k; ++i) {
    for (size_t r = 0; r < kPanelColumns; ++r) {
      uint16_t value = 0;
      if (r < n_rows) {
        __builtin_memcpy(&value, from + r * row_stride_bytes + i * 2, sizeof(value));
      }
      out[i * kPanelColumns + r] = value;
    }
  }
}
