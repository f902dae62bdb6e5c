// Back-ends and encoders by choice: what is used, what is said, and every way back to the own encoder.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "capi/handles.h"
#include "capi/loaded.h"
#include "encoders/registry.h"

namespace speech::testing {
namespace {

constexpr std::size_t kTwoWindows = 16000 * 40;

std::vector<float> encoded(whisper_context* context) {
  const std::span<const float> output = context->state->state->engine->encoder_output().value();
  return {output.begin(), output.end()};
}

// A model in a folder of its own, and what its own encoder gives for made-up audio.
class BackendChoice : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string place = (std::filesystem::temp_directory_path() / "backend_choice.XXXXXX").string();
    ASSERT_NE(mkdtemp(place.data()), nullptr);
    folder_ = place;
    write("model.bin", std::as_bytes(std::span(synthetic_model({}).bytes)));
    const ContextPointer context = load("model.bin");
    ASSERT_NE(context, nullptr) << whisper_ext_last_error();
    fingerprint_ = context->model->weights().encoder_fingerprint;
    ASSERT_EQ(transcribe(context.get(), short_params(), audio_), 0);
    own_tokens_ = result_tokens(context.get());
    own_output_ = encoded(context.get());
    const Hyperparameters& sizes = context->model->hyperparameters();
    sizes_ = std::to_string(sizes.n_mels) + " " + std::to_string(sizes.n_audio_state) + " " +
             std::to_string(sizes.n_audio_ctx);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  void write(const std::string& name, std::span<const std::byte> data) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  }

  void write_recorded(const std::string& name, const std::string& head, const std::vector<float>& windows) const {
    const std::string line = "recorded " + head + "\n";
    std::vector<std::byte> data(line.size() + windows.size() * sizeof(float));
    std::memcpy(data.data(), line.data(), line.size());
    std::memcpy(data.data() + line.size(), windows.data(), windows.size() * sizeof(float));
    write(name, data);
  }

  ContextPointer load(const std::string& name, whisper_ext_context_options options = default_options()) const {
    whisper_ext_clear_error();
    return ContextPointer(whisper_ext_init_from_file(path(name).c_str(), whisper_context_default_params(), &options));
  }

  static whisper_ext_context_options default_options() { return whisper_ext_default_context_options(); }
  static whisper_ext_context_options with(whisper_ext_backend backend) {
    whisper_ext_context_options options = default_options();
    options.backend = backend;
    return options;
  }

  // That the own encoder computes, and with the same result as without anything beside the model.
  void expect_own(whisper_context* context, const std::string& reason) const {
    ASSERT_NE(context, nullptr) << whisper_ext_last_error();
    EXPECT_EQ(transcribe(context, short_params(), audio_), 0) << whisper_ext_last_error();
    EXPECT_EQ(result_tokens(context), own_tokens_);
    EXPECT_STREQ(whisper_ext_encoder_name(context), "own");
    EXPECT_TRUE(std::string(whisper_ext_encoder_reason(context)).starts_with("own: "));
    EXPECT_NE(std::string(whisper_ext_encoder_reason(context)).find(reason), std::string::npos)
        << whisper_ext_encoder_reason(context);
  }

  std::filesystem::path folder_;
  std::vector<float> audio_ = made_up_audio(4000);
  std::string fingerprint_;
  std::string sizes_;  // M, D, T
  std::vector<whisper_token> own_tokens_;
  std::vector<float> own_output_;
};

TEST_F(BackendChoice, AnEncoderBesideTheModelComputesInThePlaceOfTheOwn) {
  write_recorded("model-encoder.recorded", fingerprint_ + " " + sizes_, own_output_);
  const ContextPointer context = load("model.bin");
  ASSERT_NE(context, nullptr) << whisper_ext_last_error();
  EXPECT_STREQ(whisper_ext_encoder_name(context.get()), "recorded");
  EXPECT_STREQ(whisper_ext_encoder_reason(context.get()), "recorded: model-encoder.recorded, read");
  EXPECT_EQ(transcribe(context.get(), short_params(), audio_), 0) << whisper_ext_last_error();
  EXPECT_EQ(encoded(context.get()), own_output_);
  EXPECT_EQ(result_tokens(context.get()), own_tokens_);
  const std::string reason = whisper_ext_encoder_reason(context.get());
  EXPECT_TRUE(reason.starts_with("recorded: model-encoder.recorded, read, first window in ")) << reason;

  write_recorded("model-encoder.recorded", fingerprint_ + " " + sizes_, std::vector<float>(own_output_.size(), 0.5F));
  const ContextPointer other = load("model.bin");
  EXPECT_EQ(transcribe(other.get(), short_params(), audio_), 0) << whisper_ext_last_error();
  EXPECT_EQ(encoded(other.get()), std::vector<float>(own_output_.size(), 0.5F));
}

TEST_F(BackendChoice, QuantisedFormsShareAnEncoder) {
  std::filesystem::copy(path("model.bin"), path("model-q5_0.bin"));
  write_recorded("model-encoder.recorded", fingerprint_ + " " + sizes_, own_output_);
  EXPECT_STREQ(whisper_ext_encoder_name(load("model-q5_0.bin").get()), "recorded");
  const EncoderKind& kind = *encoder_kind("coreml");
  const std::vector<std::string> expected = {"a-q4_K-encoder.mlmodelc", "a-q4_K-encoder.mlpackage",
                                             "a-encoder.mlmodelc", "a-encoder.mlpackage"};
  EXPECT_EQ(encoder_paths("a-q4_K.bin", kind), expected);
  EXPECT_EQ(encoder_paths("b", kind), (std::vector<std::string>{"b-encoder.mlmodelc", "b-encoder.mlpackage"}));
  EXPECT_TRUE(encoder_paths("", kind).empty());
}

TEST_F(BackendChoice, AnEncoderOfAnotherModelIsNotUsed) {
  std::string other = fingerprint_;
  other.back() = other.back() == '0' ? '1' : '0';
  write_recorded("model-encoder.recorded", other + " " + sizes_, own_output_);
  expect_own(load("model.bin").get(), "model-encoder.recorded' cannot be used: it was made of another model");
  write_recorded("model-encoder.recorded", "- 128 " + sizes_.substr(3), own_output_);
  expect_own(load("model.bin").get(), "it takes 128 mel bins");
}

TEST_F(BackendChoice, AnEncoderThatDoesNotSayIsTakenAtItsName) {
  write_recorded("model-encoder.recorded", "- " + sizes_, own_output_);
  EXPECT_STREQ(whisper_ext_encoder_reason(load("model.bin").get()),
               "recorded: model-encoder.recorded, read, does not say of which model it is");
}

TEST_F(BackendChoice, ABrokenEncoderIsNotUsed) {
  for (const std::string text : {"", "recorded", "recorded x\n", "<!doctype html>\n"}) {
    write("model-encoder.recorded", std::as_bytes(std::span(text)));
    expect_own(load("model.bin").get(), "cannot be used: it does not begin with");
  }
  std::filesystem::remove(path("model-encoder.recorded"));
  std::filesystem::create_directory(path("model-encoder.recorded"));
  expect_own(load("model.bin").get(), "cannot be used: ");
}

TEST_F(BackendChoice, AnEncoderThatFailsIsGivenUpWithinTheTranscription) {
  const std::vector<float> audio = made_up_audio(kTwoWindows);
  const ContextPointer own = load("model.bin");
  whisper_full_params params = short_params();
  params.max_tokens = 8;
  ASSERT_EQ(transcribe(own.get(), params, audio), 0);
  ASSERT_EQ(whisper_encode(own.get(), 0, 1), 0);
  write_recorded("model-encoder.recorded", fingerprint_ + " " + sizes_, encoded(own.get()));
  const ContextPointer context = load("model.bin");
  const char* before = whisper_ext_encoder_reason(context.get());
  EXPECT_EQ(transcribe(context.get(), params, audio), 0) << whisper_ext_last_error();
  EXPECT_EQ(result_tokens(context.get()), result_tokens(own.get()));
  EXPECT_STREQ(before, "recorded: model-encoder.recorded, read");  // still there
  EXPECT_STREQ(whisper_ext_encoder_name(context.get()), "own");
  EXPECT_STREQ(whisper_ext_encoder_reason(context.get()),
               "own: model-encoder.recorded failed: the recording is at its end");
}

TEST_F(BackendChoice, WindowsOfALengthThatIsNotTakenAreTheOwnEncoders) {
  whisper_full_params params = short_params();
  params.audio_ctx = 7;
  const ContextPointer own = load("model.bin");
  ASSERT_EQ(transcribe(own.get(), params, audio_), 0);
  write_recorded("model-encoder.recorded", fingerprint_ + " " + sizes_, own_output_);
  const ContextPointer context = load("model.bin");
  EXPECT_EQ(transcribe(context.get(), params, audio_), 0) << whisper_ext_last_error();
  EXPECT_EQ(encoded(context.get()), encoded(own.get()));
  EXPECT_STREQ(whisper_ext_encoder_name(context.get()), "recorded");
}

TEST_F(BackendChoice, StatesShareTheEncoder) {
  std::vector<float> twice = own_output_;
  twice.insert(twice.end(), own_output_.begin(), own_output_.end());
  write_recorded("model-encoder.recorded", fingerprint_ + " " + sizes_, twice);
  const ContextPointer context = load("model.bin");
  const StatePointer state(whisper_init_state(context.get()));
  EXPECT_EQ(transcribe(context.get(), short_params(), audio_), 0);
  EXPECT_EQ(whisper_full_with_state(context.get(), state.get(), short_params(), audio_.data(),
                                    static_cast<int>(audio_.size())),
            0);
  EXPECT_STREQ(whisper_ext_encoder_name(context.get()), "recorded");
}

TEST_F(BackendChoice, AnEncoderElsewhereIsNamed) {
  write_recorded("elsewhere.recorded", fingerprint_ + " " + sizes_, own_output_);
  whisper_ext_context_options options = default_options();
  const std::string elsewhere = path("elsewhere.recorded");
  options.encoder_path = elsewhere.c_str();
  EXPECT_STREQ(whisper_ext_encoder_name(load("model.bin", options).get()), "recorded");
  const std::string missing = path("missing.recorded");
  options.encoder_path = missing.c_str();
  expect_own(load("model.bin", options).get(), "there is no '" + missing + "'");
  const std::string strange = path("model.bin");
  options.encoder_path = strange.c_str();
  expect_own(load("model.bin", options).get(), "is no encoder of any known kind");
  options.backend = WHISPER_EXT_BACKEND_COREML;
  options.encoder_path = elsewhere.c_str();
  expect_own(load("model.bin", options).get(), "is no encoder of coreml");
}

TEST_F(BackendChoice, WhatIsAskedForByNameAndNotThereLeavesTheCpuWithItsReason) {
  write_recorded("model-encoder.recorded", fingerprint_ + " " + sizes_, own_output_);
  const ContextPointer cpu = load("model.bin", with(WHISPER_EXT_BACKEND_CPU));
  expect_own(cpu.get(), "the back-end cpu was asked for");
  EXPECT_STREQ(whisper_ext_backend_reason(cpu.get()), "cpu: it was asked for");
  for (const auto& [backend, name] : {std::pair(WHISPER_EXT_BACKEND_COREML, WHISPER_EXT_CAN_COREML),
                                      std::pair(WHISPER_EXT_BACKEND_OPENVINO, WHISPER_EXT_CAN_OPENVINO)}) {
    if (!whisper_ext_can(name)) {
      expect_own(load("model.bin", with(backend)).get(), "is not built in");
    }
  }
  if (!whisper_ext_can(WHISPER_EXT_CAN_METAL)) {
    const ContextPointer metal = load("model.bin", with(WHISPER_EXT_BACKEND_METAL));
    expect_own(metal.get(), "the back-end metal was asked for");
    EXPECT_STREQ(whisper_ext_backend_reason(metal.get()), "cpu: no GPU back-end is built in");
  }
}

// As a caller in C may: any number in an enumeration.
#if defined(__GNUC__)
__attribute__((no_sanitize("undefined")))
#endif
whisper_ext_context_options
with_number(int number) {
  whisper_ext_context_options options = whisper_ext_default_context_options();
  std::memcpy(&options.backend, &number, sizeof number);
  return options;
}

TEST_F(BackendChoice, ANumberThatIsNoBackendIsRefused) {
  for (const int number : {-1, 5, 1000}) {
    EXPECT_EQ(load("model.bin", with_number(number)), nullptr);
    EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
    EXPECT_NE(std::string(whisper_ext_last_error()).find("expected 0 to 4"), std::string::npos);
  }
}

TEST_F(BackendChoice, OptionsOfAnOlderCallerHaveTheirDefaults) {
  whisper_ext_context_options options = with_number(1000);
  options.size = offsetof(whisper_ext_context_options, backend);
  EXPECT_NE(load("model.bin", options), nullptr) << whisper_ext_last_error();
}

TEST_F(BackendChoice, ModelsFromMemoryHaveNoEncoderBesideThem) {
  SyntheticModel model = synthetic_model({});
  whisper_ext_context_options options = default_options();
  const ContextPointer from_buffer(
      whisper_ext_init_from_buffer(model.bytes.data(), model.bytes.size(), whisper_context_default_params(), &options));
  expect_own(from_buffer.get(), "");
  options.no_state = true;
  const ContextPointer without(
      whisper_ext_init_from_buffer(model.bytes.data(), model.bytes.size(), whisper_context_default_params(), &options));
  ASSERT_NE(without, nullptr);
  EXPECT_EQ(transcribe(without.get(), short_params(), audio_), -1);
  EXPECT_EQ(whisper_ext_init_from_buffer(nullptr, 0, whisper_context_default_params(), nullptr), nullptr);
  EXPECT_EQ(whisper_ext_init(nullptr, whisper_context_default_params(), nullptr), nullptr);
  EXPECT_EQ(whisper_ext_init_from_file(nullptr, whisper_context_default_params(), nullptr), nullptr);
  EXPECT_STREQ(whisper_ext_encoder_name(nullptr), "none");
  EXPECT_STREQ(whisper_ext_encoder_reason(nullptr), "none: no context");
}

}  // namespace
}  // namespace speech::testing
