// Writes plain values into JavaScript objects, for the generated converters. Only for the thread of the runtime.
#pragma once

#include <jsi/jsi.h>

#include <concepts>
#include <string_view>
#include <vector>

#include "utf8.h"

namespace speech::js {

inline facebook::jsi::Value to_js(facebook::jsi::Runtime&, bool value) { return {value}; }

template <typename Number>
  requires(std::integral<Number> || std::floating_point<Number>) && (!std::same_as<Number, bool>)
facebook::jsi::Value to_js(facebook::jsi::Runtime&, Number value) {
  return {static_cast<double>(value)};
}

/// Valid UTF-8, whatever the text holds.
inline facebook::jsi::Value to_js(facebook::jsi::Runtime& rt, std::string_view text) {
  return facebook::jsi::String::createFromUtf8(rt, valid_utf8(text));
}

template <typename Item, typename Convert>
facebook::jsi::Array list_to_js(facebook::jsi::Runtime& rt, const std::vector<Item>& items, const Convert& convert) {
  facebook::jsi::Array array(rt, items.size());
  for (std::size_t i = 0; i < items.size(); ++i) array.setValueAtIndex(rt, i, convert(items[i]));
  return array;
}

template <typename Item>
void put(facebook::jsi::Runtime& rt, facebook::jsi::Object& out, const char* name, const Item& value) {
  out.setProperty(rt, name, to_js(rt, value));
}

template <typename Item, typename Convert>
void put_list(facebook::jsi::Runtime& rt, facebook::jsi::Object& out, const char* name, const std::vector<Item>& items,
              const Convert& convert) {
  out.setProperty(rt, name, list_to_js(rt, items, convert));
}

}  // namespace speech::js
