// Grammar text in C: checks arguments, calls the parser, turns every failure into the thread's last error.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/guard.h"
#include "base/report.h"
#include "base/status.h"
#include "ext/grammar_text.h"
#include "whisper_ext.h"

struct whisper_ext_grammar {
  speech::GrammarText text;
  mutable std::vector<const whisper_grammar_element*>
      rules;  // whisper.h takes them by a pointer that could change them
};

namespace speech {
namespace {

Result<std::unique_ptr<whisper_ext_grammar>> parsed(const char* text, const char* start_rule) {
  if (text == nullptr) {
    return Status(Code::kInvalidArgument, "text is null; expected a grammar");
  }
  SPEECH_ASSIGN_OR_RETURN(GrammarText grammar, parse_grammar(text, start_rule != nullptr ? start_rule : "root"));
  auto handle = std::make_unique<whisper_ext_grammar>();
  handle->text = std::move(grammar);
  handle->rules.reserve(handle->text.rules.size());
  for (const std::vector<whisper_grammar_element>& rule : handle->text.rules) {
    handle->rules.push_back(rule.data());
  }
  return handle;
}

}  // namespace
}  // namespace speech

whisper_ext_grammar* whisper_ext_grammar_parse(const char* text, const char* start_rule) {
  const auto body = [&]() -> whisper_ext_grammar* {
    speech::Result<std::unique_ptr<whisper_ext_grammar>> grammar = speech::parsed(text, start_rule);
    if (!grammar) {
      speech::report_error("whisper_ext_grammar_parse", grammar.status());
      return nullptr;
    }
    return std::move(grammar).value().release();
  };
  const auto report = [](const speech::Status& status) { speech::report_error("whisper_ext_grammar_parse", status); };
  return speech::guarded<whisper_ext_grammar*>(nullptr, body, report);
}

void whisper_ext_grammar_free(whisper_ext_grammar* grammar) { delete grammar; }

const whisper_grammar_element** whisper_ext_grammar_rules(const whisper_ext_grammar* grammar) {
  return grammar != nullptr ? grammar->rules.data() : nullptr;
}

size_t whisper_ext_grammar_n_rules(const whisper_ext_grammar* grammar) {
  return grammar != nullptr ? grammar->rules.size() : 0;
}

size_t whisper_ext_grammar_start_rule(const whisper_ext_grammar* grammar) {
  return grammar != nullptr ? grammar->text.start_rule : 0;
}
