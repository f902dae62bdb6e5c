// Damaged texts for tests, the same ones in every run: a smoke test where no fuzzer is at hand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace speech::testing {

/// One to four changes: a byte, a bit, a cut, a piece repeated or dropped, or one of `telling` put in.
inline void mutate_text(std::string& text, const std::vector<std::string_view>& telling, std::mt19937& random) {
  const auto below = [&random](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random()) % n; };
  for (std::size_t n = 1 + below(4); n > 0; --n) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(12, text.size() - at) + 1);
    switch (below(7)) {
      case 0: text.insert(at, 1, static_cast<char>(below(256))); break;
      case 1:
        if (at < text.size()) {
          text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8)));
        }
        break;
      case 2: text.resize(at); break;
      case 3: text.insert(at, text.substr(at, length)); break;
      case 4: text.erase(at, length); break;
      default: text.insert(at, telling[below(telling.size())]); break;
    }
  }
}

}  // namespace speech::testing
