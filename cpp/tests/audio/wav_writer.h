// Writes WAV images for tests, right ones and wrong ones, in plain byte arithmetic of its own: the decoder's oracle.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace speech::test {

using Bytes = std::vector<std::byte>;

enum class ByteOrder { kLittle, kBig };

inline void append_number(Bytes& bytes, std::uint64_t value, int n_bytes, ByteOrder order = ByteOrder::kLittle) {
  for (int i = 0; i < n_bytes; ++i) {
    const int significance = order == ByteOrder::kLittle ? i : n_bytes - 1 - i;
    bytes.push_back(static_cast<std::byte>((value >> (8 * significance)) & 0xFFU));
  }
}

inline void append_text(Bytes& bytes, std::string_view text) {
  for (const char c : text) {
    bytes.push_back(static_cast<std::byte>(c));
  }
}

inline Bytes bytes_of(std::string_view text) {
  Bytes bytes;
  append_text(bytes, text);
  return bytes;
}

/// Integers of `bits`, in whole bytes; 8-bit ones are stored with 128 added.
inline Bytes pcm_bytes(std::span<const std::int64_t> values, int bits, ByteOrder order = ByteOrder::kLittle) {
  Bytes bytes;
  for (const std::int64_t value : values) {
    append_number(bytes, static_cast<std::uint64_t>(bits == 8 ? value + 128 : value), bits / 8, order);
  }
  return bytes;
}

inline Bytes float_bytes(std::span<const float> values, ByteOrder order = ByteOrder::kLittle) {
  Bytes bytes;
  for (const float value : values) {
    append_number(bytes, std::bit_cast<std::uint32_t>(value), 4, order);
  }
  return bytes;
}

inline Bytes double_bytes(std::span<const double> values, ByteOrder order = ByteOrder::kLittle) {
  Bytes bytes;
  for (const double value : values) {
    append_number(bytes, std::bit_cast<std::uint64_t>(value), 8, order);
  }
  return bytes;
}

/// Contents of a 'fmt ' chunk.
struct Format {
  unsigned tag = 1;
  unsigned channels = 1;
  std::uint32_t rate_hz = 16000;
  unsigned bits = 16;
  std::optional<unsigned> frame_bytes = std::nullopt;  // channels * bits / 8 unless given
  unsigned extension_bytes = 0;                        // zeros behind the 16 bytes

  Bytes bytes(ByteOrder order = ByteOrder::kLittle) const {
    const unsigned block = frame_bytes.value_or(channels * ((bits + 7) / 8));
    Bytes out;
    append_number(out, tag, 2, order);
    append_number(out, channels, 2, order);
    append_number(out, rate_hz, 4, order);
    append_number(out, std::uint64_t{rate_hz} * block, 4, order);
    append_number(out, block, 2, order);
    append_number(out, bits, 2, order);
    out.resize(out.size() + extension_bytes);
    return out;
  }

  /// The same as WAVE_FORMAT_EXTENSIBLE with `tag` in its GUID.
  Bytes extensible_bytes(ByteOrder order = ByteOrder::kLittle) const {
    Format outer = *this;
    outer.tag = 0xFFFE;
    Bytes out = outer.bytes(order);
    append_number(out, 22, 2, order);
    append_number(out, bits, 2, order);
    append_number(out, 0, 4, order);
    append_number(out, tag, 4, order);
    append_number(out, 0, 2, order);
    append_number(out, 0x0010, 2, order);
    append_number(out, 0xAA000080U, 4);  // 80 00 00 AA
    append_number(out, 0x719B3800U, 4);  // 00 38 9B 71
    return out;
  }
};

/// A RIFF file, chunk by chunk.
class WavWriter {
 public:
  explicit WavWriter(std::string_view riff = "RIFF") : order_(riff == "RIFX" ? ByteOrder::kBig : ByteOrder::kLittle) {
    append_text(bytes_, riff);
    append_number(bytes_, 0xFFFFFFFFU, 4, order_);
    append_text(bytes_, "WAVE");
  }

  /// Adds the pad byte that an odd chunk needs. claimed_size replaces the true one.
  WavWriter& chunk(std::string_view id, const Bytes& contents,
                   std::optional<std::uint32_t> claimed_size = std::nullopt) {
    append_text(bytes_, id);
    append_number(bytes_, claimed_size.value_or(static_cast<std::uint32_t>(contents.size())), 4, order_);
    bytes_.insert(bytes_.end(), contents.begin(), contents.end());
    if (contents.size() % 2 != 0) {
      bytes_.push_back(std::byte{0});
    }
    return *this;
  }

  const Bytes& bytes() const { return bytes_; }

 private:
  ByteOrder order_;
  Bytes bytes_;
};

inline Bytes wav_image(const Format& format, const Bytes& data) {
  return WavWriter().chunk("fmt ", format.bytes()).chunk("data", data).bytes();
}

/// n samples of a sine of 16-bit range, as integers.
inline std::vector<std::int64_t> sine_16_bit(int n, double frequency_hz, double rate_hz, double amplitude = 20000.0) {
  std::vector<std::int64_t> values;
  for (int i = 0; i < n; ++i) {
    values.push_back(std::llround(amplitude * std::sin(2.0 * 3.14159265358979323846 * frequency_hz * i / rate_hz)));
  }
  return values;
}

}  // namespace speech::test
