// The fuzzer's check over damaged WAV images, the same ones in every run: a smoke test where no fuzzer is at hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "audio/wav_writer.h"

// The check itself, which aborts.
#include "../../fuzz/wav.cpp"

namespace speech {
namespace {

using test::Bytes;
using test::Format;
using test::WavWriter;

std::vector<Bytes> valid_images() {
  // Short, because a rate of 1 Hz, which damage may bring about, makes 16,000 samples of each.
  const Bytes pcm = test::pcm_bytes(test::sine_16_bit(40, 440.0, 16000.0), 16);
  const std::vector<float> floats(40, 0.25F);
  Bytes sizes;
  test::append_number(sizes, 0, 8);
  test::append_number(sizes, pcm.size(), 8);
  sizes.resize(28);
  return {
      wav_image(Format{}, pcm),
      wav_image(Format{.channels = 2, .rate_hz = 44100}, pcm),
      wav_image(Format{.rate_hz = 8000, .bits = 8}, pcm),
      wav_image(Format{.channels = 5, .rate_hz = 96000, .bits = 24}, pcm),
      wav_image(Format{.tag = 3, .bits = 32}, test::float_bytes(floats)),
      WavWriter().chunk("data", pcm).chunk("LIST", Bytes(11)).chunk("fmt ", Format{}.bytes()).bytes(),
      WavWriter().chunk("fmt ", Format{.tag = 3, .bits = 64}.extensible_bytes()).chunk("data", Bytes(160)).bytes(),
      WavWriter("RF64").chunk("ds64", sizes).chunk("fmt ", Format{}.bytes()).chunk("data", pcm, 0xFFFFFFFFU).bytes(),
      WavWriter("RIFX")
          .chunk("fmt ", Format{}.bytes(test::ByteOrder::kBig))
          .chunk("data", test::pcm_bytes(test::sine_16_bit(40, 440.0, 16000.0), 16, test::ByteOrder::kBig))
          .bytes(),
  };
}

/// One to four changes: a byte, a number that means something in a header, a cut, a piece repeated or dropped.
void mutate(Bytes& image, std::mt19937& random) {
  const auto below = [&random](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random()) % n; };
  const std::uint64_t telling[] = {0,      1,      2,      7,          0x7F,       0x80,       0xFF,
                                   0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, image.size()};
  for (std::size_t n = 1 + below(4); n > 0; --n) {
    // Half of the changes hit the headers.
    const std::size_t at = below(below(2) == 0 ? image.size() : std::min<std::size_t>(image.size(), 80));
    switch (below(6)) {
      case 0:
        if (at < image.size()) {
          image[at] = static_cast<std::byte>(below(256));
        }
        break;
      case 1:
        if (at < image.size()) {
          image[at] ^= static_cast<std::byte>(1U << below(8));
        }
        break;
      case 2:
      case 3: {
        Bytes number;
        test::append_number(number, telling[below(std::size(telling))], below(2) == 0 ? 2 : 4);
        for (std::size_t i = 0; i < number.size() && at + i < image.size(); ++i) {
          image[at + i] = number[i];
        }
        break;
      }
      case 4: image.resize(at); break;
      default: {
        const std::size_t length = std::min(below(24), image.size() - std::min(image.size(), at));
        const Bytes piece(image.begin() + static_cast<std::ptrdiff_t>(at),
                          image.begin() + static_cast<std::ptrdiff_t>(at + length));
        if (below(2) == 0) {
          image.insert(image.begin() + static_cast<std::ptrdiff_t>(at), piece.begin(), piece.end());
        } else {
          image.erase(image.begin() + static_cast<std::ptrdiff_t>(at),
                      image.begin() + static_cast<std::ptrdiff_t>(at + length));
        }
        break;
      }
    }
  }
}

TEST(WavMutation, DamagedImagesGiveFiniteSamplesOrAnErrorWithAText) {
  const std::vector<Bytes> images = valid_images();
  std::mt19937 random(20231);  // its sequence is fixed by the standard
  int n_decoded = 0;
  for (int i = 0; i < 20000; ++i) {
    Bytes image = images[static_cast<std::size_t>(i) % images.size()];
    mutate(image, random);
    image.shrink_to_fit();  // so that a sanitizer sees reads beyond its end
    n_decoded += decodes(reinterpret_cast<const std::uint8_t*>(image.data()), image.size()) ? 1 : 0;
  }
  // Both outcomes are common, so the damage is neither fatal nor without effect.
  EXPECT_GT(n_decoded, 2000);
  EXPECT_LT(n_decoded, 18000);
}

}  // namespace
}  // namespace speech
