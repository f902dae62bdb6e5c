// Packing rows of quantised weights into panels, and reading a row out of one again: the text of every table, not a
// header of its own; see vector_rows.h for how it is included. Needs half_value(p) of what includes it.

// Fields of a block: `kHeads` of two bytes (scale, minimum), `kHigh` bytes of fifth bits, `kCodes` bytes of codes.
template <size_t kHeads, size_t kHigh, size_t kCodes>
struct PanelBlock {
  static constexpr size_t kHighAt = kHeads * 2;
  static constexpr size_t kCodesAt = kHighAt + kHigh;
  static constexpr size_t kBytes = kCodesAt + kCodes;
};

// The same `n` bytes, those at `at` of a block, of all rows.
SPEECH_TARGET inline void pack_field(const uint8_t* rows, size_t row_stride_bytes, size_t n_rows, size_t at, size_t n,
                                     uint8_t* out) {
  for (size_t r = 0; r < kPanelColumns; ++r) {
    for (size_t j = 0; j < n; ++j) {
      out[r * n + j] = r < n_rows ? rows[r * row_stride_bytes + at + j] : uint8_t{0};
    }
  }
}

// Bit 4 g + j of a row's word of fifth bits becomes bit g of its byte j.
SPEECH_TARGET inline void pack_fifth_bits(const uint8_t* rows, size_t row_stride_bytes, size_t n_rows, size_t at,
                                          uint8_t* out) {
  for (size_t r = 0; r < kPanelColumns; ++r, out += 4) {
    uint32_t bits = 0;
    if (r < n_rows) {
      __builtin_memcpy(&bits, rows + r * row_stride_bytes + at, sizeof(bits));
    }
    for (size_t j = 0; j < 4; ++j) {
      unsigned byte = 0;
      for (size_t g = 0; g < 8; ++g) {
        byte |= ((bits >> (4 * g + j)) & 1U) << g;
      }
      out[j] = static_cast<uint8_t>(byte);
    }
  }
}

template <size_t kHeads, size_t kHigh, size_t kCodes>
SPEECH_TARGET void pack_rows_blocks(const void* rows, size_t row_stride_bytes, size_t n_rows, size_t k, void* panel) {
  using Block = PanelBlock<kHeads, kHigh, kCodes>;
  const auto* from = static_cast<const uint8_t*>(rows);
  auto* out = static_cast<uint8_t*>(panel);
  for (size_t block = 0; block < k / kFormatBlock; ++block) {
    for (size_t head = 0; head < kHeads; ++head) {
      pack_field(from, row_stride_bytes, n_rows, head * 2, 2, out + head * 2 * kPanelColumns);
    }
    if constexpr (kHigh > 0) {
      pack_fifth_bits(from, row_stride_bytes, n_rows, Block::kHighAt, out + Block::kHighAt * kPanelColumns);
    }
    for (size_t at = Block::kCodesAt; at < Block::kBytes; at += 4) {
      pack_field(from, row_stride_bytes, n_rows, at, 4, out + at * kPanelColumns);
    }
    from += Block::kBytes;
    out += Block::kBytes * kPanelColumns;
  }
}

template <size_t kHeads, size_t kHigh, size_t kCodes>
SPEECH_TARGET void panel_row_to_f32_blocks(const void* panel, size_t row, size_t k, float* out) {
  using Block = PanelBlock<kHeads, kHigh, kCodes>;
  const auto* block = static_cast<const uint8_t*>(panel);
  for (size_t i = 0; i < k; i += kFormatBlock, block += Block::kBytes * kPanelColumns) {
    const float scale = half_value(block + 2 * row);
    const float minimum = kHeads == 2 ? half_value(block + 2 * (kPanelColumns + row)) : 0.0F;
    for (size_t j = 0; j < kFormatBlock; ++j) {
      const size_t group = j / 4 % (kCodes / 4);
      const uint8_t byte = block[(Block::kCodesAt + 4 * group) * kPanelColumns + row * 4 + j % 4];
      int code = byte < 128 ? byte : byte - 256;
      if constexpr (kCodes == 16) {
        code = j < 16 ? byte & 0xF : byte >> 4;
        if constexpr (kHigh > 0) {
          code |= ((block[Block::kHighAt * kPanelColumns + row * 4 + j % 4] >> (j / 4)) & 1) << 4;
        }
        if constexpr (kHeads == 1) {
          code -= kHigh > 0 ? 16 : 8;
        }
      }
      out[i + j] = scale * static_cast<float>(code) + minimum;
    }
  }
}

SPEECH_TARGET inline void panel_row_to_f32_halves(const void* panel, size_t row, size_t k, float* out) {
  for (size_t i = 0; i < k; ++i) {
    out[i] = half_value(static_cast<const uint8_t*>(panel) + (i * kPanelColumns + row) * 2);
  }
}

// By format, kFormatF16 and on.
#define SPEECH_PACK_ROWS                                                                             \
  pack_rows_f16, pack_rows_blocks<1, 0, 16>, pack_rows_blocks<2, 0, 16>, pack_rows_blocks<1, 4, 16>, \
      pack_rows_blocks<2, 4, 16>, pack_rows_blocks<1, 0, 32>
#define SPEECH_PANEL_ROW_TO_F32                                                                  \
  panel_row_to_f32_halves, panel_row_to_f32_blocks<1, 0, 16>, panel_row_to_f32_blocks<2, 0, 16>, \
      panel_row_to_f32_blocks<1, 4, 16>, panel_row_to_f32_blocks<2, 4, 16>, panel_row_to_f32_blocks<1, 0, 32>
