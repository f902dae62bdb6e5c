// The examples of FIPS 180-4 and of RFC 6234, and pieces of every length.
#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace speech {
namespace {

std::string sha256(const std::string& text) {
  Sha256 hash;
  hash.add(std::as_bytes(std::span(text)));
  return hash.finish();
}

TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnThePieces) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += static_cast<char>(i);
    Sha256 in_two;
    const auto bytes = std::as_bytes(std::span(text));
    in_two.add(bytes.first(text.size() / 3));
    in_two.add(bytes.subspan(text.size() / 3));
    EXPECT_EQ(in_two.finish(), sha256(text)) << text.size();
  }
}

}  // namespace
}  // namespace speech
