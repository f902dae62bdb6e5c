"""How far the core may be from the NumPy reference; docs/numerics.md says why for each."""

from __future__ import annotations

#: Log-mel values: computed in float64 on both sides, stored as float32, magnitude at most 2.
LOG_MEL = 2.0**-22

#: Outputs of the encoder's stages, relative to the largest magnitude in the output.
ENCODER_RELATIVE = 2e-5
#: The encoder's output, in any element.
ENCODER_OUTPUT = 2e-4

#: Keys and values of the cross-attention from equal encoder outputs, relative to the largest.
CROSS_RELATIVE = 1e-5

#: Logits, with keys and values stored as binary16 in the core and as float32 in the reference.
LOGITS = 1e-2

#: Logits of one step for several sequences against steps for one: only the order of cells differs.
BATCHED_LOGITS = 1e-2
