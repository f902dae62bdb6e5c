// What a context has in the place of its own encoder, or why it has nothing there: one external encoder, shared by all
// states, given up for good when it fails.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads.h"
#include "encoders/external_encoder.h"

namespace speech {

/// For any number of threads: windows wait for each other, since the device behind is one.
class SharedEncoder {
 public:
  /// Without an external encoder. reason: why, without a name in front.
  explicit SharedEncoder(const std::string& reason) { tell("own: " + reason); }

  /// kind: its name, which outlives everything. path: its file, for messages.
  SharedEncoder(std::string_view kind, std::unique_ptr<ExternalEncoder> encoder, std::string path);

  /// Whether encode() may succeed for windows of T frames. It says once, in the log, that a length is not taken.
  bool takes(int n_frames);

  /// out (T, D) <- mel (2T, M), frames first. False if the own encoder is to compute this window: it is not taken, or
  /// the external encoder failed, now or before.
  bool encode(std::span<const float> mel, int n_mels, int n_frames, std::span<float> out);

  /// "own", or the kind that computes.
  std::string_view name() const;

  /// One line with the name in front: "coreml: base-encoder.mlpackage, compiled in 812 ms, first window in 130 ms".
  /// Lives as long as the object.
  const char* reason() const;

 private:
  void tell(std::string reason);

  mutable Mutex mutex_;
  std::string_view kind_ = "own";
  std::unique_ptr<ExternalEncoder> encoder_;
  std::string path_;
  bool has_run_ = false;
  bool has_told_length_ = false;
  std::vector<float> bins_first_;                            // (M, 2T) of the window
  std::vector<std::unique_ptr<const std::string>> reasons_;  // the last one holds; a caller may read an older one
};

}  // namespace speech
