// Names against the model's list, and detection.
#include "session/language.h"

#include <string>
#include <vector>

#include "base/log.h"
#include "session/steps.h"
#include "text/languages.h"

namespace speech {
namespace {

Result<int> known_language(const std::string& name, const Vocabulary& vocabulary) {
  const std::optional<int> id = language_id(name);
  if (!id || *id >= vocabulary.n_languages()) {
    return Status(Code::kInvalidArgument, "language '" + name + "' is not one of the model's " +
                                              std::to_string(vocabulary.n_languages()) +
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

Status choose_language(const Context& context, State& state, const Options& options, int seek, int n_threads) {
  const bool detects = options.detect_language_only || options.language.empty() || options.language == "auto";
  if (!context.vocabulary().is_multilingual()) {
    set_language(state, 0, 1);
    return detects || language_id(options.language) == 0
               ? Status::ok()
               : Status(Code::kUnsupported,
                        "language '" + options.language +
                            "' with an English-only model; load a multilingual model, or ask for 'en'");
  }
  if (detects) {
    return detect(context, state, options, seek, n_threads);
  }
  SPEECH_ASSIGN_OR_RETURN(const int language, known_language(options.language, context.vocabulary()));
  set_language(state, language, 1);
  return Status::ok();
}

}  // namespace speech
