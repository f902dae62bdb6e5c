// One opener behind a lock; see opener.h.
#include "base/opener.h"

#include <utility>

#include "base/threads.h"

namespace speech {
namespace {

struct Registered {
  Mutex mutex;
  Opener opener;
};

Registered& registered() {
  static Registered instance;
  return instance;
}

// A scheme as RFC 3986 has it, in lower case.
bool has_scheme(std::string_view path) {
  const std::size_t end = path.find("://");
  if (end == std::string_view::npos || end == 0 || path.starts_with("file:")) {
    return false;
  }
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view kOthers = "abcdefghijklmnopqrstuvwxyz0123456789+-.";
  const std::string_view scheme = path.substr(0, end);
  return kLetters.find(scheme.front()) != std::string_view::npos &&
         scheme.find_first_not_of(kOthers) == std::string_view::npos;
}

}  // namespace

void set_opener(Opener opener) {
  Registered& place = registered();
  const std::lock_guard lock(place.mutex);
  place.opener = std::move(opener);
}

Opener opener_of(std::string_view path) {
  if (!has_scheme(path)) {
    return {};
  }
  Registered& place = registered();
  const std::lock_guard lock(place.mutex);
  return place.opener;
}

}  // namespace speech
