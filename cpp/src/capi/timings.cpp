// Timings of whisper.h, as averages and as printed lines.
#include <algorithm>
#include <cstdlib>
#include <new>

#include "capi/handles.h"

namespace {

float per(double sum_ms, int count) { return static_cast<float>(sum_ms / std::max(count, 1)); }

void print_row(const char* name, double sum_ms, int count, const char* unit) {
  speech::print("%8s time = %10.2f ms / %6d %s (%9.2f ms each)", name, sum_ms, count, unit,
                static_cast<double>(per(sum_ms, count)));
}

}  // namespace

whisper_timings* whisper_get_timings(whisper_context* ctx) {
  const whisper_state* state = speech::capi::own_state(ctx);
  void* memory = state != nullptr ? std::malloc(sizeof(whisper_timings)) : nullptr;
  if (memory == nullptr) {
    return nullptr;
  }
  const speech::Timings& t = state->state->timings;
  return new (memory)
      whisper_timings{per(t.sample_ms, t.n_sample), per(t.encode_ms, t.n_encode), per(t.decode_ms, t.n_decode),
                      per(t.batch_ms, t.n_batch), per(t.prompt_ms, t.n_prompt)};
}

void whisper_print_timings(whisper_context* ctx) {
  const whisper_state* state = speech::capi::own_state(ctx);
  if (state == nullptr) {
    return;
  }
  speech::capi::guarded(__func__, 0, [&] {
    const speech::Timings& t = state->state->timings;
    print_row("load", ctx->model->load_ms(), 1, "runs");
    speech::print("fallbacks = %3d p / %3d h", t.n_fail_probability, t.n_fail_entropy);
    print_row("mel", t.mel_ms, 1, "runs");
    print_row("sample", t.sample_ms, t.n_sample, "runs");
    print_row("encode", t.encode_ms, t.n_encode, "runs");
    print_row("decode", t.decode_ms, t.n_decode, "runs");
    print_row("batchd", t.batch_ms, t.n_batch, "tokens");
    print_row("prompt", t.prompt_ms, t.n_prompt, "tokens");
    return 0;
  });
}

void whisper_reset_timings(whisper_context* ctx) {
  if (whisper_state* state = speech::capi::own_state(ctx); state != nullptr) {
    state->state->timings = {};
  }
}
