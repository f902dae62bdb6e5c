// Written by tools/metal_text.py of the kernels beside this folder; do not edit.
#pragma once

namespace speech {

inline constexpr const char* kKernelsText = R"metal(
#include <metal_stdlib>
#ifdef __METAL_VERSION__
#define SPEECH_METAL_CONSTANT constant constexpr
#else
#include <cstdint>
#define SPEECH_METAL_CONSTANT inline constexpr
#endif
namespace speech {
SPEECH_METAL_CONSTANT uint32_t kSimdWidth = 32;
SPEECH_METAL_CONSTANT uint32_t kChunk = 8;
SPEECH_METAL_CONSTANT uint32_t kVectorSimds = 4;
SPEECH_METAL_CONSTANT uint32_t kVectorColumns = 2;
SPEECH_METAL_CONSTANT uint32_t kVectorRows = 8;
SPEECH_METAL_CONSTANT uint32_t kTileRows = 32;
SPEECH_METAL_CONSTANT uint32_t kTileColumns = 64;
SPEECH_METAL_CONSTANT uint32_t kTileDepth = 32;
SPEECH_METAL_CONSTANT uint32_t kTileSimds = 4;
SPEECH_METAL_CONSTANT uint32_t kWidestHead = 64;
SPEECH_METAL_CONSTANT uint32_t kAttendVectorSimds = 8;
SPEECH_METAL_CONSTANT uint32_t kAttendRows = 32;
SPEECH_METAL_CONSTANT uint32_t kAttendKeys = 32;
SPEECH_METAL_CONSTANT float kAttendStart = -1e30f;
SPEECH_METAL_CONSTANT uint32_t kRowSimds = 4;
struct AddParams {
  uint32_t count;
};
struct LayerNormParams {
  uint32_t width;
};
struct LookupParams {
  uint32_t rows;
  uint32_t width;
};
SPEECH_METAL_CONSTANT uint32_t kLinearBias = 1;
SPEECH_METAL_CONSTANT uint32_t kLinearGelu = 2;
SPEECH_METAL_CONSTANT uint32_t kLinearResidual = 4;
SPEECH_METAL_CONSTANT uint32_t kLinearHalfOut = 8;  // out is F16, else F32
struct LinearParams {
  uint32_t n_rows;
  uint32_t n_out;
  uint32_t k;  // whole blocks of the weight's format
  int32_t in_step;
  int32_t in_offset;
  int32_t in_size;
  uint32_t flags;
};
struct AttendParams {
  uint32_t n_rows;
  uint32_t n_keys;  // at least 1
  uint32_t width;
  uint32_t head_width;  // at most kWidestHead
  uint32_t has_mask;    // 1, or 0
  float scale;
};
struct AttendWeightsParams {
  uint32_t n_keys;
  uint32_t width;
  uint32_t head_width;
  uint32_t head;
  float scale;
};
}  // namespace speech
using namespace metal;
using namespace speech;
SPEECH_METAL_CONSTANT uint kHeadMatrices = kWidestHead / 8;
SPEECH_METAL_CONSTANT uint kKeyMatrices = kAttendKeys / 8;
template <typename T>
void bring_rows(device const T* rows, uint row, uint n_rows, uint first, constant AttendParams& params,
                threadgroup float* block, uint thread_index) {
  for (uint at = thread_index; at < kAttendRows * kWidestHead; at += kAttendRows / 8 * kSimdWidth) {
    const uint from = row + at / kWidestHead;
    const uint column = at % kWidestHead;
    const bool is_there = from < n_rows && column < params.head_width;
    block[at] = is_there ? float(rows[from * params.width + first + column]) : 0.0f;
  }
}
template <typename T>
kernel void attend_matrix(device const float* q [[buffer(0)]], device const T* k [[buffer(1)]],
                          device const T* v [[buffer(2)]], device const float* mask [[buffer(3)]],
                          device float* out [[buffer(4)]], constant AttendParams& params [[buffer(5)]],
                          threadgroup float* memory [[threadgroup(0)]], uint2 group [[threadgroup_position_in_grid]],
                          uint thread_index [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                          uint simd [[simdgroup_index_in_threadgroup]]) {
  static_assert(kAttendRows == kAttendKeys && kAttendKeys == kSimdWidth, "a block serves for both; a thread has a key");
  const uint first = group.x * params.head_width;
  const uint first_row = group.y * kAttendRows;
  threadgroup float* block = memory;                                                         // of all simdgroups
  threadgroup float* weights = memory + kAttendKeys * kWidestHead + simd * 8 * kAttendKeys;  // (8, kAttendKeys)
  threadgroup float* factors = memory + kAttendKeys * (kWidestHead + kAttendRows) + simd * 64;  // (8, 8), diagonal
  simdgroup_float8x8 queries[kHeadMatrices];
  simdgroup_float8x8 sums[kHeadMatrices];
  bring_rows(q, first_row, params.n_rows, first, params, block, thread_index);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = 0; i < kHeadMatrices; ++i) {
    simdgroup_load(queries[i], block + simd * 8 * kWidestHead + i * 8, kWidestHead);
    sums[i] = make_filled_simdgroup_matrix<float, 8>(0.0f);
  }
  float largest[8];
  float totals[8];  // of this thread's keys
  for (uint r = 0; r < 8; ++r) {
    largest[r] = kAttendStart;
    totals[r] = 0;
  }
  for (uint first_key = 0; first_key < params.n_keys; first_key += kAttendKeys) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bring_rows(k, first_key, params.n_keys, first, params, block, thread_index);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint j = 0; j < kKeyMatrices; ++j) {
      simdgroup_float8x8 scores = make_filled_simdgroup_matrix<float, 8>(0.0f);
      for (uint i = 0; i < kHeadMatrices; ++i) {
        simdgroup_float8x8 keys;
        simdgroup_load(keys, block + j * 8 * kWidestHead + i * 8, kWidestHead, ulong2(0), true);
        simdgroup_multiply_accumulate(scores, queries[i], keys, scores);
      }
      simdgroup_store(scores, weights + j * 8, kAttendKeys);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bring_rows(v, first_key, params.n_keys, first, params, block, thread_index);
    const uint key = first_key + lane;
    for (uint r = 0; r < 8; ++r) {
      const uint row = first_row + simd * 8 + r;
      float score = key < params.n_keys ? weights[r * kAttendKeys + lane] * params.scale : -INFINITY;
      if (params.has_mask != 0 && row < params.n_rows && key < params.n_keys) {
        score += mask[row * params.n_keys + key];
      }
      const float before = largest[r];
      largest[r] = max(before, simd_max(score));
      const float factor = exp(before - largest[r]);
      const float weight = exp(score - largest[r]);
      totals[r] = totals[r] * factor + weight;
      weights[r * kAttendKeys + lane] = weight;
      if (lane < 8) {
        factors[r * 8 + lane] = lane == r ? factor : 0.0f;
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_float8x8 rescale;
    simdgroup_load(rescale, factors);
    for (uint i = 0; i < kHeadMatrices; ++i) {
      simdgroup_multiply(sums[i], rescale, sums[i]);
    }
    for (uint j = 0; j < kKeyMatrices; ++j) {
      simdgroup_float8x8 of_keys;
      simdgroup_load(of_keys, weights + j * 8, kAttendKeys);
      for (uint i = 0; i < kHeadMatrices; ++i) {
        simdgroup_float8x8 values;
        simdgroup_load(values, block + j * 8 * kWidestHead + i * 8, kWidestHead);
        simdgroup_multiply_accumulate(sums[i], of_keys, values, sums[i]);
      }
    }
  }
  for (uint r = 0; r < 8; ++r) {
    totals[r] = simd_sum(totals[r]);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  threadgroup float* own = block + simd * 8 * kWidestHead;
  for (uint i = 0; i < kHeadMatrices; ++i) {
    simdgroup_store(sums[i], own + i * 8, kWidestHead);
  }
  simdgroup_barrier(mem_flags::mem_threadgroup);
  for (uint r = 0; r < 8; ++r) {
    const uint row = first_row + simd * 8 + r;
    for (uint column = lane; column < params.head_width; column += kSimdWidth) {
      if (row < params.n_rows) {
        out[row * params.width + first + column] = own[r * kWidestHead + column] / totals[r];
      }
    }
  }
}
typedef decltype(attend_matrix<float>) AttendMatrixFloat;
typedef decltype(attend_matrix<half>) AttendMatrixHalf;
template [[host_name("attend_matrix_f32_metal")]] kernel AttendMatrixFloat attend_matrix<float>;
template [[host_name("attend_matrix_f16_metal")]] kernel AttendMatrixHalf attend_matrix<half>;
using namespace metal;
using namespace speech;
template <typename T>
kernel void attend_vector(device const float* q [[buffer(0)]], device const T* k [[buffer(1)]],
                          device const T* v [[buffer(2)]], device const float* mask [[buffer(3)]],
                          device float* out [[buffer(4)]], constant AttendParams& params [[buffer(5)]],
                          threadgroup float* memory [[threadgroup(0)]], uint2 group [[threadgroup_position_in_grid]],
                          uint thread_index [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                          uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint row = group.y;
  const uint first = group.x * params.head_width;
  const uint per_simd = kWidestHead + 2;
  threadgroup float* own = memory + simd * per_simd;
  device const float* query = q + row * params.width + first;
  float largest = kAttendStart;
  float total = 0;  // of this thread's keys
  float sums[kWidestHead / kSimdWidth] = {};
  uint offset = 0;
  for (uint key = simd * kSimdWidth; key < params.n_keys; key += kAttendVectorSimds * kSimdWidth) {
    threadgroup float* weights = own + offset;
    offset = kSimdWidth - offset;
    const uint n_keys = min(kSimdWidth, params.n_keys - key);
    float score = -INFINITY;
    if (lane < n_keys) {
      device const T* values = k + (key + lane) * params.width + first;
      float dot = 0;
      for (uint i = 0; i < params.head_width; ++i) {
        dot += query[i] * float(values[i]);
      }
      score = dot * params.scale;
      if (params.has_mask != 0) {
        score += mask[row * params.n_keys + key + lane];
      }
    }
    const float before = largest;
    largest = max(before, simd_max(score));
    const float factor = exp(before - largest);
    const float weight = exp(score - largest);
    total = total * factor + weight;
    weights[lane] = weight;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < kWidestHead / kSimdWidth; ++i) {
      const uint column = i * kSimdWidth + lane;
      if (column < params.head_width) {
        device const T* values = v + key * params.width + first + column;
        float sum = sums[i] * factor;
        for (uint j = 0; j < n_keys; ++j) {
          sum += weights[j] * float(values[j * params.width]);
        }
        sums[i] = sum;
      }
    }
  }
  simdgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = 0; i < kWidestHead / kSimdWidth; ++i) {
    own[i * kSimdWidth + lane] = sums[i];
  }
  total = simd_sum(total);
  if (lane == 0) {
    own[kWidestHead] = largest;
    own[kWidestHead + 1] = total;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (thread_index < params.head_width) {
    largest = kAttendStart;
    for (uint i = 0; i < kAttendVectorSimds; ++i) {
      largest = max(largest, memory[i * per_simd + kWidestHead]);
    }
    float sum = 0;
    total = 0;
    for (uint i = 0; i < kAttendVectorSimds; ++i) {
      threadgroup const float* of_simd = memory + i * per_simd;
      const float factor = exp(of_simd[kWidestHead] - largest);
      sum += of_simd[thread_index] * factor;
      total += of_simd[kWidestHead + 1] * factor;
    }
    out[row * params.width + first + thread_index] = sum / total;
  }
}
typedef decltype(attend_vector<float>) AttendVectorFloat;
typedef decltype(attend_vector<half>) AttendVectorHalf;
template [[host_name("attend_vector_f32_metal")]] kernel AttendVectorFloat attend_vector<float>;
template [[host_name("attend_vector_f16_metal")]] kernel AttendVectorHalf attend_vector<half>;
using namespace metal;
using namespace speech;
inline float sum_over_threads(float value, threadgroup float* partial, uint lane, uint simd) {
  const float of_simd = simd_sum(value);
  if (lane == 0) {
    partial[simd] = of_simd;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return simd_sum(lane < kRowSimds ? partial[lane] : 0.0f);
}
inline float max_over_threads(float value, threadgroup float* partial, uint lane, uint simd) {
  const float of_simd = simd_max(value);
  if (lane == 0) {
    partial[simd] = of_simd;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return simd_max(partial[lane % kRowSimds]);
}
using namespace metal;
using namespace speech;
template <typename T>
kernel void attend_weights(device const float* q [[buffer(0)]], device const T* k [[buffer(1)]],
                           device float* out [[buffer(2)]], constant AttendWeightsParams& params [[buffer(3)]],
                           threadgroup float* partial [[threadgroup(0)]], uint row [[threadgroup_position_in_grid]],
                           uint thread_index [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                           uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint n_threads = kRowSimds * kSimdWidth;
  const uint first = params.head * params.head_width;
  device const float* query = q + row * params.width + first;
  device float* weights = out + row * params.n_keys;
  float largest = kAttendStart;
  for (uint key = thread_index; key < params.n_keys; key += n_threads) {
    device const T* values = k + key * params.width + first;
    float dot = 0;
    for (uint i = 0; i < params.head_width; ++i) {
      dot += query[i] * float(values[i]);
    }
    weights[key] = dot * params.scale;
    largest = max(largest, weights[key]);
  }
  largest = max_over_threads(largest, partial, lane, simd);
  float total = 0;
  for (uint key = thread_index; key < params.n_keys; key += n_threads) {
    weights[key] = exp(weights[key] - largest);
    total += weights[key];
  }
  total = sum_over_threads(total, partial + kRowSimds, lane, simd);
  for (uint key = thread_index; key < params.n_keys; key += n_threads) {
    weights[key] /= total;
  }
}
typedef decltype(attend_weights<float>) AttendWeightsFloat;
typedef decltype(attend_weights<half>) AttendWeightsHalf;
template [[host_name("attend_weights_f32_metal")]] kernel AttendWeightsFloat attend_weights<float>;
template [[host_name("attend_weights_f16_metal")]] kernel AttendWeightsHalf attend_weights<half>;
using namespace metal;
using namespace speech;
template <typename T>
struct Plain {
  enum : uint { kValues = 1, kBytes = sizeof(T) };
  static void load(device const uchar* row, uint i, uint k, thread float* out) {
    device const T* values = reinterpret_cast<device const T*>(row);
    for (uint j = 0; j < kChunk; ++j) {
      out[j] = i + j < k ? float(values[i + j]) : 0.0f;
    }
  }
};
typedef Plain<float> F32;
typedef Plain<half> F16;
inline float half_at(device const uchar* bytes) { return float(*reinterpret_cast<device const half*>(bytes)); }
template <typename Format>
struct Blocks {
  enum : uint { kValues = Format::kValues, kBytes = Format::kBytes };
  static void load(device const uchar* row, uint i, uint, thread float* out) {
    device const uchar* block = row + i / kValues * kBytes;
    const uint at = i % kValues;
    const float scale = Format::scale(block, at);
    const float offset = Format::offset(block, at);
    for (uint j = 0; j < kChunk; ++j) {
      out[j] = scale * float(Format::code(block, at + j)) + offset;
    }
  }
};
template <bool kHasMinimum, bool kHasFifthBit>
struct Nibbles {
  enum : uint {
    kValues = 32,
    kHigh = kHasMinimum ? 4 : 2,
    kCodes = kHigh + (kHasFifthBit ? 4 : 0),
    kBytes = kCodes + 16,
  };
  static float scale(device const uchar* block, uint) { return half_at(block); }
  static float offset(device const uchar* block, uint) { return kHasMinimum ? half_at(block + 2) : 0.0f; }
  static int code(device const uchar* block, uint at) {
    const uint byte = block[kCodes + at % 16];
    const uint nibble = at < 16 ? byte & 15 : byte >> 4;
    const uint fifth = kHasFifthBit ? (block[kHigh + at / 8] >> (at % 8)) & 1 : 0;
    return int(nibble | fifth << 4) - (kHasMinimum ? 0 : kHasFifthBit ? 16 : 8);
  }
};
typedef Blocks<Nibbles<false, false>> Q4_0;
typedef Blocks<Nibbles<true, false>> Q4_1;
typedef Blocks<Nibbles<false, true>> Q5_0;
typedef Blocks<Nibbles<true, true>> Q5_1;
struct Bytes {  // scale codes[32]
  enum : uint { kValues = 32, kBytes = 34 };
  static float scale(device const uchar* block, uint) { return half_at(block); }
  static float offset(device const uchar*, uint) { return 0.0f; }
  static int code(device const uchar* block, uint at) { return int(char(block[2 + at])); }
};
typedef Blocks<Bytes> Q8_0;
struct TwoBits {  // scales[16] codes[64] scale minimum
  enum : uint { kValues = 256, kBytes = 84 };
  static float scale(device const uchar* block, uint at) { return half_at(block + 80) * float(block[at / 16] & 15); }
  static float offset(device const uchar* block, uint at) { return -half_at(block + 82) * float(block[at / 16] >> 4); }
  static int code(device const uchar* block, uint at) {
    return (block[16 + at / 128 * 32 + at % 32] >> (at / 32 % 4 * 2)) & 3;
  }
};
typedef Blocks<TwoBits> Q2_K;
struct ThreeBits {  // high[32] codes[64] scales[12] scale
  enum : uint { kValues = 256, kBytes = 110 };
  static float scale(device const uchar* block, uint at) {
    device const uchar* scales = block + 96;
    const uint run = at / 16;
    const uint low = run < 8 ? scales[run] & 15 : scales[run - 8] >> 4;
    const uint high = (scales[8 + run % 4] >> (run / 4 * 2)) & 3;
    return half_at(block + 108) * float(int(low | high << 4) - 32);
  }
  static float offset(device const uchar*, uint) { return 0.0f; }
  static int code(device const uchar* block, uint at) {
    const uint low = (block[32 + at / 128 * 32 + at % 32] >> (at / 32 % 4 * 2)) & 3;
    const uint high = (block[at % 32] >> (at / 32)) & 1;
    return int(low | high << 2) - 4;
  }
};
typedef Blocks<ThreeBits> Q3_K;
inline float six_bits(device const uchar* scales, uint part, uint first) {
  if (part < 4) {
    return float(scales[first + part] & 63);
  }
  const uint low = first == 0 ? scales[part + 4] & 15 : scales[part + 4] >> 4;
  return float(low | uint(scales[first + part - 4] >> 6) << 4);
}
template <bool kHasFifthBit>
struct SuperNibbles {  // scale minimum scales[12] high[32] if any, codes[128]
  enum : uint { kValues = 256, kCodes = kHasFifthBit ? 48 : 16, kBytes = kCodes + 128 };
  static float scale(device const uchar* block, uint at) { return half_at(block) * six_bits(block + 4, at / 32, 0); }
  static float offset(device const uchar* block, uint at) {
    return -half_at(block + 2) * six_bits(block + 4, at / 32, 4);
  }
  static int code(device const uchar* block, uint at) {
    const uint nibble = (block[kCodes + at / 64 * 32 + at % 32] >> (at / 32 % 2 * 4)) & 15;
    const uint fifth = kHasFifthBit ? (block[16 + at % 32] >> (at / 32)) & 1 : 0;
    return int(nibble | fifth << 4);
  }
};
typedef Blocks<SuperNibbles<false>> Q4_K;
typedef Blocks<SuperNibbles<true>> Q5_K;
struct SixBits {  // codes[128] high[64] scales[16] scale
  enum : uint { kValues = 256, kBytes = 210 };
  static float scale(device const uchar* block, uint at) {
    return half_at(block + 208) * float(char(block[192 + at / 16]));
  }
  static float offset(device const uchar*, uint) { return 0.0f; }
  static int code(device const uchar* block, uint at) {
    const uint low = (block[at / 128 * 64 + at % 64] >> (at / 64 % 2 * 4)) & 15;
    const uint high = (block[128 + at / 128 * 32 + at % 32] >> (at / 32 % 4 * 2)) & 3;
    return int(low | high << 4) - 32;
  }
};
typedef Blocks<SixBits> Q6_K;
using namespace metal;
using namespace speech;
kernel void add_f32_metal(device float* x [[buffer(0)]], device const float* table [[buffer(1)]],
                          constant AddParams& params [[buffer(2)]], uint index [[thread_position_in_grid]]) {
  if (index < params.count) {
    x[index] += table[index];
  }
}
template <typename T>
kernel void gather(device const T* in [[buffer(0)]], device const int* rows [[buffer(1)]], device T* out [[buffer(2)]],
                   constant LookupParams& params [[buffer(3)]], uint2 place [[thread_position_in_grid]]) {
  if (place.x < params.width && place.y < params.rows) {
    out[place.y * params.width + place.x] = in[uint(rows[place.y]) * params.width + place.x];
  }
}
typedef decltype(gather<float>) GatherFloat;
typedef decltype(gather<half>) GatherHalf;
template [[host_name("gather_f32_metal")]] kernel GatherFloat gather<float>;
template [[host_name("gather_f16_metal")]] kernel GatherHalf gather<half>;
template <typename Format>
kernel void embed(device const int* tokens [[buffer(0)]], device const int* positions [[buffer(1)]],
                  device const uchar* token_table [[buffer(2)]], device const float* position_table [[buffer(3)]],
                  device float* out [[buffer(4)]], constant LookupParams& params [[buffer(5)]],
                  uint2 place [[thread_position_in_grid]]) {
  const uint first = place.x * kChunk;
  if (first < params.width && place.y < params.rows) {
    const uint row_bytes = params.width / Format::kValues * Format::kBytes;
    float values[kChunk];
    Format::load(token_table + uint(tokens[place.y]) * row_bytes, first, params.width, values);
    for (uint j = 0; j < min(kChunk, params.width - first); ++j) {
      const uint position = uint(positions[place.y]) * params.width + first + j;
      out[place.y * params.width + first + j] = values[j] + position_table[position];
    }
  }
}
typedef decltype(embed<F32>) Embed;
template [[host_name("embed_f32_metal")]] kernel Embed embed<F32>;
template [[host_name("embed_f16_metal")]] kernel Embed embed<F16>;
template [[host_name("embed_q4_0_metal")]] kernel Embed embed<Q4_0>;
template [[host_name("embed_q4_1_metal")]] kernel Embed embed<Q4_1>;
template [[host_name("embed_q5_0_metal")]] kernel Embed embed<Q5_0>;
template [[host_name("embed_q5_1_metal")]] kernel Embed embed<Q5_1>;
template [[host_name("embed_q8_0_metal")]] kernel Embed embed<Q8_0>;
template [[host_name("embed_q2_K_metal")]] kernel Embed embed<Q2_K>;
template [[host_name("embed_q3_K_metal")]] kernel Embed embed<Q3_K>;
template [[host_name("embed_q4_K_metal")]] kernel Embed embed<Q4_K>;
template [[host_name("embed_q5_K_metal")]] kernel Embed embed<Q5_K>;
template [[host_name("embed_q6_K_metal")]] kernel Embed embed<Q6_K>;
using namespace metal;
using namespace speech;
kernel void layer_norm_f32_metal(device const float* in [[buffer(0)]], device const float* gamma [[buffer(1)]],
                                 device const float* beta [[buffer(2)]], device float* out [[buffer(3)]],
                                 constant LayerNormParams& params [[buffer(4)]],
                                 threadgroup float* partial [[threadgroup(0)]],
                                 uint row [[threadgroup_position_in_grid]],
                                 uint thread_index [[thread_index_in_threadgroup]],
                                 uint lane [[thread_index_in_simdgroup]],
                                 uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint width = params.width;
  const uint n_threads = kRowSimds * kSimdWidth;
  device const float* from = in + row * width;
  device float* to = out + row * width;
  float sum = 0;
  for (uint i = thread_index; i < width; i += n_threads) {
    sum += from[i];
  }
  const float mean = sum_over_threads(sum, partial, lane, simd) / float(width);
  float squares = 0;
  for (uint i = thread_index; i < width; i += n_threads) {
    const float distance = from[i] - mean;
    squares += distance * distance;
  }
  const float variance = sum_over_threads(squares, partial + kRowSimds, lane, simd) / float(width);
  const float inverse = 1.0f / sqrt(variance + 1e-5f);
  for (uint i = thread_index; i < width; i += n_threads) {
    to[i] = (from[i] - mean) * inverse * gamma[i] + beta[i];
  }
}
using namespace metal;
using namespace speech;
inline float gelu(float x) {
  const float near = min(max(x, -5.2f), 5.2f);
  const float t = near * near * (2.0f / (5.2f * 5.2f)) - 1.0f;
  float p = -9.21496772e-4f;
  p = p * t + 2.49916408e-3f;
  p = p * t - 2.54871044e-3f;
  p = p * t + 3.69561696e-3f;
  p = p * t - 9.47629381e-3f;
  p = p * t + 1.70310773e-2f;
  p = p * t - 2.50555556e-2f;
  p = p * t + 3.59471105e-2f;
  p = p * t - 4.94379476e-2f;
  p = p * t + 6.39728904e-2f;
  p = p * t - 7.98603967e-2f;
  p = p * t + 0.100049511f;
  p = p * t - 0.135487318f;
  p = p * t + 0.271899968f;
  const float erf = near * p + (x - near);
  return 0.5f * x * min(max(erf, -1.0f), 1.0f) + 0.5f * x;
}
inline void store_linear(float sum, uint row, uint column, device const float* bias, device const float* residual,
                         device uchar* out, constant LinearParams& params) {
  const uint at = row * params.n_out + column;
  float value = sum;
  if ((params.flags & kLinearBias) != 0) {
    value += bias[column];
  }
  if ((params.flags & kLinearGelu) != 0) {
    value = gelu(value);
  }
  if ((params.flags & kLinearResidual) != 0) {
    value += residual[at];
  }
  if ((params.flags & kLinearHalfOut) != 0) {
    reinterpret_cast<device half*>(out)[at] = half(value);
  } else {
    reinterpret_cast<device float*>(out)[at] = value;
  }
}
using namespace metal;
using namespace speech;
template <typename Format>
kernel void linear_matrix(device const uchar* weight [[buffer(0)]], device const float* bias [[buffer(1)]],
                          device const float* in [[buffer(2)]], device const float* residual [[buffer(3)]],
                          device uchar* out [[buffer(4)]], constant LinearParams& params [[buffer(5)]],
                          threadgroup float* memory [[threadgroup(0)]], uint2 group [[threadgroup_position_in_grid]],
                          uint thread_index [[thread_index_in_threadgroup]],
                          uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint n_threads = kTileSimds * kSimdWidth;
  const uint row_chunks = kTileDepth / kChunk;
  threadgroup float* rows = memory;                              // (kTileRows, kTileDepth)
  threadgroup float* columns = memory + kTileRows * kTileDepth;  // (kTileColumns, kTileDepth)
  const uint first_row = group.y * kTileRows;
  const uint first_column = group.x * kTileColumns;
  const uint row_bytes = params.k / Format::kValues * Format::kBytes;
  const uint simd_row = simd % 2 * (kTileRows / 2);
  const uint simd_column = simd / 2 * (kTileColumns / 2);
  simdgroup_float8x8 sums[kTileRows / 16][kTileColumns / 16];
  for (uint r = 0; r < kTileRows / 16; ++r) {
    for (uint c = 0; c < kTileColumns / 16; ++c) {
      sums[r][c] = make_filled_simdgroup_matrix<float, 8>(0.0f);
    }
  }
  for (uint depth = 0; depth < params.k; depth += kTileDepth) {
    for (uint chunk = thread_index; chunk < kTileRows * row_chunks; chunk += n_threads) {
      const uint i = depth + chunk % row_chunks * kChunk;
      const int at = int(first_row + chunk / row_chunks) * params.in_step + params.in_offset + int(i);
      for (uint j = 0; j < kChunk; ++j) {
        const bool is_there = i + j < params.k && at + int(j) >= 0 && at + int(j) < params.in_size;
        rows[chunk * kChunk + j] = is_there ? in[at + int(j)] : 0.0f;
      }
    }
    for (uint chunk = thread_index; chunk < kTileColumns * row_chunks; chunk += n_threads) {
      const uint column = min(first_column + chunk / row_chunks, params.n_out - 1);
      float values[kChunk];
      Format::load(weight + column * row_bytes, depth + chunk % row_chunks * kChunk, params.k, values);
      for (uint j = 0; j < kChunk; ++j) {
        columns[chunk * kChunk + j] = values[j];
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < kTileDepth; i += 8) {
      simdgroup_float8x8 of_rows[kTileRows / 16];
      simdgroup_float8x8 of_columns[kTileColumns / 16];
      for (uint r = 0; r < kTileRows / 16; ++r) {
        simdgroup_load(of_rows[r], rows + (simd_row + r * 8) * kTileDepth + i, kTileDepth);
      }
      for (uint c = 0; c < kTileColumns / 16; ++c) {
        simdgroup_load(of_columns[c], columns + (simd_column + c * 8) * kTileDepth + i, kTileDepth, ulong2(0), true);
      }
      for (uint r = 0; r < kTileRows / 16; ++r) {
        for (uint c = 0; c < kTileColumns / 16; ++c) {
          simdgroup_multiply_accumulate(sums[r][c], of_rows[r], of_columns[c], sums[r][c]);
        }
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  for (uint r = 0; r < kTileRows / 16; ++r) {
    for (uint c = 0; c < kTileColumns / 16; ++c) {
      simdgroup_store(sums[r][c], memory + (simd_row + r * 8) * kTileColumns + simd_column + c * 8, kTileColumns);
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint at = thread_index; at < kTileRows * kTileColumns; at += n_threads) {
    const uint row = first_row + at / kTileColumns;
    const uint column = first_column + at % kTileColumns;
    if (row < params.n_rows && column < params.n_out) {
      store_linear(memory[at], row, column, bias, residual, out, params);
    }
  }
}
typedef decltype(linear_matrix<F32>) LinearMatrix;
template [[host_name("linear_matrix_f32_metal")]] kernel LinearMatrix linear_matrix<F32>;
template [[host_name("linear_matrix_f16_metal")]] kernel LinearMatrix linear_matrix<F16>;
template [[host_name("linear_matrix_q4_0_metal")]] kernel LinearMatrix linear_matrix<Q4_0>;
template [[host_name("linear_matrix_q4_1_metal")]] kernel LinearMatrix linear_matrix<Q4_1>;
template [[host_name("linear_matrix_q5_0_metal")]] kernel LinearMatrix linear_matrix<Q5_0>;
template [[host_name("linear_matrix_q5_1_metal")]] kernel LinearMatrix linear_matrix<Q5_1>;
template [[host_name("linear_matrix_q8_0_metal")]] kernel LinearMatrix linear_matrix<Q8_0>;
template [[host_name("linear_matrix_q2_K_metal")]] kernel LinearMatrix linear_matrix<Q2_K>;
template [[host_name("linear_matrix_q3_K_metal")]] kernel LinearMatrix linear_matrix<Q3_K>;
template [[host_name("linear_matrix_q4_K_metal")]] kernel LinearMatrix linear_matrix<Q4_K>;
template [[host_name("linear_matrix_q5_K_metal")]] kernel LinearMatrix linear_matrix<Q5_K>;
template [[host_name("linear_matrix_q6_K_metal")]] kernel LinearMatrix linear_matrix<Q6_K>;
using namespace metal;
using namespace speech;
template <typename Format>
kernel void linear_vector(device const uchar* weight [[buffer(0)]], device const float* bias [[buffer(1)]],
                          device const float* in [[buffer(2)]], device const float* residual [[buffer(3)]],
                          device uchar* out [[buffer(4)]], constant LinearParams& params [[buffer(5)]],
                          uint2 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]],
                          uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint column = (group.x * kVectorSimds + simd) * kVectorColumns;
  const uint row = group.y * kVectorRows;
  if (column >= params.n_out) {
    return;
  }
  const uint n_columns = min(kVectorColumns, params.n_out - column);
  const uint row_bytes = params.k / Format::kValues * Format::kBytes;
  float sums[kVectorRows][kVectorColumns] = {};
  for (uint i = lane * kChunk; i < params.k; i += kSimdWidth * kChunk) {
    float weights[kVectorColumns][kChunk];
    for (uint c = 0; c < kVectorColumns; ++c) {
      Format::load(weight + (column + min(c, n_columns - 1)) * row_bytes, i, params.k, weights[c]);
    }
    for (uint r = 0; r < kVectorRows; ++r) {
      if (row + r < params.n_rows) {
        device const float* values = in + (row + r) * params.k + i;
        for (uint j = 0; j < kChunk; ++j) {
          const float value = i + j < params.k ? values[j] : 0.0f;
          for (uint c = 0; c < kVectorColumns; ++c) {
            sums[r][c] += weights[c][j] * value;
          }
        }
      }
    }
  }
  const uint n_rows = min(kVectorRows, params.n_rows - row);
  for (uint r = 0; r < n_rows; ++r) {
    for (uint c = 0; c < n_columns; ++c) {
      const float sum = simd_sum(sums[r][c]);
      if (lane == 0) {
        store_linear(sum, row + r, column + c, bias, residual, out, params);
      }
    }
  }
}
typedef decltype(linear_vector<F32>) LinearVector;
template [[host_name("linear_vector_f32_metal")]] kernel LinearVector linear_vector<F32>;
template [[host_name("linear_vector_f16_metal")]] kernel LinearVector linear_vector<F16>;
template [[host_name("linear_vector_q4_0_metal")]] kernel LinearVector linear_vector<Q4_0>;
template [[host_name("linear_vector_q4_1_metal")]] kernel LinearVector linear_vector<Q4_1>;
template [[host_name("linear_vector_q5_0_metal")]] kernel LinearVector linear_vector<Q5_0>;
template [[host_name("linear_vector_q5_1_metal")]] kernel LinearVector linear_vector<Q5_1>;
template [[host_name("linear_vector_q8_0_metal")]] kernel LinearVector linear_vector<Q8_0>;
template [[host_name("linear_vector_q2_K_metal")]] kernel LinearVector linear_vector<Q2_K>;
template [[host_name("linear_vector_q3_K_metal")]] kernel LinearVector linear_vector<Q3_K>;
template [[host_name("linear_vector_q4_K_metal")]] kernel LinearVector linear_vector<Q4_K>;
template [[host_name("linear_vector_q5_K_metal")]] kernel LinearVector linear_vector<Q5_K>;
template [[host_name("linear_vector_q6_K_metal")]] kernel LinearVector linear_vector<Q6_K>;
)metal";

}  // namespace speech
