// Names of what people hand over instead of recordings and models.
#include "base/content.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "audio/wav_writer.h"

namespace speech {
namespace {

using namespace std::string_view_literals;

std::string described(std::string_view text) { return describe_content(std::as_bytes(std::span(text))); }

std::string ogg(std::string_view packet) {
  std::string page = "OggS" + std::string(22, '\0');
  page += '\x01';
  page += static_cast<char>(packet.size());
  return page.append(packet);
}

TEST(DescribeContent, NamesEachKind) {
  const std::pair<std::string, const char*> cases[] = {
      {std::string("RIFF\x24\0\0\0WAVEfmt "sv), "a WAV file"},
      {std::string("RF64\xFF\xFF\xFF\xFFWAVE"sv), "a WAV file"},
      {std::string("RIFF\x24\0\0\0AVI LIST"sv), "an AVI file"},
      {std::string("\0\0\0\x1C"
                   "ftypM4A \0\0\0\0"sv),
       "an M4A file"},
      {std::string("\0\0\0\x1C"
                   "ftypisom\0\0\0\0"sv),
       "an MP4 file"},
      {std::string("\0\0\0\x1C"
                   "ftyp3gp4\0\0\0\0"sv),
       "a 3GP file"},
      {std::string("\0\0\0\x14"
                   "ftypqt  \0\0\0\0"sv),
       "a QuickTime file"},
      {std::string("ID3\x04\0\0\0\0\0\x23"sv), "an MP3 file"},
      {std::string("\xFF\xFB\x90\x64\0\0"sv), "an MP3 file"},
      {std::string("\xFF\xF3\x40\xC0"sv), "an MP3 file"},
      {std::string("\xFF\xF1\x50\x80\x02\x1F"sv), "an AAC file (ADTS)"},
      {ogg("OpusHead\x01"), "an Ogg file (Opus)"},
      {ogg("\x01vorbis"), "an Ogg file (Vorbis)"},
      {ogg("fishead"), "an Ogg file"},
      {"fLaC", "a FLAC file"},
      {"#!AMR\n<", "an AMR file"},
      {"#!AMR-WB\n", "an AMR-WB file"},
      {std::string("caff\0\1\0\0desc"sv), "a Core Audio (CAF) file"},
      {std::string("FORM\0\0\0\x20"
                   "AIFFCOMM"sv),
       "an AIFF file"},
      {std::string("FORM\0\0\0\x20"
                   "AIFCFVER"sv),
       "an AIFF-C file"},
      {std::string("\x1A\x45\xDF\xA3\x9F\x42\x86\x81\x01\x42\x82\x84webm"sv), "a WebM file"},
      {std::string("\x1A\x45\xDF\xA3\x9F\x42\x86\x81\x01\x42\x82\x88matroska"sv), "a Matroska (MKV) file"},
      {"<!DOCTYPE html>\n<html>", "an HTML page"},
      {"\n  <HTML lang=en>", "an HTML page"},
      {"<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC", "an HTML page"},
      {"<?xml version=\"1.0\"?><Error><Code>AccessDenied", "an XML document"},
      {"{\"error\": \"not found\"}", "JSON text"},
      {"\xEF\xBB\xBF[1, 2]", "JSON text"},
      {std::string("GGUF\x03\0\0\0"sv), "a GGUF model"},
      {std::string("lmgg\x99\xCA\0\0"sv), "a ggml model"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0", "a Git LFS pointer, not the file itself"},
      {std::string("PK\x03\x04\x14\0"sv), "a ZIP archive"},
      {std::string("\x1F\x8B\x08\0"sv), "gzip data"},
      {std::string("\x89PNG\r\n\x1A\n"sv), "a PNG image"},
      {"%PDF-1.7", "a PDF document"},
      {std::string("\xFF\xD8\xFF\xE0\0\x10JFIF"sv), "a JPEG image"},
      {std::string("\x40\0\0\0\0\0\0\0{\"__metadata__\""sv), "a safetensors model"},
      {"", "an empty file"},
      {"just some words", "plain text"},
      {"Gr\xC3\xBC\xC3\x9F Gott", "plain text"},
      {std::string("\xFF\xFEh\0i\0"sv), "UTF-16 text"},
      {std::string(600, '\0'), "zero bytes"},
      {std::string("\x01\x02\x03\x04\x05"sv), "unknown data"},
      {std::string("\xFF\xE0"sv), "unknown data"},
      {"R", "plain text"},
      {"RIFF", "the beginning of a RIFF file"},
  };
  for (const auto& [bytes, name] : cases) {
    EXPECT_EQ(described(bytes), name);
  }
}

TEST(DescribeContent, NamesEveryPrefixOfEveryKindWithoutReadingBeyondIt) {
  const std::string page = ogg("OpusHead\x01");
  for (std::size_t n = 0; n <= page.size(); ++n) {
    const test::Bytes exact =
        test::bytes_of(std::string_view(page).substr(0, n));  // its own allocation: a sanitizer sees its end
    EXPECT_FALSE(describe_content(exact).empty());
  }
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t n = 1; n < 16; ++n) {
      EXPECT_FALSE(describe_content(test::Bytes(n, static_cast<std::byte>(byte))).empty());
    }
  }
}

}  // namespace
}  // namespace speech
