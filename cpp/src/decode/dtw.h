// Token times by dynamic time warping over cross-attention. Pure. Letters: H heads, N tokens, T audio frames of 20 ms.
// Source: openai/whisper timing.py, find_alignment(): weights are normalised over the tokens, smoothed over time,
// averaged over the heads that follow the audio, and the cheapest monotone path through them is taken.
#pragma once

#include <span>
#include <vector>

namespace speech {

/// What the tokens of a pass look at, summed over heads.
class AttentionSum {
 public:
  /// Rows [first_row, first_row + n_rows) of the tokens are kept: those that are to be aligned.
  AttentionSum(int n_tokens, int n_frames, int first_row, int n_rows);

  /// weights: (H, N, T), each row a distribution. Each frame's weights are brought to mean 0 and
  /// variance 1 over all N tokens (0 where all are equal), and each token's are smoothed by a median of 7 frames, with
  /// the ends mirrored.
  void add(std::span<const float> weights);

  /// First frame of each kept row on the cheapest path from the first row's first frame to the last row's last one:
  /// starts at 0, never decreasing, below T. As row r predicts the token after it, this is where that token begins.
  std::vector<int> first_frames() const;

 private:
  std::size_t n_tokens_;
  std::size_t n_frames_;
  std::size_t first_row_;
  std::size_t n_rows_;
  std::vector<float> head_;  // (N, T), the one being worked on
  std::vector<float> sum_;   // (n_rows, T)
};

}  // namespace speech
