// Log-mel features against the definition: explicit padding, a direct Fourier transform in double precision, every
// filter weight.
#include "audio/log_mel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <thread>

#include "audio/log_mel_reader.h"

namespace speech {
namespace {

/// Triangles whose width grows with frequency, as in a model file.
MelFilters triangular_filters(int n_mels) {
  const auto centre_bin = [n_mels](int i) { return 200.0 * std::pow(static_cast<double>(i) / (n_mels + 1), 1.5); };
  MelFilters filters{n_mels, std::vector<float>(static_cast<std::size_t>(n_mels) * kFftBins)};
  for (int m = 0; m < n_mels; ++m) {
    const double left = centre_bin(m);
    const double centre = centre_bin(m + 1);
    const double right = centre_bin(m + 2) + 0.5;
    for (int bin = 0; bin < kFftBins; ++bin) {
      const double rise = (bin - left) / (centre - left);
      const double fall = (right - bin) / (right - centre);
      filters.weights[m * kFftBins + bin] = static_cast<float>(0.02 * std::max(0.0, std::min(rise, fall)));
    }
  }
  return filters;
}

std::vector<float> noise(int n_samples, double amplitude, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-amplitude, amplitude);
  std::vector<float> samples(static_cast<std::size_t>(n_samples));
  for (float& sample : samples) {
    sample = static_cast<float>(uniform(generator));
  }
  return samples;
}

/// The definition, word for word. Frames of silence alone are not transformed: they are zero.
LogMel reference_log_mel(const std::vector<float>& pcm, const MelFilters& filters) {
  std::vector<double> padded;
  const std::vector<float> silence_behind(480000);
  std::vector<float> whole(pcm);
  whole.insert(whole.end(), silence_behind.begin(), silence_behind.end());
  for (int i = 200; i >= 1; --i) {
    padded.push_back(whole[i]);
  }
  padded.insert(padded.end(), whole.begin(), whole.end());
  padded.resize(padded.size() + 200);

  LogMel mel{filters.n_mels, static_cast<int>(whole.size() / 160), 0, {}};
  std::vector<double> logs(static_cast<std::size_t>(mel.n_mels) * mel.n_frames, -10.0);
  for (int frame = 0; frame < mel.n_frames && frame * 160 < static_cast<int>(pcm.size()) + 200; ++frame) {
    std::vector<double> power;
    for (int bin = 0; bin <= 200; ++bin) {
      double re = 0.0;
      double im = 0.0;
      for (int n = 0; n < 400; ++n) {
        const double window = 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * n / 400.0);
        const double angle = 2.0 * std::numbers::pi * ((bin * n) % 400) / 400.0;
        re += window * padded[frame * 160 + n] * std::cos(angle);
        im -= window * padded[frame * 160 + n] * std::sin(angle);
      }
      power.push_back(re * re + im * im);
    }
    for (int m = 0; m < mel.n_mels; ++m) {
      double energy = 0.0;
      for (int bin = 0; bin <= 200; ++bin) {
        energy += static_cast<double>(filters.weights[m * kFftBins + bin]) * power[bin];
      }
      logs[m * mel.n_frames + frame] = std::log10(std::max(energy, 1e-10));
    }
  }
  const double loudest = *std::max_element(logs.begin(), logs.end());
  for (const double value : logs) {
    mel.values.push_back(static_cast<float>((std::max(value, loudest - 8.0) + 4.0) / 4.0));
  }
  return mel;
}

// 1e-5 of an energy is 4.3e-6 in its log10 and 1.1e-6 after the division by 4; the float that holds a log10 of -10..8
// is good to 4.8e-7, a quarter of that behind the division.
constexpr float kTolerance = 1.2e-6F;

void expect_like_reference(const std::vector<float>& pcm, const MelFilters& filters) {
  const LogMel expected = reference_log_mel(pcm, filters);
  const Result<LogMel> mel = log_mel(pcm, filters, 1);
  ASSERT_TRUE(mel) << mel.status().message();
  ASSERT_EQ(mel->n_mels, expected.n_mels);
  ASSERT_EQ(mel->n_frames, expected.n_frames);
  ASSERT_EQ(mel->values.size(), expected.values.size());
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    ASSERT_NEAR(mel->values[i], expected.values[i], kTolerance)
        << "band " << i / expected.n_frames << ", frame " << i % expected.n_frames;
  }
}

TEST(LogMel, EqualsTheDefinitionFor80And128Bands) {
  std::vector<float> pcm = noise(4000, 0.3, 1);
  for (std::size_t i = 1500; i < 3000; ++i) {  // a quiet stretch, to reach low energies beside high ones
    pcm[i] *= 1e-4F;
  }
  for (const int n_mels : {80, 128}) {
    expect_like_reference(pcm, triangular_filters(n_mels));
  }
}

TEST(LogMel, ReflectsWhatThereIsOfAShortRecordingThenSilence) {
  for (const int n_samples : {1, 2, 199, 200, 201, 399, 401, 1584}) {  // 1584: 99 ms
    SCOPED_TRACE(n_samples);
    expect_like_reference(noise(n_samples, 0.5, static_cast<unsigned>(n_samples)), triangular_filters(80));
  }
}

TEST(LogMel, CountsFramesOfTheRecordingAsTheSeekLoopNeedsThem) {
  struct Case {
    int n_samples;
    int n_frames;
    int n_audio_frames;
  };
  for (const Case& c : {Case{1, 3000, 0}, Case{40, 3000, 0}, Case{41, 3000, 1}, Case{160, 3001, 1}, Case{200, 3001, 1},
                        Case{359, 3002, 1}, Case{360, 3002, 2}, Case{1584, 3009, 9}, Case{16000, 3100, 99},
                        Case{16040, 3100, 100}, Case{176000, 4100, 1099}}) {
    const std::vector<float> pcm(static_cast<std::size_t>(c.n_samples), 0.1F);
    const Result<LogMel> mel = log_mel(pcm, triangular_filters(1), 1);
    ASSERT_TRUE(mel);
    EXPECT_EQ(mel->n_frames, c.n_frames) << c.n_samples;
    EXPECT_EQ(mel->n_audio_frames, c.n_audio_frames) << c.n_samples;
  }
}

TEST(LogMel, SilenceIsTheFloorEverywhere) {
  const std::vector<float> pcm(8000);
  const Result<LogMel> mel = log_mel(pcm, triangular_filters(80), 1);
  ASSERT_TRUE(mel);
  for (const float value : mel->values) {
    ASSERT_EQ(value, -1.5F);  // (log10(1e-10) + 4) / 4
  }
}

TEST(LogMel, ClampsToTheLoudestFrameOfTheWholeRecordingEvenWhenThatIsMoreThan30SecondsAway) {
  std::vector<float> pcm = noise(40 * 16000, 1e-5, 3);
  const std::vector<float> loud = noise(1600, 0.9, 4);
  std::copy(loud.begin(), loud.end(), pcm.end() - 1600);
  const MelFilters filters = triangular_filters(80);
  const Result<LogMel> mel = log_mel(pcm, filters, 2);
  const Result<LogMel> quiet_alone = log_mel(std::span(pcm).first(30 * 16000), filters, 1);
  ASSERT_TRUE(mel);
  ASSERT_TRUE(quiet_alone);
  const auto [lowest, highest] = std::minmax_element(mel->values.begin(), mel->values.end());
  EXPECT_EQ(*lowest, *highest - 2.0F);           // 8 / 4 below the maximum, reached by the silence behind
  EXPECT_GE(mel->values[100], *highest - 2.0F);  // band 0 of frame 100, more than 30 s away from the loud end
  EXPECT_LT(quiet_alone->values[100], *lowest);  // without the loud end, the same frame lies below that
}

TEST(LogMel, IsTheSameBitForBitForEveryNumberOfThreads) {
  const std::vector<float> pcm = noise(7 * 16000 + 123, 0.5, 5);
  const MelFilters filters = triangular_filters(80);
  const Result<LogMel> one = log_mel(pcm, filters, 1);
  ASSERT_TRUE(one);
  for (const int n_threads : {2, 3, 4, 16, 64}) {
    const Result<LogMel> many = log_mel(pcm, filters, n_threads);
    ASSERT_TRUE(many);
    EXPECT_EQ(many->values, one->values) << n_threads << " threads";
  }
}

TEST(LogMel, NamesTheFirstSampleThatIsNotFinite) {
  const MelFilters filters = triangular_filters(80);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    std::vector<float> pcm(2000, 0.1F);
    pcm[1234] = bad;
    pcm[1999] = bad;
    const Result<LogMel> mel = log_mel(pcm, filters, 1);
    ASSERT_FALSE(mel);
    EXPECT_EQ(mel.status().code(), Code::kInvalidArgument);
    EXPECT_NE(mel.status().message().find("sample 1234 "), std::string::npos) << mel.status().message();
  }
}

TEST(LogMel, StaysFiniteForTheLargestFiniteSamples) {
  std::vector<float> pcm(1000, std::numeric_limits<float>::max());
  pcm[1] = -std::numeric_limits<float>::max();
  const Result<LogMel> mel = log_mel(pcm, triangular_filters(80), 1);
  ASSERT_TRUE(mel);
  EXPECT_TRUE(std::all_of(mel->values.begin(), mel->values.end(), [](float v) { return std::isfinite(v); }));
}

TEST(LogMel, RefusesAnEmptyRecordingAndArgumentsOutOfRange) {
  const std::vector<float> pcm(400, 0.1F);
  const MelFilters filters = triangular_filters(80);
  MelFilters short_filters = filters;
  short_filters.weights.pop_back();
  MelFilters infinite_filters = filters;
  infinite_filters.weights[205] = std::numeric_limits<float>::infinity();
  const std::vector<Result<LogMel>> results = {
      log_mel({}, filters, 1),
      log_mel(pcm, filters, 0),
      log_mel(pcm, filters, 65),
      log_mel(pcm, MelFilters{}, 1),
      log_mel(pcm, short_filters, 1),
      log_mel(pcm, infinite_filters, 1),
      log_mel(std::span(pcm.data(), std::size_t{1} << 31U), filters, 1)};  // refused by its length, before it is read
  for (const Result<LogMel>& result : results) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.status().code(), Code::kInvalidArgument);
    EXPECT_FALSE(result.status().message().empty());
  }
}

TEST(LogMel, ABandWithoutWeightsHasNoEnergy) {
  MelFilters filters = triangular_filters(3);
  std::fill_n(filters.weights.begin() + kFftBins, kFftBins, 0.0F);
  const std::vector<float> pcm = noise(1600, 1e-4, 6);  // quiet, so that the clamp lies below the floor
  const Result<LogMel> mel = log_mel(pcm, filters, 1);
  ASSERT_TRUE(mel);
  EXPECT_EQ(mel->values[mel->n_frames], -1.5F);
  EXPECT_GT(mel->values[0], -1.5F);
}

TEST(LogMel, StopsWhenToldToAndAsksOnTheCallingThreadOnly) {
  const std::vector<float> pcm = noise(20 * 16000, 0.5, 7);
  const std::thread::id caller = std::this_thread::get_id();
  int n_asked = 0;
  const Result<LogMel> mel = log_mel(pcm, triangular_filters(80), 4, [&] {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    return ++n_asked == 2;
  });
  // With few processors the other threads may finish all the work before the caller is asked twice.
  EXPECT_GE(n_asked, 1);
  if (!mel) {
    EXPECT_EQ(mel.status().code(), Code::kCancelled);
  }
  const Result<LogMel> at_once = log_mel(pcm, triangular_filters(80), 4, [] { return true; });
  ASSERT_FALSE(at_once);
  EXPECT_EQ(at_once.status().code(), Code::kCancelled);
}

/// Samples that are not in memory, as far as anyone can tell.
class HiddenSamples final : public SampleSource {
 public:
  explicit HiddenSamples(std::vector<float> pcm) : pcm_(std::move(pcm)) {}
  std::size_t size() const override { return pcm_.size(); }
  Status read(std::size_t begin, std::span<float> out) const override {
    n_read_ += out.size();
    if (begin + out.size() > broken_from_) {
      return {Code::kIo, "the disk is gone"};
    }
    std::copy_n(pcm_.begin() + static_cast<std::ptrdiff_t>(begin), out.size(), out.begin());
    return Status::ok();
  }

  mutable std::size_t n_read_ = 0;
  std::size_t broken_from_ = std::numeric_limits<std::size_t>::max();

 private:
  std::vector<float> pcm_;
};

TEST(LogMelReader, GivesTheFeaturesOfTheWholeRecordingBitForBit) {
  const MelFilters filters = triangular_filters(80);
  // Up to two chunks and a bit; the loudest sound is in the last.
  for (const int n_samples : {1, 2, 159, 200, 201, 16000, 479999, 480000, 480200, 1000003}) {
    std::vector<float> pcm = noise(n_samples, 0.1, 3);
    pcm.back() = 1.0F;
    const Result<LogMel> whole = log_mel(pcm, filters, 1);
    ASSERT_TRUE(whole);
    Result<LogMelReader> reader = LogMelReader::open(Samples(std::make_shared<HiddenSamples>(pcm)), filters, 2);
    ASSERT_TRUE(reader) << reader.status().message();
    EXPECT_EQ(reader->n_frames(), whole->n_frames);
    EXPECT_EQ(reader->n_audio_frames(), whole->n_audio_frames);
    for (const int first : {0, 1, 2, 1507, 2999, 3000, 4001, whole->n_frames - 1}) {
      if (first >= whole->n_frames) {
        continue;
      }
      const int n = std::min(3000, whole->n_frames - first);
      std::vector<float> values;
      ASSERT_TRUE(reader->read(first, n, 1, {}, values));
      for (int m = 0; m < 80; ++m) {
        const auto expected = whole->values.begin() + static_cast<std::ptrdiff_t>(m) * whole->n_frames + first;
        ASSERT_TRUE(std::equal(expected, expected + n, values.begin() + static_cast<std::ptrdiff_t>(m) * n))
            << n_samples << " samples, frame " << first << ", band " << m;
      }
    }
  }
}

TEST(LogMelReader, ReadsAShortRecordingOnceAndALongOneTwice) {
  const MelFilters filters = triangular_filters(80);
  for (const int n_samples : {160000, 1600000}) {
    const auto source = std::make_shared<HiddenSamples>(noise(n_samples, 0.1, 4));
    Result<LogMelReader> reader = LogMelReader::open(Samples(source), filters, 1);
    ASSERT_TRUE(reader);
    std::vector<float> values;
    for (int first = 0; first < reader->n_audio_frames(); first += 3000) {
      ASSERT_TRUE(reader->read(first, 3000, 1, {}, values));
    }
    const std::size_t overlaps = 400U * 8U;
    EXPECT_LE(source->n_read_, (n_samples <= 480000 ? 1U : 2U) * static_cast<std::size_t>(n_samples) + overlaps);
  }
}

TEST(LogMelReader, SaysWhatTheRecordingOrItsSourceHas) {
  const MelFilters filters = triangular_filters(80);
  std::vector<float> pcm = noise(600000, 0.1, 5);
  pcm[500001] = std::numeric_limits<float>::quiet_NaN();
  const auto wrong = LogMelReader::open(Samples(std::make_shared<HiddenSamples>(pcm)), filters, 1);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.status().message().find("sample 500001 is not a number"), std::string::npos)
      << wrong.status().message();

  const auto source = std::make_shared<HiddenSamples>(noise(1600000, 0.1, 6));
  Result<LogMelReader> reader = LogMelReader::open(Samples(source), filters, 1);
  ASSERT_TRUE(reader);
  source->broken_from_ = 600000;
  std::vector<float> values;
  EXPECT_EQ(reader->read(3000, 3000, 1, {}, values).message(), "the disk is gone");
  EXPECT_TRUE(reader->read(0, 3000, 1, {}, values)) << "what can be read is";
  EXPECT_EQ(LogMelReader::open(Samples(), filters, 1).status().code(), Code::kInvalidArgument);
  const auto cancelled = LogMelReader::open(Samples(source), filters, 1, [] { return true; });
  EXPECT_FALSE(cancelled);
}

}  // namespace
}  // namespace speech
