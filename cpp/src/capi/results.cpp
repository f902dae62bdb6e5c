// Results of the last transcription. Every index is checked; outside there is 0, -1 or null.
#include "capi/handles.h"
#include "capi/params.h"

namespace {

using speech::capi::own_state;

const speech::Segment* segment_at(const whisper_state* state, int i_segment) {
  if (state == nullptr || i_segment < 0 || i_segment >= static_cast<int>(state->state->segments.size())) {
    return nullptr;
  }
  return &state->state->segments[static_cast<std::size_t>(i_segment)];
}

const speech::TokenData* token_at(const whisper_state* state, int i_segment, int i_token) {
  const speech::Segment* segment = segment_at(state, i_segment);
  if (segment == nullptr || i_token < 0 || i_token >= static_cast<int>(segment->tokens.size())) {
    return nullptr;
  }
  return &segment->tokens[static_cast<std::size_t>(i_token)];
}

const speech::SpeechSegment* vad_segment_at(const whisper_state* state, int i) {
  if (state == nullptr || i < 0 || i >= static_cast<int>(state->state->vad_segments.size())) {
    return nullptr;
  }
  return &state->state->vad_segments[static_cast<std::size_t>(i)];
}

}  // namespace

int whisper_n_len_from_state(whisper_state* state) {
  return state != nullptr ? state->state->features.n_audio_frames() : 0;
}
int whisper_n_len(whisper_context* ctx) { return whisper_n_len_from_state(own_state(ctx)); }

int whisper_full_n_segments_from_state(whisper_state* state) {
  return state != nullptr ? static_cast<int>(state->state->segments.size()) : 0;
}
int whisper_full_n_segments(whisper_context* ctx) { return whisper_full_n_segments_from_state(own_state(ctx)); }

int whisper_full_lang_id_from_state(whisper_state* state) { return state != nullptr ? state->state->language : -1; }
int whisper_full_lang_id(whisper_context* ctx) { return whisper_full_lang_id_from_state(own_state(ctx)); }

int64_t whisper_full_get_segment_t0_from_state(whisper_state* state, int i_segment) {
  const speech::Segment* segment = segment_at(state, i_segment);
  return segment != nullptr ? segment->start : -1;
}
int64_t whisper_full_get_segment_t0(whisper_context* ctx, int i_segment) {
  return whisper_full_get_segment_t0_from_state(own_state(ctx), i_segment);
}

int64_t whisper_full_get_segment_t1_from_state(whisper_state* state, int i_segment) {
  const speech::Segment* segment = segment_at(state, i_segment);
  return segment != nullptr ? segment->end : -1;
}
int64_t whisper_full_get_segment_t1(whisper_context* ctx, int i_segment) {
  return whisper_full_get_segment_t1_from_state(own_state(ctx), i_segment);
}

const char* whisper_full_get_segment_text_from_state(whisper_state* state, int i_segment) {
  const speech::Segment* segment = segment_at(state, i_segment);
  return segment != nullptr ? segment->text.c_str() : nullptr;
}
const char* whisper_full_get_segment_text(whisper_context* ctx, int i_segment) {
  return whisper_full_get_segment_text_from_state(own_state(ctx), i_segment);
}

float whisper_full_get_segment_no_speech_prob_from_state(whisper_state* state, int i_segment) {
  const speech::Segment* segment = segment_at(state, i_segment);
  return segment != nullptr ? segment->no_speech_probability : 0.0F;
}
float whisper_full_get_segment_no_speech_prob(whisper_context* ctx, int i_segment) {
  return whisper_full_get_segment_no_speech_prob_from_state(own_state(ctx), i_segment);
}

bool whisper_full_get_segment_speaker_turn_next_from_state(whisper_state* state, int i_segment) {
  const speech::Segment* segment = segment_at(state, i_segment);
  return segment != nullptr && segment->speaker_turn_next;
}
bool whisper_full_get_segment_speaker_turn_next(whisper_context* ctx, int i_segment) {
  return whisper_full_get_segment_speaker_turn_next_from_state(own_state(ctx), i_segment);
}

int whisper_full_n_tokens_from_state(whisper_state* state, int i_segment) {
  const speech::Segment* segment = segment_at(state, i_segment);
  return segment != nullptr ? static_cast<int>(segment->tokens.size()) : 0;
}
int whisper_full_n_tokens(whisper_context* ctx, int i_segment) {
  return whisper_full_n_tokens_from_state(own_state(ctx), i_segment);
}

const char* whisper_full_get_token_text_from_state(whisper_context*, whisper_state* state, int i_segment, int i_token) {
  if (token_at(state, i_segment, i_token) == nullptr) {
    return nullptr;
  }
  return segment_at(state, i_segment)->token_texts[static_cast<std::size_t>(i_token)].c_str();
}
const char* whisper_full_get_token_text(whisper_context* ctx, int i_segment, int i_token) {
  return whisper_full_get_token_text_from_state(ctx, own_state(ctx), i_segment, i_token);
}

whisper_token whisper_full_get_token_id_from_state(whisper_state* state, int i_segment, int i_token) {
  const speech::TokenData* token = token_at(state, i_segment, i_token);
  return token != nullptr ? token->id : -1;
}
whisper_token whisper_full_get_token_id(whisper_context* ctx, int i_segment, int i_token) {
  return whisper_full_get_token_id_from_state(own_state(ctx), i_segment, i_token);
}

whisper_token_data whisper_full_get_token_data_from_state(whisper_state* state, int i_segment, int i_token) {
  const speech::TokenData* token = token_at(state, i_segment, i_token);
  if (token == nullptr) {
    whisper_token_data nothing = {};
    nothing.id = nothing.tid = -1;
    nothing.t0 = nothing.t1 = nothing.t_dtw = -1;
    return nothing;
  }
  return speech::capi::to_token_data(*token);
}
whisper_token_data whisper_full_get_token_data(whisper_context* ctx, int i_segment, int i_token) {
  return whisper_full_get_token_data_from_state(own_state(ctx), i_segment, i_token);
}

float whisper_full_get_token_p_from_state(whisper_state* state, int i_segment, int i_token) {
  const speech::TokenData* token = token_at(state, i_segment, i_token);
  return token != nullptr ? token->probability : 0.0F;
}
float whisper_full_get_token_p(whisper_context* ctx, int i_segment, int i_token) {
  return whisper_full_get_token_p_from_state(own_state(ctx), i_segment, i_token);
}

int64_t whisper_full_get_token_t0_from_state(whisper_state* state, int i_segment, int i_token) {
  const speech::TokenData* token = token_at(state, i_segment, i_token);
  return token != nullptr ? token->t0 : -1;
}
int64_t whisper_full_get_token_t0(whisper_context* ctx, int i_segment, int i_token) {
  return whisper_full_get_token_t0_from_state(own_state(ctx), i_segment, i_token);
}

int64_t whisper_full_get_token_t1_from_state(whisper_state* state, int i_segment, int i_token) {
  const speech::TokenData* token = token_at(state, i_segment, i_token);
  return token != nullptr ? token->t1 : -1;
}
int64_t whisper_full_get_token_t1(whisper_context* ctx, int i_segment, int i_token) {
  return whisper_full_get_token_t1_from_state(own_state(ctx), i_segment, i_token);
}

int whisper_full_n_vad_segments_from_state(whisper_state* state) {
  return state != nullptr ? static_cast<int>(state->state->vad_segments.size()) : 0;
}
int whisper_full_n_vad_segments(whisper_context* ctx) { return whisper_full_n_vad_segments_from_state(own_state(ctx)); }

int64_t whisper_full_get_vad_segment_t0_from_state(whisper_state* state, int i) {
  const speech::SpeechSegment* segment = vad_segment_at(state, i);
  return segment != nullptr ? segment->begin / speech::kHopLength : -1;
}
int64_t whisper_full_get_vad_segment_t0(whisper_context* ctx, int i) {
  return whisper_full_get_vad_segment_t0_from_state(own_state(ctx), i);
}

int64_t whisper_full_get_vad_segment_t1_from_state(whisper_state* state, int i) {
  const speech::SpeechSegment* segment = vad_segment_at(state, i);
  return segment != nullptr ? segment->end / speech::kHopLength : -1;
}
int64_t whisper_full_get_vad_segment_t1(whisper_context* ctx, int i) {
  return whisper_full_get_vad_segment_t1_from_state(own_state(ctx), i);
}

float whisper_ext_full_lang_probability_from_state(whisper_state* state) {
  return state != nullptr ? state->state->language_probability : 0.0F;
}
float whisper_ext_full_lang_probability(whisper_context* ctx) {
  return whisper_ext_full_lang_probability_from_state(own_state(ctx));
}
