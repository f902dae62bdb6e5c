// Excerpts, speech, and times.
#include "session/piece.h"

#include <algorithm>
#include <utility>

#include "audio/log_mel.h"
#include "base/log.h"
#include "session/steps.h"

namespace speech {
namespace {

constexpr int kSamplesPerMillisecond = kSampleRate / 1000;

std::int64_t samples_of(int frame) { return static_cast<std::int64_t>(frame) * kHopLength; }

}  // namespace

void Piece::map_times(Segment& segment) const {
  const auto map = [this](int& begin, int& end) {
    std::pair<std::int64_t, std::int64_t> frames(first_frame + begin, first_frame + end);
    if (cut != nullptr) {
      frames = cut->timeline.to_original_10ms(frames.first, frames.second);
    }
    begin = static_cast<int>(frames.first) + shift_frames;
    end = static_cast<int>(frames.second) + shift_frames;
  };
  map(segment.start, segment.end);
  // What stands alone at the other side of a cut than its segment does goes with the segment.
  const auto map_inside = [&](int& begin, int& end) {
    map(begin, end);
    if (cut != nullptr) {
      begin = std::clamp(begin, segment.start, segment.end);
      end = std::clamp(end, segment.start, segment.end);
    }
  };
  for (TokenData& token : segment.tokens) {
    if (token.t0 >= 0 && token.t1 >= 0) {
      map_inside(token.t0, token.t1);
    }
    if (token.t_dtw >= 0) {
      int same = token.t_dtw;
      map_inside(token.t_dtw, same);
    }
  }
}

Piece Piece::part(std::size_t begin, std::size_t n) const {
  return {samples.subspan(begin, n), first_frame + static_cast<int>(begin / kHopLength), cut, shift_frames};
}

Piece excerpt(const Options& options, const Samples& samples) {
  const std::size_t offset =
      std::min(samples.size(), static_cast<std::size_t>(options.offset_ms) * std::size_t{kSamplesPerMillisecond});
  std::size_t n = samples.size() - offset;
  if (options.duration_ms > 0) {
    n = std::min(n, static_cast<std::size_t>(options.duration_ms) * std::size_t{kSamplesPerMillisecond});
  }
  return {samples.subspan(offset, n), 0, nullptr, options.offset_ms / 10};
}

Result<Piece> speech_of(State& state, const Options& options, const Piece& piece, Stage& stage) {
  stage = Stage::kOptions;
  if (options.vad_model_path.empty()) {
    return Status(Code::kInvalidArgument,
                  "option vad is on and vad_model_path is empty, expected the path of a Silero model in ggml form");
  }
  SPEECH_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source, open_file_source(options.vad_model_path));
  Result<SileroVad> vad = SileroVad::load(std::move(source));
  if (!vad) {
    return Status(vad.status().code(), "vad_model_path '" + options.vad_model_path + "': " + vad.status().message());
  }
  stage = Stage::kFeatures;
  if (piece.samples.empty()) {
    return piece;
  }
  SPEECH_RETURN_IF_ERROR(check_length(piece.samples.size()));
  SPEECH_ASSIGN_OR_RETURN(SpeechCut found,
                          cut_speech(*vad, piece.samples, options.vad_options, cancellation(options.callbacks)));
  auto cut = std::make_shared<const SpeechCut>(std::move(found));
  const std::int64_t shift = samples_of(piece.shift_frames);
  for (const SpeechSegment& segment : cut->segments) {
    state.vad_segments.push_back({segment.begin + shift, segment.end + shift});
  }
  log(LogLevel::kInfo, "VAD kept %.1f s in %zu stretches of %.1f s",
      static_cast<double>(cut->samples.size()) / kSampleRate, cut->segments.size(),
      static_cast<double>(piece.samples.size()) / kSampleRate);
  return Piece{cut->samples, 0, cut, piece.shift_frames};
}

}  // namespace speech
