// Chunk by chunk through a RIFF file, believing no number in it. Sources: IBM and Microsoft, "Multimedia Programming
// Interface 1.0" (RIFF, WAVE); Microsoft, "Multiple channel audio data" (EXTENSIBLE); EBU Tech 3306 and ITU-R BS.2088
// (RF64, BW64).
#include "audio/wav_format.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "audio/resample.h"
#include "base/content.h"

namespace speech {
namespace {

constexpr std::uint64_t kRiffHeaderBytes = 12;
constexpr std::uint64_t kChunkHeaderBytes = 8;
constexpr std::uint64_t kPlainFormatBytes = 16;
constexpr std::uint64_t kExtensibleFormatBytes = 40;
constexpr std::uint32_t kUnknownSize = 0xFFFFFFFFU;  // written by programs that stream
constexpr int kMaxChunks = 65536;                    // a file of empty chunks must not keep us busy
constexpr std::size_t kDescribedBytes = 512;

constexpr unsigned kFormatPcm = 0x0001;
constexpr unsigned kFormatFloat = 0x0003;
constexpr unsigned kFormatExtensible = 0xFFFE;

/// Names of the sample formats that turn up in WAV files and that we do not decode.
constexpr std::array<std::pair<unsigned, const char*>, 19> kForeignFormats = {{
    {0x0002, "Microsoft ADPCM"},
    {0x0006, "A-law"},
    {0x0007, "mu-law"},
    {0x0010, "OKI ADPCM"},
    {0x0011, "IMA ADPCM"},
    {0x0014, "G.723 ADPCM"},
    {0x0022, "TrueSpeech"},
    {0x0031, "GSM 6.10"},
    {0x0040, "G.721 ADPCM"},
    {0x0050, "MPEG layer I or II"},
    {0x0055, "MP3"},
    {0x0064, "G.726 ADPCM"},
    {0x0065, "G.722 ADPCM"},
    {0x00FF, "AAC"},
    {0x0161, "Windows Media Audio"},
    {0x1610, "AAC"},
    {0x2000, "AC-3"},
    {0x704F, "Opus"},
    {0xF1AC, "FLAC"},
}};

/// The twelve bytes behind the format's number in an EXTENSIBLE sub-format that is one of the numbered formats.
constexpr std::array<unsigned char, 12> kNumberedGuidTail = {0x00, 0x00, 0x10, 0x00, 0x80, 0x00,
                                                             0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71};

std::string hex(unsigned value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%04X", value);
  return text.data();
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A chunk's name for a message: bytes that are no printable ASCII become '?'.
std::string printable(std::span<const std::byte> id) {
  std::string name(text_of(id));
  std::replace_if(name.begin(), name.end(), [](char c) { return c < 0x20 || c > 0x7E; }, '?');
  return "'" + name + "'";
}

Status bad_format(std::string message) { return {Code::kBadFormat, std::move(message)}; }

class LayoutReader {
 public:
  explicit LayoutReader(ByteInput& input) : input_(input) {}

  Result<WavLayout> read() {
    SPEECH_RETURN_IF_ERROR(read_header());
    std::uint64_t offset = kRiffHeaderBytes;
    for (int i = 0; i < kMaxChunks; ++i) {
      SPEECH_ASSIGN_OR_RETURN(const std::optional<Chunk> chunk, chunk_at(offset));
      if (!chunk) {
        return finish();
      }
      SPEECH_RETURN_IF_ERROR(visit(*chunk));
      if ((has_format_ && has_data_) || chunk->size >= chunk->left) {
        return finish();
      }
      offset = chunk->begin + chunk->size + chunk->size % 2;
    }
    return bad_format("more than " + std::to_string(kMaxChunks) + " chunks without both 'fmt ' and 'data'");
  }

 private:
  struct Chunk {
    std::array<std::byte, 4> id{};
    std::uint64_t begin = 0;  // offset of its contents
    std::uint64_t size = 0;   // as claimed, or corrected for data chunks
    std::uint64_t left = 0;   // bytes of the file from `begin` on

    bool is(std::string_view name) const { return text_of(id) == name; }
    std::string where() const {
      return "chunk " + printable(id) + " at byte " + std::to_string(begin - kChunkHeaderBytes);
    }
  };

  std::uint64_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t n) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t significance = layout_.is_big_endian ? n - 1 - i : i;
      value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * significance);
    }
    return value;
  }

  unsigned number16(std::span<const std::byte> bytes, std::size_t at) const {
    return static_cast<unsigned>(number(bytes, at, 2));
  }

  std::uint32_t number32(std::span<const std::byte> bytes, std::size_t at) const {
    return static_cast<std::uint32_t>(number(bytes, at, 4));
  }

  Status read_header() {
    std::array<std::byte, kDescribedBytes> beginning{};
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n, input_.read_at(0, beginning));
    SPEECH_RETURN_IF_ERROR(check_wav_header(std::span(beginning).first(n)));
    const std::string_view id = text_of(beginning).substr(0, 4);
    layout_.is_big_endian = id == "RIFX";
    is_64_bit_ = id == "RF64" || id == "BW64";
    return Status::ok();
  }

  /// Nothing when fewer bytes are left than a chunk's header has.
  Result<std::optional<Chunk>> chunk_at(std::uint64_t offset) {
    std::array<std::byte, kChunkHeaderBytes> header{};
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n, input_.read_at(offset, header));
    if (n < header.size()) {
      return std::optional<Chunk>();
    }
    Chunk chunk;
    std::copy_n(header.begin(), chunk.id.size(), chunk.id.begin());
    chunk.begin = offset + kChunkHeaderBytes;
    chunk.size = number32(header, 4);
    chunk.left = input_.size() - std::min(input_.size(), chunk.begin);
    if (chunk.is("data") && !has_data_) {  // once: the correction may look at every chunk that follows
      SPEECH_RETURN_IF_ERROR(correct_data_size(chunk));
    }
    return std::optional<Chunk>(chunk);
  }

  /// The size of a data chunk may stand elsewhere, or be unknown to a program that streamed the file.
  Status correct_data_size(Chunk& chunk) {
    if (chunk.size == kUnknownSize) {
      chunk.size = is_64_bit_ && data_size_64_ ? *data_size_64_ : chunk.left;
    } else if (chunk.size == 0 && chunk.left > 0) {
      SPEECH_ASSIGN_OR_RETURN(const bool is_empty, chunks_follow(chunk.begin));
      if (!is_empty) {
        chunk.size = chunk.left;
      }
    }
    return Status::ok();
  }

  /// Whether the file consists of well-formed chunks from `offset` to its end: samples hardly ever look like that.
  Result<bool> chunks_follow(std::uint64_t offset) {
    for (int i = 0; i < kMaxChunks && offset < input_.size(); ++i) {
      std::array<std::byte, kChunkHeaderBytes> header{};
      SPEECH_ASSIGN_OR_RETURN(const std::size_t n, input_.read_at(offset, header));
      const bool is_named = std::all_of(header.begin(), header.begin() + 4, [](std::byte b) {
        return std::to_integer<int>(b) >= 0x20 && std::to_integer<int>(b) <= 0x7E;
      });
      const std::uint64_t size = number32(header, 4);
      if (n < header.size() || !is_named || size > input_.size() - offset - kChunkHeaderBytes) {
        return false;
      }
      offset += kChunkHeaderBytes + size + size % 2;
    }
    return offset >= input_.size();
  }

  Status visit(const Chunk& chunk) {
    last_ = chunk;
    if (chunk.is("ds64") && !data_size_64_) {
      std::array<std::byte, 16> sizes{};
      SPEECH_RETURN_IF_ERROR(read_contents(chunk, sizes, "two 64-bit sizes"));
      data_size_64_ = number(sizes, 8, 8);
    } else if (chunk.is("fmt ") && !has_format_) {
      has_format_ = true;
      return read_format(chunk);
    } else if (chunk.is("data") && !has_data_) {
      has_data_ = true;
      layout_.data_offset = chunk.begin;
      layout_.data_bytes = std::min(chunk.size, chunk.left);
    }
    return Status::ok();
  }

  Status read_contents(const Chunk& chunk, std::span<std::byte> out, const std::string& what) {
    if (chunk.size < out.size()) {
      return bad_format(chunk.where() + " has " + std::to_string(chunk.size) + " bytes; expected at least " +
                        std::to_string(out.size()) + " (" + what + ")");
    }
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n, input_.read_at(chunk.begin, out));
    if (n < out.size()) {
      return bad_format(chunk.where() + " is cut: the file ends " + std::to_string(n) + " bytes behind its header");
    }
    return Status::ok();
  }

  Status read_format(const Chunk& chunk) {
    std::array<std::byte, kExtensibleFormatBytes> bytes{};
    SPEECH_RETURN_IF_ERROR(read_contents(chunk, std::span(bytes).first(kPlainFormatBytes), "a sample format"));
    unsigned format = number16(bytes, 0);
    const unsigned channels = number16(bytes, 2);
    const std::uint32_t rate_hz = number32(bytes, 4);
    const unsigned frame_bytes = number16(bytes, 12);
    const unsigned bits = number16(bytes, 14);
    if (format == kFormatExtensible) {
      SPEECH_RETURN_IF_ERROR(read_contents(chunk, bytes, "an EXTENSIBLE sample format"));
      SPEECH_ASSIGN_OR_RETURN(format, numbered_sub_format(chunk, std::span(bytes).subspan(24, 16)));
    }
    if (format != kFormatPcm && format != kFormatFloat) {
      return foreign_format(chunk, format);
    }
    if (channels == 0) {
      return bad_format(chunk.where() + ": 0 channels; expected at least 1");
    }
    if (rate_hz < 1 || rate_hz > static_cast<std::uint32_t>(kMaxSampleRate)) {
      return bad_format(chunk.where() + ": sample rate " + std::to_string(rate_hz) + " Hz; expected 1.." +
                        std::to_string(kMaxSampleRate));
    }
    layout_.format.channels = static_cast<int>(channels);
    layout_.format.sample_rate_hz = static_cast<int>(rate_hz);
    layout_.format.bits_per_sample = static_cast<int>(bits);
    layout_.format.is_float = format == kFormatFloat;
    return read_container(chunk, channels, bits, frame_bytes);
  }

  /// Samples fill whole bytes: frame_bytes / channels of them, the value in the upper bits.
  Status read_container(const Chunk& chunk, unsigned channels, unsigned bits, unsigned frame_bytes) {
    const bool is_float = layout_.format.is_float;
    const std::string found =
        chunk.where() + ": " + std::to_string(bits) + "-bit " + (is_float ? "float" : "PCM") + " samples";
    if (is_float ? bits != 32 && bits != 64 : bits == 0 || bits > 32) {
      const bool exists = bits == 16 || bits == 24 || bits == 64;
      return {exists ? Code::kUnsupported : Code::kBadFormat,
              found + "; expected " + (is_float ? "32 or 64 bits" : "1..32 bits, usually 8, 16, 24 or 32")};
    }
    unsigned container = (bits + 7) / 8;
    if (!is_float && frame_bytes % channels == 0 && frame_bytes / channels > container) {
      container = frame_bytes / channels;  // such as 24 bits in 4 bytes
    }
    if (frame_bytes != channels * container || container > 8 || (!is_float && container > 4)) {
      return bad_format(found + " of " + std::to_string(channels) + " channels in frames of " +
                        std::to_string(frame_bytes) + " bytes; expected " +
                        std::to_string(channels * ((bits + 7) / 8)) + " bytes");
    }
    layout_.container_bytes = static_cast<int>(container);
    return Status::ok();
  }

  Result<unsigned> numbered_sub_format(const Chunk& chunk, std::span<const std::byte> guid) const {
    // The first 32 bits and the next two 16-bit fields follow the file's byte order, the rest is a byte string.
    std::array<std::byte, 16> little{};
    std::copy(guid.begin(), guid.end(), little.begin());
    if (layout_.is_big_endian) {
      std::reverse(little.begin(), little.begin() + 4);
      std::reverse(little.begin() + 4, little.begin() + 6);
      std::reverse(little.begin() + 6, little.begin() + 8);
    }
    const bool is_numbered =
        little[2] == std::byte{0} && little[3] == std::byte{0} &&
        std::equal(kNumberedGuidTail.begin(), kNumberedGuidTail.end(), little.begin() + 4,
                   [](unsigned char want, std::byte have) { return want == std::to_integer<unsigned char>(have); });
    if (!is_numbered) {
      return Status(Code::kUnsupported, chunk.where() +
                                            ": an EXTENSIBLE sub-format that is none of the numbered ones; "
                                            "expected PCM or float");
    }
    return std::to_integer<unsigned>(little[0]) | std::to_integer<unsigned>(little[1]) << 8U;
  }

  static Status foreign_format(const Chunk& chunk, unsigned format) {
    const auto* known = std::find_if(kForeignFormats.begin(), kForeignFormats.end(),
                                     [format](const auto& entry) { return entry.first == format; });
    const std::string name = known != kForeignFormats.end()
                                 ? std::string(known->second) + " (format " + hex(format) + ")"
                                 : "format " + hex(format);
    return {Code::kUnsupported,
            chunk.where() + ": the samples are " + name +
                "; expected PCM or float. Convert the file, for example: ffmpeg -i INPUT -c:a pcm_s16le OUTPUT.wav"};
  }

  Result<WavLayout> finish() {
    if (!has_format_ || !has_data_) {
      const std::string missing = has_format_ ? "'data'" : "'fmt '";
      std::string message =
          "the WAV file has no " + missing + " chunk in its " + std::to_string(input_.size()) + " bytes";
      if (last_ && last_->size > last_->left) {
        message += "; " + last_->where() + " claims " + std::to_string(last_->size) + " bytes, " +
                   std::to_string(last_->left) + " are left, so the file is probably cut";
      }
      return bad_format(message);
    }
    const auto frame_bytes = static_cast<std::uint64_t>(layout_.frame_bytes());
    layout_.data_bytes -= layout_.data_bytes % frame_bytes;
    layout_.format.frames = static_cast<std::int64_t>(layout_.data_bytes / frame_bytes);
    return layout_;
  }

  ByteInput& input_;
  WavLayout layout_;
  bool is_64_bit_ = false;
  bool has_format_ = false;
  bool has_data_ = false;
  std::optional<std::uint64_t> data_size_64_;
  std::optional<Chunk> last_;
};

}  // namespace

Status check_wav_header(std::span<const std::byte> beginning) {
  const std::string_view text = text_of(beginning);
  const std::string_view id = text.substr(0, 4);
  const bool is_riff = id == "RIFF" || id == "RIFX" || id == "RF64" || id == "BW64";
  if (is_riff && text.size() < kRiffHeaderBytes) {
    return bad_format("the file ends after " + std::to_string(text.size()) + " bytes, within the header of a WAV file");
  }
  if (is_riff && text.substr(8, 4) == "WAVE") {
    return Status::ok();
  }
  return bad_format("found " + describe_content(beginning) +
                    "; expected a WAV file. Other audio can be converted, for example: ffmpeg -i INPUT -ar 16000 -ac 1 "
                    "OUTPUT.wav");
}

Result<WavLayout> read_wav_layout(ByteInput& input) { return LayoutReader(input).read(); }

}  // namespace speech
