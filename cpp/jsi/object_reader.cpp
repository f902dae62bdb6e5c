// Implements object_reader.h.
#include "object_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "errors.h"
#include "utf8.h"

namespace speech::js {

namespace jsi = facebook::jsi;

namespace {

// Text of the caller's in a message: enough to recognise it.
constexpr std::size_t kShownLength = 60;
// Names further from each other than this are no misspelling of one another.
constexpr std::size_t kNearDistance = 2;
// More than any list of tokens or names that does something: a prompt keeps 224 tokens, and there are 100 languages.
constexpr std::size_t kMostItems = 100000;

std::string shown_number(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.10g", number);
  return text;
}

/// Letters to change, insert or leave out to make one of the other, or more than kNearDistance if those are too many.
/// Source: Levenshtein 1966.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > kNearDistance) return kNearDistance + 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j - 1] + 1, above + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

/// Text of the caller's, cut to what a message can show.
std::string cut(std::string text) {
  text = valid_utf8(std::move(text));
  if (text.size() <= kShownLength) return text;
  std::size_t end = kShownLength;
  // Not inside a character.
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

[[noreturn]] void refuse_key(const std::string& path, const std::string& name, std::span<const std::string_view> keys) {
  const auto near = std::min_element(
      keys.begin(), keys.end(), [&name](auto a, auto b) { return edit_distance(name, a) < edit_distance(name, b); });
  const std::string field = path + "." + cut(name);
  std::string hint = "this binary knows " + joined(keys);
  if (edit_distance(name, *near) <= kNearDistance) hint = "did you mean " + std::string(*near) + "?";
  throw Refusal(code::kUnknownOption, field, field + " is not known; " + hint);
}

bool is_in(double number, const NumberRange& range) {
  if (number == range.special) return true;
  return (range.minimum_exclusive ? number > range.minimum : number >= range.minimum) &&
         (range.maximum_exclusive ? number < range.maximum : number <= range.maximum);
}

/// An array that is no longer than kMostItems. Throws Refusal.
jsi::Array array_from(jsi::Runtime& rt, const jsi::Value& value, const std::string& path, const char* expected) {
  if (!value.isObject() || !value.getObject(rt).isArray(rt)) refuse(rt, value, path, expected);
  jsi::Array array = value.getObject(rt).getArray(rt);
  // Asked as a property: that of a proxy may be anything.
  const jsi::Value length = array.getProperty(rt, "length");
  if (!length.isNumber() || !(length.getNumber() >= 0.0 && length.getNumber() <= static_cast<double>(kMostItems))) {
    throw Refusal(code::kInvalidArgument, path,
                  path + " has a length of " + shown(rt, length) + "; expected at most " + std::to_string(kMostItems));
  }
  return array;
}

/// "[object Float32Array]" and the like, which also a buffer of another realm says of itself.
std::string tag_of(jsi::Runtime& rt, const jsi::Object& object) {
  const jsi::Function to_string = rt.global()
                                      .getPropertyAsObject(rt, "Object")
                                      .getPropertyAsObject(rt, "prototype")
                                      .getPropertyAsFunction(rt, "toString");
  return to_string.callWithThis(rt, object).asString(rt).utf8(rt);
}

}  // namespace

std::string shown(jsi::Runtime& rt, const jsi::Value& value) {
  if (value.isUndefined()) return "undefined";
  if (value.isNull()) return "null";
  if (value.isBool()) return value.getBool() ? "true" : "false";
  if (value.isNumber()) return shown_number(value.getNumber());
  if (value.isString()) {
    return '"' + cut(value.getString(rt).utf8(rt)) + '"';
  }
  if (!value.isObject()) return value.isSymbol() ? "a symbol" : "a bigint";
  const jsi::Object object = value.getObject(rt);
  if (object.isFunction(rt)) return "a function";
  if (object.isArray(rt)) return "an array";
  return object.isArrayBuffer(rt) ? "an ArrayBuffer" : "an object";
}

void refuse(jsi::Runtime& rt, const jsi::Value& value, const std::string& path, const std::string& expected) {
  throw Refusal(code::kInvalidArgument, path, path + " is " + shown(rt, value) + "; expected " + expected);
}

std::string text_from(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  if (!value.isString()) refuse(rt, value, path, "text");
  std::string text = value.getString(rt).utf8(rt);
  // A C string would end there in silence.
  if (text.find('\0') != std::string::npos) refuse(rt, value, path, "text without a zero character");
  if (!is_valid_utf8(text)) refuse(rt, value, path, "text that UTF-8 can write");
  return text;
}

double number_from(jsi::Runtime& rt, const jsi::Value& value, const std::string& path, const NumberRange& range,
                   bool whole) {
  const std::string words = *range.words == '\0' ? "" : std::string(", ") + range.words;
  const std::string expected = (whole ? "a whole number" : "a number") + words;
  if (!value.isNumber()) refuse(rt, value, path, expected);
  const double number = value.getNumber();
  if (!std::isfinite(number) || (whole && number != std::trunc(number))) refuse(rt, value, path, expected);
  if (!is_in(number, range)) refuse(rt, value, path, *range.words == '\0' ? "a smaller number" : range.words);
  return number;
}

std::size_t index_of(jsi::Runtime& rt, const jsi::Value& value, const std::string& path,
                     std::span<const std::string_view> names) {
  if (value.isString()) {
    const auto place = std::find(names.begin(), names.end(), value.getString(rt).utf8(rt));
    if (place != names.end()) return static_cast<std::size_t>(place - names.begin());
  }
  refuse(rt, value, path, "one of " + joined(names));
}

ObjectReader::ObjectReader(jsi::Runtime& rt, const jsi::Value& value, std::string path,
                           std::span<const std::string_view> keys)
    : rt_(rt), path_(std::move(path)) {
  if (value.isUndefined()) return;
  if (!value.isObject()) refuse(rt, value, path_, "an object");
  jsi::Object object = value.getObject(rt);
  // A buffer would have thousands of keys, none of them known.
  const bool is_plain = !object.isFunction(rt) && !object.isArray(rt) && !object.isArrayBuffer(rt) &&
                        object.getProperty(rt, "BYTES_PER_ELEMENT").isUndefined();
  if (!is_plain) refuse(rt, value, path_, "an object with named fields");
  object_ = std::move(object);
  check_keys(keys);
}

void ObjectReader::check_keys(std::span<const std::string_view> keys) const {
  const jsi::Array names = object_->getPropertyNames(rt_);
  for (std::size_t i = 0; i < names.size(rt_); ++i) {
    const jsi::String key = names.getValueAtIndex(rt_, i).asString(rt_);
    const std::string name = key.utf8(rt_);
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
    if (object_->getProperty(rt_, key).isUndefined()) continue;
    refuse_key(path_, name, keys);
  }
}

jsi::Value ObjectReader::field(const char* name) const {
  return object_ ? object_->getProperty(rt_, name) : jsi::Value::undefined();
}

void ObjectReader::boolean(const char* name, bool& out) const {
  const jsi::Value value = field(name);
  if (value.isUndefined()) return;
  if (!value.isBool()) refuse(rt_, value, path_of(name), "true or false");
  out = value.getBool();
}

void ObjectReader::text(const char* name, std::string& out) const {
  const jsi::Value value = field(name);
  if (!value.isUndefined()) out = text_from(rt_, value, path_of(name));
}

void ObjectReader::text(const char* name, std::optional<std::string>& out) const {
  const jsi::Value value = field(name);
  if (!value.isUndefined()) out = text_from(rt_, value, path_of(name));
}

void ObjectReader::path(const char* name, std::optional<std::string>& out) const {
  text(name, out);
  if (out && out->empty()) refuse(rt_, field(name), path_of(name), "a path");
}

void ObjectReader::names(const char* name, std::vector<std::string>& out) const {
  const jsi::Value value = field(name);
  if (value.isUndefined()) return;
  const jsi::Array array = array_from(rt_, value, path_of(name), "an array of texts");
  out.clear();
  for (std::size_t i = 0; i < array.size(rt_); ++i) {
    out.push_back(text_from(rt_, array.getValueAtIndex(rt_, i), path_of(name) + "[" + std::to_string(i) + "]"));
  }
}

void ObjectReader::tokens(const char* name, const NumberRange& range, std::vector<int>& out) const {
  const jsi::Value value = field(name);
  if (value.isUndefined()) return;
  const jsi::Array array = array_from(rt_, value, path_of(name), "an array of token ids");
  out.clear();
  for (std::size_t i = 0; i < array.size(rt_); ++i) {
    const std::string place = path_of(name) + "[" + std::to_string(i) + "]";
    out.push_back(static_cast<int>(number_from(rt_, array.getValueAtIndex(rt_, i), place, range, true)));
  }
}

void ObjectReader::bytes(const char* name, std::optional<Bytes>& out) const {
  const jsi::Value value = field(name);
  if (value.isUndefined()) return;
  const char* const expected = "an ArrayBuffer or a view of one";
  if (!value.isObject()) refuse(rt_, value, path_of(name), expected);
  const jsi::Object object = value.getObject(rt_);
  Bytes bytes;
  std::optional<jsi::ArrayBuffer> buffer;
  double offset = 0.0;
  if (object.isArrayBuffer(rt_)) {
    buffer = object.getArrayBuffer(rt_);
    bytes.size = buffer->size(rt_);
  } else {
    const jsi::Value inner = object.getProperty(rt_, "buffer");
    const jsi::Value start = object.getProperty(rt_, "byteOffset");
    const jsi::Value length = object.getProperty(rt_, "byteLength");
    if (!inner.isObject() || !inner.getObject(rt_).isArrayBuffer(rt_) || !start.isNumber() || !length.isNumber()) {
      refuse(rt_, value, path_of(name), expected);
    }
    const std::string tag = tag_of(rt_, object);
    bytes.kind = tag == "[object Float32Array]" ? ElementKind::kFloat32
                 : tag == "[object Int16Array]" ? ElementKind::kInt16
                                                : ElementKind::kOther;
    buffer = inner.getObject(rt_).getArrayBuffer(rt_);
    offset = start.getNumber();
    // What only looks like a view may say anything.
    const bool fits = offset >= 0.0 && length.getNumber() >= 0.0 &&
                      offset + length.getNumber() <= static_cast<double>(buffer->size(rt_));
    if (!fits) refuse(rt_, value, path_of(name), expected);
    bytes.size = static_cast<std::size_t>(length.getNumber());
  }
  // From here on no JavaScript runs, so that nothing can change the buffer.
  if (bytes.size > 0) {
    bytes.data.reset(new std::byte[bytes.size]);
    std::memcpy(bytes.data.get(), buffer->data(rt_) + static_cast<std::size_t>(offset), bytes.size);
  }
  out = std::move(bytes);
}

std::optional<ObjectReader> ObjectReader::inner(const char* name, std::span<const std::string_view> keys) const {
  const jsi::Value value = field(name);
  if (value.isUndefined()) return std::nullopt;
  return ObjectReader(rt_, value, path_of(name), keys);
}

void ObjectReader::refuse_both(const char* one, const char* other) const {
  throw Refusal(code::kInvalidArgument, path_of(one),
                path_of(one) + " and " + path_of(other) + " are both given; expected one of them");
}

void ObjectReader::require_one_of(std::initializer_list<const char*> names) const {
  std::string all;
  int n_given = 0;
  for (const char* name : names) {
    all += (all.empty() ? "" : ", ") + std::string(name);
    if (!field(name).isUndefined()) ++n_given;
  }
  if (n_given == 1) return;
  throw Refusal(code::kInvalidArgument, path_,
                path_ + " has " + std::to_string(n_given) + " of " + all + "; expected exactly one");
}

}  // namespace speech::js
