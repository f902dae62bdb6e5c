// Joining, and the way back from the joined recording.
#include "vad/timeline.h"

#include <algorithm>

namespace speech {
namespace {

constexpr std::int64_t kSamplesPer10Ms = 160;

std::int64_t end_of(const Timeline::Piece& piece) { return piece.original + piece.length; }

std::int64_t rounded_10ms(std::int64_t samples) { return (samples + kSamplesPer10Ms / 2) / kSamplesPer10Ms; }

}  // namespace

std::int64_t Timeline::begin_to_original(std::int64_t cut) const {
  if (is_identity_) {
    return cut;
  }
  if (pieces_.empty()) {
    return 0;
  }
  // The first piece that ends behind `cut` holds it, or begins next.
  const auto piece =
      std::find_if(pieces_.begin(), pieces_.end(), [cut](const Piece& one) { return cut < one.cut + one.length; });
  if (piece == pieces_.end()) {
    return end_of(pieces_.back());
  }
  return piece->original + std::max<std::int64_t>(0, cut - piece->cut);
}

std::int64_t Timeline::end_to_original(std::int64_t cut) const {
  if (is_identity_) {
    return cut;
  }
  if (pieces_.empty()) {
    return 0;
  }
  // The last piece that begins before `cut` holds it, or ended last.
  const auto behind = std::find_if(pieces_.begin(), pieces_.end(), [cut](const Piece& one) { return one.cut >= cut; });
  if (behind == pieces_.begin()) {
    return pieces_.front().original;
  }
  const Piece& piece = *std::prev(behind);
  return piece.original + std::min(piece.length, cut - piece.cut);
}

std::pair<std::int64_t, std::int64_t> Timeline::to_original(std::int64_t cut_begin, std::int64_t cut_end) const {
  std::int64_t begin = begin_to_original(cut_begin);
  std::int64_t end = end_to_original(cut_end);
  for (std::size_t i = 1; i < pieces_.size(); ++i) {  // each joining silence that it reaches over
    const Piece& before = pieces_[i - 1];
    const Piece& after = pieces_[i];
    const std::int64_t n_before = before.cut + before.length - std::max(cut_begin, before.cut);
    const std::int64_t n_after = std::min(cut_end, after.cut + after.length) - after.cut;
    if (n_before <= 0 || n_after <= 0) {
      continue;
    }
    if (cut_begin >= before.cut && n_before <= kSliverSamples && n_before < n_after) {
      begin = after.original;
    } else if (cut_end <= after.cut + after.length && n_after <= kSliverSamples && n_after < n_before) {
      end = end_of(before);
    }
  }
  return {std::min(begin, end), end};
}

std::pair<std::int64_t, std::int64_t> Timeline::to_original_10ms(std::int64_t cut_begin, std::int64_t cut_end) const {
  if (is_identity_) {
    return {cut_begin, cut_end};
  }
  const auto [begin, end] = to_original(cut_begin * kSamplesPer10Ms, cut_end * kSamplesPer10Ms);
  const std::int64_t last = pieces_.empty() ? 0 : end_of(pieces_.back()) / kSamplesPer10Ms;
  return {std::min(rounded_10ms(begin), last), std::min(rounded_10ms(end), last)};
}

Timeline join_speech(std::span<const SpeechSegment> segments, std::int64_t overlap_samples) {
  std::vector<Timeline::Piece> pieces;
  std::int64_t length = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto [begin, end] = segments[i];
    const std::int64_t last_end =
        i + 1 < segments.size() ? std::min(end + overlap_samples, segments[i + 1].begin) : end;
    if (i > 0) {
      length += kJoiningSilenceSamples;
    }
    pieces.push_back({length, begin, last_end - begin});
    length += last_end - begin;
  }
  return Timeline(std::move(pieces));
}

}  // namespace speech
