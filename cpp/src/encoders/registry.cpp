// Kinds, suffixes and places.
#include "encoders/registry.h"

#include <algorithm>
#include <array>

#include "encoders/coreml/coreml_encoder.h"
#include "encoders/openvino/openvino_encoder.h"
#include "encoders/recorded/recorded_encoder.h"

namespace speech {
namespace {

// Compiled first: it is ready at once.
constexpr std::array<std::string_view, 2> kCoreMl = {"-encoder.mlmodelc", "-encoder.mlpackage"};
constexpr std::array<std::string_view, 1> kOpenVino = {"-encoder-openvino.xml"};
constexpr std::array<std::string_view, 1> kRecorded = {"-encoder.recorded"};

std::string_view ending_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(dot);
}

// "-q5_0", "-q4_K": as whisper.cpp names quantised models.
std::string_view without_row_type(std::string_view stem) {
  constexpr std::size_t kLength = 5;
  if (stem.size() > kLength) {
    const std::string_view end = stem.substr(stem.size() - kLength);
    if (end.starts_with("-q") && end[3] == '_') {
      return stem.substr(0, stem.size() - kLength);
    }
  }
  return stem;
}

}  // namespace

std::span<const EncoderKind> encoder_kinds() {
  static const std::array<EncoderKind, 3> kKinds = {{
      {"coreml", coreml_encoder_is_built(), kCoreMl, load_coreml_encoder},
      {"openvino", openvino_encoder_is_built(), kOpenVino, load_openvino_encoder},
      {"recorded", recorded_encoder_is_built(), kRecorded, load_recorded_encoder},
  }};
  return kKinds;
}

const EncoderKind* encoder_kind(std::string_view name) {
  const auto kinds = encoder_kinds();
  const auto found = std::ranges::find(kinds, name, &EncoderKind::name);
  return found != kinds.end() ? &*found : nullptr;
}

const EncoderKind* encoder_kind_of_file(std::string_view path) {
  while (path.ends_with('/')) {  // of a folder
    path.remove_suffix(1);
  }
  for (const EncoderKind& kind : encoder_kinds()) {
    for (const std::string_view suffix : kind.suffixes) {
      if (ending_of(path) == ending_of(suffix)) {
        return &kind;
      }
    }
  }
  return nullptr;
}

std::vector<std::string> encoder_paths(std::string_view model_path, const EncoderKind& kind) {
  std::vector<std::string> paths;
  if (model_path.empty()) {
    return paths;
  }
  std::string_view stem = model_path;
  if (stem.ends_with(".bin")) {
    stem.remove_suffix(4);
  }
  for (const std::string_view name : {stem, without_row_type(stem)}) {
    for (const std::string_view suffix : kind.suffixes) {
      std::string path = std::string(name) + std::string(suffix);
      if (std::ranges::find(paths, path) == paths.end()) {
        paths.push_back(std::move(path));
      }
    }
  }
  return paths;
}

}  // namespace speech
