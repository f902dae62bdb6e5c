// Products of quantised panels with quantised activations in integers, for any vector instruction set: the text of
// several tables, not a header of its own; see vector_rows.h for how it is included. Besides the primitives there:
//   as_words(v)                        its bits
//   add_words(a, b) maximum_words(a, b)  of words with a sign
//   sum_words(w) max_word(w)           over all lanes
//   to_words(v)                        whole numbers as words
//   store_bytes(p, w)                  kWidth words of -128 .. 127 as bytes
//   splat_words(p)                     the four bytes at p in each lane
//   kBlockPanels, kBlockRows            panels and rows of activations whose sums fit into the registers
//   kRowUnit                           rows of activations that share their sums: 1, or 2 where an instruction
//                                      multiplies two with each weight
//   Sums, start_sums(w)                running sums of a vector of columns, for one unit of rows, that begin with w
//   prepare<kSigned>(even, odd)        brings the codes of two groups, with a sign or below 32, into the order in which
//                                      add_products() takes them
//   kSignedZeroBits                    b, if this adds 2^b to each code with a sign, else 0
//   add_products<kSigned, g>(s, codes, x, second)  to each column's sums the products of its codes of group g with
//                                      x[4 g] .. x[4 g + 3] and those of the unit's second row
//   total<kSecond>(s, w)               the sums of one row, w being what they begin with

// --- Activations -----------------------------------------------------------------------------------------------------

SPEECH_TARGET void quantize(const float* x, size_t n, ActivationBlock* out, size_t out_stride) {
  constexpr size_t kVectors = kFormatBlock / kWidth;
  for (size_t i = 0; i < n; i += kFormatBlock, x += kFormatBlock, out += out_stride) {
    // Magnitudes are in the order of their bits, and what is not finite is above all others.
    const Words magnitude = words(0x7FFFFFFF);
    Words highest = both(as_words(load(x)), magnitude);
    SPEECH_UNROLL
    for (size_t j = 1; j < kVectors; ++j) {
      highest = maximum_words(highest, both(as_words(load(x + j * kWidth)), magnitude));
    }
    const int32_t bits = max_word(highest);
    const float largest = __builtin_bit_cast(float, bits);
    const bool finite = bits < 0x7F800000;
    const bool zeros = !finite || largest < 0x1p-100F;
    out->scale = finite ? (zeros ? 0.0F : largest / 127.0F) : __builtin_nanf("");
    const Vec inverse = splat(zeros ? 0.0F : 127.0F / largest);
    Words sums[2] = {words(0), words(0)};
    SPEECH_UNROLL
    for (size_t j = 0; j < kVectors; ++j) {
      Words codes = to_words(round_to_even(mul(load(x + j * kWidth), inverse)));
      codes = zeros ? words(0) : codes;
      sums[j * 2 / kVectors] = add_words(sums[j * 2 / kVectors], codes);
      store_bytes(out->codes + j * kWidth, codes);
    }
    out->minus_half_sum[0] = -sum_words(sums[0]);
    out->minus_half_sum[1] = -sum_words(sums[1]);
    out->minus_sum = out->minus_half_sum[0] + out->minus_half_sum[1];
  }
}

// --- Weights ---------------------------------------------------------------------------------------------------------

constexpr size_t kGroups = kFormatBlock / 4;
constexpr size_t kColumnVectors = kPanelColumns / kWidth;
constexpr size_t kTileVectors = kBlockPanels * kColumnVectors;
constexpr size_t kTileColumns = kBlockPanels * kPanelColumns;

// One block of kBlockPanels panels, ready to be multiplied.
struct BlockWeights {
  Words codes[kGroups][kTileVectors];
  Vec scale[2][kTileVectors];  // of each run of inputs: both halves of the block, or the whole
  Vec minimum[2][kTileVectors];
};

template <bool kSigned>
SPEECH_INLINE void prepare_groups(BlockWeights& weights, size_t v) {
  SPEECH_UNROLL
  for (size_t g = 0; g < kGroups; g += 2) {
    prepare<kSigned>(weights.codes[g][v], weights.codes[g + 1][v]);
  }
}

// A format's `kParts` blocks of `kBytes` together, in `kRuns` runs of inputs that have a scale each; unpack() makes
// column vector j of a panel's block `part` vector v of what is multiplied.
template <bool kHasMinimum, bool kHasFifthBit>
struct NibbleBlock {
  static constexpr size_t kParts = 1;
  static constexpr size_t kRuns = 1;
  static constexpr bool kSigned = false;
  static constexpr bool kMinimum = kHasMinimum;
  static constexpr int kZeroBits = kHasMinimum ? 0 : (kHasFifthBit ? 4 : 3);  // code 2^b stands for 0
  static constexpr size_t kHigh = kHasMinimum ? 64 : 32;
  static constexpr size_t kCodes = kHigh + (kHasFifthBit ? 64 : 0);
  static constexpr size_t kBytes = kCodes + 256;
  SPEECH_INLINE static void unpack(const uint8_t* block, size_t /*part*/, size_t j, BlockWeights& out, size_t v) {
    out.scale[0][v] = load_halves(block + j * kWidth * 2);
    if constexpr (kHasMinimum) {
      out.minimum[0][v] = load_halves(block + 32 + j * kWidth * 2);
    }
    const Words nibble = words(0x0F0F0F0F);
    const Words fifth = words(0x10101010);
    Words high = words(0);
    Words low = high;
    if constexpr (kHasFifthBit) {
      high = load_words(block + kHigh + j * kWidth * 4);
      low = shift_left<4>(high);
    }
    SPEECH_UNROLL
    for (size_t g = 0; g < kGroups / 2; ++g) {
      const Words codes = load_words(block + kCodes + g * 64 + j * kWidth * 4);
      Words first = both(codes, nibble);
      Words second = both(shift_right<4>(codes), nibble);
      if constexpr (kHasFifthBit) {
        first = either(first, both(low, fifth));
        second = either(second, both(high, fifth));
        low = shift_right<1>(low);
        high = shift_right<1>(high);
      }
      out.codes[g][v] = first;
      out.codes[g + kGroups / 2][v] = second;
    }
    prepare_groups<kSigned>(out, v);
  }
};

struct ByteBlock {
  static constexpr size_t kParts = 1;
  static constexpr size_t kRuns = 1;
  static constexpr bool kSigned = true;
  static constexpr bool kMinimum = false;
  static constexpr int kZeroBits = kSignedZeroBits;
  static constexpr size_t kBytes = 32 + 512;
  SPEECH_INLINE static void unpack(const uint8_t* block, size_t /*part*/, size_t j, BlockWeights& out, size_t v) {
    out.scale[0][v] = load_halves(block + j * kWidth * 2);
    SPEECH_UNROLL
    for (size_t g = 0; g < kGroups; ++g) {
      out.codes[g][v] = load_words(block + 32 + g * 64 + j * kWidth * 4);
    }
    prepare_groups<kSigned>(out, v);
  }
};

// --- Products --------------------------------------------------------------------------------------------------------

template <bool kSigned, size_t kRows, size_t kGroup, size_t kEnd>
SPEECH_INLINE void add_groups(const BlockWeights& w, const ActivationBlock* x, Sums (*s)[kTileVectors]) {
  SPEECH_UNROLL
  for (size_t r = 0; r < kRows; r += kRowUnit) {
    const size_t second = r + 1 < kRows ? r + 1 : r;
    SPEECH_UNROLL
    for (size_t v = 0; v < kTileVectors; ++v) {
      add_products<kSigned, static_cast<int>(kGroup)>(s[r / kRowUnit][v], w.codes[kGroup][v], x[r].codes,
                                                      x[second].codes);
    }
  }
  if constexpr (kGroup + 1 < kEnd) {
    add_groups<kSigned, kRows, kGroup + 1, kEnd>(w, x, s);
  }
}

template <typename Block, size_t kRun>
SPEECH_INLINE const int32_t& minus_sum(const ActivationBlock& x) {
  return Block::kRuns == 1 ? x.minus_sum : x.minus_half_sum[kRun];
}

// sums (kRows, kTileColumns) += run kRun of one block of kRows rows times that of the weights.
template <typename Block, size_t kRows, size_t kRun>
SPEECH_INLINE void add_run(const BlockWeights& w, const ActivationBlock* x, float* sums) {
  Words begin[kRows];
  Sums s[(kRows + kRowUnit - 1) / kRowUnit][kTileVectors];
  SPEECH_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    begin[r] = words(0);
    if constexpr (Block::kZeroBits > 0) {
      begin[r] = shift_left<Block::kZeroBits>(splat_words(&minus_sum<Block, kRun>(x[r])));
    }
    SPEECH_UNROLL
    for (size_t v = 0; v < kTileVectors; ++v) {
      if (r % kRowUnit == 0) {
        s[r / kRowUnit][v] = start_sums(begin[r]);
      }
    }
  }
  constexpr size_t kRunGroups = kGroups / Block::kRuns;
  add_groups<Block::kSigned, kRows, kRun * kRunGroups, (kRun + 1) * kRunGroups>(w, x, s);
  SPEECH_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    const Vec scale = splat(x[r].scale);
    SPEECH_UNROLL
    for (size_t v = 0; v < kTileVectors; ++v) {
      float* to = sums + r * kTileColumns + v * kWidth;
      const Words products =
          r % kRowUnit == 0 ? total<false>(s[r / kRowUnit][v], begin[r]) : total<true>(s[r / kRowUnit][v], begin[r]);
      Vec sum = fma(to_float(products), mul(w.scale[kRun][v], scale), load(to));
      if constexpr (Block::kMinimum) {
        sum = fnma(w.minimum[kRun][v], splat(x[r].scale * static_cast<float>(minus_sum<Block, kRun>(x[r]))), sum);
      }
      store(to, sum);
    }
  }
}

template <typename Block, size_t kRows>
SPEECH_INLINE void add_block(const BlockWeights& w, const ActivationBlock* x, float* sums) {
  add_run<Block, kRows, 0>(w, x, sums);
  if constexpr (Block::kRuns == 2) {
    add_run<Block, kRows, 1>(w, x, sums);
  }
}

constexpr size_t kBatchRows = 48;  // whose sums stay in the first-level cache

// n_rows <= kBatchRows rows times the panels at `panel`, of which there are n_panels <= kBlockPanels. The weights of a
// single row, kOneRow, need not leave the registers.
template <typename Block, bool kOneRow>
SPEECH_TARGET void add_panels(const uint8_t* panel, size_t panel_stride_bytes, size_t n_panels, size_t k,
                              const ActivationBlock* x, size_t x_stride, size_t n_rows, float* out, size_t out_stride) {
  float sums[(kOneRow ? 1 : kBatchRows) * kTileColumns];
  for (size_t i = 0; i < n_rows * kTileColumns; i += kWidth) {
    store(sums + i, zero());
  }
  for (size_t b = 0; b < k / kFormatBlock; ++b, x += x_stride) {
    const size_t part = b % Block::kParts;
    const uint8_t* const block = panel + b / Block::kParts * Block::kBytes;
    BlockWeights weights;
    SPEECH_UNROLL
    for (size_t v = 0; v < kTileVectors; ++v) {
      const size_t p = v / kColumnVectors < n_panels ? v / kColumnVectors : 0;
      Block::unpack(block + p * panel_stride_bytes, part, v % kColumnVectors, weights, v);
    }
    if constexpr (kOneRow) {
      add_block<Block, 1>(weights, x, sums);
      continue;
    }
    size_t r = 0;
    for (; r + kBlockRows <= n_rows; r += kBlockRows) {
      add_block<Block, kBlockRows>(weights, x + r, sums + r * kTileColumns);
    }
    if constexpr (kBlockRows > 4) {
      for (; r + 4 <= n_rows; r += 4) {
        add_block<Block, 4>(weights, x + r, sums + r * kTileColumns);
      }
    }
    for (; r < n_rows; ++r) {
      add_block<Block, 1>(weights, x + r, sums + r * kTileColumns);
    }
  }
  for (size_t r = 0; r < n_rows; ++r) {
    for (size_t i = 0; i < n_panels * kPanelColumns; i += kWidth) {
      store(out + r * out_stride + i, load(sums + r * kTileColumns + i));
    }
  }
}

template <typename Block>
SPEECH_TARGET void panel_products(const void* panels, size_t panel_stride_bytes, size_t n_panels, size_t k,
                                  const ActivationBlock* x, size_t x_stride, size_t n_rows, float* out,
                                  size_t out_stride) {
  for (size_t p = 0; p < n_panels; p += kBlockPanels) {
    const uint8_t* panel = static_cast<const uint8_t*>(panels) + p * panel_stride_bytes;
    const size_t count = n_panels - p < kBlockPanels ? n_panels - p : kBlockPanels;
    if constexpr (kRowUnit == 1) {
      if (n_rows == 1) {
        add_panels<Block, true>(panel, panel_stride_bytes, count, k, x, x_stride, 1, out + p * kPanelColumns,
                                out_stride);
        continue;
      }
    }
    for (size_t n = 0; n < n_rows; n += kBatchRows) {
      add_panels<Block, false>(panel, panel_stride_bytes, count, k, x + n, x_stride,
                               n_rows - n < kBatchRows ? n_rows - n : kBatchRows,
                               out + n * out_stride + p * kPanelColumns, out_stride);
    }
  }
}
