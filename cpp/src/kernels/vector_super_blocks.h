// Products of panels of K-quants with quantised activations: the text of several tables, not a header of its own; see
// vector_rows.h for how it is included. Needs vector_blocks.h, and of the primitives also
//   load_byte_words(p)                 kWidth bytes without a sign as words
// Where a field lies in a super-block says tensor/dtype.h; its units lie sixteen side by side.

// Four inputs of each column: the word at byte `at` of a super-block's row.
SPEECH_INLINE Words super_words(const uint8_t* block, size_t at, size_t j) {
  return load_words(block + at * kPanelColumns + j * kWidth * 4);
}
SPEECH_INLINE Words super_bytes(const uint8_t* block, size_t at, size_t j) {
  return load_byte_words(block + at * kPanelColumns + j * kWidth);
}
SPEECH_INLINE Vec super_halves(const uint8_t* block, size_t at, size_t j) {
  return load_halves(block + at * kPanelColumns + j * kWidth * 2);
}
// Bits [shift, shift + width of the mask) of each byte.
SPEECH_INLINE Words bits_at(Words w, size_t shift, int32_t mask) {
  return both(shift_right_by(w, static_cast<int>(shift)), words(mask));
}

struct Q2KBlock {  // scales[16] codes[64] scale minimum
  static constexpr size_t kParts = 8;
  static constexpr size_t kRuns = 2;
  static constexpr bool kSigned = false;
  static constexpr bool kMinimum = true;
  static constexpr int kZeroBits = 0;
  static constexpr size_t kBytes = 84 * kPanelColumns;
  SPEECH_INLINE static void unpack(const uint8_t* block, size_t part, size_t j, BlockWeights& out, size_t v) {
    const Vec scale = super_halves(block, 80, j);
    const Vec minus_minimum = sub(zero(), super_halves(block, 82, j));
    SPEECH_UNROLL
    for (size_t run = 0; run < 2; ++run) {
      const Words byte = super_bytes(block, 2 * part + run, j);
      out.scale[run][v] = mul(scale, to_float(both(byte, words(15))));
      out.minimum[run][v] = mul(minus_minimum, to_float(shift_right<4>(byte)));
    }
    SPEECH_UNROLL
    for (size_t g = 0; g < kGroups; ++g) {
      out.codes[g][v] = bits_at(super_words(block, 16 + part / 4 * 32 + 4 * g, j), part % 4 * 2, 0x03030303);
    }
    prepare_groups<kSigned>(out, v);
  }
};

struct Q3KBlock {  // high[32] codes[64] scales[12] scale
  static constexpr size_t kParts = 8;
  static constexpr size_t kRuns = 2;
  static constexpr bool kSigned = false;
  static constexpr bool kMinimum = false;
  static constexpr int kZeroBits = 2;
  static constexpr size_t kBytes = 110 * kPanelColumns;
  SPEECH_INLINE static void unpack(const uint8_t* block, size_t part, size_t j, BlockWeights& out, size_t v) {
    const Vec scale = super_halves(block, 108, j);
    SPEECH_UNROLL
    for (size_t half = 0; half < 2; ++half) {
      const size_t run = 2 * part + half;
      const Words low = bits_at(super_bytes(block, 96 + run % 8, j), run / 8 * 4, 15);
      const Words high = bits_at(super_bytes(block, 104 + run % 4, j), run / 4 * 2, 3);
      out.scale[half][v] = mul(scale, sub(to_float(either(low, shift_left<4>(high))), splat(32.0F)));
    }
    SPEECH_UNROLL
    for (size_t g = 0; g < kGroups; ++g) {
      const Words low = bits_at(super_words(block, 32 + part / 4 * 32 + 4 * g, j), part % 4 * 2, 0x03030303);
      const Words high = bits_at(super_words(block, 4 * g, j), part, 0x01010101);
      out.codes[g][v] = either(low, shift_left<2>(high));
    }
    prepare_groups<kSigned>(out, v);
  }
};

template <bool kHasFifthBit>
struct SuperNibbleBlock {  // scale minimum scales[12] (high[32]) codes[128]
  static constexpr size_t kParts = 8;
  static constexpr size_t kRuns = 1;
  static constexpr bool kSigned = false;
  static constexpr bool kMinimum = true;
  static constexpr int kZeroBits = 0;
  static constexpr size_t kCodes = kHasFifthBit ? 48 : 16;
  static constexpr size_t kBytes = (kCodes + 128) * kPanelColumns;
  SPEECH_INLINE static void unpack(const uint8_t* block, size_t part, size_t j, BlockWeights& out, size_t v) {
    Words scale;
    Words minimum;
    if (part < 4) {
      scale = both(super_bytes(block, 4 + part, j), words(63));
      minimum = both(super_bytes(block, 8 + part, j), words(63));
    } else {
      const Words low = super_bytes(block, 8 + part, j);
      scale = either(both(low, words(15)), shift_left<4>(shift_right<6>(super_bytes(block, part, j))));
      minimum = either(shift_right<4>(low), shift_left<4>(shift_right<6>(super_bytes(block, 4 + part, j))));
    }
    out.scale[0][v] = mul(super_halves(block, 0, j), to_float(scale));
    out.minimum[0][v] = mul(sub(zero(), super_halves(block, 2, j)), to_float(minimum));
    SPEECH_UNROLL
    for (size_t g = 0; g < kGroups; ++g) {
      Words code = bits_at(super_words(block, kCodes + part / 2 * 32 + 4 * g, j), part % 2 * 4, 0x0F0F0F0F);
      if constexpr (kHasFifthBit) {
        code = either(code, shift_left<4>(bits_at(super_words(block, 16 + 4 * g, j), part, 0x01010101)));
      }
      out.codes[g][v] = code;
    }
    prepare_groups<kSigned>(out, v);
  }
};

struct Q6KBlock {  // codes[128] high[64] scales[16] scale
  static constexpr size_t kParts = 8;
  static constexpr size_t kRuns = 2;
  static constexpr bool kSigned = true;
  static constexpr bool kMinimum = false;
  static constexpr int kZeroBits = kSignedZeroBits;
  static constexpr size_t kBytes = 210 * kPanelColumns;
  SPEECH_INLINE static void unpack(const uint8_t* block, size_t part, size_t j, BlockWeights& out, size_t v) {
    const Vec scale = super_halves(block, 208, j);
    SPEECH_UNROLL
    for (size_t run = 0; run < 2; ++run) {
      const uint8_t* const scales = block + (192 + 2 * part + run) * kPanelColumns + j * kWidth;
      out.scale[run][v] = mul(scale, load_bytes(reinterpret_cast<const int8_t*>(scales)));
    }
    const size_t half = part / 4;
    SPEECH_UNROLL
    for (size_t g = 0; g < kGroups; ++g) {
      const Words low = bits_at(super_words(block, half * 64 + part % 2 * 32 + 4 * g, j), part % 4 / 2 * 4, 0x0F0F0F0F);
      const Words high = bits_at(super_words(block, 128 + half * 32 + 4 * g, j), part % 4 * 2, 0x03030303);
      // 32 less, as a byte with a sign: its high nibble is high - 2 modulo 16.
      const Words nibble = both(add_words(high, words(0x0E0E0E0E)), words(0x0F0F0F0F));
      out.codes[g][v] = either(low, shift_left<4>(nibble));
    }
    prepare_groups<kSigned>(out, v);
  }
};

#define SPEECH_PANEL_PRODUCTS                 \
  {nullptr,                                   \
   nullptr,                                   \
   panel_products<NibbleBlock<false, false>>, \
   panel_products<NibbleBlock<true, false>>,  \
   panel_products<NibbleBlock<false, true>>,  \
   panel_products<NibbleBlock<true, true>>,   \
   panel_products<ByteBlock>,                 \
   panel_products<Q2KBlock>,                  \
   panel_products<Q3KBlock>,                  \
   panel_products<SuperNibbleBlock<false>>,   \
   panel_products<SuperNibbleBlock<true>>,    \
   panel_products<Q6KBlock>}
