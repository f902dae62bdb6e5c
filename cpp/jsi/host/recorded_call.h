// What the recording core was asked last, as JSON: the C structs field by field, nested fields as "outer.inner".
#pragma once

#include <string>

#include "whisper_ext.h"

namespace speech::js::host {

/// Any thread.
void record(const whisper_context_params& params, const whisper_ext_context_options& options);
void record(const whisper_full_params& params, const whisper_ext_options& options);
void record(const whisper_vad_params& params);

/// The last of them; empty before any.
std::string last_recorded();

}  // namespace speech::js::host
