// The step-by-step functions: features, encoder, decoder, tokenizer, language detection.
#include "session/steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "capi/handles.h"
#include "session/options.h"
#include "text/languages.h"

namespace {

using speech::Code;
using speech::Status;
using speech::capi::guarded;
using speech::capi::null_argument;
using speech::capi::own_state;
using speech::capi::report;

Status invalid(const std::string& message) { return {Code::kInvalidArgument, message}; }

// What the state's steps ask and tell.
speech::Callbacks callbacks_of(const whisper_state& state) {
  speech::Callbacks callbacks;
  callbacks.abort = state.abort;
  callbacks.abort_user_data = state.abort_user_data;
  return callbacks;
}

// Claims the state, runs `body` on it and gives its value; on_error if it fails. Body: (Context, State) -> Result<int>.
template <typename Body>
int on_state(const char* function, whisper_context* ctx, whisper_state* state, int on_error, Body&& body) {
  return guarded(function, on_error, [&] {
    if (ctx == nullptr || state == nullptr) {
      report(function, null_argument(ctx == nullptr ? "ctx" : "state"));
      return on_error;
    }
    const speech::capi::Call call(*ctx, *state);
    if (!call.has_state()) {
      report(function, speech::capi::busy());
      return on_error;
    }
    const speech::Callbacks callbacks = callbacks_of(*state);
    const speech::AbortScope abort_scope(*state->state, callbacks);
    const speech::Result<int> result = body(*state->model, *state->state);
    if (!result) {
      report(function, result.status());
      return on_error;
    }
    return *result;
  });
}

int pcm_to_mel(const char* function, whisper_context* ctx, whisper_state* state, const float* samples, int n_samples,
               int n_threads) {
  return on_state(function, ctx, state, -1, [&](const speech::Context& model, speech::State& s) -> speech::Result<int> {
    if (samples == nullptr || n_samples <= 0) {
      return invalid("no samples: n_samples is " + std::to_string(n_samples) + ", expected 1 or more");
    }
    SPEECH_ASSIGN_OR_RETURN(const int threads, speech::resolve_threads(n_threads));
    SPEECH_RETURN_IF_ERROR(speech::compute_features(model, s, std::span(samples, static_cast<std::size_t>(n_samples)),
                                                    threads, callbacks_of(*state)));
    return 0;
  });
}

// As many as the longest recording has that whisper_full can be given, 37 hours: more is a mistake, not audio.
constexpr int kMostFrames = std::numeric_limits<int>::max() / WHISPER_HOP_LENGTH;

int set_mel(const char* function, whisper_context* ctx, whisper_state* state, const float* data, int n_len, int n_mel) {
  return on_state(function, ctx, state, -1, [&](const speech::Context& model, speech::State& s) -> speech::Result<int> {
    const int n_mels = model.hyperparameters().n_mels;
    if (n_mel != n_mels || n_len < 0 || n_len > kMostFrames || (data == nullptr && n_len > 0)) {
      return invalid("features of " + std::to_string(n_mel) + " mel bins and " + std::to_string(n_len) +
                     " frames, expected " + std::to_string(n_mels) + " bins and 0 to " + std::to_string(kMostFrames) +
                     " frames");
    }
    const std::span<const float> values(data, static_cast<std::size_t>(n_mel) * static_cast<std::size_t>(n_len));
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) {
      return invalid("the features hold a NaN or an infinity");
    }
    s.features =
        speech::Features(speech::LogMel{n_mel, n_len, n_len, std::vector<float>(values.begin(), values.end())});
    s.forget_audio();
    return 0;
  });
}

int encode(const char* function, whisper_context* ctx, whisper_state* state, int offset, int n_threads) {
  return on_state(function, ctx, state, -1, [&](const speech::Context& model, speech::State& s) -> speech::Result<int> {
    if (s.features.n_mels() == 0) {
      return invalid("no features yet: call whisper_pcm_to_mel or whisper_set_mel first");
    }
    const int last = std::max(s.features.n_frames() - 1, 0);  // of no frames, what is encoded is silence
    if (offset < 0 || offset > last) {
      return invalid("offset is " + std::to_string(offset) + ", expected 0 to " + std::to_string(last) + " frames");
    }
    SPEECH_ASSIGN_OR_RETURN(const int threads, speech::resolve_threads(n_threads));
    s.forget_audio();  // who asks twice gets two runs: programs measure them
    SPEECH_RETURN_IF_ERROR(speech::encode_window(model, s, offset, 0, threads));
    return 0;
  });
}

int decode(const char* function, whisper_context* ctx, whisper_state* state, const whisper_token* tokens, int n_tokens,
           int n_past, int n_threads) {
  return on_state(function, ctx, state, -1, [&](const speech::Context& model, speech::State& s) -> speech::Result<int> {
    const int n_text_ctx = model.hyperparameters().n_text_ctx;
    if (!s.engine->has_audio()) {
      return invalid("nothing is encoded yet: call whisper_encode first");
    }
    if (tokens == nullptr || n_tokens < 1 || n_past < 0 || n_past > n_text_ctx || n_tokens > n_text_ctx - n_past) {
      return invalid(std::to_string(n_tokens) + " tokens after " + std::to_string(n_past) +
                     ", expected at least one token and at most " + std::to_string(n_text_ctx) + " in all");
    }
    SPEECH_ASSIGN_OR_RETURN(const int threads, speech::resolve_threads(n_threads));
    std::vector<speech::StepToken> step;
    for (int i = 0; i < n_tokens; ++i) {
      if (tokens[i] < 0 || tokens[i] >= model.vocabulary().size()) {
        return invalid("token " + std::to_string(tokens[i]) + ", expected 0 to " +
                       std::to_string(model.vocabulary().size() - 1));
      }
      step.push_back({tokens[i], n_past + i, 0, i + 1 == n_tokens});
    }
    s.engine->stream().set_n_threads(threads);
    s.engine->cache().remove(0, n_past);
    SPEECH_ASSIGN_OR_RETURN(const std::span<const float> logits, speech::decode_step(s, step));
    s.logits.assign(logits.begin(), logits.end());
    return 0;
  });
}

int detect(const char* function, whisper_context* ctx, whisper_state* state, int offset_ms, int n_threads,
           float* lang_probs) {
  return on_state(function, ctx, state, -1, [&](const speech::Context& model, speech::State& s) -> speech::Result<int> {
    const int seek = offset_ms / 10;
    if (offset_ms < 0 || seek >= s.features.n_audio_frames()) {
      return invalid("offset_ms is " + std::to_string(offset_ms) + ", expected 0 to less than " +
                     std::to_string(10 * s.features.n_audio_frames()));
    }
    SPEECH_ASSIGN_OR_RETURN(const int threads, speech::resolve_threads(n_threads));
    std::span<float> probabilities;
    if (lang_probs != nullptr) {
      probabilities = {lang_probs, static_cast<std::size_t>(speech::kMaxLanguages)};
    }
    SPEECH_RETURN_IF_ERROR(speech::detect_language(model, s, seek, 0, threads, {}, probabilities));
    return s.language;
  });
}

float* logits_of(whisper_state* state) {
  return state != nullptr && !state->state->logits.empty() ? state->state->logits.data() : nullptr;
}

}  // namespace

int whisper_pcm_to_mel(whisper_context* ctx, const float* samples, int n_samples, int n_threads) {
  return pcm_to_mel(__func__, ctx, own_state(ctx), samples, n_samples, n_threads);
}

int whisper_pcm_to_mel_with_state(whisper_context* ctx, whisper_state* state, const float* samples, int n_samples,
                                  int n_threads) {
  return pcm_to_mel(__func__, ctx, state, samples, n_samples, n_threads);
}

int whisper_set_mel(whisper_context* ctx, const float* data, int n_len, int n_mel) {
  return set_mel(__func__, ctx, own_state(ctx), data, n_len, n_mel);
}

int whisper_set_mel_with_state(whisper_context* ctx, whisper_state* state, const float* data, int n_len, int n_mel) {
  return set_mel(__func__, ctx, state, data, n_len, n_mel);
}

int whisper_encode(whisper_context* ctx, int offset, int n_threads) {
  return encode(__func__, ctx, own_state(ctx), offset, n_threads);
}

int whisper_encode_with_state(whisper_context* ctx, whisper_state* state, int offset, int n_threads) {
  return encode(__func__, ctx, state, offset, n_threads);
}

int whisper_decode(whisper_context* ctx, const whisper_token* tokens, int n_tokens, int n_past, int n_threads) {
  return decode(__func__, ctx, own_state(ctx), tokens, n_tokens, n_past, n_threads);
}

int whisper_decode_with_state(whisper_context* ctx, whisper_state* state, const whisper_token* tokens, int n_tokens,
                              int n_past, int n_threads) {
  return decode(__func__, ctx, state, tokens, n_tokens, n_past, n_threads);
}

float* whisper_get_logits(whisper_context* ctx) { return logits_of(own_state(ctx)); }
float* whisper_get_logits_from_state(whisper_state* state) { return logits_of(state); }

int whisper_tokenize(whisper_context* ctx, const char* text, whisper_token* tokens, int n_max_tokens) {
  return guarded(__func__, 0, [&] {
    if (ctx == nullptr || text == nullptr) {
      report("whisper_tokenize", null_argument(ctx == nullptr ? "ctx" : "text"));
      return 0;
    }
    const speech::GateEntry call(ctx->gate);
    if (!call.is_inside()) {
      report("whisper_tokenize", speech::capi::busy());
      return 0;
    }
    const std::vector<speech::Token> encoded = ctx->model->vocabulary().encode(text);
    const auto n = static_cast<int>(encoded.size());
    if (n > n_max_tokens || tokens == nullptr) {
      return -n;
    }
    std::ranges::copy(encoded, tokens);
    return n;
  });
}

int whisper_token_count(whisper_context* ctx, const char* text) { return -whisper_tokenize(ctx, text, nullptr, 0); }

int whisper_lang_auto_detect(whisper_context* ctx, int offset_ms, int n_threads, float* lang_probs) {
  return detect(__func__, ctx, own_state(ctx), offset_ms, n_threads, lang_probs);
}

int whisper_lang_auto_detect_with_state(whisper_context* ctx, whisper_state* state, int offset_ms, int n_threads,
                                        float* lang_probs) {
  return detect(__func__, ctx, state, offset_ms, n_threads, lang_probs);
}
