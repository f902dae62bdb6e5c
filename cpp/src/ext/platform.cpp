// What the platform opens and decodes, in C: callbacks of the public header become those of base and audio. Knows no
// model.
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "audio/decoder.h"
#include "base/guard.h"
#include "base/last_error.h"
#include "base/opener.h"
#include "base/status.h"
#include "whisper_ext.h"

namespace speech {
namespace {

constexpr std::size_t kMessageBytes = 512;
using Message = std::array<char, kMessageBytes>;

// An app's sentence, or one that says that it gave none.
Status refusal(Code code, Message& message, const char* otherwise) {
  message.back() = '\0';
  return {code, message.front() != '\0' ? std::string(message.data()) : std::string(otherwise)};
}

Opener opener_in_c(whisper_ext_opener opener, void* user_data) {
  if (opener == nullptr) {
    return {};
  }
  return [opener, user_data](const std::string& path) -> Result<OpenedFile> {
    whisper_ext_opened opened = {-1, 0, -1};
    Message message{};
    if (!opener(path.c_str(), &opened, message.data(), message.size(), user_data) || opened.descriptor < 0) {
      return refusal(Code::kNotFound, message, "the app cannot open it, and says no reason");
    }
    return OpenedFile{opened.descriptor, opened.offset, opened.n_bytes};
  };
}

bool receive(const float* samples, size_t n_samples, void* sink) {
  return (*static_cast<const SampleSink*>(sink))(std::span(samples, n_samples));
}

Decoder decoder_in_c(whisper_ext_decoder decoder, void* user_data) {
  if (decoder == nullptr) {
    return {};
  }
  return [decoder, user_data](const std::string& path, const SampleSink& sink) -> Status {
    Message message{};
    SampleSink own = sink;
    if (!decoder(path.c_str(), receive, &own, message.data(), message.size(), user_data)) {
      return refusal(Code::kBadFormat, message, "the app cannot decode it, and says no reason");
    }
    return Status::ok();
  };
}

template <typename Work>
void quietly(Work work) noexcept {
  const auto body = [&] {
    work();
    return true;
  };
  guarded(false, body, set_last_error);
}

}  // namespace
}  // namespace speech

void whisper_ext_set_opener(whisper_ext_opener opener, void* user_data) {
  speech::quietly([&] { speech::set_opener(speech::opener_in_c(opener, user_data)); });
}

void whisper_ext_set_decoder(whisper_ext_decoder decoder, void* user_data) {
  speech::quietly([&] { speech::set_decoder(speech::decoder_in_c(decoder, user_data)); });
}
