"""How far the core may be from the NumPy reference; docs/numerics.md says why for each."""

from __future__ import annotations

#: Log-mel values: computed in float64 on both sides, stored as float32, magnitude at most 2.
LOG_MEL = 2.0**-22

#: Outputs of the encoder's stages: root mean square of the difference, over the largest magnitude.
ENCODER_STAGE_RMS = 1e-6
#: The encoder's output: root mean square of the difference.
ENCODER_RMS = 1e-5
#: The encoder's output, in any element.
ENCODER_OUTPUT = 1e-3
#: The encoder's output from quantised weights, in 99 of 100 elements: activations are rounded to
#: codes on both sides, and a few of these fall on different sides of a half.
QUANTIZED_ENCODER_OUTPUT = 4e-2

#: Keys and values of the cross-attention from equal encoder outputs, relative to the largest.
CROSS_RELATIVE = 1e-5

#: Logits, with keys and values stored as binary16 in the core and as float32 in the reference.
LOGITS = 1e-2

#: Logits from quantised weights: root mean square of the difference, and any of them.
QUANTIZED_LOGITS_RMS = 0.15
QUANTIZED_LOGITS = 0.7

#: Logits of one step for several sequences against steps for one: only the order of cells differs.
BATCHED_LOGITS = 1e-2

#: Attention of single heads, shares of 1, with keys stored as binary16 in the core (relative
#: 2^-12 of scores of magnitude 10 or so, which the exponential makes relative).
ATTENTION = 2e-3

#: Probabilities of speech: float32 sums of a few hundred products in a stream of hundreds of
#: windows, against float64. Measured: at most 5e-6.
VAD_PROBABILITY = 1e-4
#: The same against the published ONNX file, whose weights the ggml file holds rounded to binary16.
#: Measured: at most 4e-3.
VAD_ONNX_PROBABILITY = 1e-2
