// Reads the whole file at once; recordings for tests are short.
#include "encoders/recorded/recorded_encoder.h"

#include <cstring>
#include <sstream>
#include <utility>
#include <vector>

#include "base/file.h"

namespace speech {
namespace {

class RecordedEncoder final : public ExternalEncoder {
 public:
  RecordedEncoder(EncoderFacts facts, int n_frames, std::vector<std::byte> windows)
      : facts_(std::move(facts)), n_frames_(n_frames), windows_(std::move(windows)) {}

  const EncoderFacts& facts() const override { return facts_; }
  bool takes(int n_frames) const override { return n_frames == n_frames_; }

  Status encode(std::span<const float> /*mel*/, int /*n_frames*/, std::span<float> out) override {
    if (windows_.size() - next_ < out.size_bytes()) {
      return {Code::kIo, "the recording is at its end"};
    }
    std::memcpy(out.data(), windows_.data() + next_, out.size_bytes());
    next_ += out.size_bytes();
    return Status::ok();
  }

 private:
  EncoderFacts facts_;
  int n_frames_;
  std::vector<std::byte> windows_;
  std::size_t next_ = 0;
};

}  // namespace

bool recorded_encoder_is_built() { return true; }

Result<std::unique_ptr<ExternalEncoder>> load_recorded_encoder(const EncoderFile& file) {
  SPEECH_ASSIGN_OR_RETURN(File opened, File::open(file.path, true));
  std::vector<std::byte> data(static_cast<std::size_t>(opened.size()));
  SPEECH_ASSIGN_OR_RETURN(const std::size_t n_read, opened.read_at(0, data));
  data.resize(n_read);

  constexpr std::size_t kLongestLine = 256;
  std::string line(reinterpret_cast<const char*>(data.data()), std::min(n_read, kLongestLine));
  const std::size_t end = line.find('\n');
  std::istringstream words(line.substr(0, end));
  std::string kind;
  EncoderFacts facts;
  int n_frames = 0;
  words >> kind >> facts.fingerprint >> facts.n_mels >> facts.width >> n_frames;
  if (!words || end == std::string::npos || kind != "recorded") {
    return Status(Code::kBadFormat, "it does not begin with a line of the recorded encoder");
  }
  if (facts.fingerprint == "-") {
    facts.fingerprint.clear();
  }
  facts.loading = "read";
  data.erase(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(end + 1));
  return std::unique_ptr<ExternalEncoder>(
      std::make_unique<RecordedEncoder>(std::move(facts), n_frames, std::move(data)));
}

}  // namespace speech
