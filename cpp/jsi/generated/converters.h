// Generated from templates/jsi/converters.h.j2 by `wsp generate`; do not edit.
//
// Between JavaScript objects and plain values. Only for the thread of the runtime.
#pragma once

#include <jsi/jsi.h>

#include <string>

#include "generated/values.h"

namespace speech::js {

/// VadOptions from an object; undefined stands for one without keys. path: what messages call it, such as "options".
/// Throws Refusal that names the field for an unknown key, a wrong type, a value outside its range, or keys that exclude each
/// other; a JSError of a getter passes through.
VadOptions read_vad_options(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// TranscribeOptions from an object; undefined stands for one without keys. path: what messages call it, such as "options".
/// Throws Refusal that names the field for an unknown key, a wrong type, a value outside its range, or keys that exclude each
/// other; a JSError of a getter passes through.
TranscribeOptions read_transcribe_options(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// Source from an object; undefined stands for one without keys. path: what messages call it, such as "options".
/// Throws Refusal that names the field for an unknown key, a wrong type, a value outside its range, or keys that exclude each
/// other; a JSError of a getter passes through.
Source read_source(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// ContextOptions from an object; undefined stands for one without keys. path: what messages call it, such as "options".
/// Throws Refusal that names the field for an unknown key, a wrong type, a value outside its range, or keys that exclude each
/// other; a JSError of a getter passes through.
ContextOptions read_context_options(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// Audio from an object; undefined stands for one without keys. path: what messages call it, such as "options".
/// Throws Refusal that names the field for an unknown key, a wrong type, a value outside its range, or keys that exclude each
/// other; a JSError of a getter passes through.
Audio read_audio(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// TranscribeCall from an object; undefined stands for one without keys. path: what messages call it, such as "options".
/// Throws Refusal that names the field for an unknown key, a wrong type, a value outside its range, or keys that exclude each
/// other; a JSError of a getter passes through.
TranscribeCall read_transcribe_call(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// LanguageCall from an object; undefined stands for one without keys. path: what messages call it, such as "options".
/// Throws Refusal that names the field for an unknown key, a wrong type, a value outside its range, or keys that exclude each
/// other; a JSError of a getter passes through.
LanguageCall read_language_call(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// VadCall from an object; undefined stands for one without keys. path: what messages call it, such as "options".
/// Throws Refusal that names the field for an unknown key, a wrong type, a value outside its range, or keys that exclude each
/// other; a JSError of a getter passes through.
VadCall read_vad_call(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// BenchCall from an object; undefined stands for one without keys. path: what messages call it, such as "options".
/// Throws Refusal that names the field for an unknown key, a wrong type, a value outside its range, or keys that exclude each
/// other; a JSError of a getter passes through.
BenchCall read_bench_call(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// Priority from a text. Throws Refusal.
Priority read_enum_Priority(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// AudioFormat from a text. Throws Refusal.
AudioFormat read_enum_AudioFormat(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// EventType from a text. Throws Refusal.
EventType read_enum_EventType(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// LogLevel from a text. Throws Refusal.
LogLevel read_enum_LogLevel(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// AlignmentModel from a text. Throws Refusal.
AlignmentModel read_enum_AlignmentModel(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// Backend from a text. Throws Refusal.
Backend read_enum_Backend(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// As JavaScript sees it: absent fields are no keys, texts are valid UTF-8.
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const Contract& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const Language& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const SystemInfo& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const MemoryEstimate& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const ModelInfo& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const Token& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const Word& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const Segment& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const SpeechSegment& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const Stats& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const Transcription& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const LanguageProbability& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const LanguageDetection& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const SpeechDetection& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const BenchResult& value);
facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, const TranscribeEvent& value);

}  // namespace speech::js
