// The table of languages (names and order of openai/whisper tokenizer.py) and the lookup by any of their names.
#include "text/languages.h"

#include <algorithm>
#include <array>
#include <string>

namespace speech {
namespace {

struct Language {
  std::string_view code;
  std::string_view name;
};

constexpr std::array<Language, kMaxLanguages> kLanguages = {{
    {"en", "english"},        {"zh", "chinese"},       {"de", "german"},    {"es", "spanish"},    {"ru", "russian"},
    {"ko", "korean"},         {"fr", "french"},        {"ja", "japanese"},  {"pt", "portuguese"}, {"tr", "turkish"},
    {"pl", "polish"},         {"ca", "catalan"},       {"nl", "dutch"},     {"ar", "arabic"},     {"sv", "swedish"},
    {"it", "italian"},        {"id", "indonesian"},    {"hi", "hindi"},     {"fi", "finnish"},    {"vi", "vietnamese"},
    {"he", "hebrew"},         {"uk", "ukrainian"},     {"el", "greek"},     {"ms", "malay"},      {"cs", "czech"},
    {"ro", "romanian"},       {"da", "danish"},        {"hu", "hungarian"}, {"ta", "tamil"},      {"no", "norwegian"},
    {"th", "thai"},           {"ur", "urdu"},          {"hr", "croatian"},  {"bg", "bulgarian"},  {"lt", "lithuanian"},
    {"la", "latin"},          {"mi", "maori"},         {"ml", "malayalam"}, {"cy", "welsh"},      {"sk", "slovak"},
    {"te", "telugu"},         {"fa", "persian"},       {"lv", "latvian"},   {"bn", "bengali"},    {"sr", "serbian"},
    {"az", "azerbaijani"},    {"sl", "slovenian"},     {"kn", "kannada"},   {"et", "estonian"},   {"mk", "macedonian"},
    {"br", "breton"},         {"eu", "basque"},        {"is", "icelandic"}, {"hy", "armenian"},   {"ne", "nepali"},
    {"mn", "mongolian"},      {"bs", "bosnian"},       {"kk", "kazakh"},    {"sq", "albanian"},   {"sw", "swahili"},
    {"gl", "galician"},       {"mr", "marathi"},       {"pa", "punjabi"},   {"si", "sinhala"},    {"km", "khmer"},
    {"sn", "shona"},          {"yo", "yoruba"},        {"so", "somali"},    {"af", "afrikaans"},  {"oc", "occitan"},
    {"ka", "georgian"},       {"be", "belarusian"},    {"tg", "tajik"},     {"sd", "sindhi"},     {"gu", "gujarati"},
    {"am", "amharic"},        {"yi", "yiddish"},       {"lo", "lao"},       {"uz", "uzbek"},      {"fo", "faroese"},
    {"ht", "haitian creole"}, {"ps", "pashto"},        {"tk", "turkmen"},   {"nn", "nynorsk"},    {"mt", "maltese"},
    {"sa", "sanskrit"},       {"lb", "luxembourgish"}, {"my", "myanmar"},   {"bo", "tibetan"},    {"tl", "tagalog"},
    {"mg", "malagasy"},       {"as", "assamese"},      {"tt", "tatar"},     {"haw", "hawaiian"},  {"ln", "lingala"},
    {"ha", "hausa"},          {"ba", "bashkir"},       {"jw", "javanese"},  {"su", "sundanese"},  {"yue", "cantonese"},
}};

struct Alias {
  std::string_view alias;
  std::string_view code;
};

/// OpenAI's own (tokenizer.py, TO_LANGUAGE_CODE).
constexpr std::array kNameAliases = {
    Alias{"burmese", "my"},       Alias{"valencian", "ca"}, Alias{"flemish", "nl"},   Alias{"haitian", "ht"},
    Alias{"letzeburgesch", "lb"}, Alias{"pushto", "ps"},    Alias{"panjabi", "pa"},   Alias{"moldavian", "ro"},
    Alias{"moldovan", "ro"},      Alias{"sinhalese", "si"}, Alias{"castilian", "es"}, Alias{"mandarin", "zh"},
};

/// Codes that phones report for languages to which Whisper gives another: Bokmal, Filipino, ISO's own code of Javanese,
/// and the withdrawn codes that Java keeps for Hebrew, Indonesian and Yiddish.
constexpr std::array kCodeAliases = {
    Alias{"nb", "no"}, Alias{"fil", "tl"}, Alias{"jv", "jw"}, Alias{"iw", "he"}, Alias{"in", "id"}, Alias{"ji", "yi"},
};

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

template <typename Aliases>
std::string_view resolve(const Aliases& aliases, std::string_view name) {
  for (const Alias& entry : aliases) {
    if (entry.alias == name) {
      return entry.code;
    }
  }
  return name;
}

std::optional<int> find_code(std::string_view code) {
  for (std::size_t i = 0; i < kLanguages.size(); ++i) {
    if (kLanguages[i].code == code) {
      return static_cast<int>(i);
    }
  }
  return {};
}

std::optional<int> find_name(std::string_view name) {
  for (std::size_t i = 0; i < kLanguages.size(); ++i) {
    if (kLanguages[i].name == name) {
      return static_cast<int>(i);
    }
  }
  return {};
}

constexpr bool is_known(int id) { return id >= 0 && id < kMaxLanguages; }

}  // namespace

std::optional<int> language_id(std::string_view name) {
  const std::string wanted = lower_ascii(name);
  if (const auto id = find_name(wanted)) {
    return id;
  }
  const std::string_view code = resolve(kNameAliases, wanted);
  const std::string_view language_part = code.substr(0, code.find_first_of("-_"));
  return find_code(resolve(kCodeAliases, language_part));
}

std::string_view language_code(int id) {
  return is_known(id) ? kLanguages[static_cast<std::size_t>(id)].code : std::string_view{};
}

std::string_view language_name(int id) {
  return is_known(id) ? kLanguages[static_cast<std::size_t>(id)].name : std::string_view{};
}

}  // namespace speech
