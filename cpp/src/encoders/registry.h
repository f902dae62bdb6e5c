// Lists the kinds of external encoders, and where one lies that belongs to a model. The only place that knows them all.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encoders/external_encoder.h"

namespace speech {

struct EncoderKind {
  std::string_view name;                       ///< "coreml"
  bool is_built;                               ///< in this build
  std::span<const std::string_view> suffixes;  ///< of its files, behind the model's name: "-encoder.mlmodelc"
  EncoderLoader load;
};

/// All of them, those that are preferred first.
std::span<const EncoderKind> encoder_kinds();

/// Null for a name that is none's.
const EncoderKind* encoder_kind(std::string_view name);

/// The kind whose files end like this one; null if there is none.
const EncoderKind* encoder_kind_of_file(std::string_view path);

/// Where an encoder of that kind would lie: the model's path without ".bin", and without a type such as "-q5_0", then
/// a suffix. A model that comes from no file has no such place.
std::vector<std::string> encoder_paths(std::string_view model_path, const EncoderKind& kind);

}  // namespace speech
