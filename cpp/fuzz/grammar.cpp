// libFuzzer entry over grammars: no text and no rules may crash, hang, or blow up what follows text through them, and
// none may be refused without saying why. Input: grammar text up to the first zero byte, then text to follow.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "decode/grammar.h"
#include "decode/grammar_matcher.h"
#include "ext/grammar_text.h"

namespace speech {
namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

/// Far below those of the product, so that a run looks at many grammars.
GrammarLimits small_limits() {
  GrammarLimits limits;
  limits.places = 256;
  limits.steps = std::size_t{1} << 18U;
  limits.stacks = std::size_t{1} << 14U;
  limits.sets = std::size_t{1} << 10U;
  limits.entries = std::size_t{1} << 16U;
  return limits;
}

/// Text in one piece leads where the same text byte by byte leads.
void follow(Grammar grammar, std::string_view text) {
  Result<GrammarMatcher> matcher = GrammarMatcher::create(std::move(grammar), small_limits());
  if (!matcher) {
    require(!matcher.status().message().empty());
    return;
  }
  const GrammarState start = matcher->begin();
  require(!start.is_broken());
  GrammarState state = start;
  for (std::size_t i = 0; i < text.size() && !state.is_broken(); ++i) {
    require(!matcher->is_finished(state) || matcher->is_complete(state));
    const GrammarState next = matcher->after(state, text.substr(i, 1));
    require(!matcher->is_finished(state) || next.is_broken());
    state = next;
  }
  if (matcher->status()) {
    require(matcher->after(start, text) == state);
  }
  require(matcher->n_sets() <= small_limits().sets);
}

/// The bytes as elements, two each: what a caller of whisper.h may pass.
GrammarRules rules_of(std::string_view bytes) {
  GrammarRules rules(1);
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto kind = static_cast<GrammarElementKind>(static_cast<unsigned char>(bytes[i]) % 9);
    rules.back().push_back({kind, static_cast<unsigned char>(bytes[i + 1])});
    if (kind == GrammarElementKind::kEnd) {
      rules.emplace_back();
    }
  }
  return rules;
}

/// Whether the input is a grammar.
bool parses(std::string_view input) {
  const std::string_view grammar = input.substr(0, input.find('\0'));
  const std::string_view text = input.substr(std::min(grammar.size() + 1, input.size()));
  const Result<Grammar> raw = Grammar::create(rules_of(input), 0);
  if (raw) {
    follow(*raw, text);
  } else {
    require(!raw.status().message().empty());
  }
  const Result<GrammarText> parsed = parse_grammar(grammar, "root");
  if (!parsed) {
    require(!parsed.status().message().empty());
    return false;
  }
  GrammarRules rules;
  for (const auto& rule : parsed->rules) {
    auto& elements = rules.emplace_back();
    for (const auto& element : rule) {
      elements.push_back({static_cast<GrammarElementKind>(element.type), element.value});
    }
  }
  Result<Grammar> compiled = Grammar::create(rules, parsed->start_rule);
  require(compiled.is_ok());  // what the parser lets through is a grammar
  follow(std::move(compiled).value(), text);
  return true;
}

}  // namespace
}  // namespace speech

// Declared here because libFuzzer has no header for it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  speech::parses({reinterpret_cast<const char*>(data), size});
  return 0;
}
