// The cut recording: stretches of speech joined with short silences, and its times in the original recording. Pure;
// knows no model.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "vad/speech_segments.h"

namespace speech {

/// Times of a cut recording in the original one, in samples. A default one is the identity: nothing was cut.
/// Times are clamped to the speech that was kept; all three mappings never go backwards.
class Timeline {
 public:
  Timeline() = default;

  /// A stretch that lies from `cut` on in the cut recording, and from `original` on in the original.
  struct Piece {
    std::int64_t cut;
    std::int64_t original;
    std::int64_t length;
  };
  /// Pieces in order and apart on both sides. Without any, everything is mapped to 0.
  explicit Timeline(std::vector<Piece> pieces) : is_identity_(false), pieces_(std::move(pieces)) {}

  bool is_identity() const { return is_identity_; }
  std::span<const Piece> pieces() const { return pieces_; }

  /// Samples of the cut recording.
  std::int64_t length() const { return pieces_.empty() ? 0 : pieces_.back().cut + pieces_.back().length; }

  /// Where something begins: in a joining silence that is where the next stretch begins.
  std::int64_t begin_to_original(std::int64_t cut) const;
  /// Where something ends: in a joining silence, or right where a stretch begins, that is where the stretch before
  /// ended.
  std::int64_t end_to_original(std::int64_t cut) const;
  /// Both ends of something. What lies wholly in a joining silence has no length, and stands at the end of the stretch
  /// before. What reaches over one stands only at the side that has more of it, if the other has kSliverSamples or
  /// less.
  std::pair<std::int64_t, std::int64_t> to_original(std::int64_t cut_begin, std::int64_t cut_end) const;

  /// The same in units of 10 ms, whisper.h's times: begins and ends are rounded to the nearest, but never past the end
  /// of the last stretch.
  std::pair<std::int64_t, std::int64_t> to_original_10ms(std::int64_t cut_begin, std::int64_t cut_end) const;

 private:
  bool is_identity_ = true;
  std::vector<Piece> pieces_;
};

/// Silence between two stretches of the cut recording: 0.1 s.
inline constexpr std::int64_t kJoiningSilenceSamples = 1600;

/// Models are not exact about the ends of words, and behind speech there are its pad and its overlap, 0.13 s by
/// default. A word with no more than this beyond a cut is not said on both sides: it would seem to last as long as the
/// silence that was cut out.
inline constexpr std::int64_t kSliverSamples = 3200;

/// The timeline of a recording with the silences cut out: joins stretches of speech with silences. segments: as
/// find_speech() gives them. Each stretch but the last takes `overlap_samples` more of the audio behind it, so that a
/// last sound is not clipped; it ends at the latest where the next stretch begins, or a word would be heard twice.
Timeline join_speech(std::span<const SpeechSegment> segments, std::int64_t overlap_samples);

}  // namespace speech
