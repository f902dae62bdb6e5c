// An encoder that another compiler made of a model: Core ML's, OpenVINO's. It takes features and gives what the decoder
// attends to; it must not know our weights, streams or back-ends.
// Letters: T frames after the convolutions, M mel bins, D width.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace speech {

/// What an encoder's file says of itself.
struct EncoderFacts {
  std::string fingerprint;  ///< of the model that it was made of (whisper/encoder_fingerprint.h); empty if it is silent
  int n_mels = 0;           ///< M
  int width = 0;            ///< D; 0 if it does not say
  std::string loading;      ///< how long that took, as in "compiled in 812 ms, loaded in 95 ms"
};

/// For one thread at a time.
class ExternalEncoder {
 public:
  virtual ~ExternalEncoder() = default;

  virtual const EncoderFacts& facts() const = 0;

  /// Whether it computes windows of T frames.
  virtual bool takes(int n_frames) const = 0;

  /// out (T, D) <- what mel (M, 2T) encodes to, both row-major. An error if the result has another shape.
  virtual Status encode(std::span<const float> mel, int n_frames, std::span<float> out) = 0;
};

/// Where an encoder lies, and what it is to be loaded with.
struct EncoderFile {
  std::string path;
  std::string cache_path;  ///< folder for what is compiled on this machine; empty: the system's choice, or none
  std::string device;      ///< OpenVINO's name of one; empty: "CPU"
};

using EncoderLoader = Result<std::unique_ptr<ExternalEncoder>> (*)(const EncoderFile&);

}  // namespace speech
