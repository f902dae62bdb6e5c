// The arithmetic of the CPU back-end as one table of function pointers per instruction set. Includes freestanding
// headers only and nothing of ours, so that every kernel file compiles without a C library; knows no tensor, thread or
// buffer.
//
// Rules of every table: pointers need no alignment beyond their element's; no function reads or writes past the counts
// that it is given; a result depends on the values alone, never on an address. Counts of 0 are allowed.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace speech {

/// What a row of weights is stored as; the block layouts are those of tensor/dtype.h (asserted in backend/cpu).
enum WeightFormat : int {
  kFormatF32,
  kFormatF16,
  kFormatQ4_0,
  kFormatQ4_1,
  kFormatQ5_0,
  kFormatQ5_1,
  kFormatQ8_0,
  kFormatQ2_K,
  kFormatQ3_K,
  kFormatQ4_K,
  kFormatQ5_K,
  kFormatQ6_K,
  kWeightFormats,
  kPanelFormats = kWeightFormats,
};

/// Outputs in one packed panel of weights.
inline constexpr int kPanelColumns = 16;
/// Most rows of activations that `dots` and `weighted_sum` take.
inline constexpr int kMaxDotRows = 8;
/// Values in one block of activations, and of a quantised format; K-quants have super-blocks of eight.
inline constexpr int kFormatBlock = 32;
/// Products that are summed one after the other; such partial sums are added up. A single chain over thousands of
/// products would err three to four times as much.
inline constexpr int kSumRun = 256;

/// One block of activations as codes with a sign: value = scale * code. A block with a value that is not finite has a
/// scale that is no number, so that no product of it is one.
struct ActivationBlock {
  float scale;
  int32_t minus_sum;          // of the codes
  int32_t minus_half_sum[2];  // of the first sixteen of them, and of the others
  int8_t codes[kFormatBlock];
};

// Panels: kPanelColumns rows of weights side by side, in the order in which they are multiplied. Rows that are not
// there are zero. A panel has as many bytes as its rows. All formats but kFormatF32 have panels.
//   F16        (k, 16): the values of one input after the other
//   quantised  for each block of 32 inputs: 16 scales; 16 minimums, in the formats that have them; 64 bytes of fifth
//              bits, in the formats that have them; then codes in groups of four inputs, where bytes 4 r to 4 r + 3 of
//              a group of 64 are row r's: what an instruction that adds products of four bytes to a word reads. Q8_0
//              has eight groups. Those of four bits have four: group g is in the low nibbles of group g, group g + 4 in
//              its high ones. Bit g of byte 4 r + j of the fifth bits belongs to input j of group g of row r.
//   K-quants   for each super-block of 256 inputs the fields of a row's, in their order, with their units side by side:
//              that at byte a of a super-block, of u bytes, is at 16 a + u r. Units: a scale or minimum of two bytes, a
//              byte of `scales`, four bytes of anything else.

/// out[n * out_stride + p * kPanelColumns + r] <- sum over blocks b of k / kFormatBlock of row n of x, whose block b is
/// x[b * x_stride + n], times row r of panel p, for p < n_panels, n < n_rows; panels lie panel_stride_bytes apart. A
/// block's sum of products of codes is exact in integers; it is multiplied by the product of both scales, which rounds
/// once, and added to those before it, from zero; then, where there is one, minimum * (scale * sum of codes). Formats
/// with a scale for sixteen inputs do that for each half of a block. So a result depends neither on n_rows nor on
/// n_panels, and on the table only by where these few roundings fall.
using PanelProducts = void (*)(const void* panels, size_t panel_stride_bytes, size_t n_panels, size_t k,
                               const ActivationBlock* x, size_t x_stride, size_t n_rows, float* out, size_t out_stride);

struct KernelTable {
  /// "scalar", "avx2", "avxvnni", "avx512", "avx512vnni", "neon", "neon_dotprod", "neon_i8mm": what WSPKIT_KERNELS
  /// calls it.
  const char* name;

  /// dst (n_rows, n) <- the first n values of n_rows rows in the format that the index names; src rows lie
  /// src_stride_bytes apart, dst rows dst_stride values. Exact. Quantised: n is whole blocks.
  void (*to_f32[kWeightFormats])(const void* src, size_t src_stride_bytes, size_t n_rows, size_t n, float* dst,
                                 size_t dst_stride);

  /// dst (n) <- binary16, rounded to nearest even.
  void (*f32_to_f16)(const float* src, size_t n, uint16_t* dst);

  /// panel (k, kPanelColumns) <- the transpose of n_rows <= kPanelColumns rows of k values, src_stride apart; columns
  /// from n_rows on are zero.
  void (*pack_panel)(const float* src, size_t src_stride, size_t n_rows, size_t k, float* panel);

  /// panel <- n_rows <= kPanelColumns rows of k weights in the format that the index names.
  void (*pack_rows[kPanelFormats])(const void* rows, size_t row_stride_bytes, size_t n_rows, size_t k, void* panel);

  /// out (k) <- row `row` < kPanelColumns of a panel. Exact but for a minimum's one rounding.
  void (*panel_row_to_f32[kPanelFormats])(const void* panel, size_t row, size_t k, float* out);

  /// out (k, kPanelColumns) <- the next k inputs of a panel of kFormatF16. Exact.
  void (*half_panel_to_f32)(const void* panel, size_t k, float* out);

  /// out[n * out_stride + p * kPanelColumns + r] <- sum over k of x[n * x_stride + k] * row r of panel p of kFormatF16,
  /// for p < n_panels, n < n_x <= kMaxDotRows; panels lie panel_stride_bytes apart. Summed as gemm() does it in runs of
  /// kSumRun, so that a result depends neither on n_x nor on which of the two was called.
  void (*half_panel_dots)(const void* panels, size_t panel_stride_bytes, size_t n_panels, size_t k, const float* x,
                          size_t x_stride, size_t n_x, float* out, size_t out_stride);

  /// out[b * out_stride] <- block b of n values, whole blocks: scale = max |x| / 127, codes = x * (127 / max |x|),
  /// rounded to nearest even; 0 if all are below 2^-100. The same bits from every table.
  void (*quantize)(const float* x, size_t n, ActivationBlock* out, size_t out_stride);

  /// Of kFormatQ4_0 and on.
  PanelProducts panel_products[kPanelFormats];

  /// c (n_rows, n_panels * kPanelColumns) = or += a (n_rows, k) * b (k, n_panels * kPanelColumns), where row i of panel
  /// p of b is at b + p * b_panel_stride + i * b_row_stride. Each element is summed in the order of k, starting from
  /// zero; then (accumulate) what is in c is added. Callers keep k at kSumRun or less.
  void (*gemm)(const float* a, size_t a_stride, size_t n_rows, size_t k, const float* b, size_t b_row_stride,
               size_t b_panel_stride, size_t n_panels, float* c, size_t c_stride, bool accumulate);

  /// out[n * out_stride + r] <- sum over k of x[n * x_stride + k] * row r of `weights`, for r < n_weights, n < n_x <=
  /// kMaxDotRows; weight rows lie weight_stride_bytes apart. A result does not depend on n_x. Index: kFormatF32 or
  /// kFormatF16.
  void (*dots[2])(const void* weights, size_t weight_stride_bytes, size_t n_weights, size_t k, const float* x,
                  size_t x_stride, size_t n_x, float* out, size_t out_stride);

  /// out[n * out_stride + i] += sum over r < n_rows of p[n * p_stride + r] * rows[r][i], for i < k, n < n_x <=
  /// kMaxDotRows. Index: kFormatF32 or kFormatF16.
  void (*weighted_sum[2])(const void* rows, size_t row_stride_bytes, size_t n_rows, size_t k, const float* p,
                          size_t p_stride, size_t n_x, float* out, size_t out_stride);

  /// out (n) <- act(sum + bias) + residual; bias and residual may be null, and out may be either of sum and residual.
  /// gelu: x / 2 * (1 + erf(x / sqrt(2))) to within 4e-7 * max(1, |x|).
  void (*finish)(const float* sum, const float* bias, bool gelu, const float* residual, size_t n, float* out);

  /// out (n) <- (in - mean) / sqrt(variance + 1e-5) * gamma + beta; out may be in.
  void (*layer_norm)(const float* in, const float* gamma, const float* beta, size_t n, float* out);

  /// x (n) <- x + y
  void (*add)(float* x, const float* y, size_t n);

  /// x (n) <- x * factor
  void (*scale)(float* x, size_t n, float factor);

  /// One step of the online softmax of one row (Milakov and Gimelshein 2018): with s = scores * scale + mask (mask may
  /// be null), the new maximum m = max(*row_max, max s), scores <- exp(s - m), *row_sum <- *row_sum * f + sum of the
  /// new scores, *row_max <- m; returns f = exp(old maximum - m), by which the caller must scale what it has summed so
  /// far. Start with *row_max = kSoftmaxStart and *row_sum = 0. A mask of -infinity gives a score of exactly 0.
  float (*softmax_step)(float* scores, size_t n, float scale, const float* mask, float* row_max, float* row_sum);
};

/// Finite, so that a block that is masked as a whole gives exp(-infinity) = 0 and not exp(NaN).
inline constexpr float kSoftmaxStart = -1e30F;

/// Plain C++, on every machine; the oracle of the others.
const KernelTable* scalar_kernels();

/// AVX2, FMA and F16C; null where the compiler's target is not x86-64. Whether the machine has them is select.h's to
/// know.
const KernelTable* avx2_kernels();

/// The same with the integer products of AVX-VNNI; null and unknown in the same way, as are those below.
const KernelTable* avxvnni_kernels();

/// AVX-512 F, BW, DQ and VL.
const KernelTable* avx512_kernels();

/// The same with the integer products of AVX-512 VNNI.
const KernelTable* avx512vnni_kernels();

/// What every armv8 has; on armv7 only where the compiler's target has NEON. Null elsewhere.
const KernelTable* neon_kernels();

/// The same with the integer products of armv8.2's dotprod, on armv8 only.
const KernelTable* neon_dotprod_kernels();

/// The same with those of armv8.6's i8mm, on armv8 only; single rows by dotprod, which the machine must have too.
const KernelTable* neon_i8mm_kernels();

}  // namespace speech
