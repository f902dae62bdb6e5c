// Kernels in plain C++ for any machine: the oracle of every other table. Knows nothing but its table.
//
// Sums run in sixteen independent lanes, which a compiler can turn into vectors without reordering what is written
// here.

#include "kernels/kernel_table.h"

#define SPEECH_TARGET

// What is rounded is what is written: GCC would fuse products with sums where the processor can.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#else
#pragma STDC FP_CONTRACT OFF
#endif

namespace speech {
namespace {

constexpr size_t kLanes = 16;

float bits_to_float(uint32_t bits) { return __builtin_bit_cast(float, bits); }
uint32_t float_to_bits(float value) { return __builtin_bit_cast(uint32_t, value); }

// The same arithmetic as base/half.h, which a test holds it to; repeated because kernels include nothing of ours.
float from_half(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16U;
  const uint32_t magnitude = half & 0x7FFFU;
  if (magnitude >= 0x7C00U) {
    return bits_to_float(sign | 0x7F800000U | ((magnitude & 0x3FFU) << 13U));
  }
  if (magnitude < 0x0400U) {
    const float value = static_cast<float>(magnitude) * 0x1p-24F;
    return sign != 0 ? -value : value;
  }
  return bits_to_float(sign | ((magnitude << 13U) + (112U << 23U)));
}

uint16_t to_half(float value) {
  const uint32_t bits = float_to_bits(value);
  const uint32_t sign = (bits >> 16U) & 0x8000U;
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  uint32_t half = 0;
  if (magnitude > 0x7F800000U) {
    half = 0x7E00U;
  } else if (magnitude >= 0x477FF000U) {
    half = 0x7C00U;
  } else if (magnitude < 0x38800000U) {
    half = float_to_bits(bits_to_float(magnitude) + 0.5F) - float_to_bits(0.5F);
  } else {
    half = (magnitude - (112U << 23U) + 0x0FFFU + ((magnitude >> 13U) & 1U)) >> 13U;
  }
  return static_cast<uint16_t>(sign | half);
}

uint16_t load_u16(const uint8_t* p) { return static_cast<uint16_t>(p[0] | (static_cast<unsigned>(p[1]) << 8U)); }

float half_value(const uint8_t* p) { return from_half(load_u16(p)); }

// --- One step of a row in each format: values [i, i + n) as float, n <= kFormatBlock ---------------------------------

struct F32 {
  static void load(const uint8_t* row, size_t i, size_t n, float* out) {
    __builtin_memcpy(out, row + i * sizeof(float), n * sizeof(float));
  }
};

struct F16 {
  static void load(const uint8_t* row, size_t i, size_t n, float* out) {
    for (size_t j = 0; j < n; ++j) {
      out[j] = from_half(load_u16(row + (i + j) * 2));
    }
  }
};

// Q4_0, Q4_1, Q5_0, Q5_1: half scale, half minimum if any, four bytes of fifth bits if any, sixteen bytes of nibbles.
template <bool kHasMinimum, bool kHasFifthBit>
struct Nibbles {
  static void load(const uint8_t* row, size_t i, size_t /*n*/, float* out) {
    constexpr size_t kHigh = kHasMinimum ? 4 : 2;
    constexpr size_t kCodes = kHigh + (kHasFifthBit ? 4 : 0);
    constexpr size_t kBytes = kCodes + 16;
    const uint8_t* block = row + i / kFormatBlock * kBytes;
    const float scale = from_half(load_u16(block));
    const float minimum = kHasMinimum ? from_half(load_u16(block + 2)) : 0.0F;
    const int zero = kHasMinimum ? 0 : (kHasFifthBit ? 16 : 8);
    const uint32_t high =
        kHasFifthBit ? load_u16(block + kHigh) | (static_cast<uint32_t>(load_u16(block + kHigh + 2)) << 16U) : 0U;
    for (size_t j = 0; j < 16; ++j) {
      const uint8_t byte = block[kCodes + j];
      const int low_code = static_cast<int>((byte & 0xFU) | (((high >> j) & 1U) << 4U)) - zero;
      const int high_code = static_cast<int>((byte >> 4U) | (((high >> (j + 16U)) & 1U) << 4U)) - zero;
      out[j] = scale * static_cast<float>(low_code) + minimum;
      out[j + 16] = scale * static_cast<float>(high_code) + minimum;
    }
  }
};

struct Q8_0 {
  static void load(const uint8_t* row, size_t i, size_t /*n*/, float* out) {
    const uint8_t* block = row + i / kFormatBlock * 34;
    const float scale = from_half(load_u16(block));
    for (size_t j = 0; j < kFormatBlock; ++j) {
      out[j] = scale * static_cast<float>(static_cast<int8_t>(block[2 + j]));
    }
  }
};

template <typename Format>
void to_f32(const void* src, size_t src_stride_bytes, size_t n_rows, size_t n, float* dst, size_t dst_stride) {
  for (size_t r = 0; r < n_rows; ++r) {
    const auto* row = static_cast<const uint8_t*>(src) + r * src_stride_bytes;
    for (size_t i = 0; i < n; i += kFormatBlock) {
      Format::load(row, i, n - i < kFormatBlock ? n - i : kFormatBlock, dst + r * dst_stride + i);
    }
  }
}

void f32_to_f16(const float* src, size_t n, uint16_t* dst) {
  for (size_t i = 0; i < n; ++i) {
    dst[i] = to_half(src[i]);
  }
}

float sum_lanes(const float* lanes) {
  float total = 0.0F;
  for (size_t i = 0; i < kLanes; ++i) {
    total += lanes[i];
  }
  return total;
}

template <typename Format>
void dots(const void* weights, size_t weight_stride_bytes, size_t n_weights, size_t k, const float* x, size_t x_stride,
          size_t n_x, float* out, size_t out_stride) {
  for (size_t r = 0; r < n_weights; ++r) {
    const auto* row = static_cast<const uint8_t*>(weights) + r * weight_stride_bytes;
    float lanes[kMaxDotRows][kLanes] = {};
    for (size_t i = 0; i < k; i += kFormatBlock) {
      const size_t count = k - i < kFormatBlock ? k - i : kFormatBlock;
      float w[kFormatBlock] = {};
      Format::load(row, i, count, w);
      for (size_t n = 0; n < n_x; ++n) {
        const float* xn = x + n * x_stride + i;
        size_t j = 0;
        for (; j + kLanes <= count; j += kLanes) {
          for (size_t lane = 0; lane < kLanes; ++lane) {
            lanes[n][lane] += w[j + lane] * xn[j + lane];
          }
        }
        for (; j < count; ++j) {
          lanes[n][j % kLanes] += w[j] * xn[j];
        }
      }
    }
    for (size_t n = 0; n < n_x; ++n) {
      out[n * out_stride + r] = sum_lanes(lanes[n]);
    }
  }
}

template <typename Format>
void weighted_sum(const void* rows, size_t row_stride_bytes, size_t n_rows, size_t k, const float* p, size_t p_stride,
                  size_t n_x, float* out, size_t out_stride) {
  for (size_t r = 0; r < n_rows; ++r) {
    const auto* row = static_cast<const uint8_t*>(rows) + r * row_stride_bytes;
    for (size_t i = 0; i < k; i += kFormatBlock) {
      const size_t count = k - i < kFormatBlock ? k - i : kFormatBlock;
      float w[kFormatBlock];
      Format::load(row, i, count, w);
      for (size_t n = 0; n < n_x; ++n) {
        for (size_t j = 0; j < count; ++j) {
          out[n * out_stride + i + j] += p[n * p_stride + r] * w[j];
        }
      }
    }
  }
}

void pack_panel(const float* src, size_t src_stride, size_t n_rows, size_t k, float* panel) {
  for (size_t i = 0; i < k; ++i) {
    for (size_t column = 0; column < kPanelColumns; ++column) {
      panel[i * kPanelColumns + column] = column < n_rows ? src[column * src_stride + i] : 0.0F;
    }
  }
}

void gemm(const float* a, size_t a_stride, size_t n_rows, size_t k, const float* b, size_t b_row_stride,
          size_t b_panel_stride, size_t n_panels, float* c, size_t c_stride, bool accumulate) {
  for (size_t p = 0; p < n_panels; ++p) {
    const float* panel = b + p * b_panel_stride;
    for (size_t r = 0; r < n_rows; ++r) {
      float* out = c + r * c_stride + p * kPanelColumns;
      float sum[kPanelColumns] = {};
      for (size_t i = 0; i < k; ++i) {
        const float value = a[r * a_stride + i];
        for (size_t column = 0; column < kPanelColumns; ++column) {
          sum[column] += value * panel[i * b_row_stride + column];
        }
      }
      for (size_t column = 0; column < kPanelColumns; ++column) {
        out[column] = accumulate ? out[column] + sum[column] : sum[column];
      }
    }
  }
}

// --- Panels of weights -----------------------------------------------------------------------------------------------

void pack_rows_f16(const void* rows, size_t row_stride_bytes, size_t n_rows, size_t k, void* panel) {
  auto* out = static_cast<uint8_t*>(panel);
  for (size_t i = 0; i < k; ++i) {
    for (size_t r = 0; r < kPanelColumns; ++r, out += 2) {
      const uint8_t* row = static_cast<const uint8_t*>(rows) + r * row_stride_bytes;
      out[0] = r < n_rows ? row[2 * i] : 0;
      out[1] = r < n_rows ? row[2 * i + 1] : 0;
    }
  }
}

#include "kernels/pack_blocks.h"
#include "kernels/super_blocks.h"

void half_panel_to_f32(const void* panel, size_t k, float* out) {
  const auto* halves = static_cast<const uint8_t*>(panel);
  for (size_t i = 0; i < k * kPanelColumns; ++i) {
    out[i] = half_value(halves + 2 * i);
  }
}

void half_panel_dots(const void* panels, size_t panel_stride_bytes, size_t n_panels, size_t k, const float* x,
                     size_t x_stride, size_t n_x, float* out, size_t out_stride) {
  for (size_t p = 0; p < n_panels; ++p) {
    for (size_t i = 0; i < k || i == 0; i += kSumRun) {
      const size_t depth = k - i < kSumRun ? k - i : kSumRun;
      float weights[kSumRun * kPanelColumns];
      half_panel_to_f32(static_cast<const uint8_t*>(panels) + p * panel_stride_bytes + i * 2 * kPanelColumns, depth,
                        weights);
      gemm(x + i, x_stride, n_x, depth, weights, kPanelColumns, 0, 1, out + p * kPanelColumns, out_stride, i > 0);
    }
  }
}

// --- Integer products ------------------------------------------------------------------------------------------------

// To nearest even, for |x| < 2^22.
float round_to_even(float x) {
  const float shifted = x + 12582912.0F;  // 1.5 * 2^23
  return shifted - 12582912.0F;
}

void quantize(const float* x, size_t n, ActivationBlock* out, size_t out_stride) {
  for (size_t i = 0; i < n; i += kFormatBlock, x += kFormatBlock, out += out_stride) {
    uint32_t highest = 0;  // magnitudes are in the order of their bits, and what is not finite is above all others
    for (size_t j = 0; j < kFormatBlock; ++j) {
      const uint32_t magnitude = float_to_bits(x[j]) & 0x7FFFFFFFU;
      highest = magnitude > highest ? magnitude : highest;
    }
    const float largest = bits_to_float(highest);
    const bool finite = highest < 0x7F800000U;
    const bool zeros = !finite || largest < 0x1p-100F;
    out->scale = finite ? (zeros ? 0.0F : largest / 127.0F) : __builtin_nanf("");
    const float inverse = zeros ? 0.0F : 127.0F / largest;
    out->minus_half_sum[0] = 0;
    out->minus_half_sum[1] = 0;
    for (size_t j = 0; j < kFormatBlock; ++j) {
      const int code = zeros ? 0 : static_cast<int>(round_to_even(x[j] * inverse));
      out->codes[j] = static_cast<int8_t>(code);
      out->minus_half_sum[j / 16] -= code;
    }
    out->minus_sum = out->minus_half_sum[0] + out->minus_half_sum[1];
  }
}

template <size_t kHeads, size_t kHigh, size_t kCodes>
void panel_products(const void* panels, size_t panel_stride_bytes, size_t n_panels, size_t k, const ActivationBlock* x,
                    size_t x_stride, size_t n_rows, float* out, size_t out_stride) {
  using Block = PanelBlock<kHeads, kHigh, kCodes>;
  constexpr int kZero = kCodes == 32 || kHeads == 2 ? 0 : (kHigh > 0 ? 16 : 8);
  for (size_t p = 0; p < n_panels; ++p) {
    const uint8_t* block = static_cast<const uint8_t*>(panels) + p * panel_stride_bytes;
    for (size_t n = 0; n < n_rows; ++n) {
      for (size_t r = 0; r < kPanelColumns; ++r) {
        out[n * out_stride + p * kPanelColumns + r] = 0.0F;
      }
    }
    for (size_t b = 0; b < k / kFormatBlock; ++b, block += Block::kBytes * kPanelColumns) {
      const uint8_t* high = block + Block::kHighAt * kPanelColumns;
      const uint8_t* codes = block + Block::kCodesAt * kPanelColumns;
      for (size_t r = 0; r < kPanelColumns; ++r) {
        const float scale = half_value(block + 2 * r);
        const float minimum = kHeads == 2 ? half_value(block + 2 * (kPanelColumns + r)) : 0.0F;
        int row[kFormatBlock];
        for (size_t j = 0; j < kFormatBlock; ++j) {
          const uint8_t byte = codes[(j / 4 % (kCodes / 4) * kPanelColumns + r) * 4 + j % 4];
          const int fifth = kHigh > 0 ? ((high[r * 4 + j % 4] >> (j / 4)) & 1) << 4 : 0;
          row[j] = kCodes == 32 ? static_cast<int8_t>(byte) : ((j < 16 ? byte & 0xF : byte >> 4) | fifth) - kZero;
        }
        for (size_t n = 0; n < n_rows; ++n) {
          const ActivationBlock& in = x[b * x_stride + n];
          int sum = 0;
          for (size_t j = 0; j < kFormatBlock; ++j) {
            sum += row[j] * in.codes[j];
          }
          float& to = out[n * out_stride + p * kPanelColumns + r];
          to += static_cast<float>(sum) * (scale * in.scale);
          if (kHeads == 2) {
            to -= minimum * (in.scale * static_cast<float>(in.minus_sum));
          }
        }
      }
    }
  }
}

template <typename Format>
void super_panel_products(const void* panels, size_t panel_stride_bytes, size_t n_panels, size_t k,
                          const ActivationBlock* x, size_t x_stride, size_t n_rows, float* out, size_t out_stride) {
  // Of scales: one for each half of a block, or the same for both.
  constexpr size_t kRun = Format::kWholeParts ? 32 : 16;
  for (size_t column = 0; column < n_panels * kPanelColumns; ++column) {
    const uint8_t* panel = static_cast<const uint8_t*>(panels) + column / kPanelColumns * panel_stride_bytes;
    for (size_t n = 0; n < n_rows; ++n) {
      out[n * out_stride + column] = 0.0F;
    }
    for (size_t b = 0; b < k / kFormatBlock; ++b) {
      const size_t part = b % 8;
      uint8_t block[Format::kBytes];
      unpack_super_block<Format>(panel + b / 8 * Format::kBytes * kPanelColumns, column % kPanelColumns, block);
      for (size_t begin = 0; begin < kFormatBlock; begin += kRun) {
        const float scale = Format::scale(block, part * 2 + begin / 16);
        const float minimum = Format::minimum(block, part * 2 + begin / 16);
        for (size_t n = 0; n < n_rows; ++n) {
          const ActivationBlock& in = x[b * x_stride + n];
          int sum = 0;
          for (size_t i = begin; i < begin + kRun; ++i) {
            sum += Format::code(block, part, i) * in.codes[i];
          }
          const int minus_sum = Format::kWholeParts ? in.minus_sum : in.minus_half_sum[begin / 16];
          float& to = out[n * out_stride + column];
          to += static_cast<float>(sum) * (scale * in.scale);
          to += minimum * (in.scale * static_cast<float>(minus_sum));
        }
      }
    }
  }
}

// e^x for x <= 0, relative error below 3e-7 down to -87, and 0 below: x = n ln 2 + r, |r| <= ln 2 / 2, and the
// polynomial of degree 5, 1 at 0, whose greatest relative error from e^r is the least, 9.2e-8.
float exp_negative(float x) {
  if (!(x >= -87.0F)) {
    return x != x ? x : 0.0F;
  }
  const float shifted = x * 1.44269504F + 12582912.0F;  // 1.5 * 2^23: the sum is rounded to an integer
  const float n = shifted - 12582912.0F;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 8.29027221e-3F;
  p = p * r + 4.18981612e-2F;
  p = p * r + 0.166676387F;
  p = p * r + 0.499991477F;
  p = p * r + 0.999999702F;
  p = p * r + 1.0F;
  return p * bits_to_float(static_cast<uint32_t>(static_cast<int32_t>(n) + 127) << 23U);
}

// x / 2 * (1 + erf(x / sqrt(2))), where erf(x / sqrt(2)) is x times a polynomial of degree 13 in x^2, written in t of
// -1 to 1, for |x| <= 5.2. Beyond, what x has more is added, so that it is 1 exactly: an error that all large values
// shared would not cancel in the sums over thousands of them. The polynomial's error, of erf, is 1.2e-7 at most; with
// rounding that of gelu is 2.8e-7 max(1, |x|). No exponential, no division.
float gelu(float x) {
  const float near = x > 5.2F ? 5.2F : (x < -5.2F ? -5.2F : x);
  const float t = near * near * (2.0F / (5.2F * 5.2F)) - 1.0F;
  float p = -9.21496772e-4F;
  p = p * t + 2.49916408e-3F;
  p = p * t - 2.54871044e-3F;
  p = p * t + 3.69561696e-3F;
  p = p * t - 9.47629381e-3F;
  p = p * t + 1.70310773e-2F;
  p = p * t - 2.50555556e-2F;
  p = p * t + 3.59471105e-2F;
  p = p * t - 4.94379476e-2F;
  p = p * t + 6.39728904e-2F;
  p = p * t - 7.98603967e-2F;
  p = p * t + 0.100049511F;
  p = p * t - 0.135487318F;
  p = p * t + 0.271899968F;
  const float erf = near * p + (x - near);
  return 0.5F * x * (erf > 1.0F ? 1.0F : (erf < -1.0F ? -1.0F : erf)) + 0.5F * x;
}

void finish(const float* sum, const float* bias, bool with_gelu, const float* residual, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) {
    float value = sum[i] + (bias != nullptr ? bias[i] : 0.0F);
    value = with_gelu ? gelu(value) : value;
    out[i] = residual != nullptr ? value + residual[i] : value;
  }
}

void layer_norm(const float* in, const float* gamma, const float* beta, size_t n, float* out) {
  float lanes[kLanes] = {};
  for (size_t i = 0; i < n; ++i) {
    lanes[i % kLanes] += in[i];
  }
  const float mean = sum_lanes(lanes) / static_cast<float>(n);
  float squares[kLanes] = {};
  for (size_t i = 0; i < n; ++i) {
    const float distance = in[i] - mean;
    squares[i % kLanes] += distance * distance;
  }
  const float variance = sum_lanes(squares) / static_cast<float>(n);
  const float inverse = 1.0F / __builtin_sqrtf(variance + 1e-5F);
  for (size_t i = 0; i < n; ++i) {
    out[i] = (in[i] - mean) * inverse * gamma[i] + beta[i];
  }
}

void add(float* x, const float* y, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    x[i] += y[i];
  }
}

void scale(float* x, size_t n, float factor) {
  for (size_t i = 0; i < n; ++i) {
    x[i] *= factor;
  }
}

float softmax_step(float* scores, size_t n, float score_scale, const float* mask, float* row_max, float* row_sum) {
  float maximum = *row_max;
  for (size_t i = 0; i < n; ++i) {
    scores[i] = scores[i] * score_scale + (mask != nullptr ? mask[i] : 0.0F);
    maximum = scores[i] > maximum ? scores[i] : maximum;
  }
  float lanes[kLanes] = {};
  for (size_t i = 0; i < n; ++i) {
    scores[i] = exp_negative(scores[i] - maximum);
    lanes[i % kLanes] += scores[i];
  }
  const float factor = exp_negative(*row_max - maximum);
  *row_sum = *row_sum * factor + sum_lanes(lanes);
  *row_max = maximum;
  return factor;
}

constexpr KernelTable kScalarTable = {
    .name = "scalar",
    .to_f32 = {to_f32<F32>, to_f32<F16>, to_f32<Nibbles<false, false>>, to_f32<Nibbles<true, false>>,
               to_f32<Nibbles<false, true>>, to_f32<Nibbles<true, true>>, to_f32<Q8_0>,
               SPEECH_OF_SUPER_BLOCKS(super_blocks_to_f32)},
    .f32_to_f16 = f32_to_f16,
    .pack_panel = pack_panel,
    .pack_rows = {nullptr, SPEECH_PACK_ROWS, SPEECH_OF_SUPER_BLOCKS(pack_super_blocks)},
    .panel_row_to_f32 = {nullptr, SPEECH_PANEL_ROW_TO_F32, SPEECH_OF_SUPER_BLOCKS(panel_row_to_f32_super_blocks)},
    .half_panel_to_f32 = half_panel_to_f32,
    .half_panel_dots = half_panel_dots,
    .quantize = quantize,
    .panel_products = {nullptr, nullptr, panel_products<1, 0, 16>, panel_products<2, 0, 16>, panel_products<1, 4, 16>,
                       panel_products<2, 4, 16>, panel_products<1, 0, 32>,
                       SPEECH_OF_SUPER_BLOCKS(super_panel_products)},
    .gemm = gemm,
    .dots = {dots<F32>, dots<F16>},
    .weighted_sum = {weighted_sum<F32>, weighted_sum<F16>},
    .finish = finish,
    .layer_norm = layer_norm,
    .add = add,
    .scale = scale,
    .softmax_step = softmax_step,
};

}  // namespace

const KernelTable* scalar_kernels() { return &kScalarTable; }

}  // namespace speech
