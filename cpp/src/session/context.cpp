// Loading a model and making states for it.
#include "session/context.h"

#include <algorithm>

#include "backend/measuring.h"
#include "session/options.h"
#include "session/timings.h"

namespace speech {

Result<std::unique_ptr<Context>> Context::load(std::unique_ptr<ByteSource> source, BackendFactory factory,
                                               const std::optional<AlignmentRequest>& alignment,
                                               const EncoderRequest& encoder) {
  double load_ms = 0;
  std::unique_ptr<Context> context;
  {
    const ScopedTimer timer(load_ms);
    SPEECH_ASSIGN_OR_RETURN(ModelReader reader, ModelReader::open(std::move(source)));
    context.reset(new Context(reader.vocabulary(), reader.filters()));
    if (alignment) {
      SPEECH_ASSIGN_OR_RETURN(context->alignment_heads_, speech::alignment_heads(*alignment, reader.hyperparameters()));
    }
    context->factory_ = std::move(factory);
    SPEECH_ASSIGN_OR_RETURN(context->backend_, context->factory_());
    const Hyperparameters& h = reader.hyperparameters();
    SPEECH_RETURN_IF_ERROR(
        context->backend_->check_model(std::max(h.n_audio_state / h.n_audio_head, h.n_text_state / h.n_text_head)));
    SPEECH_ASSIGN_OR_RETURN(context->weights_, load_weights(reader, *context->backend_));
    context->encoder_ = choose_encoder(encoder, *context->weights_);
  }
  context->load_ms_ = load_ms;
  return context;
}

Result<MemoryEstimate> Context::estimate_memory(std::unique_ptr<ByteSource> source, const BackendFactory& factory) {
  SPEECH_ASSIGN_OR_RETURN(ModelReader reader, ModelReader::open(std::move(source)));
  const auto measure = [&factory]() -> Result<std::unique_ptr<Backend>> {
    SPEECH_ASSIGN_OR_RETURN(std::unique_ptr<Backend> backend, factory());
    return make_measuring_backend(std::move(backend));
  };
  SPEECH_ASSIGN_OR_RETURN(const std::unique_ptr<Backend> backend, measure());
  SPEECH_ASSIGN_OR_RETURN(std::shared_ptr<const Weights> weights, load_weights(reader, *backend));
  SPEECH_ASSIGN_OR_RETURN(std::unique_ptr<Backend> of_state, measure());
  SPEECH_ASSIGN_OR_RETURN(const std::unique_ptr<Engine> engine,
                          Engine::create(weights, std::move(of_state), kDefaultDecoders));
  return MemoryEstimate{weights->total_bytes, engine->bytes()};
}

Result<std::unique_ptr<State>> Context::new_state() const {
  SPEECH_ASSIGN_OR_RETURN(std::unique_ptr<Backend> backend, factory_());
  SPEECH_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine,
                          Engine::create(weights_, std::move(backend), kDefaultDecoders));
  engine->set_encoder(encoder_);
  return std::make_unique<State>(std::move(engine));
}

}  // namespace speech
