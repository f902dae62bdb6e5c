// The few ggml functions that programs for whisper.h call.
#include <chrono>

#include "ggml-cpu.h"
#include "whisper.h"

namespace {

template <typename Unit>
int64_t now() {
  return std::chrono::duration_cast<Unit>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void ggml_log_set(ggml_log_callback log_callback, void* user_data) { whisper_log_set(log_callback, user_data); }

void ggml_time_init(void) {}
int64_t ggml_time_ms(void) { return now<std::chrono::milliseconds>(); }
int64_t ggml_time_us(void) { return now<std::chrono::microseconds>(); }

void ggml_backend_load_all(void) {}
void ggml_backend_load_all_from_path(const char*) {}
