// Rows of weights as files hold them, unpacked on a Metal GPU: the layouts of tensor/dtype.h. Must not know the host.
//
// Each format has the values and bytes of its blocks, and load(): values [i, i + kChunk) of a row of k values, zero
// beyond its end. i is a multiple of kChunk, so that a chunk has one scale.
#pragma once

#include <metal_stdlib>

#include "kernel_params.h"

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

// value = scale * code + offset. The rows are whole blocks.
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

// A half scale, a half minimum if any, four bytes of fifth bits if any, sixteen bytes of nibbles.
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

// K-quants: 256 values in eight parts of 32, each of two runs of 16.

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

// Scale (first 0) or minimum (first 4) of a part, in six bits: those of the first four parts are the low bits of bytes
// 0 to 7, with the top bits of the others above them, whose low four bits are nibbles of bytes 8 to 11.
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
