// What the native methods share: texts, exceptions and calls across the border of Java. It knows no model.
#pragma once

#include <jni.h>

#include <string>

namespace speech::android {

/// UTF-8 of a text of Java; what is no character becomes U+FFFD. Java's own "modified UTF-8" is none.
std::string utf8_of(JNIEnv* env, jstring text);

/// A text of Java; null after an exception. Bytes that are no UTF-8 become U+FFFD.
jstring text_of(JNIEnv* env, const std::string& utf8);

/// Throws rn.wsp.SpeechException with the core's code and sentence.
void throw_error(JNIEnv* env, int code, const std::string& message);
/// The same with the thread's last error of the core.
void throw_last_error(JNIEnv* env);

/// What a pending exception says; it is cleared. Empty without one.
std::string take_exception(JNIEnv* env);

/// The environment of the calling thread, which is attached to Java while this lives.
class Attached {
 public:
  explicit Attached(JavaVM* java);
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  ~Attached();

  JNIEnv* operator->() const { return env_; }
  JNIEnv* get() const { return env_; }

 private:
  JavaVM* java_;
  JNIEnv* env_ = nullptr;
  bool is_ours_ = false;
};

/// Registers what platform.cpp opens and decodes, and transcriber.cpp's methods; false after an exception.
bool register_platform(JNIEnv* env);
bool register_transcriber(JNIEnv* env);

}  // namespace speech::android
