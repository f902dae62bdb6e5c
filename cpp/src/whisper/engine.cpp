// Planning of a state's memory, and the phases run on it.
#include "whisper/engine.h"

#include <algorithm>
#include <limits>
#include <string>

#include "whisper/encoder.h"

namespace speech {
namespace {

constexpr std::size_t kAlignment = 64;  // of every tensor in a buffer: a cache line

// Lays tensors one behind the other, to be put into one buffer afterwards.
class Layout {
 public:
  Tensor add(DType dtype, const Shape& shape) {
    const Tensor tensor{nullptr, bytes_, dtype, shape};
    bytes_ += (tensor.bytes() + kAlignment - 1) / kAlignment * kAlignment;
    return tensor;
  }
  /// The next tensor lies behind the first `bytes` of the buffer.
  void pass_over(std::size_t bytes) { bytes_ = std::max(bytes_, (bytes + kAlignment - 1) / kAlignment * kAlignment); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

void place(std::vector<LayerCache>& caches, Buffer* buffer) {
  for (LayerCache& cache : caches) {
    cache.keys.buffer = buffer;
    cache.values.buffer = buffer;
  }
}

Result<Workspace> place_workspace(const Workspace& measured, Backend& backend) {
  MemoryPlan plan = measured.plan();
  SPEECH_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, backend.allocate(plan.total_bytes));
  return Workspace(std::move(plan), std::move(buffer));
}

}  // namespace

Engine::Engine(std::shared_ptr<const Weights> weights, std::unique_ptr<Backend> backend)
    : weights_(std::move(weights)), backend_(std::move(backend)) {}

Result<std::unique_ptr<Engine>> Engine::create(std::shared_ptr<const Weights> weights, std::unique_ptr<Backend> backend,
                                               int n_sequences) {
  std::unique_ptr<Engine> engine(new Engine(std::move(weights), std::move(backend)));
  SPEECH_RETURN_IF_ERROR(engine->plan_encoder());
  SPEECH_RETURN_IF_ERROR(engine->plan_decoder(n_sequences));
  return engine;
}

Status Engine::plan_encoder() {
  const Hyperparameters& sizes = weights_->hyperparameters;
  const Shape rows = {sizes.n_audio_ctx, sizes.n_audio_state};
  audio_ = {nullptr, 0, DType::kF32, rows};
  Layout layout;
  for (int i = 0; i < sizes.n_text_layer; ++i) {
    const Tensor keys = layout.add(DType::kF16, {sizes.n_audio_ctx, sizes.n_text_state});
    const Tensor values = layout.add(DType::kF16, {sizes.n_audio_ctx, sizes.n_text_state});
    cross_.push_back({keys, values});
  }
  cross_seen_ = cross_;

  MeasuringStream stream;
  const std::vector<float> mel;  // measuring looks at sizes only
  record_convolution(stream, convolution_, weights_->encoder, mel, sizes.n_mels, audio_);
  record_encoder(stream, encoder_, weights_->encoder, sizes.n_audio_head, audio_);
  record_cross(stream, weights_->decoder, audio_, cross_);  // takes no temporaries: it writes the caches themselves

  // Convolution, encoder and caches take the same place: each begins when nothing of the one before is needed but
  // audio_, and a new window makes the caches worthless.
  MemoryPlan convolution = convolution_.plan();
  MemoryPlan encoder = encoder_.plan();
  layout.pass_over(std::max(convolution.total_bytes, encoder.total_bytes));
  audio_ = layout.add(DType::kF32, rows);
  SPEECH_ASSIGN_OR_RETURN(encoder_buffer_, backend_->allocate(layout.bytes()));
  convolution_ = Workspace(std::move(convolution), encoder_buffer_);
  encoder_ = Workspace(std::move(encoder), encoder_buffer_);
  audio_.buffer = encoder_buffer_.get();
  place(cross_, encoder_buffer_.get());
  return Status::ok();
}

Status Engine::plan_decoder(int n_sequences) {
  const Hyperparameters& sizes = weights_->hyperparameters;
  // One sequence may fill the text context; each further one shares the prompt and adds at most half a context of its
  // own.
  const int n_cells = sizes.n_text_ctx + (n_sequences - 1) * (sizes.n_text_ctx / 2);
  const auto n_tokens = static_cast<std::size_t>(sizes.n_text_ctx);
  Layout layout;
  std::vector<LayerCache> self;
  for (int i = 0; i < sizes.n_text_layer; ++i) {
    const Tensor keys = layout.add(DType::kF16, {n_cells, sizes.n_text_state});
    const Tensor values = layout.add(DType::kF16, {n_cells, sizes.n_text_state});
    self.push_back({keys, values});
  }
  Tensor logits = layout.add(DType::kF32, {n_sequences, sizes.n_vocab});

  // What is there goes first, so that growing never holds both; until the plan stands there is room for nothing.
  n_sequences_ = 0;
  decoder_ = Workspace();
  decoder_buffer_.reset();
  cache_ = KvCache();

  tokens_.assign(n_tokens, 0);
  positions_.assign(n_tokens, 0);
  sequences_.assign(n_tokens, 0);
  rows_.assign(static_cast<std::size_t>(n_sequences), 0);
  MeasuringStream stream;
  Workspace measured;
  const StepInputs largest = {tokens_, positions_, {}, rows_, 0, n_cells};
  record_decoder(stream, measured, weights_->decoder, sizes.n_text_head, largest, self, cross_, logits);

  SPEECH_ASSIGN_OR_RETURN(decoder_, place_workspace(measured, *backend_));
  SPEECH_ASSIGN_OR_RETURN(decoder_buffer_, backend_->allocate(layout.bytes()));
  place(self, decoder_buffer_.get());
  logits.buffer = decoder_buffer_.get();
  self_ = std::move(self);
  logits_ = logits;
  mask_.reserve(n_tokens * static_cast<std::size_t>(n_cells));
  cache_ = KvCache(n_cells);
  n_sequences_ = n_sequences;
  return Status::ok();
}

Status Engine::plan_alignment(std::size_t n_heads) {
  const Hyperparameters& sizes = weights_->hyperparameters;
  const auto n_tokens = static_cast<std::size_t>(max_alignment_tokens());
  n_alignment_heads_ = 0;
  alignment_ = Workspace();
  alignment_buffer_.reset();

  Layout layout;
  Tensor attention = layout.add(
      DType::kF32, {static_cast<std::int64_t>(n_heads) * max_alignment_tokens(), std::int64_t{sizes.n_audio_ctx}});
  MeasuringStream stream;
  Workspace measured;
  const std::vector<std::int32_t> tokens(n_tokens);
  const AlignmentHead last = {sizes.n_text_layer - 1, 0};  // through all layers
  record_alignment(stream, measured, weights_->decoder, sizes.n_text_head, {tokens, tokens, {}}, cross_,
                   std::span(&last, 1), attention);
  SPEECH_ASSIGN_OR_RETURN(alignment_, place_workspace(measured, *backend_));
  SPEECH_ASSIGN_OR_RETURN(alignment_buffer_, backend_->allocate(layout.bytes()));
  attention.buffer = alignment_buffer_.get();
  attention_ = attention;
  n_alignment_heads_ = n_heads;
  return Status::ok();
}

Result<std::span<const float>> Engine::align(std::span<const std::int32_t> tokens, std::span<const AlignmentHead> heads,
                                             int n_frames) {
  const Hyperparameters& sizes = weights_->hyperparameters;
  if (n_frames < 1 || n_frames > n_frames_) {
    return Status(Code::kInvalidArgument, std::to_string(n_frames) + " frames to align with, expected 1 to " +
                                              std::to_string(n_frames_) + ", those of the encoded window");
  }
  if (tokens.empty() || tokens.size() > static_cast<std::size_t>(max_alignment_tokens())) {
    return Status(Code::kInvalidArgument, std::to_string(tokens.size()) + " tokens to align, expected 1 to " +
                                              std::to_string(max_alignment_tokens()));
  }
  if (heads.empty() || heads.size() > kMaxAlignmentHeads) {
    return Status(Code::kInvalidArgument, std::to_string(heads.size()) + " heads to align by, expected 1 to " +
                                              std::to_string(kMaxAlignmentHeads) + " at a time");
  }
  for (const auto& [layer, head] : heads) {
    if (layer < 0 || layer >= sizes.n_text_layer || head < 0 || head >= sizes.n_text_head) {
      return Status(Code::kInvalidArgument, "there is no head " + std::to_string(head) + " in layer " +
                                                std::to_string(layer) + ", expected 0 to " +
                                                std::to_string(sizes.n_text_head - 1) + " in 0 to " +
                                                std::to_string(sizes.n_text_layer - 1));
    }
  }
  if (heads.size() > n_alignment_heads_) {
    SPEECH_RETURN_IF_ERROR(plan_alignment(heads.size()));
  }

  const std::size_t n = tokens.size();
  std::vector<std::int32_t> positions(n);
  std::vector<float> mask(n * n, -std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < n; ++i) {
    positions[i] = static_cast<std::int32_t>(i);
    std::fill_n(mask.begin() + static_cast<std::ptrdiff_t>(i * n), i + 1, 0.0F);
  }
  std::vector<LayerCache> cross;
  cross.reserve(cross_seen_.size());
  for (const LayerCache& seen : cross_seen_) {
    cross.push_back({seen.keys.row_range(0, n_frames), seen.values.row_range(0, n_frames)});
  }
  Tensor attention = attention_;
  attention.shape = {static_cast<std::int64_t>(heads.size() * n), std::int64_t{n_frames}};

  Stream& stream = backend_->stream();
  alignment_.restart();
  record_alignment(stream, alignment_, weights_->decoder, sizes.n_text_head, {tokens, positions, mask}, cross, heads,
                   attention);
  stream.submit();
  SPEECH_RETURN_IF_ERROR(stream.wait());
  return stream.read(attention);
}

Status Engine::reserve(int n_sequences) {
  if (n_sequences < 1 || n_sequences > kMaxSequences) {
    return {Code::kInvalidArgument,
            std::to_string(n_sequences) + " sequences, expected 1 to " + std::to_string(kMaxSequences)};
  }
  return n_sequences <= n_sequences_ ? Status::ok() : plan_decoder(n_sequences);
}

Status Engine::encode(std::span<const float> mel) {
  const Hyperparameters& sizes = weights_->hyperparameters;
  const auto n_frames = static_cast<std::int64_t>(mel.size()) / sizes.n_mels / 2;
  if (n_frames < 1 || n_frames > sizes.n_audio_ctx ||
      mel.size() != static_cast<std::size_t>(2 * n_frames * sizes.n_mels)) {
    return {Code::kInvalidArgument, "a window of " + std::to_string(mel.size()) + " values, expected 2 to " +
                                        std::to_string(2 * sizes.n_audio_ctx) + " frames, an even number, of " +
                                        std::to_string(sizes.n_mels) + " bins"};
  }
  n_frames_ = 0;
  const Tensor x = audio_.row_range(0, n_frames);
  for (std::size_t i = 0; i < cross_.size(); ++i) {
    cross_seen_[i] = {cross_[i].keys.row_range(0, n_frames), cross_[i].values.row_range(0, n_frames)};
  }

  Stream& stream = backend_->stream();
  if (encode_outside(mel, static_cast<int>(n_frames))) {
    stream.upload(x, std::as_bytes(std::span(shared_output_)));
  } else {
    convolution_.restart();
    record_convolution(stream, convolution_, weights_->encoder, mel, sizes.n_mels, x);
    encoder_.restart();
    record_encoder(stream, encoder_, weights_->encoder, sizes.n_audio_head, x);
  }
  record_cross(stream, weights_->decoder, x, cross_seen_);
  stream.submit();
  SPEECH_RETURN_IF_ERROR(stream.wait());
  n_frames_ = static_cast<int>(n_frames);
  return Status::ok();
}

// Whether shared_output_ holds what the window encodes to.
bool Engine::encode_outside(std::span<const float> mel, int n_frames) {
  if (!shared_encoder_ || !shared_encoder_->takes(n_frames)) {
    return false;
  }
  const Hyperparameters& sizes = weights_->hyperparameters;
  shared_output_.resize(static_cast<std::size_t>(n_frames) * static_cast<std::size_t>(sizes.n_audio_state));
  return shared_encoder_->encode(mel, sizes.n_mels, n_frames, shared_output_);
}

Result<std::span<const float>> Engine::encoder_output() {
  if (!has_audio()) {
    return Status(Code::kInvalidArgument, "no window is encoded yet");
  }
  return backend_->stream().read(audio_.row_range(0, n_frames_));
}

void Engine::build_mask(std::span<const StepToken> step, int n_visible) {
  const auto width = static_cast<std::size_t>(n_visible);
  mask_.assign(step.size() * width, -std::numeric_limits<float>::infinity());  // within what was reserved
  for (std::size_t n = 0; n < step.size(); ++n) {
    for (int i = 0; i < n_visible; ++i) {
      if (cache_.visible(i, step[n].sequence, step[n].position)) {
        mask_[n * width + static_cast<std::size_t>(i)] = 0.0F;
      }
    }
  }
}

Result<std::span<const float>> Engine::decode(std::span<const StepToken> step) {
  if (!has_audio()) {
    return Status(Code::kInvalidArgument, "no window is encoded yet");
  }
  if (step.empty() || step.size() > static_cast<std::size_t>(weights_->hyperparameters.n_text_ctx)) {
    return Status(Code::kInvalidArgument, "a step of " + std::to_string(step.size()) + " tokens, expected 1 to " +
                                              std::to_string(weights_->hyperparameters.n_text_ctx));
  }
  if (n_sequences_ == 0) {  // an earlier reserve() found no memory
    SPEECH_RETURN_IF_ERROR(reserve(1));
  }
  tokens_.clear();
  positions_.clear();
  sequences_.clear();
  rows_.clear();
  for (std::size_t n = 0; n < step.size(); ++n) {
    tokens_.push_back(step[n].token);
    positions_.push_back(step[n].position);
    sequences_.push_back(step[n].sequence);
    if (step[n].wants_logits) {
      rows_.push_back(static_cast<std::int32_t>(n));
    }
  }
  if (rows_.empty() || static_cast<int>(rows_.size()) > n_sequences_) {
    return Status(Code::kInvalidArgument, "logits wanted of " + std::to_string(rows_.size()) +
                                              " tokens, expected 1 to " + std::to_string(n_sequences_) +
                                              "; reserve more sequences first");
  }

  const std::optional<int> first_cell = cache_.claim(positions_, sequences_);
  if (!first_cell) {
    return Status(Code::kInternal, "the KV cache of " + std::to_string(cache_.n_cells()) + " cells has no room for " +
                                       std::to_string(step.size()) + " more tokens");
  }
  const int n_visible = cache_.n_used_span();
  build_mask(step, n_visible);

  Stream& stream = backend_->stream();
  const Tensor logits = logits_.row_range(0, static_cast<std::int64_t>(rows_.size()));
  decoder_.restart();
  record_decoder(stream, decoder_, weights_->decoder, weights_->hyperparameters.n_text_head,
                 {tokens_, positions_, mask_, rows_, *first_cell, n_visible}, self_, cross_seen_, logits);
  stream.submit();
  if (Status status = stream.wait(); !status) {
    cache_.clear();  // some of its cells may hold nothing
    return status;
  }
  return stream.read(logits);
}

std::size_t Engine::bytes() const {
  return encoder_buffer_->bytes() + decoder_.bytes() + (decoder_buffer_ ? decoder_buffer_->bytes() : 0) +
         alignment_.bytes() + (alignment_buffer_ ? alignment_buffer_->bytes() : 0) +
         shared_output_.size() * sizeof(float);
}

}  // namespace speech
