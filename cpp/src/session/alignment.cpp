// One pass of the decoder for each group of heads, then dynamic time warping.
#include "session/alignment.h"

#include <algorithm>
#include <vector>

#include "decode/dtw.h"

namespace speech {

Status align_window(const Context& context, State& state, const Window& window, std::span<const Token> task,
                    std::span<Segment> segments) {
  const std::span<const AlignmentHead> heads = context.alignment_heads();
  if (heads.empty()) {
    return Status::ok();
  }
  const Vocabulary& vocabulary = context.vocabulary();
  const SpecialTokens& special = vocabulary.special();
  std::vector<Token> tokens;
  std::ranges::copy_if(task, std::back_inserter(tokens), [&](Token token) { return token != special.not_; });
  const auto first_row = static_cast<int>(tokens.size());
  tokens.push_back(special.not_);  // predicts the first token of the text
  std::vector<TokenData*> text;
  for (Segment& segment : segments) {
    for (TokenData& token : segment.tokens) {
      if (vocabulary.is_text(token.id)) {
        tokens.push_back(token.id);
        text.push_back(&token);
      }
    }
  }
  tokens.push_back(special.eot);
  if (text.empty()) {
    return Status::ok();
  }

  // Attention behind the end of the audio says nothing. A frame of the encoder is two of ours.
  const int n_frames = std::clamp((window.seek_end - window.seek) / 2, 1, state.encoded_frames);
  AttentionSum sum(static_cast<int>(tokens.size()), n_frames, first_row, static_cast<int>(text.size()) + 1);
  {
    const ScopedTimer timer(state.timings.prompt_ms);
    state.timings.n_prompt += static_cast<std::int32_t>(tokens.size());
    for (std::size_t begin = 0; begin < heads.size(); begin += kMaxAlignmentHeads) {
      const std::size_t count = std::min(kMaxAlignmentHeads, heads.size() - begin);
      SPEECH_ASSIGN_OR_RETURN(const std::span<const float> weights,
                              state.engine->align(tokens, heads.subspan(begin, count), n_frames));
      sum.add(weights);
    }
  }
  const std::vector<int> first_frames = sum.first_frames();
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i]->t_dtw = std::min(window.seek + 2 * first_frames[i + 1], window.seek_end);  // where the next token begins
  }
  return Status::ok();
}

}  // namespace speech
