// Products on packed panels of weights, for any vector instruction set: the text of several tables, not a header of its
// own; see vector_rows.h for how it is included and what it is written on. Also needs kRegisters of the instruction
// set, and kMostBlockPanels, the quantised panels whose heads fit into them beside the sums of one row.

constexpr size_t kPanelVectors = kPanelColumns / kWidth;

// A format's panel is read block by block: begin() looks at the heads of a block; then each half (four-bit codes: the
// low and the high nibbles) is walked over in groups of inputs: group() loads one, input() gives the weights of one of
// its inputs in the sixteen rows.
struct PanelF16 {
  static constexpr size_t kBlock = 1;   // inputs
  static constexpr size_t kBytes = 32;  // of a block in all rows
  static constexpr int kHalves = 1;
  static constexpr size_t kGroups = 1;
  static constexpr int kInputs = 1;
  struct Heads {};
  struct Group {
    Vec weights[kPanelVectors];
  };
  SPEECH_INLINE static void begin(const uint8_t* /*block*/, Heads& /*heads*/) {}
  SPEECH_INLINE static void group(const uint8_t* block, size_t /*half*/, size_t /*g*/, Heads& /*heads*/, Group& group) {
    SPEECH_UNROLL
    for (size_t j = 0; j < kPanelVectors; ++j) {
      group.weights[j] = load_halves(block + j * kWidth * 2);
    }
  }
  template <int kHalf, int kInput>
  SPEECH_INLINE static Vec input(const Group& group, const Heads& /*heads*/, size_t j) {
    return group.weights[j];
  }
};

template <bool kHasMinimum, bool kHasFifthBit>
struct PanelNibbles {
  static constexpr size_t kBlock = kFormatBlock;
  static constexpr size_t kHigh = kHasMinimum ? 64 : 32;
  static constexpr size_t kCodes = kHigh + (kHasFifthBit ? 64 : 0);
  static constexpr size_t kBytes = kCodes + 256;
  static constexpr int kHalves = 2;
  static constexpr size_t kGroups = 4;
  static constexpr int kInputs = 4;
  struct Heads {
    Vec scale[kPanelVectors];
    Vec offset[kPanelVectors];  // the minimum, or what stands for code 0
  };
  struct Group {
    Words codes[kPanelVectors];
    Words high[kPanelVectors];  // the fifth bits, that of the first input lowest
  };
  SPEECH_INLINE static void begin(const uint8_t* block, Heads& heads) {
    SPEECH_UNROLL
    for (size_t j = 0; j < kPanelVectors; ++j) {
      heads.scale[j] = load_halves(block + j * kWidth * 2);
      heads.offset[j] = kHasMinimum ? load_halves(block + 32 + j * kWidth * 2)
                                    : mul(heads.scale[j], splat(kHasFifthBit ? -16.0F : -8.0F));
    }
  }
  SPEECH_INLINE static void group(const uint8_t* block, size_t half, size_t g, Heads& /*heads*/, Group& group) {
    SPEECH_UNROLL
    for (size_t j = 0; j < kPanelVectors; ++j) {
      group.codes[j] = load_words(block + kCodes + g * 64 + j * kWidth * 4);
      if (kHasFifthBit) {
        group.high[j] = shift_right_by(load_words(block + kHigh + j * kWidth * 4), static_cast<int>(half * 16 + g * 4));
      }
    }
  }
  template <int kHalf, int kInput>
  SPEECH_INLINE static Vec input(const Group& group, const Heads& heads, size_t j) {
    Words code = group.codes[j];
    if constexpr (kInput * 8 + kHalf * 4 > 0) {
      code = shift_right<kInput * 8 + kHalf * 4>(code);
    }
    code = both(code, words(0xF));
    if constexpr (kHasFifthBit) {
      code = either(code, both(shift_left<4 - kInput>(group.high[j]), words(0x10)));
    }
    // scale * code is exact in a fused sum; without a minimum so is the whole.
    return fma(to_float(code), heads.scale[j], heads.offset[j]);
  }
};

struct PanelQ8_0 {
  static constexpr size_t kBlock = kFormatBlock;
  static constexpr size_t kBytes = 32 + 512;
  static constexpr int kHalves = 1;
  static constexpr size_t kGroups = 8;
  static constexpr int kInputs = 4;
  struct Heads {
    Vec scale[kPanelVectors];
  };
  struct Group {
    Words codes[kPanelVectors];
  };
  SPEECH_INLINE static void begin(const uint8_t* block, Heads& heads) {
    SPEECH_UNROLL
    for (size_t j = 0; j < kPanelVectors; ++j) {
      heads.scale[j] = load_halves(block + j * kWidth * 2);
    }
  }
  SPEECH_INLINE static void group(const uint8_t* block, size_t /*half*/, size_t g, Heads& /*heads*/, Group& group) {
    SPEECH_UNROLL
    for (size_t j = 0; j < kPanelVectors; ++j) {
      group.codes[j] = load_words(block + 32 + g * 64 + j * kWidth * 4);
    }
  }
  template <int kHalf, int kInput>
  SPEECH_INLINE static Vec input(const Group& group, const Heads& heads, size_t j) {
    Words code = group.codes[j];
    if constexpr (kInput < 3) {
      code = shift_left<24 - kInput * 8>(code);
    }
    return mul(to_float(shift_right_signed<24>(code)), heads.scale[j]);
  }
};

// --- Widening --------------------------------------------------------------------------------------------------------

template <typename Panel, int kHalf, int kInput>
SPEECH_INLINE void widen_inputs(const typename Panel::Group& group, const typename Panel::Heads& heads, float* out) {
  SPEECH_UNROLL
  for (size_t j = 0; j < kPanelVectors; ++j) {
    store(out + kInput * kPanelColumns + j * kWidth, Panel::template input<kHalf, kInput>(group, heads, j));
  }
  if constexpr (kInput + 1 < Panel::kInputs) {
    widen_inputs<Panel, kHalf, kInput + 1>(group, heads, out);
  }
}

template <typename Panel, int kHalf>
SPEECH_INLINE void widen_half(const uint8_t* block, typename Panel::Heads& heads, float* out) {
  for (size_t g = 0; g < Panel::kGroups; ++g, out += Panel::kInputs * kPanelColumns) {
    typename Panel::Group group;
    Panel::group(block, kHalf, g, heads, group);
    widen_inputs<Panel, kHalf, 0>(group, heads, out);
  }
  if constexpr (kHalf + 1 < Panel::kHalves) {
    widen_half<Panel, kHalf + 1>(block, heads, out);
  }
}

template <typename Panel>
SPEECH_TARGET void panel_to_f32(const void* panel, size_t k, float* out) {
  const auto* block = static_cast<const uint8_t*>(panel);
  for (size_t i = 0; i < k; i += Panel::kBlock, block += Panel::kBytes) {
    typename Panel::Heads heads;
    Panel::begin(block, heads);
    widen_half<Panel, 0>(block, heads, out + i * kPanelColumns);
  }
}

// --- Few rows of activations -----------------------------------------------------------------------------------------

template <typename Panel, size_t kPanels, size_t kX, int kHalf, int kInput>
SPEECH_INLINE void add_inputs(const typename Panel::Group* groups, const typename Panel::Heads* heads, const float* x,
                              size_t x_stride, Vec (*s)[kX][kPanelVectors]) {
  SPEECH_UNROLL
  for (size_t p = 0; p < kPanels; ++p) {
    Vec w[kPanelVectors];
    SPEECH_UNROLL
    for (size_t j = 0; j < kPanelVectors; ++j) {
      w[j] = Panel::template input<kHalf, kInput>(groups[p], heads[p], j);
    }
    SPEECH_UNROLL
    for (size_t n = 0; n < kX; ++n) {
      const Vec value = splat(x[n * x_stride + kInput]);
      SPEECH_UNROLL
      for (size_t j = 0; j < kPanelVectors; ++j) {
        s[p][n][j] = fma(value, w[j], s[p][n][j]);
      }
    }
  }
  if constexpr (kInput + 1 < Panel::kInputs) {
    add_inputs<Panel, kPanels, kX, kHalf, kInput + 1>(groups, heads, x, x_stride, s);
  }
}

template <typename Panel, size_t kPanels, size_t kX, int kHalf>
SPEECH_INLINE void add_half(const uint8_t* block, size_t panel_stride_bytes, typename Panel::Heads* heads,
                            const float* x, size_t x_stride, Vec (*s)[kX][kPanelVectors]) {
  for (size_t g = 0; g < Panel::kGroups; ++g, x += Panel::kInputs) {
    typename Panel::Group groups[kPanels];
    SPEECH_UNROLL
    for (size_t p = 0; p < kPanels; ++p) {
      Panel::group(block + p * panel_stride_bytes, kHalf, g, heads[p], groups[p]);
    }
    add_inputs<Panel, kPanels, kX, kHalf, 0>(groups, heads, x, x_stride, s);
  }
  if constexpr (kHalf + 1 < Panel::kHalves) {
    add_half<Panel, kPanels, kX, kHalf + 1>(block, panel_stride_bytes, heads, x, x_stride, s);
  }
}

template <typename Panel, size_t kPanels, size_t kX>
SPEECH_TARGET void panel_dots_tile(const uint8_t* block, size_t panel_stride_bytes, size_t k, const float* x,
                                   size_t x_stride, float* out, size_t out_stride) {
  for (size_t begin = 0; begin < k || begin == 0; begin += kSumRun) {
    const size_t end = k - begin < kSumRun ? k : begin + kSumRun;
    Vec s[kPanels][kX][kPanelVectors];
    SPEECH_UNROLL
    for (size_t p = 0; p < kPanels; ++p) {
      SPEECH_UNROLL
      for (size_t n = 0; n < kX; ++n) {
        SPEECH_UNROLL
        for (size_t j = 0; j < kPanelVectors; ++j) {
          s[p][n][j] = zero();
        }
      }
    }
    for (size_t i = begin; i < end; i += Panel::kBlock, block += Panel::kBytes) {
      typename Panel::Heads heads[kPanels];
      SPEECH_UNROLL
      for (size_t p = 0; p < kPanels; ++p) {
        Panel::begin(block + p * panel_stride_bytes, heads[p]);
      }
      add_half<Panel, kPanels, kX, 0>(block, panel_stride_bytes, heads, x + i, x_stride, s);
    }
    SPEECH_UNROLL
    for (size_t p = 0; p < kPanels; ++p) {
      SPEECH_UNROLL
      for (size_t n = 0; n < kX; ++n) {
        SPEECH_UNROLL
        for (size_t j = 0; j < kPanelVectors; ++j) {
          float* to = out + n * out_stride + p * kPanelColumns + j * kWidth;
          store(to, begin > 0 ? add(load(to), s[p][n][j]) : s[p][n][j]);
        }
      }
    }
  }
}

// As many panels at a time as there are registers for their sums, then half as many, and so on.
template <typename Panel, size_t kPanels, size_t kX>
SPEECH_INLINE void panel_dots_rows(const uint8_t* panels, size_t panel_stride_bytes, size_t n_panels, size_t k,
                                   const float* x, size_t x_stride, float* out, size_t out_stride) {
  size_t p = 0;
  for (; p + kPanels <= n_panels; p += kPanels) {
    panel_dots_tile<Panel, kPanels, kX>(panels + p * panel_stride_bytes, panel_stride_bytes, k, x, x_stride,
                                        out + p * kPanelColumns, out_stride);
  }
  if constexpr (kPanels > 1) {
    panel_dots_rows<Panel, kPanels / 2, kX>(panels + p * panel_stride_bytes, panel_stride_bytes, n_panels - p, k, x,
                                            x_stride, out + p * kPanelColumns, out_stride);
  }
}

template <typename Panel, size_t kX>
SPEECH_TARGET void panel_dots_of(const uint8_t* panels, size_t panel_stride_bytes, size_t n_panels, size_t k,
                                 const float* x, size_t x_stride, float* out, size_t out_stride) {
  // In registers: the sums, the weights of one input in one panel, and the activations; quantised, the heads besides.
  constexpr size_t kFree = kRegisters - kPanelVectors - kX;
  constexpr size_t kMost = Panel::kBlock > 1 ? kMostBlockPanels : 6;
  constexpr size_t kFit = kFree / (kX * kPanelVectors);
  constexpr size_t kPanels = kFit < 1 ? 1 : (kFit > kMost ? kMost : kFit);
  panel_dots_rows<Panel, kPanels, kX>(panels, panel_stride_bytes, n_panels, k, x, x_stride, out, out_stride);
}

template <typename Panel>
SPEECH_TARGET void panel_dots(const void* panels, size_t panel_stride_bytes, size_t n_panels, size_t k, const float* x,
                              size_t x_stride, size_t n_x, float* out, size_t out_stride) {
  using Rows = void (*)(const uint8_t*, size_t, size_t, size_t, const float*, size_t, float*, size_t);
  constexpr Rows kRows[6] = {panel_dots_of<Panel, 1>, panel_dots_of<Panel, 2>, panel_dots_of<Panel, 3>,
                             panel_dots_of<Panel, 4>, panel_dots_of<Panel, 5>, panel_dots_of<Panel, 6>};
  // A few panels at a time, so that a second round over more rows of activations finds them in the cache.
  const size_t step = n_x > 6 ? 1 : n_panels;
  for (size_t p = 0; p < n_panels; p += step) {
    for (size_t n = 0; n < n_x;) {
      const size_t count = n_x <= 6 ? n_x : (n == 0 ? n_x / 2 : n_x - n);
      kRows[count - 1](static_cast<const uint8_t*>(panels) + p * panel_stride_bytes, panel_stride_bytes, step, k,
                       x + n * x_stride, x_stride, out + n * out_stride + p * kPanelColumns, out_stride);
      n += count;
    }
  }
}
