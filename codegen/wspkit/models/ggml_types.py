"""The head of a ggml `.bin` file, and ggml's numbers of element and file types, with the sizes of
their blocks; reading, writing and arithmetic are elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

MAGIC = 0x67676D6C
"""First word of every file, "ggml" read as a little-endian number."""

QUANTIZATION_FACTOR = 1000
"""Headers hold file type + factor * version of the quantised layout."""


@dataclass(frozen=True)
class Hyperparameters:
    """The numbers at the head of the file, in their order there."""

    n_vocab: int
    n_audio_ctx: int
    n_audio_state: int
    n_audio_head: int
    n_audio_layer: int
    n_text_ctx: int
    n_text_state: int
    n_text_head: int
    n_text_layer: int
    n_mels: int
    ftype: int
    """File type, without the version of the quantised layout."""


@dataclass(frozen=True)
class ElementType:
    """How values of one type lie in a file: `block_bytes` hold `block_values`."""

    name: str
    block_values: int
    block_bytes: int


ELEMENT_TYPES: dict[int, ElementType] = {
    0: ElementType("f32", 1, 4),
    1: ElementType("f16", 1, 2),
    2: ElementType("q4_0", 32, 18),
    3: ElementType("q4_1", 32, 20),
    6: ElementType("q5_0", 32, 22),
    7: ElementType("q5_1", 32, 24),
    8: ElementType("q8_0", 32, 34),
    9: ElementType("q8_1", 32, 36),
    10: ElementType("q2_K", 256, 84),
    11: ElementType("q3_K", 256, 110),
    12: ElementType("q4_K", 256, 144),
    13: ElementType("q5_K", 256, 176),
    14: ElementType("q6_K", 256, 210),
    15: ElementType("q8_K", 256, 292),
    24: ElementType("i8", 1, 1),
    25: ElementType("i16", 1, 2),
    26: ElementType("i32", 1, 4),
    30: ElementType("bf16", 1, 2),
}
"""By ggml's type number; what a Whisper file may hold, whether the core computes with it or not."""

FILE_TYPES: dict[int, str] = {
    0: "f32",
    1: "f16",
    2: "q4_0",
    3: "q4_1",
    7: "q8_0",
    8: "q5_0",
    9: "q5_1",
    10: "q2_K",
    11: "q3_K",
    12: "q4_K",
    13: "q5_K",
    14: "q6_K",
    24: "bf16",
}
"""By the number in the header: the type of the large weights."""
