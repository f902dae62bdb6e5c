// A model as Java holds it, for what runs without JavaScript, such as a service: load, transcribe, cancel, release.
#include <atomic>
#include <memory>
#include <string>

#include "java.h"
#include "whisper_ext.h"

namespace speech::android {
namespace {

struct FreeAudio {
  void operator()(whisper_ext_audio* audio) const { whisper_ext_audio_free(audio); }
};
using Recording = std::unique_ptr<whisper_ext_audio, FreeAudio>;

// Java's object takes turns: one call at a time, and release after the last.
struct Transcriber {
  explicit Transcriber(whisper_context* loaded) : context(loaded) {}
  Transcriber(const Transcriber&) = delete;
  Transcriber& operator=(const Transcriber&) = delete;
  ~Transcriber() { whisper_free(context); }

  whisper_context* context;
  std::atomic<bool> is_cancelled{false};
};

Transcriber& of(jlong handle) { return *reinterpret_cast<Transcriber*>(handle); }

jlong JNICALL load(JNIEnv* env, jclass /*type*/, jstring path) {
  whisper_context* const context =
      whisper_init_from_file_with_params(utf8_of(env, path).c_str(), whisper_context_default_params());
  if (context == nullptr) {
    throw_last_error(env);
    return 0;
  }
  return reinterpret_cast<jlong>(new Transcriber(context));
}

jstring JNICALL transcribe(JNIEnv* env, jclass /*type*/, jlong handle, jstring path, jstring language, jint n_threads) {
  Transcriber& self = of(handle);
  const Recording recording(whisper_ext_audio_open(utf8_of(env, path).c_str()));
  if (recording == nullptr) {
    throw_last_error(env);
    return nullptr;
  }
  const std::string spoken = utf8_of(env, language);
  whisper_full_params params = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
  params.language = spoken.c_str();
  params.print_progress = false;
  params.n_threads = n_threads > 0 ? n_threads : params.n_threads;
  params.abort_callback = [](void* data) { return static_cast<Transcriber*>(data)->is_cancelled.load(); };
  params.abort_callback_user_data = &self;
  if (whisper_ext_full_audio(self.context, nullptr, params, nullptr, recording.get()) != 0) {
    throw_last_error(env);
    return nullptr;
  }
  std::string text;
  for (int i = 0; i < whisper_full_n_segments(self.context); ++i) {
    text += whisper_full_get_segment_text(self.context, i);
  }
  return text_of(env, text);
}

void JNICALL set_cancelled(JNIEnv* /*env*/, jclass /*type*/, jlong handle, jboolean is_cancelled) {
  of(handle).is_cancelled = is_cancelled != JNI_FALSE;
}

void JNICALL release(JNIEnv* /*env*/, jclass /*type*/, jlong handle) { delete &of(handle); }

}  // namespace

bool register_transcriber(JNIEnv* env) {
  const jclass type = env->FindClass("rn/wsp/TranscriberLibrary");
  const JNINativeMethod methods[] = {
      {const_cast<char*>("load"), const_cast<char*>("(Ljava/lang/String;)J"), reinterpret_cast<void*>(load)},
      {const_cast<char*>("transcribe"), const_cast<char*>("(JLjava/lang/String;Ljava/lang/String;I)Ljava/lang/String;"),
       reinterpret_cast<void*>(transcribe)},
      {const_cast<char*>("setCancelled"), const_cast<char*>("(JZ)V"), reinterpret_cast<void*>(set_cancelled)},
      {const_cast<char*>("release"), const_cast<char*>("(J)V"), reinterpret_cast<void*>(release)},
  };
  return type != nullptr && env->RegisterNatives(type, methods, 4) == JNI_OK;
}

}  // namespace speech::android
