// Products on packed panels of binary16, for any vector instruction set: the text of several tables, not a header of
// its own; see vector_rows.h for how it is included and what it is written on. Also needs kRegisters of the instruction
// set.

constexpr size_t kPanelVectors = kPanelColumns / kWidth;
constexpr size_t kPanelBytes = kPanelColumns * 2;  // of one input
constexpr size_t kStreams = 4;                     // that keep memory busy

SPEECH_TARGET void half_panel_to_f32(const void* panel, size_t k, float* out) {
  const auto* from = static_cast<const uint8_t*>(panel);
  for (size_t i = 0; i < k; ++i, from += kPanelBytes, out += kPanelColumns) {
    Vec w[kPanelVectors];
    load_16_halves(from, w);
    SPEECH_UNROLL
    for (size_t j = 0; j < kPanelVectors; ++j) {
      store(out + j * kWidth, w[j]);
    }
  }
}

template <size_t kPanels, size_t kX>
SPEECH_TARGET void half_panel_dots_tile(const uint8_t* panel, size_t panel_stride_bytes, size_t k, const float* x,
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
    for (size_t i = begin; i < end; ++i, panel += kPanelBytes) {
      SPEECH_UNROLL
      for (size_t p = 0; p < kPanels; ++p) {
        Vec w[kPanelVectors];
        load_16_halves(panel + p * panel_stride_bytes, w);
        if constexpr (kPanels < kStreams) {
          // The same place of the panels that come next: a processor that reads along one or two streams waits at the
          // start of each page. Never faults.
          __builtin_prefetch(panel + (p + kPanels) * panel_stride_bytes);
        }
        SPEECH_UNROLL
        for (size_t n = 0; n < kX; ++n) {
          const Vec value = splat(x[n * x_stride + i]);
          SPEECH_UNROLL
          for (size_t j = 0; j < kPanelVectors; ++j) {
            s[p][n][j] = fma(value, w[j], s[p][n][j]);
          }
        }
      }
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
template <size_t kPanels, size_t kX>
SPEECH_INLINE void half_panel_dots_rows(const uint8_t* panels, size_t panel_stride_bytes, size_t n_panels, size_t k,
                                        const float* x, size_t x_stride, float* out, size_t out_stride) {
  size_t p = 0;
  for (; p + kPanels <= n_panels; p += kPanels) {
    half_panel_dots_tile<kPanels, kX>(panels + p * panel_stride_bytes, panel_stride_bytes, k, x, x_stride,
                                      out + p * kPanelColumns, out_stride);
  }
  if constexpr (kPanels > 1) {
    half_panel_dots_rows<kPanels / 2, kX>(panels + p * panel_stride_bytes, panel_stride_bytes, n_panels - p, k, x,
                                          x_stride, out + p * kPanelColumns, out_stride);
  }
}

template <size_t kX>
SPEECH_TARGET void half_panel_dots_of(const uint8_t* panels, size_t panel_stride_bytes, size_t n_panels, size_t k,
                                      const float* x, size_t x_stride, float* out, size_t out_stride) {
  // In registers: the sums, the weights of one input in one panel, and the activations. Where many vectors make a
  // panel, compilers load those of the next one meanwhile.
  constexpr size_t kAtOnce = kPanelVectors > 2 ? 2 : 1;
  constexpr size_t kFree = kRegisters - kAtOnce * kPanelVectors - kX;
  constexpr size_t kMost = kPanelVectors > 2 ? 4 : 6;
  constexpr size_t kFit = kFree / (kX * kPanelVectors);
  constexpr size_t kPanels = kFit < 1 ? 1 : (kFit > kMost ? kMost : kFit);
  half_panel_dots_rows<kPanels, kX>(panels, panel_stride_bytes, n_panels, k, x, x_stride, out, out_stride);
}

SPEECH_TARGET void half_panel_dots(const void* panels, size_t panel_stride_bytes, size_t n_panels, size_t k,
                                   const float* x, size_t x_stride, size_t n_x, float* out, size_t out_stride) {
  using Rows = void (*)(const uint8_t*, size_t, size_t, size_t, const float*, size_t, float*, size_t);
  constexpr Rows kRows[6] = {half_panel_dots_of<1>, half_panel_dots_of<2>, half_panel_dots_of<3>,
                             half_panel_dots_of<4>, half_panel_dots_of<5>, half_panel_dots_of<6>};
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
