// Rows of K-quants as floats: the text of every table, not a header of its own; see vector_rows.h for how it is
// included. Needs half_value(p) of what includes it, and pack_blocks.h.
//
// All five formats hold 256 values in sixteen runs of sixteen, and value = scale * code - minimum: scale and minimum of
// a run are small integers times the block's two halves, so that scale * code is exact and the whole rounds once. The
// codes of a part, of two runs, lie in bytes of their own 32, beside those of other parts; tensor/dtype.h says where.

constexpr size_t kSuperBlock = 256;

// Scale (at 0) and minimum (at 4) of part `part` in six bits: those of the first four parts stand in the low six bits
// of bytes 0 to 7, with the top bits of the others above them, whose low four bits are nibbles of bytes 8 to 11.
SPEECH_TARGET inline unsigned six_bits(const uint8_t* scales, size_t part, size_t at) {
  if (part < 4) {
    return scales[part + at] & 63U;
  }
  const unsigned low = at == 0 ? scales[part + 4] & 15U : scales[part + 4] >> 4U;
  return low | (static_cast<unsigned>(scales[part - 4 + at]) >> 6U) << 4U;
}

// Bytes [at, at + bytes) of a super-block, in units that a panel keeps together.
struct Field {
  size_t at, bytes, unit;
};

struct Q2_K {  // scales[16] codes[64] scale minimum
  static constexpr size_t kBytes = 84;
  static constexpr bool kWholeParts = false;
  static constexpr Field kFields[] = {{0, 16, 1}, {16, 64, 4}, {80, 4, 2}};
  SPEECH_TARGET static float scale(const uint8_t* block, size_t run) {
    return half_value(block + 80) * static_cast<float>(block[run] & 15U);
  }
  SPEECH_TARGET static float minimum(const uint8_t* block, size_t run) {
    return half_value(block + 82) * static_cast<float>(block[run] >> 4U);
  }
  SPEECH_TARGET static int code(const uint8_t* block, size_t part, size_t i) {
    return (block[16 + part / 4 * 32 + i] >> (part % 4 * 2)) & 3;
  }
};

struct Q3_K {  // high[32] codes[64] scales[12] scale
  static constexpr size_t kBytes = 110;
  static constexpr bool kWholeParts = false;
  static constexpr Field kFields[] = {{0, 96, 4}, {96, 12, 1}, {108, 2, 2}};
  SPEECH_TARGET static float scale(const uint8_t* block, size_t run) {
    const uint8_t* scales = block + 96;
    const int low = run < 8 ? scales[run] & 15 : scales[run - 8] >> 4;
    const int high = (scales[8 + run % 4] >> (run / 4 * 2)) & 3;
    return half_value(block + 108) * static_cast<float>((low | high << 4) - 32);
  }
  SPEECH_TARGET static float minimum(const uint8_t* /*block*/, size_t /*run*/) { return 0.0F; }
  SPEECH_TARGET static int code(const uint8_t* block, size_t part, size_t i) {
    const int low = (block[32 + part / 4 * 32 + i] >> (part % 4 * 2)) & 3;
    return (low | ((block[i] >> part) & 1) << 2) - 4;
  }
};

template <bool kHasFifthBit>
struct SuperNibbles {  // scale minimum scales[12] (high[32]) codes[128]
  static constexpr size_t kCodes = kHasFifthBit ? 48 : 16;
  static constexpr size_t kBytes = kCodes + 128;
  static constexpr bool kWholeParts = true;  // a scale for 32 values, not for 16
  static constexpr Field kFields[] = {{0, 4, 2}, {4, 12, 1}, {16, kBytes - 16, 4}};
  SPEECH_TARGET static float scale(const uint8_t* block, size_t run) {
    return half_value(block) * static_cast<float>(six_bits(block + 4, run / 2, 0));
  }
  SPEECH_TARGET static float minimum(const uint8_t* block, size_t run) {
    return half_value(block + 2) * static_cast<float>(six_bits(block + 4, run / 2, 4));
  }
  SPEECH_TARGET static int code(const uint8_t* block, size_t part, size_t i) {
    const int nibble = (block[kCodes + part / 2 * 32 + i] >> (part % 2 * 4)) & 15;
    return kHasFifthBit ? nibble | ((block[16 + i] >> part) & 1) << 4 : nibble;
  }
};

struct Q6_K {  // codes[128] high[64] scales[16] scale
  static constexpr size_t kBytes = 210;
  static constexpr bool kWholeParts = false;
  static constexpr Field kFields[] = {{0, 192, 4}, {192, 16, 1}, {208, 2, 2}};
  SPEECH_TARGET static float scale(const uint8_t* block, size_t run) {
    return half_value(block + 208) * static_cast<float>(static_cast<int8_t>(block[192 + run]));
  }
  SPEECH_TARGET static float minimum(const uint8_t* /*block*/, size_t /*run*/) { return 0.0F; }
  SPEECH_TARGET static int code(const uint8_t* block, size_t part, size_t i) {
    const size_t half = part / 4;
    const int low = (block[half * 64 + part % 2 * 32 + i] >> (part % 4 / 2 * 4)) & 15;
    return (low | ((block[128 + half * 32 + i] >> (part % 4 * 2)) & 3) << 4) - 32;
  }
};

template <typename Format>
SPEECH_TARGET void super_blocks_to_f32(const void* src, size_t src_stride_bytes, size_t n_rows, size_t n, float* dst,
                                       size_t dst_stride) {
  for (size_t r = 0; r < n_rows; ++r) {
    const uint8_t* block = static_cast<const uint8_t*>(src) + r * src_stride_bytes;
    float* out = dst + r * dst_stride;
    for (size_t at = 0; at < n; at += kSuperBlock, block += Format::kBytes) {
      for (size_t run = 0; run < 16; ++run, out += 16) {
        const float scale = Format::scale(block, run);
        const float minimum = Format::minimum(block, run);
        for (size_t i = 0; i < 16; ++i) {
          out[i] = scale * static_cast<float>(Format::code(block, run / 2, run % 2 * 16 + i)) - minimum;
        }
      }
    }
  }
}

template <typename Format>
SPEECH_TARGET void pack_super_blocks(const void* rows, size_t row_stride_bytes, size_t n_rows, size_t k, void* panel) {
  const auto* from = static_cast<const uint8_t*>(rows);
  auto* out = static_cast<uint8_t*>(panel);
  for (size_t i = 0; i < k; i += kSuperBlock, from += Format::kBytes, out += Format::kBytes * kPanelColumns) {
    for (const Field& field : Format::kFields) {
      for (size_t at = field.at; at < field.at + field.bytes; at += field.unit) {
        pack_field(from, row_stride_bytes, n_rows, at, field.unit, out + at * kPanelColumns);
      }
    }
  }
}

// block <- the super-block of row `row` in a panel's.
template <typename Format>
SPEECH_TARGET void unpack_super_block(const uint8_t* panel_block, size_t row, uint8_t* block) {
  for (const Field& field : Format::kFields) {
    for (size_t at = field.at; at < field.at + field.bytes; at += field.unit) {
      for (size_t j = 0; j < field.unit; ++j) {
        block[at + j] = panel_block[at * kPanelColumns + row * field.unit + j];
      }
    }
  }
}

template <typename Format>
SPEECH_TARGET void panel_row_to_f32_super_blocks(const void* panel, size_t row, size_t k, float* out) {
  const auto* from = static_cast<const uint8_t*>(panel);
  for (size_t i = 0; i < k; i += kSuperBlock, from += Format::kBytes * kPanelColumns) {
    uint8_t block[Format::kBytes];
    unpack_super_block<Format>(from, row, block);
    super_blocks_to_f32<Format>(block, 0, 1, kSuperBlock, out + i, 0);
  }
}

// function<format> of each, by format, kFormatQ2_K and on.
#define SPEECH_OF_SUPER_BLOCKS(function) \
  function<Q2_K>, function<Q3_K>, function<SuperNibbles<false>>, function<SuperNibbles<true>>, function<Q6_K>
