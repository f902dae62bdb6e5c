// The network over a made-up model: its stream, its bounds, and the cut as a whole. Its values are held against NumPy
// and onnxruntime in tests/parity.
#include "vad/silero.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "vad/made_up_sound.h"
#include "vad/synthetic_silero.h"
#include "vad/vad.h"

namespace speech {
namespace {

using testing::made_up_sound;
using testing::synthetic_silero;

SileroVad load(const testing::SyntheticSilero& model) {
  auto vad = SileroVad::load(memory_source(model.bytes));
  EXPECT_TRUE(vad.is_ok()) << vad.status().message();
  return std::move(vad).value();
}

std::vector<float> probabilities(SileroVad& vad, std::span<const float> pcm) {
  std::vector<float> out(SileroVad::windows_in(pcm.size()));
  vad.run(pcm, out);
  return out;
}

TEST(Silero, GivesOneProbabilityForEachBegunWindow) {
  EXPECT_EQ(SileroVad::windows_in(0), 0U);
  EXPECT_EQ(SileroVad::windows_in(1), 1U);
  EXPECT_EQ(SileroVad::windows_in(512), 1U);
  EXPECT_EQ(SileroVad::windows_in(513), 2U);
}

TEST(Silero, ProbabilitiesDifferAndLieBetweenZeroAndOne) {
  SileroVad vad = load(synthetic_silero());
  const std::vector<float> all = probabilities(vad, made_up_sound(16000));
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  EXPECT_GE(*low, 0.0F);
  EXPECT_LE(*high, 1.0F);
  EXPECT_LT(*low, *high);
}

TEST(Silero, ThePiecesOfAStreamEqualTheWhole) {
  SileroVad vad = load(synthetic_silero());
  const std::vector<float> pcm = made_up_sound(40 * 512);
  const std::vector<float> whole = probabilities(vad, pcm);
  vad.reset();
  std::vector<float> pieces;
  for (std::size_t at = 0, n_windows = 1; at < pcm.size(); ++n_windows) {
    const auto rest = std::span(pcm).subspan(at);
    const auto piece = rest.first(std::min(rest.size(), n_windows * 512));
    const std::vector<float> some = probabilities(vad, piece);
    pieces.insert(pieces.end(), some.begin(), some.end());
    at += piece.size();
  }
  EXPECT_EQ(pieces, whole);
}

TEST(Silero, AResetForgetsTheStream) {
  SileroVad vad = load(synthetic_silero());
  const std::vector<float> pcm = made_up_sound(8000);
  const std::vector<float> first = probabilities(vad, pcm);
  EXPECT_NE(probabilities(vad, pcm), first) << "the stream goes on";
  vad.reset();
  EXPECT_EQ(probabilities(vad, pcm), first);
}

TEST(Silero, TheEndOfTheWindowBeforeIsHeard) {
  // Of two streams that differ in the last sample of a window, that window and the next one differ.
  SileroVad vad = load(synthetic_silero());
  std::vector<float> pcm = made_up_sound(4 * 512);
  const std::vector<float> first = probabilities(vad, pcm);
  pcm[2 * 512 - 1] += 0.25F;
  vad.reset();
  const std::vector<float> second = probabilities(vad, pcm);
  EXPECT_EQ(second[0], first[0]);
  EXPECT_NE(second[1], first[1]);
  EXPECT_NE(second[2], first[2]);
}

TEST(Silero, TheLastWindowIsPaddedWithZeros) {
  SileroVad vad = load(synthetic_silero());
  std::vector<float> pcm = made_up_sound(1000);
  const std::vector<float> cut = probabilities(vad, pcm);
  pcm.resize(1024, 0.0F);
  vad.reset();
  EXPECT_EQ(probabilities(vad, pcm), cut);
}

TEST(Silero, AnOverflowLeavesTheStreamUsable) {
  SileroVad vad = load(synthetic_silero());
  const std::vector<float> pcm = made_up_sound(2048);
  const std::vector<float> first = probabilities(vad, pcm);
  const std::vector<float> loud(2048, std::numeric_limits<float>::max());
  for (const float probability : probabilities(vad, loud)) {
    EXPECT_GE(probability, 0.0F);
    EXPECT_LE(probability, 1.0F);
  }
  vad.reset();
  EXPECT_EQ(probabilities(vad, pcm), first);
}

TEST(Silero, WeightsOfBothPrecisionsAreRead) {
  SileroVad half = load(synthetic_silero(0.0F, true));
  SileroVad single = load(synthetic_silero(0.0F, false));
  const std::vector<float> pcm = made_up_sound(512);
  // Binary16 keeps 11 bits; a probability is a mean over hundreds of such roundings.
  EXPECT_NEAR(probabilities(half, pcm)[0], probabilities(single, pcm)[0], 1e-3F);
}

TEST(CutSpeech, KeepsAllOfARecordingThatIsAllSpeech) {
  SileroVad vad = load(synthetic_silero(20.0F));  // every probability is near 1
  const std::vector<float> pcm = made_up_sound(20000);
  const auto cut = cut_speech(vad, pcm, VadOptions{});
  ASSERT_TRUE(cut.is_ok()) << cut.status().message();
  EXPECT_TRUE(std::ranges::equal(cut->samples.memory(), pcm));
  ASSERT_EQ(cut->segments.size(), 1U);
  EXPECT_EQ(cut->segments[0].begin, 0);
  EXPECT_EQ(cut->segments[0].end, 20000);
  EXPECT_EQ(cut->timeline.to_original_10ms(10, 50), (std::pair<std::int64_t, std::int64_t>{10, 50}));
}

TEST(CutSpeech, LeavesNothingOfARecordingWithoutSpeech) {
  SileroVad vad = load(synthetic_silero(-20.0F));
  for (const std::size_t n_samples : {std::size_t{0}, std::size_t{1}, std::size_t{20000}}) {
    const auto cut = cut_speech(vad, made_up_sound(n_samples), VadOptions{});
    ASSERT_TRUE(cut.is_ok());
    EXPECT_TRUE(cut->samples.empty());
    EXPECT_TRUE(cut->segments.empty());
  }
}

TEST(CutSpeech, BeginsWithAFreshStreamEachTime) {
  SileroVad vad = load(synthetic_silero());
  const std::vector<float> pcm = made_up_sound(50000);
  VadOptions options;
  options.threshold = 0.5F;
  const auto first = cut_speech(vad, pcm, options);
  const auto second = cut_speech(vad, pcm, options);
  ASSERT_TRUE(first.is_ok() && second.is_ok());
  EXPECT_TRUE(std::ranges::equal(first->samples.memory(), second->samples.memory()));
}

TEST(CutSpeech, RefusesOptionsOutOfRange) {
  SileroVad vad = load(synthetic_silero());
  const auto cut = cut_speech(vad, made_up_sound(1000), {.threshold = 2.0F});
  EXPECT_EQ(cut.status().code(), Code::kInvalidArgument);
}

TEST(CutSpeech, StopsWhenAskedTo) {
  SileroVad vad = load(synthetic_silero());
  int n_questions = 0;
  const auto cut = cut_speech(vad, made_up_sound(160000), VadOptions{}, [&n_questions] { return ++n_questions == 3; });
  EXPECT_EQ(cut.status().code(), Code::kCancelled);
  EXPECT_EQ(n_questions, 3);
}

}  // namespace
}  // namespace speech
