// Implements core_context.h.
#include "core_context.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core_calls.h"
#include "core_error.h"
#include "whisper_ext.h"

namespace speech::python {
namespace {

std::shared_ptr<whisper_context> owned(whisper_context* context) {
  return std::shared_ptr<whisper_context>(context, [](whisper_context* pointer) { whisper_free(pointer); });
}

struct Preset {
  const char* model;
  whisper_alignment_heads_preset number;
};

constexpr Preset kPresets[] = {
    {"tiny.en", WHISPER_AHEADS_TINY_EN},     {"tiny", WHISPER_AHEADS_TINY},
    {"base.en", WHISPER_AHEADS_BASE_EN},     {"base", WHISPER_AHEADS_BASE},
    {"small.en", WHISPER_AHEADS_SMALL_EN},   {"small", WHISPER_AHEADS_SMALL},
    {"medium.en", WHISPER_AHEADS_MEDIUM_EN}, {"medium", WHISPER_AHEADS_MEDIUM},
    {"large-v1", WHISPER_AHEADS_LARGE_V1},   {"large-v2", WHISPER_AHEADS_LARGE_V2},
    {"large-v3", WHISPER_AHEADS_LARGE_V3},   {"large-v3-turbo", WHISPER_AHEADS_LARGE_V3_TURBO},
};

/// Parameters of a context with the alignment heads that `dtw` asks for: None, a model's name, the number of last
/// layers, or pairs of layer and head.
class ContextParams {
 public:
  explicit ContextParams(const py::object& dtw) {
    if (dtw.is_none()) return;
    params.dtw_token_timestamps = true;
    // Upstream forgets about alignment otherwise.
    if (!whisper_ext_can(WHISPER_EXT_CAN_DTW)) params.flash_attn = false;
    if (py::isinstance<py::str>(dtw)) {
      params.dtw_aheads_preset = preset(dtw.cast<std::string>());
    } else if (py::isinstance<py::int_>(dtw)) {
      params.dtw_aheads_preset = WHISPER_AHEADS_N_TOP_MOST;
      params.dtw_n_top = dtw.cast<int>();
    } else {
      for (const auto& [layer, head] : dtw.cast<std::vector<std::pair<int, int>>>()) heads_.push_back({layer, head});
      params.dtw_aheads_preset = WHISPER_AHEADS_CUSTOM;
      params.dtw_aheads = {heads_.size(), heads_.data()};
    }
  }
  ContextParams(const ContextParams&) = delete;
  ContextParams& operator=(const ContextParams&) = delete;

  whisper_context_params params = whisper_context_default_params();

 private:
  static whisper_alignment_heads_preset preset(const std::string& name) {
    std::string known;
    for (const Preset& one : kPresets) {
      if (name == one.model) return one.number;
      known += (known.empty() ? "" : ", ") + std::string(one.model);
    }
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "no alignment heads are known for the model '" + name + "'",
                  "one of " + known);
  }

  std::vector<whisper_ahead> heads_;
};

struct NamedBackend {
  const char* name;
  whisper_ext_backend number;
};

constexpr NamedBackend kBackends[] = {
    {"auto", WHISPER_EXT_BACKEND_AUTO},         {"cpu", WHISPER_EXT_BACKEND_CPU},
    {"metal", WHISPER_EXT_BACKEND_METAL},       {"coreml", WHISPER_EXT_BACKEND_COREML},
    {"openvino", WHISPER_EXT_BACKEND_OPENVINO},
};

/// Points into the choice.
whisper_ext_context_options options_of(const Choice& choice) {
  whisper_ext_context_options options = whisper_ext_default_context_options();
  options.no_state = true;
  if (!choice.encoder_path.empty()) options.encoder_path = choice.encoder_path.c_str();
  if (!choice.cache_path.empty()) options.cache_path = choice.cache_path.c_str();
  std::string known;
  for (const NamedBackend& one : kBackends) {
    if (choice.backend == one.name) {
      options.backend = one.number;
      return options;
    }
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "no back-end is called '" + choice.backend + "'", "one of " + known);
}

std::vector<std::string> backends() {
  std::vector<std::string> names;
  for (const NamedBackend& one : kBackends) names.emplace_back(one.name);
  return names;
}

std::vector<std::string> alignment_presets() {
  std::vector<std::string> names;
  for (const Preset& one : kPresets) names.emplace_back(one.model);
  return names;
}

/// (weights_bytes, state_bytes) of a model that is not loaded.
py::tuple estimate_memory(const std::string& path) {
  const NativeCall call;
  whisper_ext_memory memory = {};
  whisper_ext_clear_error();
  bool ok = false;
  {
    const py::gil_scoped_release release;
    ok = whisper_ext_estimate_memory(path.c_str(), &memory);
  }
  if (!ok) throw_last_error("estimating the memory of the model");
  return py::make_tuple(memory.weights_bytes, memory.state_bytes);
}

struct Ability {
  const char* name;
  whisper_ext_capability number;
};

constexpr Ability kAbilities[] = {
    {"metal", WHISPER_EXT_CAN_METAL},
    {"coreml", WHISPER_EXT_CAN_COREML},
    {"openvino", WHISPER_EXT_CAN_OPENVINO},
    {"beam_top_k", WHISPER_EXT_CAN_BEAM_TOP_K},
    {"dtw", WHISPER_EXT_CAN_DTW},
    {"extra_options", WHISPER_EXT_CAN_EXTRA_OPTIONS},
    {"memory_estimate", WHISPER_EXT_CAN_MEMORY_ESTIMATE},
    {"full_audio", WHISPER_EXT_CAN_FULL_AUDIO},
    {"stats", WHISPER_EXT_CAN_STATS},
};

std::vector<std::string> capabilities() {
  std::vector<std::string> names;
  for (const Ability& one : kAbilities) {
    if (whisper_ext_can(one.number)) names.emplace_back(one.name);
  }
  return names;
}

/// A Python object with read(n) behind the callbacks of whisper_model_loader. The first exception ends the stream and
/// is kept.
class FileSource {
 public:
  explicit FileSource(const py::object& file) : read_(file.attr("read")) {}

  whisper_model_loader loader() {
    return {this,
            [](void* self, void* output, size_t size) { return static_cast<FileSource*>(self)->read(output, size); },
            nullptr, nullptr};
  }

  /// Raises what read() raised.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  // Bytes asked of read() at a time: the object that it returns is a copy, so its size is bounded.
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

  std::size_t read(void* output, std::size_t size) noexcept {
    if (error_ || is_shutting_down()) return 0;
    std::size_t done = 0;
    try {
      const py::gil_scoped_acquire acquire;
      while (done < size) {
        const std::size_t asked = std::min(size - done, kPieceBytes);
        const py::object piece = read_(asked);
        if (!PyBytes_Check(piece.ptr())) throw py::type_error("read() of a model file must return bytes");
        const auto got = static_cast<std::size_t>(PyBytes_GET_SIZE(piece.ptr()));
        if (got == 0) break;
        if (got > asked) throw py::value_error("read(n) of a model file returned more than n bytes");
        std::memcpy(static_cast<char*>(output) + done, PyBytes_AS_STRING(piece.ptr()), got);
        done += got;
      }
    } catch (...) {
      error_ = std::current_exception();
      return 0;
    }
    return done;
  }

  py::object read_;
  std::exception_ptr error_;
};

std::vector<whisper_token> tokenize(const Context& context, const std::string& text) {
  if (text.find('\0') != std::string::npos) {
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "text with a zero character", "text without one");
  }
  whisper_context* model = context.model().get();
  // A token stands for at least one byte.
  std::vector<whisper_token> tokens(text.size());
  whisper_ext_clear_error();
  const int n_tokens = whisper_tokenize(model, text.c_str(), tokens.data(), static_cast<int>(tokens.size()));
  if (n_tokens < 0) throw_last_error("tokenizing");
  tokens.resize(static_cast<std::size_t>(n_tokens));
  return tokens;
}

py::bytes token_bytes(const Context& context, whisper_token token) {
  whisper_ext_clear_error();
  const char* text = whisper_token_to_str(context.model().get(), token);
  if (text == nullptr) {
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "token id " + std::to_string(token),
                  "an id from 0 to " + std::to_string(whisper_n_vocab(context.model().get()) - 1));
  }
  return py::bytes(text);
}

py::dict describe(const Context& context) {
  whisper_context* model = context.model().get();
  py::dict about;
  about["type"] = text_of(whisper_model_type_readable(model));
  about["multilingual"] = whisper_is_multilingual(model) != 0;
  about["n_vocab"] = whisper_model_n_vocab(model);
  about["n_audio_ctx"] = whisper_model_n_audio_ctx(model);
  about["n_audio_state"] = whisper_model_n_audio_state(model);
  about["n_audio_head"] = whisper_model_n_audio_head(model);
  about["n_audio_layer"] = whisper_model_n_audio_layer(model);
  about["n_text_ctx"] = whisper_model_n_text_ctx(model);
  about["n_text_state"] = whisper_model_n_text_state(model);
  about["n_text_head"] = whisper_model_n_text_head(model);
  about["n_text_layer"] = whisper_model_n_text_layer(model);
  about["n_mels"] = whisper_model_n_mels(model);
  about["ftype"] = whisper_model_ftype(model);
  return about;
}

py::dict special_tokens(const Context& context) {
  whisper_context* model = context.model().get();
  py::dict tokens;
  tokens["end_of_text"] = whisper_token_eot(model);
  tokens["start_of_transcript"] = whisper_token_sot(model);
  tokens["speaker_turn"] = whisper_token_solm(model);
  tokens["previous_text"] = whisper_token_prev(model);
  tokens["no_speech"] = whisper_token_nosp(model);
  tokens["no_timestamps"] = whisper_token_not(model);
  tokens["first_timestamp"] = whisper_token_beg(model);
  tokens["translate"] = whisper_token_translate(model);
  tokens["transcribe"] = whisper_token_transcribe(model);
  return tokens;
}

std::vector<std::pair<std::string, std::string>> languages() {
  std::vector<std::pair<std::string, std::string>> all;
  for (int id = 0; id <= whisper_lang_max_id(); ++id) all.emplace_back(whisper_lang_str(id), whisper_lang_str_full(id));
  return all;
}

std::optional<int> language_id(const std::string& name) {
  const int id = whisper_lang_id(name.c_str());
  return id < 0 ? std::nullopt : std::optional(id);
}

}  // namespace

std::unique_ptr<Context> Context::from_path(const std::string& path, const py::object& dtw, const Choice& choice) {
  const NativeCall call;
  const ContextParams with(dtw);
  const whisper_ext_context_options options = options_of(choice);
  whisper_ext_clear_error();
  std::shared_ptr<whisper_context> model;
  {
    const py::gil_scoped_release release;
    model = owned(whisper_ext_init_from_file(path.c_str(), with.params, &options));
  }
  if (!model) throw_last_error("loading the model", WHISPER_EXT_BAD_FORMAT);
  return std::unique_ptr<Context>(new Context(std::move(model)));
}

std::unique_ptr<Context> Context::from_buffer(const py::buffer& data, const py::object& dtw, const Choice& choice) {
  const NativeCall call;
  const ContextParams with(dtw);
  const whisper_ext_context_options options = options_of(choice);
  const py::buffer_info bytes = data.request();
  if (!PyBuffer_IsContiguous(bytes.view(), 'C')) {
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "the buffer has gaps", "contiguous bytes of a model file");
  }
  whisper_ext_clear_error();
  std::shared_ptr<whisper_context> model;
  {
    const py::gil_scoped_release release;
    const auto size = static_cast<std::size_t>(bytes.size * bytes.itemsize);
    model = owned(whisper_ext_init_from_buffer(bytes.ptr, size, with.params, &options));
  }
  if (!model) throw_last_error("loading the model", WHISPER_EXT_BAD_FORMAT);
  return std::unique_ptr<Context>(new Context(std::move(model)));
}

std::unique_ptr<Context> Context::from_file(const py::object& file, const py::object& dtw, const Choice& choice) {
  const NativeCall call;
  const ContextParams with(dtw);
  const whisper_ext_context_options options = options_of(choice);
  FileSource source(file);
  whisper_ext_clear_error();
  std::shared_ptr<whisper_context> model;
  {
    const py::gil_scoped_release release;
    whisper_model_loader loader = source.loader();
    model = owned(whisper_ext_init(&loader, with.params, &options));
  }
  source.rethrow();
  if (!model) throw_last_error("loading the model", WHISPER_EXT_BAD_FORMAT);
  return std::unique_ptr<Context>(new Context(std::move(model)));
}

const std::shared_ptr<whisper_context>& Context::model() const {
  if (!model_)
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "the context was closed", "an open one", "Load the model again.");
  return model_;
}

void bind_context(py::module_& module) {
  py::class_<Choice>(module, "Choice", "What is to compute; paths are bytes.")
      .def(py::init([](std::string backend, std::string encoder_path, std::string cache_path) {
             return Choice{std::move(backend), std::move(encoder_path), std::move(cache_path)};
           }),
           py::arg("backend"), py::arg("encoder_path"), py::arg("cache_path"));

  py::class_<Context>(module, "Context", "A loaded model.")
      .def_static("from_path", &Context::from_path, py::arg("path"), py::arg("dtw") = py::none(),
                  py::arg("choice") = Choice(), "Loads a file; the path is bytes.")
      .def_static("from_buffer", &Context::from_buffer, py::arg("data"), py::arg("dtw") = py::none(),
                  py::arg("choice") = Choice(), "Loads a file that lies in memory.")
      .def_static("from_file", &Context::from_file, py::arg("file"), py::arg("dtw") = py::none(),
                  py::arg("choice") = Choice(), "Loads from an object with read(n).")
      .def("close", &Context::close)
      .def_property_readonly("closed", &Context::is_closed)
      .def("describe", &describe)
      .def("special_tokens", &special_tokens)
      .def("tokenize", &tokenize, py::arg("text"))
      .def("token_bytes", &token_bytes, py::arg("token"))
      .def("language_token",
           [](const Context& context, int language) { return whisper_token_lang(context.model().get(), language); })
      .def_property_readonly(
          "backend", [](const Context& context) { return text_of(whisper_ext_backend_name(context.model().get())); })
      .def_property_readonly(
          "backend_reason",
          [](const Context& context) { return text_of(whisper_ext_backend_reason(context.model().get())); })
      .def_property_readonly(
          "encoder", [](const Context& context) { return text_of(whisper_ext_encoder_name(context.model().get())); })
      .def_property_readonly("encoder_reason", [](const Context& context) {
        return text_of(whisper_ext_encoder_reason(context.model().get()));
      });

  module.def("backends", &backends, "Names of whisper_ext_backend, whether built in or not.");
  module.def("alignment_presets", &alignment_presets, "Models whose alignment heads are known, by name.");
  module.def("estimate_memory", &estimate_memory, py::arg("path"),
             "Bytes of weights and of a state; the path is bytes.");
  module.def("languages", &languages, "All languages in the order of their ids, as (code, English name).");
  module.def("language_id", &language_id, py::arg("name"), "Id of a code or English name; None if unknown.");
  module.def("capabilities", &capabilities, "What this build can do, by the names of whisper_ext_capability.");
  module.def("kernel_table", [] { return text_of(whisper_ext_kernel_table()); });
  module.def("system_info", [] { return text_of(whisper_print_system_info()); });
  module.def("api_version", [] { return text_of(whisper_version()); });
}

}  // namespace speech::python
