// A loaded model: weights, vocabulary, filters, and the kind of back-end that its states run on. Read-only after
// loading, so that any number of states on any threads may use it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "model/reader.h"
#include "session/encoder_choice.h"
#include "session/state.h"
#include "whisper/alignment_heads.h"
#include "whisper/weights.h"

namespace speech {

struct MemoryEstimate {
  std::size_t weights_bytes = 0;
  std::size_t state_bytes = 0;
};

class Context {
 public:
  /// Errors of the model reader, of the weights, of the back-end, and of the heads by which token times are to be
  /// aligned, if they are; those, and unsupported for a model that the back-end cannot compute, are found before the
  /// weights are read. An external encoder that cannot be used is no
  /// error: encoder() says why.
  static Result<std::unique_ptr<Context>> load(std::unique_ptr<ByteSource> source, BackendFactory factory,
                                               const std::optional<AlignmentRequest>& alignment = {},
                                               const EncoderRequest& encoder = {});

  /// What load() and new_state() would take, without reading the weights. The errors of load().
  static Result<MemoryEstimate> estimate_memory(std::unique_ptr<ByteSource> source, const BackendFactory& factory);

  /// A state with its own back-end and buffers, sized for the default number of candidates; it grows when more are
  /// asked for.
  Result<std::unique_ptr<State>> new_state() const;

  const Hyperparameters& hyperparameters() const { return weights_->hyperparameters; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const MelFilters& filters() const { return filters_; }
  const Weights& weights() const { return *weights_; }
  std::string_view backend_name() const { return backend_->name(); }
  /// What went wrong with the device since, and who did its work; empty as long as nothing did.
  std::string backend_remark() const { return backend_->remark(); }
  double load_ms() const { return load_ms_; }
  /// What encodes the windows of all states.
  const SharedEncoder& encoder() const { return *encoder_; }
  /// Heads that align token times; empty if these were not asked for.
  std::span<const AlignmentHead> alignment_heads() const { return alignment_heads_; }

 private:
  Context(Vocabulary vocabulary, MelFilters filters)
      : vocabulary_(std::move(vocabulary)), filters_(std::move(filters)) {}

  Vocabulary vocabulary_;
  MelFilters filters_;
  BackendFactory factory_;
  std::unique_ptr<Backend> backend_;  // owns the device that the weights live on
  std::shared_ptr<const Weights> weights_;
  std::shared_ptr<SharedEncoder> encoder_;
  std::vector<AlignmentHead> alignment_heads_;
  double load_ms_ = 0;
};

}  // namespace speech
