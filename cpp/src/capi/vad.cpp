// whisper.h's voice activity detection: checks arguments, calls the layer vad.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capi/handles.h"
#include "capi/loader.h"
#include "capi/params.h"
#include "model/byte_source.h"
#include "vad/vad.h"
#include "whisper_ext.h"

struct whisper_vad_context {
  explicit whisper_vad_context(speech::SileroVad&& loaded) : network(std::move(loaded)) {}

  speech::SileroVad network;
  std::vector<float> probabilities;
  std::int64_t n_samples = 0;  // that the probabilities speak of
  speech::VadAbort should_abort;
  std::shared_ptr<speech::CallGate> gate = std::make_shared<speech::CallGate>(1);
};

struct whisper_vad_segments {
  std::vector<speech::SpeechSegment> segments;
};

namespace {

using speech::Code;
using speech::kMaxThreads;
using speech::Result;
using speech::Status;
using speech::capi::guarded;
using speech::capi::null_argument;
using speech::capi::report;

constexpr float kSamplesPer10Ms = 160.0F;

Status check(const whisper_vad_context_params& params) {
  if (params.n_threads < 0 || params.n_threads > kMaxThreads) {
    return {Code::kInvalidArgument, "n_threads is " + std::to_string(params.n_threads) + "; expected 1 to " +
                                        std::to_string(kMaxThreads) + ", or 0 for the default"};
  }
  return Status::ok();
}

whisper_vad_context* load(const char* function, Result<std::unique_ptr<speech::ByteSource>> source,
                          const whisper_vad_context_params& params) {
  auto network = [&]() -> Result<speech::SileroVad> {
    SPEECH_RETURN_IF_ERROR(check(params));
    if (!source) {
      return source.status();
    }
    return speech::SileroVad::load(std::move(source).value());
  }();
  if (!network) {
    report(function, network.status());
    return nullptr;
  }
  return std::make_unique<whisper_vad_context>(std::move(network).value()).release();
}

/// The options in C++ terms, checked.
Result<speech::VadOptions> to_options(const whisper_vad_params& params) {
  const speech::VadOptions options = speech::capi::to_vad_options(params);
  SPEECH_RETURN_IF_ERROR(check(options));
  return options;
}

/// What an earlier call found is forgotten first, so that an error cannot be taken for a result.
Status detect(whisper_vad_context* vctx, const float* samples, int n_samples, bool from_fresh) {
  if (vctx == nullptr) {
    return null_argument("vctx");
  }
  const speech::GateEntry call(vctx->gate);
  if (!call.is_inside()) {
    return speech::capi::busy();
  }
  vctx->probabilities.clear();
  vctx->n_samples = 0;
  if (n_samples < 0) {
    return {Code::kInvalidArgument, "n_samples is " + std::to_string(n_samples) + "; expected at least 0"};
  }
  if (samples == nullptr && n_samples > 0) {
    return null_argument("samples");
  }
  const std::span<const float> pcm(samples, static_cast<std::size_t>(n_samples));
  const auto bad = std::find_if(pcm.begin(), pcm.end(), [](float sample) { return !std::isfinite(sample); });
  if (bad != pcm.end()) {
    return {Code::kInvalidArgument, "sample " + std::to_string(bad - pcm.begin()) + " is " + std::to_string(*bad) +
                                        "; expected finite numbers"};
  }
  if (from_fresh) {
    vctx->network.reset();
  }
  std::vector<float> probabilities(speech::SileroVad::windows_in(pcm.size()));
  SPEECH_RETURN_IF_ERROR(speech::speech_probabilities(vctx->network, pcm, vctx->should_abort, probabilities));
  vctx->probabilities = std::move(probabilities);
  vctx->n_samples = n_samples;
  return Status::ok();
}

bool detect_reported(const char* function, whisper_vad_context* vctx, const float* samples, int n_samples,
                     bool from_fresh) {
  return guarded(function, false, [&] {
    const Status status = detect(vctx, samples, n_samples, from_fresh);
    if (!status.is_ok()) {
      report(function, status);
    }
    return status.is_ok();
  });
}

whisper_vad_segments* find_segments(const whisper_vad_context& vctx, const speech::VadOptions& options) {
  auto found = std::make_unique<whisper_vad_segments>();
  found->segments = speech::find_speech(vctx.probabilities, vctx.n_samples, options);
  return found.release();
}

/// The segment, or null with the error reported.
const speech::SpeechSegment* segment_at(const char* function, const whisper_vad_segments* segments, int index) {
  return guarded<const speech::SpeechSegment*>(function, nullptr, [&]() -> const speech::SpeechSegment* {
    if (segments == nullptr) {
      report(function, null_argument("segments"));
      return nullptr;
    }
    const std::size_t n_segments = segments->segments.size();
    if (index < 0 || static_cast<std::size_t>(index) >= n_segments) {
      report(function, {Code::kInvalidArgument, "i_segment is " + std::to_string(index) + "; there are " +
                                                    std::to_string(n_segments) + " segments"});
      return nullptr;
    }
    return &segments->segments[static_cast<std::size_t>(index)];
  });
}

}  // namespace

whisper_vad_params whisper_vad_default_params(void) {
  const speech::VadOptions options;
  return {.threshold = options.threshold,
          .min_speech_duration_ms = options.min_speech_ms,
          .min_silence_duration_ms = options.min_silence_ms,
          .max_speech_duration_s = options.max_speech_s,
          .speech_pad_ms = options.pad_ms,
          .samples_overlap = options.overlap_s};
}

whisper_vad_context_params whisper_vad_default_context_params(void) {
  return {.n_threads = 4, .use_gpu = false, .gpu_device = 0};
}

whisper_vad_context* whisper_vad_init_from_file_with_params(const char* path_model, whisper_vad_context_params params) {
  return guarded<whisper_vad_context*>(__func__, nullptr, [&]() -> whisper_vad_context* {
    constexpr const char* kFunction = "whisper_vad_init_from_file_with_params";
    if (path_model == nullptr) {
      report(kFunction, null_argument("path_model"));
      return nullptr;
    }
    return load(kFunction, speech::open_file_source(path_model), params);
  });
}

whisper_vad_context* whisper_vad_init_with_params(whisper_model_loader* loader, whisper_vad_context_params params) {
  return guarded<whisper_vad_context*>(__func__, nullptr, [&]() -> whisper_vad_context* {
    constexpr const char* kFunction = "whisper_vad_init_with_params";
    if (loader == nullptr || loader->read == nullptr) {
      report(kFunction, null_argument(loader == nullptr ? "loader" : "loader->read"));
      return nullptr;
    }
    const speech::capi::CloseAtEnd close(*loader);
    return load(kFunction, speech::capi::loader_source(loader), params);
  });
}

bool whisper_vad_detect_speech(whisper_vad_context* vctx, const float* samples, int n_samples) {
  return detect_reported(__func__, vctx, samples, n_samples, true);
}

bool whisper_vad_detect_speech_no_reset(whisper_vad_context* vctx, const float* samples, int n_samples) {
  return detect_reported(__func__, vctx, samples, n_samples, false);
}

void whisper_vad_reset_state(whisper_vad_context* vctx) {
  if (vctx != nullptr) {
    vctx->network.reset();
  }
}

bool whisper_ext_vad_set_abort(whisper_vad_context* vctx, ggml_abort_callback abort_callback, void* user_data) {
  return guarded(__func__, false, [&] {
    constexpr const char* kFunction = "whisper_ext_vad_set_abort";
    if (vctx == nullptr) {
      report(kFunction, null_argument("vctx"));
      return false;
    }
    const speech::GateEntry call(vctx->gate);
    if (!call.is_inside()) {
      report(kFunction, speech::capi::busy());
      return false;
    }
    vctx->should_abort = {};
    if (abort_callback != nullptr) {
      vctx->should_abort = [abort_callback, user_data] { return abort_callback(user_data); };
    }
    return true;
  });
}

int whisper_vad_n_probs(whisper_vad_context* vctx) {
  return vctx != nullptr ? static_cast<int>(vctx->probabilities.size()) : 0;
}

float* whisper_vad_probs(whisper_vad_context* vctx) { return vctx != nullptr ? vctx->probabilities.data() : nullptr; }

whisper_vad_segments* whisper_vad_segments_from_probs(whisper_vad_context* vctx, whisper_vad_params params) {
  return guarded<whisper_vad_segments*>(__func__, nullptr, [&]() -> whisper_vad_segments* {
    const auto options = vctx != nullptr ? to_options(params) : null_argument("vctx");
    if (!options) {
      report("whisper_vad_segments_from_probs", options.status());
      return nullptr;
    }
    return find_segments(*vctx, *options);
  });
}

whisper_vad_segments* whisper_vad_segments_from_samples(whisper_vad_context* vctx, whisper_vad_params params,
                                                        const float* samples, int n_samples) {
  return guarded<whisper_vad_segments*>(__func__, nullptr, [&]() -> whisper_vad_segments* {
    const auto options = to_options(params);
    const Status status = options ? detect(vctx, samples, n_samples, true) : options.status();
    if (!status.is_ok()) {
      report("whisper_vad_segments_from_samples", status);
      return nullptr;
    }
    return find_segments(*vctx, *options);
  });
}

int whisper_vad_segments_n_segments(whisper_vad_segments* segments) {
  return segments != nullptr ? static_cast<int>(segments->segments.size()) : 0;
}

float whisper_vad_segments_get_segment_t0(whisper_vad_segments* segments, int i_segment) {
  const speech::SpeechSegment* segment = segment_at(__func__, segments, i_segment);
  return segment != nullptr ? static_cast<float>(segment->begin) / kSamplesPer10Ms : -1.0F;
}

float whisper_vad_segments_get_segment_t1(whisper_vad_segments* segments, int i_segment) {
  const speech::SpeechSegment* segment = segment_at(__func__, segments, i_segment);
  return segment != nullptr ? static_cast<float>(segment->end) / kSamplesPer10Ms : -1.0F;
}

void whisper_vad_free_segments(whisper_vad_segments* segments) { delete segments; }
void whisper_vad_free(whisper_vad_context* vctx) {
  if (vctx != nullptr && vctx->gate->close()) {
    delete vctx;
  }
}
