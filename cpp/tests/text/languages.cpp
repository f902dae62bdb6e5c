// Holds the language table to the order of Whisper's tokens, and the lookup to the names that callers use.
#include "text/languages.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace speech {
namespace {

TEST(Languages, CodesStandInTokenOrder) {
  // From the published tokenizer: the 99 of the first release, then yue.
  const std::string order =
      "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi "
      "ml cy sk "
      "te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi "
      "lo uz fo "
      "ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue";
  std::string found;
  for (int id = 0; id < kMaxLanguages; ++id) {
    found += id == 0 ? "" : " ";
    found += language_code(id);
  }
  EXPECT_EQ(found, order);
}

TEST(Languages, CodeAndNameLeadBackToTheId) {
  std::set<std::string> names;
  for (int id = 0; id < kMaxLanguages; ++id) {
    EXPECT_EQ(language_id(language_code(id)), id);
    EXPECT_EQ(language_id(language_name(id)), id);
    names.emplace(language_name(id));
    EXPECT_EQ(language_name(id).data()[language_name(id).size()], '\0');
    EXPECT_EQ(language_code(id).data()[language_code(id).size()], '\0');
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kMaxLanguages));
}

struct Lookup {
  const char* name;
  const char* code;
};

TEST(Languages, AreFoundByTheNamesThatCallersUse) {
  for (const Lookup& lookup : {
           Lookup{"EN", "en"},       Lookup{"German", "de"},    Lookup{"Haitian Creole", "ht"},
           Lookup{"en-US", "en"},    Lookup{"pt_BR", "pt"},     Lookup{"zh-Hant-TW", "zh"},
           Lookup{"yue-HK", "yue"},  Lookup{"burmese", "my"},   Lookup{"valencian", "ca"},
           Lookup{"flemish", "nl"},  Lookup{"haitian", "ht"},   Lookup{"letzeburgesch", "lb"},
           Lookup{"pushto", "ps"},   Lookup{"panjabi", "pa"},   Lookup{"moldavian", "ro"},
           Lookup{"moldovan", "ro"}, Lookup{"sinhalese", "si"}, Lookup{"castilian", "es"},
           Lookup{"Mandarin", "zh"}, Lookup{"nb-NO", "no"},     Lookup{"iw", "he"},
           Lookup{"fil-PH", "tl"},   Lookup{"jv", "jw"},        Lookup{"in_ID", "id"},
       }) {
    const auto id = language_id(lookup.name);
    ASSERT_TRUE(id.has_value()) << lookup.name;
    EXPECT_EQ(language_code(*id), lookup.code) << lookup.name;
  }
}

TEST(Languages, UnknownNamesAreEmpty) {
  for (const char* name : {"", "xx", "auto", "englis", "english-US", "-en", " en", "e", "en1"}) {
    EXPECT_FALSE(language_id(name).has_value()) << name;
  }
  EXPECT_TRUE(language_code(-1).empty());
  EXPECT_TRUE(language_name(kMaxLanguages).empty());
}

}  // namespace
}  // namespace speech
