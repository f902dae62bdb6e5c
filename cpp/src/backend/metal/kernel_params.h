// What the host gives each Metal kernel besides buffers, and which kernels there are; compiled by both sides, so only
// 32-bit fields and no padding. How many threads and how much memory each wants: kernel_grids.h.
//
// Names are `<kernel>_<type>_metal`, the type as dtype_name() has it: that of the weight, or of keys and values.
// Buffers by index; the last is the constant:
//
//   add_f32             x, table; AddParams
//   gather_{f32,f16}    in, rows, out; LookupParams
//   embed_<any>         tokens, positions, token_table, position_table, out; LookupParams
//   layer_norm_f32      in, gamma, beta, out; LayerNormParams
//   linear_vector_<any> weight, bias, in, residual, out; LinearParams
//   linear_matrix_<any> the same
//   attend_vector_{f32,f16}   q, k, v, mask, out; AttendParams
//   attend_matrix_{f32,f16}   the same
//   attend_weights_{f32,f16}  q, k, out; AttendWeightsParams
//
// A buffer that the flags say is absent is bound all the same, to any other of the call; it is not read. All tensors
// are those of backend/backend.h, contiguous; a weight has its rows as in the file (tensor/dtype.h), but one of three
// dimensions lies as (D, 3, C), so that a convolution is a product: see LinearParams. Keys and values have one type.
// Sums and matrices of simdgroups: Metal 2.3, GPUs of the family Apple 7 (A14, M1) and newer.
// Compiled without fast arithmetic: a mask's -infinity has to stay what it is. Names of functions differ over all
// files, headers included once, so that all may be one text.
#pragma once

#ifdef __METAL_VERSION__
#define SPEECH_METAL_CONSTANT constant constexpr
#else
#include <cstdint>
#define SPEECH_METAL_CONSTANT inline constexpr
#endif

namespace speech {

/// Threads of a Metal simdgroup; the same on every GPU that can run these kernels.
SPEECH_METAL_CONSTANT uint32_t kSimdWidth = 32;

/// Values of a weight's row that a thread unpacks at a time: within a block of one scale in every format.
SPEECH_METAL_CONSTANT uint32_t kChunk = 8;

/// The vector form of linear(): simdgroups of a threadgroup, outputs of a simdgroup, and the rows that share weights
/// once read. Up to so many rows it is the form to take.
SPEECH_METAL_CONSTANT uint32_t kVectorSimds = 4;
SPEECH_METAL_CONSTANT uint32_t kVectorColumns = 2;
SPEECH_METAL_CONSTANT uint32_t kVectorRows = 8;

/// The matrix form: rows and outputs of a threadgroup's tile, and inputs that it takes at a time. Four simdgroups, each
/// a half of the rows by a half of the outputs: eight matrices of sums, for which six are loaded at a time.
SPEECH_METAL_CONSTANT uint32_t kTileRows = 32;
SPEECH_METAL_CONSTANT uint32_t kTileColumns = 64;
SPEECH_METAL_CONSTANT uint32_t kTileDepth = 32;
SPEECH_METAL_CONSTANT uint32_t kTileSimds = 4;

/// Of attention: the widest head (all of Whisper's are as wide), simdgroups that share the keys of one row in the
/// vector form, and in the matrix form rows of a threadgroup, eight of each simdgroup, and keys at a time.
SPEECH_METAL_CONSTANT uint32_t kWidestHead = 64;
SPEECH_METAL_CONSTANT uint32_t kAttendVectorSimds = 8;
SPEECH_METAL_CONSTANT uint32_t kAttendRows = 32;
SPEECH_METAL_CONSTANT uint32_t kAttendKeys = 32;

/// What the maximum of a row's scores starts from: below all of them, but a number, since a mask may hide all keys of a
/// block.
SPEECH_METAL_CONSTANT float kAttendStart = -1e30f;

/// Simdgroups that share a row of layer_norm or attend_weights.
SPEECH_METAL_CONSTANT uint32_t kRowSimds = 4;

/// x (count) <- x + table.
struct AddParams {
  uint32_t count;
};

/// Rows of `width` values, one threadgroup each.
struct LayerNormParams {
  uint32_t width;
};

/// Rows that are looked up: `rows` of them, `width` values each.
struct LookupParams {
  uint32_t rows;
  uint32_t width;
};

/// LinearParams::flags.
SPEECH_METAL_CONSTANT uint32_t kLinearBias = 1;
SPEECH_METAL_CONSTANT uint32_t kLinearGelu = 2;
SPEECH_METAL_CONSTANT uint32_t kLinearResidual = 4;
SPEECH_METAL_CONSTANT uint32_t kLinearHalfOut = 8;  // out is F16, else F32

/// out (n_rows, n_out) <- gelu(in * weight (n_out, k)^T + bias) + residual, as the flags say.
/// Row r of `in` are the k values that begin at r * in_step + in_offset; what lies outside of [0, in_size) is zero.
/// linear(): in_step k, in_offset 0, in_size n_rows * k. convolve() of C channels with stride s: k 3 C, in_step s C,
/// in_offset -C, in_size T C. The vector form has no use for in_offset and in_size.
struct LinearParams {
  uint32_t n_rows;
  uint32_t n_out;
  uint32_t k;  // whole blocks of the weight's format
  int32_t in_step;
  int32_t in_offset;
  int32_t in_size;
  uint32_t flags;
};

/// Rows of q and of out, of k and v, and of all of them the width; `width` is whole heads. scale: 1 / sqrt(head_width).
struct AttendParams {
  uint32_t n_rows;
  uint32_t n_keys;  // at least 1
  uint32_t width;
  uint32_t head_width;  // at most kWidestHead
  uint32_t has_mask;    // 1, or 0
  float scale;
};

/// As AttendParams, of one head; any width.
struct AttendWeightsParams {
  uint32_t n_keys;
  uint32_t width;
  uint32_t head_width;
  uint32_t head;
  float scale;
};

}  // namespace speech
