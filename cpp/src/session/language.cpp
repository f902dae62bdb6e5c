// Names against the model's list, and detection.
#include "session/language.h"

#include <string>
#include <vector>

#include "base/log.h"
#include "session/steps.h"
#include "text/languages.h"
#include "text/utf8.h"

namespace speech {
namespace {

// What a caller wrote, cut to what a message can show.
std::string shown(const std::string& name) {
  constexpr std::size_t kMost = 40;
  std::string text = "'";
  text.append(sanitize_utf8(std::string_view(name).substr(0, kMost)));
  text.append(name.size() > kMost ? "...'" : "'");
  return text;
}

Result<int> known_language(const std::string& name, const Vocabulary& vocabulary) {
  const std::optional<int> id = language_id(name);
  const bool is_english_only = !vocabulary.is_multilingual();
  if (!id || (!is_english_only && *id >= vocabulary.n_languages())) {
    return Status(Code::kInvalidArgument, "language " + shown(name) + " is not one of the model's " +
                                              std::to_string(is_english_only ? 1 : vocabulary.n_languages()) +
                                              "; expected a code such as 'de', a name such as 'german', or 'auto'");
  }
  return *id;
}

// Writes only what changes: the parts of a recording find the language set, and a callback may be reading it.
void set_language(State& state, int language, float probability) {
  if (state.language != language || state.language_probability != probability) {
    state.language = language;
    state.language_probability = probability;
  }
}

Status detect(const Context& context, State& state, const Options& options, int seek, int n_threads) {
  std::vector<int> candidates;
  for (const std::string& name : options.language_candidates) {
    SPEECH_ASSIGN_OR_RETURN(const int id, known_language(name, context.vocabulary()));
    candidates.push_back(id);
  }
  SPEECH_RETURN_IF_ERROR(detect_language(context, state, seek, options.audio_ctx, n_threads, candidates, {}));
  log(LogLevel::kInfo, "detected language %s, probability %.3f", std::string(language_code(state.language)).c_str(),
      static_cast<double>(state.language_probability));
  return Status::ok();
}

}  // namespace

bool detects_language(const Options& options) {
  return options.detect_language_only || options.language.empty() || options.language == "auto";
}

Status check_languages(const Context& context, const Options& options) {
  const Vocabulary& vocabulary = context.vocabulary();
  for (const std::string& name : options.language_candidates) {
    SPEECH_RETURN_IF_ERROR(known_language(name, vocabulary).status());
  }
  if (detects_language(options)) {
    return Status::ok();
  }
  SPEECH_ASSIGN_OR_RETURN(const int id, known_language(options.language, vocabulary));
  return vocabulary.is_multilingual() || id == 0
             ? Status::ok()
             : Status(Code::kUnsupported,
                      "language " + shown(options.language) +
                          " with an English-only model; load a multilingual model, or ask for 'en'");
}

Status choose_language(const Context& context, State& state, const Options& options, int seek, int n_threads) {
  SPEECH_RETURN_IF_ERROR(check_languages(context, options));
  if (!context.vocabulary().is_multilingual()) {
    set_language(state, 0, 1);
    return Status::ok();
  }
  if (detects_language(options)) {
    return detect(context, state, options, seek, n_threads);
  }
  SPEECH_ASSIGN_OR_RETURN(const int language, known_language(options.language, context.vocabulary()));
  set_language(state, language, 1);
  return Status::ok();
}

}  // namespace speech
