// Implements java.h, and tells Java of the methods when the library is loaded.
#include "java.h"

#include <cstdint>
#include <vector>

#include "whisper_ext.h"

namespace speech::android {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    out += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
            static_cast<char>(0x80 | (c & 0x3F))};
  } else {
    out += {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3F)),
            static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
  }
}

// The next character of UTF-8, whose place moves behind it; one byte further if there is none.
char32_t next_character(const std::string& text, std::size_t& at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned first = byte(at);
  const int n_more = first < 0x80 ? 0 : first >= 0xF0 && first < 0xF5 ? 3 : first >= 0xE0 ? 2 : first >= 0xC2 ? 1 : -1;
  char32_t c = n_more == 0 ? first : first & (0x3FU >> static_cast<unsigned>(n_more < 0 ? 0 : n_more));
  bool is_right = n_more >= 0 && first < 0xF5;
  for (int i = 1; is_right && i <= n_more; ++i) {
    const unsigned next = byte(at + static_cast<std::size_t>(i));
    is_right = (next & 0xC0) == 0x80;
    c = c << 6 | (next & 0x3F);
  }
  constexpr char32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
  is_right = is_right && c >= kLeast[n_more] && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
  at += is_right ? static_cast<std::size_t>(n_more) + 1 : 1;
  return is_right ? c : kReplacement;
}

}  // namespace

std::string utf8_of(JNIEnv* env, jstring text) {
  std::string out;
  const jsize length = env->GetStringLength(text);
  const jchar* const units = env->GetStringChars(text, nullptr);
  if (units == nullptr) {
    env->ExceptionClear();
    return out;
  }
  for (jsize i = 0; i < length; ++i) {
    char32_t c = units[i];
    if (c >= 0xD800 && c <= 0xDFFF) {
      const char32_t low = i + 1 < length ? units[i + 1] : 0;
      const bool is_pair = c < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF;
      c = is_pair ? 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00) : kReplacement;
      i += is_pair ? 1 : 0;
    }
    append_utf8(out, c);
  }
  env->ReleaseStringChars(text, units);
  return out;
}

jstring text_of(JNIEnv* env, const std::string& utf8) {
  std::vector<jchar> units;
  units.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    const char32_t c = next_character(utf8, at);
    if (c >= 0x10000) {
      units.push_back(static_cast<jchar>(0xD800 + ((c - 0x10000) >> 10)));
      units.push_back(static_cast<jchar>(0xDC00 + ((c - 0x10000) & 0x3FF)));
    } else {
      units.push_back(static_cast<jchar>(c));
    }
  }
  return env->NewString(units.data(), static_cast<jsize>(units.size()));
}

void throw_error(JNIEnv* env, int code, const std::string& message) {
  if (env->ExceptionCheck() != JNI_FALSE) {
    return;
  }
  const jclass type = env->FindClass("rn/wsp/SpeechException");
  if (type == nullptr) {
    return;
  }
  const jmethodID make = env->GetMethodID(type, "<init>", "(ILjava/lang/String;)V");
  const jstring text = make != nullptr ? text_of(env, message) : nullptr;
  if (text != nullptr) {
    env->Throw(static_cast<jthrowable>(env->NewObject(type, make, static_cast<jint>(code), text)));
  }
}

void throw_last_error(JNIEnv* env) { throw_error(env, whisper_ext_last_error_code(), whisper_ext_last_error()); }

std::string take_exception(JNIEnv* env) {
  const jthrowable thrown = env->ExceptionOccurred();
  if (thrown == nullptr) {
    return {};
  }
  env->ExceptionClear();
  const jclass type = env->GetObjectClass(thrown);
  std::string message;
  for (const char* name : {"getMessage", "toString"}) {
    const jmethodID say = env->GetMethodID(type, name, "()Ljava/lang/String;");
    const auto text = static_cast<jstring>(env->CallObjectMethod(thrown, say));
    if (env->ExceptionCheck() != JNI_FALSE) {
      env->ExceptionClear();
    } else if (text != nullptr && message.empty()) {
      message = utf8_of(env, text);
    }
  }
  return message.empty() ? "an exception of Java without words" : message;
}

Attached::Attached(JavaVM* java) : java_(java) {
  void* env = nullptr;
  if (java_->GetEnv(&env, JNI_VERSION_1_6) == JNI_OK) {
    env_ = static_cast<JNIEnv*>(env);
    return;
  }
#ifdef __ANDROID__
  is_ours_ = java_->AttachCurrentThread(&env_, nullptr) == JNI_OK;
#else
  // The JDK's header has another type for it.
  is_ours_ = java_->AttachCurrentThread(reinterpret_cast<void**>(&env_), nullptr) == JNI_OK;
#endif
  env_ = is_ours_ ? env_ : nullptr;
}

Attached::~Attached() {
  if (is_ours_) {
    java_->DetachCurrentThread();
  }
}

}  // namespace speech::android

extern "C" JNIEXPORT jint JNI_OnLoad(JavaVM* java, void* /*reserved*/) {
  void* env = nullptr;
  if (java->GetEnv(&env, JNI_VERSION_1_6) != JNI_OK) {
    return JNI_ERR;
  }
  auto* const here = static_cast<JNIEnv*>(env);
  const bool is_whole = speech::android::register_platform(here) && speech::android::register_transcriber(here);
  return is_whole ? JNI_VERSION_1_6 : JNI_ERR;
}
