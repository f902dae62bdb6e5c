// Products on rows as a file holds them, for any vector instruction set: the text of several tables, not a header of
// its own; see vector_rows.h for how it is included and what it is written on. Also needs kSumChains, the independent
// sums that hide the latency of a multiply-add and fit into the registers: 8 or 16.

// --- Formats: thirty-two values of a row as vectors ------------------------------------------------------------------

constexpr size_t kBlockVectors = kFormatBlock / kWidth;

struct F32 {
  static constexpr size_t kBytes = 128;  // of 32 values
  static constexpr bool kWholeBlocks = false;
  SPEECH_INLINE static void load_block(const uint8_t* p, Vec* w) {
    SPEECH_UNROLL
    for (size_t j = 0; j < kBlockVectors; ++j) {
      w[j] = load_vector(p + j * kWidth * 4);
    }
  }
  SPEECH_INLINE static Vec load_vector(const uint8_t* p) { return load(reinterpret_cast<const float*>(p)); }
  SPEECH_INLINE static Vec load_rest(const uint8_t* p, size_t n) {
    return load_part(reinterpret_cast<const float*>(p), n);
  }
  SPEECH_INLINE static float load_value(const uint8_t* p) {
    float value;
    __builtin_memcpy(&value, p, sizeof(value));
    return value;
  }
};

struct F16 {
  static constexpr size_t kBytes = 64;
  static constexpr bool kWholeBlocks = false;
  SPEECH_INLINE static void load_block(const uint8_t* p, Vec* w) {
    SPEECH_UNROLL
    for (size_t j = 0; j < kBlockVectors; ++j) {
      w[j] = load_halves(p + j * kWidth * 2);
    }
  }
  SPEECH_INLINE static Vec load_vector(const uint8_t* p) { return load_halves(p); }
  SPEECH_INLINE static Vec load_rest(const uint8_t* p, size_t n) {
    uint16_t halves[kWidth] = {};
    __builtin_memcpy(halves, p, n * 2);
    return load_halves(reinterpret_cast<const uint8_t*>(halves));
  }
  SPEECH_INLINE static float load_value(const uint8_t* p) { return half_value(p); }
};

SPEECH_INLINE void load_codes(const int8_t* codes, Vec* w) {
  SPEECH_UNROLL
  for (size_t j = 0; j < kBlockVectors; ++j) {
    w[j] = load_bytes(codes + j * kWidth);
  }
}

// Q4_0, Q4_1, Q5_0, Q5_1: half scale, half minimum if any, four bytes of fifth bits if any, sixteen bytes of nibbles.
template <bool kHasMinimum, bool kHasFifthBit>
struct Nibbles {
  static constexpr size_t kHigh = kHasMinimum ? 4 : 2;
  static constexpr size_t kCodes = kHigh + (kHasFifthBit ? 4 : 0);
  static constexpr size_t kBytes = kCodes + 16;
  static constexpr bool kWholeBlocks = true;
  SPEECH_INLINE static void load_block(const uint8_t* p, Vec* w) {
    constexpr int kZero = kHasMinimum ? 0 : (kHasFifthBit ? 16 : 8);
    uint32_t high = 0;
    if (kHasFifthBit) {
      __builtin_memcpy(&high, p + kHigh, sizeof(high));
    }
    int8_t codes[kFormatBlock];
    for (uint32_t j = 0; j < 16; ++j) {
      const uint32_t byte = p[kCodes + j];
      codes[j] = static_cast<int8_t>(static_cast<int>((byte & 0xFU) | (((high >> j) & 1U) << 4U)) - kZero);
      codes[j + 16] = static_cast<int8_t>(static_cast<int>((byte >> 4U) | (((high >> (j + 16U)) & 1U) << 4U)) - kZero);
    }
    load_codes(codes, w);
    const Vec scale = splat(half_value(p));
    const Vec minimum = kHasMinimum ? splat(half_value(p + 2)) : zero();
    SPEECH_UNROLL
    for (size_t j = 0; j < kBlockVectors; ++j) {
      // The product of 11 and 5 bits is exact, so that a minimum costs one rounding, fused or not.
      w[j] = kHasMinimum ? fma(w[j], scale, minimum) : mul(w[j], scale);
    }
  }
};

struct Q8_0 {
  static constexpr size_t kBytes = 34;
  static constexpr bool kWholeBlocks = true;
  SPEECH_INLINE static void load_block(const uint8_t* p, Vec* w) {
    load_codes(reinterpret_cast<const int8_t*>(p + 2), w);
    const Vec scale = splat(half_value(p));
    SPEECH_UNROLL
    for (size_t j = 0; j < kBlockVectors; ++j) {
      w[j] = mul(w[j], scale);
    }
  }
};

template <typename Format>
SPEECH_TARGET void to_f32(const void* src, size_t src_stride_bytes, size_t n_rows, size_t n, float* dst,
                          size_t dst_stride) {
  for (size_t r = 0; r < n_rows; ++r) {
    const uint8_t* p = static_cast<const uint8_t*>(src) + r * src_stride_bytes;
    float* out = dst + r * dst_stride;
    size_t i = 0;
    for (; i + kFormatBlock <= n; i += kFormatBlock, p += Format::kBytes) {
      Vec w[kBlockVectors];
      Format::load_block(p, w);
      SPEECH_UNROLL
      for (size_t j = 0; j < kBlockVectors; ++j) {
        store(out + i + j * kWidth, w[j]);
      }
    }
    if constexpr (!Format::kWholeBlocks) {
      constexpr size_t kValue = Format::kBytes / kFormatBlock;
      for (; i + kWidth <= n; i += kWidth, p += kWidth * kValue) {
        store(out + i, Format::load_vector(p));
      }
      for (; i < n; ++i, p += kValue) {
        out[i] = Format::load_value(p);
      }
    }
  }
}

// --- Dot products ----------------------------------------------------------------------------------------------------

// kRows weight rows times kX activation rows at a time, one vector of sums each: some eight independent chains of
// multiply-adds hide their latency, whatever the number of activation rows, and a sum does not depend on that number.
template <typename Format, size_t kRows, size_t kX>
SPEECH_TARGET void dots_tile(const uint8_t* weights, size_t stride_bytes, size_t n_weights, size_t k, const float* x,
                             size_t x_stride, float* out, size_t out_stride) {
  // The same place of later rows: rows may be too far apart to be foreseen by the hardware. Never faults.
  const size_t ahead = (kRows * stride_bytes < 1024 ? 32 : 64) * stride_bytes;
  for (size_t first = 0; first < n_weights; first += kRows) {
    const size_t count = n_weights - first < kRows ? n_weights - first : kRows;
    const uint8_t* p[kRows];
    for (size_t r = 0; r < kRows; ++r) {
      p[r] = weights + (first + (r < count ? r : count - 1)) * stride_bytes;
    }
    Vec s[8];
    SPEECH_UNROLL
    for (size_t i = 0; i < 8; ++i) {
      s[i] = zero();
    }
    size_t i = 0;
    for (; i + kFormatBlock <= k; i += kFormatBlock) {
      SPEECH_UNROLL
      for (size_t r = 0; r < kRows; ++r) {
        Vec w[kBlockVectors];
        Format::load_block(p[r], w);
        __builtin_prefetch(p[r] + ahead);
        p[r] += Format::kBytes;
        SPEECH_UNROLL
        for (size_t n = 0; n < kX; ++n) {
          SPEECH_UNROLL
          for (size_t j = 0; j < kBlockVectors; ++j) {
            s[r * kX + n] = fma(w[j], load(x + n * x_stride + i + j * kWidth), s[r * kX + n]);
          }
        }
      }
    }
    {
      constexpr size_t kValue = Format::kBytes / kFormatBlock;
      for (; i + kWidth <= k; i += kWidth) {
        SPEECH_UNROLL
        for (size_t r = 0; r < kRows; ++r) {
          const Vec w = Format::load_vector(p[r]);
          p[r] += kWidth * kValue;
          SPEECH_UNROLL
          for (size_t n = 0; n < kX; ++n) {
            s[r * kX + n] = fma(w, load(x + n * x_stride + i), s[r * kX + n]);
          }
        }
      }
      if (i < k) {
        SPEECH_UNROLL
        for (size_t r = 0; r < kRows; ++r) {
          const Vec w = Format::load_rest(p[r], k - i);
          SPEECH_UNROLL
          for (size_t n = 0; n < kX; ++n) {
            s[r * kX + n] = fma(w, load_part(x + n * x_stride + i, k - i), s[r * kX + n]);
          }
        }
      }
    }
    float sums[8];
    sum_each_of_8(s, sums);
    for (size_t r = 0; r < count; ++r) {
      for (size_t n = 0; n < kX; ++n) {
        out[n * out_stride + first + r] = sums[r * kX + n];
      }
    }
  }
}

template <typename Format>
SPEECH_TARGET void dots(const void* weights, size_t weight_stride_bytes, size_t n_weights, size_t k, const float* x,
                        size_t x_stride, size_t n_x, float* out, size_t out_stride) {
  using Tile = void (*)(const uint8_t*, size_t, size_t, size_t, const float*, size_t, float*, size_t);
  constexpr Tile kTiles[kMaxDotRows] = {dots_tile<Format, 8, 1>, dots_tile<Format, 4, 2>, dots_tile<Format, 2, 3>,
                                        dots_tile<Format, 2, 4>, dots_tile<Format, 1, 5>, dots_tile<Format, 1, 6>,
                                        dots_tile<Format, 1, 7>, dots_tile<Format, 1, 8>};
  if (n_x > 0) {
    kTiles[n_x - 1](static_cast<const uint8_t*>(weights), weight_stride_bytes, n_weights, k, x, x_stride, out,
                    out_stride);
  }
}

// --- Weighted sums of rows -------------------------------------------------------------------------------------------

// kVectors vectors of columns, kX rows of p: the sums stay in registers while all rows pass.
template <typename Format, size_t kVectors, size_t kX>
SPEECH_INLINE void weighted_sum_tile(const uint8_t* rows, size_t row_stride_bytes, size_t n_rows, const float* p,
                                     size_t p_stride, float* out, size_t out_stride) {
  constexpr size_t kValue = Format::kBytes / kFormatBlock;
  Vec s[kX][kVectors];
  SPEECH_UNROLL
  for (size_t n = 0; n < kX; ++n) {
    SPEECH_UNROLL
    for (size_t j = 0; j < kVectors; ++j) {
      s[n][j] = load(out + n * out_stride + j * kWidth);
    }
  }
  for (size_t r = 0; r < n_rows; ++r, rows += row_stride_bytes) {
    __builtin_prefetch(rows + 32 * row_stride_bytes);
    __builtin_prefetch(rows + 32 * row_stride_bytes + 64);
    Vec factor[kX];
    SPEECH_UNROLL
    for (size_t n = 0; n < kX; ++n) {
      factor[n] = splat(p[n * p_stride + r]);
    }
    SPEECH_UNROLL
    for (size_t j = 0; j < kVectors; ++j) {
      const Vec w = Format::load_vector(rows + j * kWidth * kValue);
      SPEECH_UNROLL
      for (size_t n = 0; n < kX; ++n) {
        s[n][j] = fma(factor[n], w, s[n][j]);
      }
    }
  }
  SPEECH_UNROLL
  for (size_t n = 0; n < kX; ++n) {
    SPEECH_UNROLL
    for (size_t j = 0; j < kVectors; ++j) {
      store(out + n * out_stride + j * kWidth, s[n][j]);
    }
  }
}

// All whole vectors of columns, as many at a time as there are registers, then half as many, and so on. Returns
// columns.
template <typename Format, size_t kVectors, size_t kX>
SPEECH_INLINE size_t weighted_sum_columns(const uint8_t* rows, size_t row_stride_bytes, size_t n_rows, size_t begin,
                                          size_t k, const float* p, size_t p_stride, float* out, size_t out_stride) {
  constexpr size_t kValue = Format::kBytes / kFormatBlock;
  size_t i = begin;
  for (; i + kVectors * kWidth <= k; i += kVectors * kWidth) {
    weighted_sum_tile<Format, kVectors, kX>(rows + i * kValue, row_stride_bytes, n_rows, p, p_stride, out + i,
                                            out_stride);
  }
  if constexpr (kVectors > 1) {
    i = weighted_sum_columns<Format, kVectors / 2, kX>(rows, row_stride_bytes, n_rows, i, k, p, p_stride, out,
                                                       out_stride);
  }
  return i;
}

template <typename Format, size_t kX>
SPEECH_TARGET void weighted_sum_rows(const uint8_t* rows, size_t row_stride_bytes, size_t n_rows, size_t k,
                                     const float* p, size_t p_stride, float* out, size_t out_stride) {
  constexpr size_t kValue = Format::kBytes / kFormatBlock;
  size_t i = weighted_sum_columns<Format, kSumChains / kX, kX>(rows, row_stride_bytes, n_rows, 0, k, p, p_stride, out,
                                                               out_stride);
  for (; i < k; ++i) {
    for (size_t n = 0; n < kX; ++n) {
      float sum = out[n * out_stride + i];
      for (size_t r = 0; r < n_rows; ++r) {
        sum += p[n * p_stride + r] * Format::load_value(rows + r * row_stride_bytes + i * kValue);
      }
      out[n * out_stride + i] = sum;
    }
  }
}

template <typename Format>
SPEECH_TARGET void weighted_sum(const void* rows, size_t row_stride_bytes, size_t n_rows, size_t k, const float* p,
                                size_t p_stride, size_t n_x, float* out, size_t out_stride) {
  const auto* bytes = static_cast<const uint8_t*>(rows);
  size_t n = 0;
  for (; n + 4 <= n_x; n += 4) {
    weighted_sum_rows<Format, 4>(bytes, row_stride_bytes, n_rows, k, p + n * p_stride, p_stride, out + n * out_stride,
                                 out_stride);
  }
  for (; n + 2 <= n_x; n += 2) {
    weighted_sum_rows<Format, 2>(bytes, row_stride_bytes, n_rows, k, p + n * p_stride, p_stride, out + n * out_stride,
                                 out_stride);
  }
  if (n < n_x) {
    weighted_sum_rows<Format, 1>(bytes, row_stride_bytes, n_rows, k, p + n * p_stride, p_stride, out + n * out_stride,
                                 out_stride);
  }
}
