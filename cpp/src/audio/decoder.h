// Recordings in formats that only the platform decodes. Knows no format.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "audio/audio.h"
#include "audio/byte_input.h"
#include "base/status.h"

namespace speech {

/// Receives 16 kHz mono samples in order; false: the decoder must stop.
using SampleSink = std::function<bool(std::span<const float>)>;

/// Decodes a recording from its beginning to its end. Fails with a sentence on what is wrong. May be called from any
/// thread, also by several at once.
using Decoder = std::function<Status(const std::string& path, const SampleSink& sink)>;

/// For the whole process; empty: nobody. Calls that began before may still use the one before.
void set_decoder(Decoder decoder);

/// The decoder, if there is one and the bytes are not a WAV file's. Empty otherwise. Fails with io.
Result<Decoder> decoder_of(ByteInput& input);

/// The whole recording in memory. Errors: the decoder's; bad_format for a sample that is not finite or beyond +-2^31;
/// unsupported for more than 2^31 - 1 samples.
Result<Audio> decode_by(const Decoder& decoder, const std::string& path);

}  // namespace speech
