// What a model is: sizes, type, languages, tokens.
#include "backend/system_info.h"
#include "capi/handles.h"
#include "text/languages.h"

namespace {

int field(const whisper_context* ctx, std::int32_t speech::Hyperparameters::* member) {
  return ctx != nullptr ? ctx->model->hyperparameters().*member : 0;
}

whisper_token special(const whisper_context* ctx, speech::Token speech::SpecialTokens::* member) {
  return ctx != nullptr ? ctx->model->vocabulary().special().*member : -1;
}

struct ModelType {
  int n_audio_layer;
  int type;  // the numbers of whisper_model_type()
  const char* name;
};

constexpr ModelType kModelTypes[] = {
    {4, 1, "tiny"}, {6, 2, "base"}, {12, 3, "small"}, {24, 4, "medium"}, {32, 5, "large"}};
constexpr ModelType kUnknownType = {0, 0, "unknown"};

const ModelType& model_type(const whisper_context* ctx) {
  for (const ModelType& type : kModelTypes) {
    if (type.n_audio_layer == field(ctx, &speech::Hyperparameters::n_audio_layer)) {
      return type;
    }
  }
  return kUnknownType;
}

}  // namespace

int whisper_n_vocab(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_vocab); }
int whisper_n_text_ctx(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_text_ctx); }
int whisper_n_audio_ctx(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_audio_ctx); }
int whisper_is_multilingual(whisper_context* ctx) {
  return ctx != nullptr && ctx->model->vocabulary().is_multilingual() ? 1 : 0;
}

int whisper_model_n_vocab(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_vocab); }
int whisper_model_n_audio_ctx(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_audio_ctx); }
int whisper_model_n_audio_state(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_audio_state); }
int whisper_model_n_audio_head(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_audio_head); }
int whisper_model_n_audio_layer(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_audio_layer); }
int whisper_model_n_text_ctx(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_text_ctx); }
int whisper_model_n_text_state(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_text_state); }
int whisper_model_n_text_head(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_text_head); }
int whisper_model_n_text_layer(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_text_layer); }
int whisper_model_n_mels(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::n_mels); }
int whisper_model_ftype(whisper_context* ctx) { return field(ctx, &speech::Hyperparameters::ftype); }
int whisper_model_type(whisper_context* ctx) { return model_type(ctx).type; }
const char* whisper_model_type_readable(whisper_context* ctx) { return model_type(ctx).name; }

int whisper_lang_max_id(void) { return speech::kMaxLanguages - 1; }

int whisper_lang_id(const char* lang) {
  return speech::capi::guarded(__func__, -1,
                               [&] { return lang != nullptr ? speech::language_id(lang).value_or(-1) : -1; });
}

const char* whisper_lang_str(int id) { return speech::language_code(id).data(); }
const char* whisper_lang_str_full(int id) { return speech::language_name(id).data(); }

const char* whisper_token_to_str(whisper_context* ctx, whisper_token token) {
  const bool exists = ctx != nullptr && token >= 0 && token < ctx->model->vocabulary().size();
  return exists ? ctx->model->vocabulary().bytes(token).data() : nullptr;
}

whisper_token whisper_token_eot(whisper_context* ctx) { return special(ctx, &speech::SpecialTokens::eot); }
whisper_token whisper_token_sot(whisper_context* ctx) { return special(ctx, &speech::SpecialTokens::sot); }
whisper_token whisper_token_solm(whisper_context* ctx) { return special(ctx, &speech::SpecialTokens::solm); }
whisper_token whisper_token_prev(whisper_context* ctx) { return special(ctx, &speech::SpecialTokens::prev); }
whisper_token whisper_token_nosp(whisper_context* ctx) { return special(ctx, &speech::SpecialTokens::nosp); }
whisper_token whisper_token_not(whisper_context* ctx) { return special(ctx, &speech::SpecialTokens::not_); }
whisper_token whisper_token_beg(whisper_context* ctx) { return special(ctx, &speech::SpecialTokens::beg); }
whisper_token whisper_token_translate(whisper_context* ctx) { return special(ctx, &speech::SpecialTokens::translate); }
whisper_token whisper_token_transcribe(whisper_context* ctx) {
  return special(ctx, &speech::SpecialTokens::transcribe);
}

whisper_token whisper_token_lang(whisper_context* ctx, int lang_id) {
  const bool exists = ctx != nullptr && lang_id >= 0 && lang_id < ctx->model->vocabulary().n_languages();
  return exists ? ctx->model->vocabulary().special().first_language + lang_id : -1;
}

const char* whisper_print_system_info(void) {
  return speech::capi::guarded(__func__, "", [] {
    static const std::string kInfo = speech::system_info();
    return kInfo.c_str();
  });
}
