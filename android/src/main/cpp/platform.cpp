// Paths that Java opens and recordings that it decodes, as the core asks for them; on whatever thread asks.
#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "java.h"
#include "whisper_ext.h"

namespace speech::android {
namespace {

constexpr int kOpenedFields = 3;  // descriptor, offset, bytes

// Set once, before anything is opened, and never freed.
struct Platform {
  JavaVM* java = nullptr;
  jobject object = nullptr;
  jmethodID open = nullptr;
  jmethodID decode = nullptr;
};
Platform g_platform;

struct Receiver {
  whisper_ext_samples receive;
  void* sink;
};

void say(const std::string& what, char* message, std::size_t n_message) {
  std::snprintf(message, n_message, "%s", what.c_str());
}

bool open_path(const char* path, whisper_ext_opened* opened, char* message, std::size_t n_message, void* /*data*/) {
  const Attached env(g_platform.java);
  if (env.get() == nullptr) {
    say("the thread cannot be attached to Java", message, n_message);
    return false;
  }
  const jstring text = text_of(env.get(), path);
  const auto fields = static_cast<jlongArray>(
      text != nullptr ? env->CallObjectMethod(g_platform.object, g_platform.open, text) : nullptr);
  const std::string thrown = take_exception(env.get());
  jlong values[kOpenedFields] = {-1, 0, -1};
  if (thrown.empty() && fields != nullptr) {
    env->GetLongArrayRegion(fields, 0, kOpenedFields, values);
  }
  env->DeleteLocalRef(fields);
  env->DeleteLocalRef(text);
  say(thrown, message, n_message);
  *opened = {static_cast<int>(values[0]), values[1], values[2]};
  return values[0] >= 0;
}

bool decode_path(const char* path, whisper_ext_samples receive, void* sink, char* message, std::size_t n_message,
                 void* /*data*/) {
  const Attached env(g_platform.java);
  if (env.get() == nullptr) {
    say("the thread cannot be attached to Java", message, n_message);
    return false;
  }
  Receiver receiver = {receive, sink};
  const jstring text = text_of(env.get(), path);
  if (text != nullptr) {
    env->CallVoidMethod(g_platform.object, g_platform.decode, text, reinterpret_cast<jlong>(&receiver));
  }
  const std::string thrown = take_exception(env.get());
  env->DeleteLocalRef(text);
  say(thrown, message, n_message);
  return thrown.empty();
}

void JNICALL install(JNIEnv* env, jclass /*type*/, jobject object) {
  const jclass type = env->GetObjectClass(object);
  Platform found;
  found.open = env->GetMethodID(type, "open", "(Ljava/lang/String;)[J");
  found.decode = found.open != nullptr ? env->GetMethodID(type, "decode", "(Ljava/lang/String;J)V") : nullptr;
  if (found.decode == nullptr || env->GetJavaVM(&found.java) != JNI_OK) {
    return;
  }
  found.object = env->NewGlobalRef(object);
  g_platform = found;
  whisper_ext_set_opener(open_path, nullptr);
  whisper_ext_set_decoder(decode_path, nullptr);
}

// receiver: what decode_path() gave to Java, which calls back only meanwhile.
jboolean JNICALL receive_samples(JNIEnv* env, jclass /*type*/, jlong receiver, jfloatArray samples, jint count) {
  jfloat* const values = env->GetFloatArrayElements(samples, nullptr);
  if (values == nullptr || count < 0 || count > env->GetArrayLength(samples)) {
    return JNI_FALSE;
  }
  const auto* const to = reinterpret_cast<const Receiver*>(receiver);
  const bool goes_on = to->receive(values, static_cast<std::size_t>(count), to->sink);
  env->ReleaseFloatArrayElements(samples, values, JNI_ABORT);
  return goes_on ? JNI_TRUE : JNI_FALSE;
}

jint JNICALL duplicate(JNIEnv* env, jclass /*type*/, jint descriptor) {
  const int made = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (made < 0) {
    throw_error(env, WHISPER_EXT_IO, "the open file cannot be kept: " + std::generic_category().message(errno));
  }
  return made;
}

jfloatArray JNICALL resample(JNIEnv* env, jclass /*type*/, jfloatArray samples, jint from_hz, jint to_hz) {
  const jsize n = env->GetArrayLength(samples);
  jfloat* const values = env->GetFloatArrayElements(samples, nullptr);
  if (values == nullptr) {
    return nullptr;
  }
  jfloatArray out = nullptr;
  const std::int64_t length = whisper_ext_resample(values, n, from_hz, to_hz, nullptr, 0);
  if (length < 0) {
    throw_last_error(env);
  } else if ((out = env->NewFloatArray(static_cast<jsize>(length))) != nullptr) {
    jfloat* const made = env->GetFloatArrayElements(out, nullptr);
    if (made != nullptr) {
      if (whisper_ext_resample(values, n, from_hz, to_hz, made, length) < 0) {
        throw_last_error(env);
      }
      env->ReleaseFloatArrayElements(out, made, 0);
    }
  }
  env->ReleaseFloatArrayElements(samples, values, JNI_ABORT);
  return out;
}

}  // namespace

bool register_platform(JNIEnv* env) {
  const jclass type = env->FindClass("rn/wsp/PlatformLibrary");
  const JNINativeMethod methods[] = {
      {const_cast<char*>("install"), const_cast<char*>("(Lrn/wsp/Platform;)V"), reinterpret_cast<void*>(install)},
      {const_cast<char*>("duplicate"), const_cast<char*>("(I)I"), reinterpret_cast<void*>(duplicate)},
      {const_cast<char*>("receive"), const_cast<char*>("(J[FI)Z"), reinterpret_cast<void*>(receive_samples)},
      {const_cast<char*>("resample"), const_cast<char*>("([FII)[F"), reinterpret_cast<void*>(resample)},
  };
  return type != nullptr && env->RegisterNatives(type, methods, 4) == JNI_OK;
}

}  // namespace speech::android
