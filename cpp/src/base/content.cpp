// Magic numbers of the files that people hand over instead of a recording or a model, most telling first.
#include "base/content.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace speech {
namespace {

constexpr std::size_t kTextWindowBytes = 512;  // enough to tell text from data, and to reach "<html" behind a comment

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool has_at(std::string_view data, std::size_t offset, std::string_view magic) {
  return data.size() >= offset && data.substr(offset).starts_with(magic);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_with_ignoring_case(std::string_view data, std::string_view lower_case_prefix) {
  return data.size() >= lower_case_prefix.size() &&
         std::equal(lower_case_prefix.begin(), lower_case_prefix.end(), data.begin(),
                    [](char want, char have) { return want == lower(have); });
}

struct Magic {
  std::size_t offset;
  std::string_view bytes;
  std::string_view name;
};

using namespace std::string_view_literals;  // NOLINT(google-build-using-namespace): "..."sv keeps the zero bytes of a
                                            // magic

constexpr std::array kMagics = {
    Magic{0, "ID3"sv, "an MP3 file"sv},
    Magic{0, "fLaC"sv, "a FLAC file"sv},
    Magic{0, "caff"sv, "a Core Audio (CAF) file"sv},
    Magic{8, "AIFF"sv, "an AIFF file"sv},
    Magic{8, "AIFC"sv, "an AIFF-C file"sv},
    Magic{0, "#!AMR-WB"sv, "an AMR-WB file"sv},
    Magic{0, "#!AMR"sv, "an AMR file"sv},
    Magic{0, "ADIF"sv, "an AAC file (ADIF)"sv},
    Magic{0, ".snd"sv, "an AU file"sv},
    Magic{0, "wvpk"sv, "a WavPack file"sv},
    Magic{0, "MThd"sv, "a MIDI file"sv},
    Magic{0, "riff\x2E\x91\xCF\x11"sv, "a Wave64 file"sv},
    Magic{0, "\x30\x26\xB2\x75\x8E\x66\xCF\x11"sv, "a Windows Media (WMA/WMV) file"sv},
    Magic{0, "GGUF"sv, "a GGUF model"sv},
    Magic{0, "lmgg"sv, "a ggml model"sv},
    Magic{0, "fmgg"sv, "an old ggml model (ggmf)"sv},
    Magic{0, "tjgg"sv, "an old ggml model (ggjt)"sv},
    Magic{0, "algg"sv, "a ggml adapter (ggla)"sv},
    Magic{0, "version https://git-lfs"sv, "a Git LFS pointer, not the file itself"sv},
    Magic{0, "PK\x03\x04"sv, "a ZIP archive"sv},
    Magic{0, "PK\x05\x06"sv, "an empty ZIP archive"sv},
    Magic{0, "\x1F\x8B"sv, "gzip data"sv},
    Magic{0,
          "\xFD"
          "7zXZ"sv,
          "xz data"sv},
    Magic{0, "BZh"sv, "bzip2 data"sv},
    Magic{0, "\x28\xB5\x2F\xFD"sv, "zstd data"sv},
    Magic{0, "7z\xBC\xAF\x27\x1C"sv, "a 7-Zip archive"sv},
    Magic{257, "ustar"sv, "a tar archive"sv},
    Magic{0, "\x89PNG\r\n"sv, "a PNG image"sv},
    Magic{0, "\xFF\xD8\xFF"sv, "a JPEG image"sv},
    Magic{0, "GIF8"sv, "a GIF image"sv},
    Magic{0, "%PDF"sv, "a PDF document"sv},
    Magic{0,
          "\x7F"
          "ELF"sv,
          "a program (ELF)"sv},
    Magic{0, "SQLite format 3"sv, "an SQLite database"sv},
    Magic{0, "\xFE\xFF"sv, "UTF-16 text"sv},
};

std::string describe_riff(std::string_view data) {
  if (data.size() < 12) {
    return "the beginning of a RIFF file";
  }
  if (has_at(data, 8, "WAVE")) {
    return "a WAV file";
  }
  if (has_at(data, 8, "AVI ")) {
    return "an AVI file";
  }
  if (has_at(data, 8, "WEBP")) {
    return "a WebP image";
  }
  return "a RIFF file of another kind than WAVE";
}

/// ISO base media: the brand behind "ftyp" tells a phone's voice memo from a film.
std::string describe_iso_media(std::string_view data) {
  const std::string_view brand = data.size() >= 12 ? data.substr(8, 4) : std::string_view{};
  if (brand.starts_with("M4A") || brand.starts_with("M4B")) {
    return "an M4A file";
  }
  if (brand.starts_with("3g")) {
    return "a 3GP file";
  }
  if (brand == "qt  ") {
    return "a QuickTime file";
  }
  if (brand.starts_with("hei") || brand == "mif1" || brand == "avif") {
    return "a HEIF or AVIF image";
  }
  return "an MP4 file";
}

/// The first packet begins behind the page's segment table and names the codec.
std::string describe_ogg(std::string_view data) {
  constexpr std::size_t kSegmentCount = 26;
  if (data.size() > kSegmentCount) {
    const std::size_t packet = kSegmentCount + 1 + static_cast<unsigned char>(data[kSegmentCount]);
    for (const auto& [magic, codec] : {std::pair{"OpusHead"sv, "Opus"}, std::pair{"\x01vorbis"sv, "Vorbis"},
                                       std::pair{"\x7F"
                                                 "FLAC"sv,
                                                 "FLAC"},
                                       std::pair{"Speex "sv, "Speex"}, std::pair{"\x80theora"sv, "Theora"}}) {
      if (has_at(data, packet, magic)) {
        return std::string("an Ogg file (") + codec + ")";
      }
    }
  }
  return "an Ogg file";
}

/// The document type stands in the first elements of an EBML header.
std::string describe_ebml(std::string_view data) {
  const std::string_view header = data.substr(0, 64);
  if (header.find("webm") != std::string_view::npos) {
    return "a WebM file";
  }
  return header.find("matroska") != std::string_view::npos ? "a Matroska (MKV) file" : "a WebM or Matroska file";
}

/// Eleven set bits, then version, layer, bit rate and sample rate, none of them a reserved value. Layer bits of zero
/// mean ADTS.
std::string describe_mpeg_frame(std::string_view data) {
  if (data.size() < 4) {
    return {};
  }
  const auto b0 = static_cast<unsigned char>(data[0]);
  const auto b1 = static_cast<unsigned char>(data[1]);
  const auto b2 = static_cast<unsigned char>(data[2]);
  if (b0 != 0xFFU || (b1 & 0xE0U) != 0xE0U) {
    return {};
  }
  if ((b1 & 0xF6U) == 0xF0U) {
    const unsigned rate_index = (b2 >> 2U) & 0xFU;
    return rate_index <= 12 ? "an AAC file (ADTS)" : "";
  }
  const unsigned version = (b1 >> 3U) & 3U;
  const unsigned layer = (b1 >> 1U) & 3U;
  const unsigned bit_rate = b2 >> 4U;
  const unsigned sample_rate = (b2 >> 2U) & 3U;
  if (version == 1 || layer == 0 || bit_rate == 15 || sample_rate == 3) {
    return {};
  }
  return layer == 1 ? "an MP3 file" : "an MPEG audio file (layer I or II)";
}

/// A safetensors file: the length of its JSON header in 8 bytes, then the header.
bool is_safetensors(std::string_view data) {
  return data.size() >= 10 && data[8] == '{' && (data[9] == '"' || data[9] == '}') && data.substr(4, 4) == "\0\0\0\0"sv;
}

/// No control bytes but white space; bytes of 0x80 and up may be UTF-8 or an old code page, so they alone decide
/// nothing.
bool is_text(std::string_view window) {
  std::size_t high = 0;
  for (const char c : window) {
    const auto byte = static_cast<unsigned char>(c);
    const bool white_space = byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f';
    if ((byte < 0x20U && !white_space) || byte == 0x7FU) {
      return false;
    }
    high += byte >= 0x80U ? 1U : 0U;
  }
  return high * 2 <= window.size() || window.substr(0, 3) == "\xEF\xBB\xBF"sv;
}

std::string describe_text(std::string_view window) {
  std::string_view text = window;
  if (text.starts_with("\xEF\xBB\xBF"sv)) {
    text.remove_prefix(3);
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n\f");
  text = first == std::string_view::npos ? std::string_view{} : text.substr(first);
  for (const std::string_view tag : {"<!doctype html"sv, "<html"sv, "<head"sv, "<body"sv}) {
    if (starts_with_ignoring_case(text, tag)) {
      return "an HTML page";
    }
  }
  if (text.starts_with("<")) {
    for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
      if (starts_with_ignoring_case(text.substr(at), "<!doctype html") ||
          starts_with_ignoring_case(text.substr(at), "<html")) {
        return "an HTML page";
      }
    }
    return "an XML document";
  }
  if (text.starts_with("{") || text.starts_with("[")) {
    return "JSON text";
  }
  if (starts_with_ignoring_case(text, "data:")) {
    return "a data: URI (base64 text)";
  }
  if (text.starts_with("#EXTM3U")) {
    return "an M3U playlist";
  }
  return "plain text";
}

}  // namespace

std::string describe_content(std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return "an empty file";
  }
  const std::string_view data = as_text(bytes);
  if (data.starts_with("RIFF") || data.starts_with("RF64") || data.starts_with("BW64") || data.starts_with("RIFX")) {
    return describe_riff(data);
  }
  if (has_at(data, 4, "ftyp")) {
    return describe_iso_media(data);
  }
  if (data.starts_with("OggS")) {
    return describe_ogg(data);
  }
  if (data.starts_with("\x1A\x45\xDF\xA3"sv)) {
    return describe_ebml(data);
  }
  for (const Magic& magic : kMagics) {
    if (has_at(data, magic.offset, magic.bytes)) {
      return std::string(magic.name);
    }
  }
  if (data.starts_with("\xFF\xFE"sv) && data.size() >= 4 &&
      data[3] == '\0') {  // before MPEG audio, which shares the bits
    return "UTF-16 text";
  }
  if (std::string mpeg = describe_mpeg_frame(data); !mpeg.empty()) {
    return mpeg;
  }
  if (is_safetensors(data)) {
    return "a safetensors model";
  }
  const std::string_view window = data.substr(0, kTextWindowBytes);
  if (window.find_first_not_of('\0') == std::string_view::npos) {
    return "zero bytes";
  }
  return is_text(window) ? describe_text(window) : "unknown data";
}

}  // namespace speech
