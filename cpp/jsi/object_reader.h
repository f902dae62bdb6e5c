// Reads and checks the fields of an object that JavaScript gave, for the generated converters. Only for the thread of
// the runtime.
#pragma once

#include <jsi/jsi.h>

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bytes.h"

namespace speech::js {

/// The numbers that are allowed, and the same in words; special is one more, outside of the range.
struct NumberRange {
  double minimum = 0.0;
  double maximum = 0.0;
  bool minimum_exclusive = false;
  bool maximum_exclusive = false;
  double special = std::numeric_limits<double>::quiet_NaN();
  const char* words = "";
};

/// What a value is, for a message: 9, "text", undefined, an array.
std::string shown(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value);

/// Throws Refusal(invalid_argument): "<path> is <shown>; expected <expected>".
[[noreturn]] void refuse(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path,
                         const std::string& expected);

/// A text: valid UTF-8 without zero characters. Lone surrogates do not get here: engines replace them, or lose the
/// text. Throws Refusal.
std::string text_from(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path);

/// A number in the range. Throws Refusal.
double number_from(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path,
                   const NumberRange& range, bool whole);

/// Which of the names a text is. Throws Refusal.
std::size_t index_of(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, const std::string& path,
                     std::span<const std::string_view> names);

/// The fields of one object. A field that is undefined is as good as absent: its target stays as it is.
class ObjectReader {
 public:
  /// value: an object, or undefined for one without fields. keys: all that it may have; another one is refused as
  /// unknown_option. All functions throw Refusal.
  ObjectReader(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value, std::string path,
               std::span<const std::string_view> keys);

  void boolean(const char* name, bool& out) const;
  void text(const char* name, std::string& out) const;
  void text(const char* name, std::optional<std::string>& out) const;
  void path(const char* name, std::string& out) const { text(name, out); }
  void path(const char* name, std::optional<std::string>& out) const;
  void names(const char* name, std::vector<std::string>& out) const;
  void tokens(const char* name, const NumberRange& range, std::vector<int>& out) const;

  /// Copies the bytes of an ArrayBuffer, or those that a view of one shows.
  void bytes(const char* name, std::optional<Bytes>& out) const;

  template <typename Number>
  void number(const char* name, const NumberRange& range, Number& out) const {
    const facebook::jsi::Value value = field(name);
    if (value.isUndefined()) return;
    out = static_cast<Number>(number_from(rt_, value, path_of(name), range, std::is_integral_v<Number>));
  }

  template <typename Choice>
  void choice(const char* name, std::span<const std::string_view> names, Choice& out) const {
    const facebook::jsi::Value value = field(name);
    if (!value.isUndefined()) out = static_cast<Choice>(index_of(rt_, value, path_of(name), names));
  }

  template <typename Choice>
  void choice(const char* name, std::span<const std::string_view> names, std::optional<Choice>& out) const {
    const facebook::jsi::Value value = field(name);
    if (!value.isUndefined()) out = static_cast<Choice>(index_of(rt_, value, path_of(name), names));
  }

  /// The object in a field; none if it is absent.
  std::optional<ObjectReader> inner(const char* name, std::span<const std::string_view> keys) const;

  /// Throws, since both fields are given and exclude each other.
  [[noreturn]] void refuse_both(const char* one, const char* other) const;

  /// Throws unless exactly one of the fields is given.
  void require_one_of(std::initializer_list<const char*> names) const;

 private:
  facebook::jsi::Value field(const char* name) const;
  std::string path_of(const char* name) const { return path_ + "." + name; }
  void check_keys(std::span<const std::string_view> keys) const;

  facebook::jsi::Runtime& rt_;
  std::optional<facebook::jsi::Object> object_;
  std::string path_;
};

}  // namespace speech::js
