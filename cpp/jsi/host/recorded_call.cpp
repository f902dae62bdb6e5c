// Implements recorded_call.h.
#include "recorded_call.h"

#include <cstdio>
#include <mutex>

namespace speech::js::host {
namespace {

std::mutex mutex;
std::string last;

/// Writes one object.
class Json {
 public:
  void number(const char* name, double value) {
    char text[40];
    std::snprintf(text, sizeof(text), "%.9g", value);
    raw(name, text);
  }
  void exact(const char* name, uint64_t value) { raw(name, std::to_string(value)); }
  void boolean(const char* name, bool value) { raw(name, value ? "true" : "false"); }
  void text(const char* name, const char* value) { raw(name, value == nullptr ? "null" : quoted(value)); }

  template <typename Item, typename Write>
  void list(const char* name, const Item* items, int n, const Write& write) {
    std::string out;
    for (int i = 0; i < n; ++i) out += (i == 0 ? "" : ",") + write(items[i]);
    raw(name, items == nullptr ? "null" : "[" + out + "]");
  }

  static std::string quoted(const char* value) {
    std::string out = "\"";
    for (const char* c = value; *c != '\0'; ++c) {
      char text[8];
      if (static_cast<unsigned char>(*c) < 0x20 || *c == '"' || *c == '\\') {
        std::snprintf(text, sizeof(text), "\\u%04x", static_cast<unsigned>(*c));
        out += text;
      } else {
        out += *c;
      }
    }
    return out + '"';
  }

  void keep() const {
    const std::lock_guard lock(mutex);
    last = "{" + text_ + "}";
  }

 private:
  void raw(const char* name, const std::string& value) {
    text_ += (text_.empty() ? "\"" : ",\"") + std::string(name) + "\":" + value;
  }

  std::string text_;
};

void write(Json& json, const std::string& before, const whisper_vad_params& params) {
  json.number((before + "threshold").c_str(), params.threshold);
  json.number((before + "min_speech_duration_ms").c_str(), params.min_speech_duration_ms);
  json.number((before + "min_silence_duration_ms").c_str(), params.min_silence_duration_ms);
  json.number((before + "max_speech_duration_s").c_str(), params.max_speech_duration_s);
  json.number((before + "speech_pad_ms").c_str(), params.speech_pad_ms);
  json.number((before + "samples_overlap").c_str(), params.samples_overlap);
}

}  // namespace

void record(const whisper_context_params& params, const whisper_ext_context_options& options) {
  Json json;
  json.boolean("use_gpu", params.use_gpu);
  json.number("gpu_device", params.gpu_device);
  json.boolean("dtw_token_timestamps", params.dtw_token_timestamps);
  json.number("dtw_aheads_preset", params.dtw_aheads_preset);
  json.number("dtw_n_top", params.dtw_n_top);
  json.number("backend", options.backend);
  json.text("encoder_path", options.encoder_path);
  json.keep();
}

void record(const whisper_full_params& params, const whisper_ext_options& options) {
  Json json;
  json.number("strategy", params.strategy);
  json.number("n_threads", params.n_threads);
  json.number("n_max_text_ctx", params.n_max_text_ctx);
  json.number("offset_ms", params.offset_ms);
  json.number("duration_ms", params.duration_ms);
  json.boolean("translate", params.translate);
  json.boolean("no_context", params.no_context);
  json.boolean("no_timestamps", params.no_timestamps);
  json.boolean("single_segment", params.single_segment);
  json.boolean("token_timestamps", params.token_timestamps);
  json.number("thold_pt", params.thold_pt);
  json.number("thold_ptsum", params.thold_ptsum);
  json.number("max_len", params.max_len);
  json.boolean("split_on_word", params.split_on_word);
  json.number("max_tokens", params.max_tokens);
  json.number("audio_ctx", params.audio_ctx);
  json.boolean("tdrz_enable", params.tdrz_enable);
  json.text("suppress_regex", params.suppress_regex);
  json.text("initial_prompt", params.initial_prompt);
  json.boolean("carry_initial_prompt", params.carry_initial_prompt);
  json.list("prompt_tokens", params.prompt_tokens, params.prompt_n_tokens,
            [](whisper_token token) { return std::to_string(token); });
  json.text("language", params.language);
  json.boolean("suppress_blank", params.suppress_blank);
  json.boolean("suppress_nst", params.suppress_nst);
  json.number("temperature", params.temperature);
  json.number("max_initial_ts", params.max_initial_ts);
  json.number("length_penalty", params.length_penalty);
  json.number("temperature_inc", params.temperature_inc);
  json.number("entropy_thold", params.entropy_thold);
  json.number("logprob_thold", params.logprob_thold);
  json.number("no_speech_thold", params.no_speech_thold);
  json.number("greedy.best_of", params.greedy.best_of);
  json.number("beam_search.beam_size", params.beam_search.beam_size);
  json.number("beam_search.patience", params.beam_search.patience);
  json.boolean("grammar_rules", params.grammar_rules != nullptr);
  json.number("grammar_penalty", params.grammar_penalty);
  json.boolean("vad", params.vad);
  json.text("vad_model_path", params.vad_model_path);
  write(json, "vad_params.", params.vad_params);
  json.number("compression_ratio_thold", options.compression_ratio_thold);
  json.list("language_candidates", options.language_candidates, options.n_language_candidates, &Json::quoted);
  json.exact("seed", options.seed);
  json.number("n_parts", options.n_parts);
  json.keep();
}

void record(const whisper_vad_params& params) {
  Json json;
  write(json, "", params);
  json.keep();
}

std::string last_recorded() {
  const std::lock_guard lock(mutex);
  return last;
}

}  // namespace speech::js::host
