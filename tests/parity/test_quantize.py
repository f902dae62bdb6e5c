"""Quantised models on real weights: every tensor byte for byte ggml's, and they hear what is said.

The oracle is the library inside pywhispercpp. tiny.en is 384 wide, which blocks of 32 divide; base
is 512 wide, for the K-quants.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.parity.ggml_quantizer import ggml_dequantized, ggml_quantized
from tests.recordings import Recording

from wspkit import _inspect
from wspkit.core import Context, QuantizedType, TranscribeOptions, quantize_rows
from wspkit.errors import UsageError
from wspkit.models.inspect import Report, inspect
from wspkit.models.quantize import is_quantized, plan, quantize
from wspkit.parity.compare import word_errors

SMALL_BLOCKS = [kind for kind in QuantizedType if kind.block_values == 32]
K_QUANTS = [kind for kind in QuantizedType if kind.block_values == 256]
#: K-quants of all of base take ggml's single thread up to 8 s each; one stays in the short tier.
K_QUANT_CASES = [
    kind if kind is QuantizedType.Q3_K else pytest.param(kind, marks=pytest.mark.long("peers"))
    for kind in K_QUANTS
]
#: Where the scale and the minimum stand in a block.
HALVES = {
    QuantizedType.Q4_0: (0,),
    QuantizedType.Q4_1: (0, 2),
    QuantizedType.Q5_0: (0,),
    QuantizedType.Q5_1: (0, 2),
    QuantizedType.Q8_0: (0,),
    QuantizedType.Q2_K: (80, 82),
    QuantizedType.Q3_K: (108,),
    QuantizedType.Q4_K: (0, 2),
    QuantizedType.Q5_K: (0, 2),
    QuantizedType.Q6_K: (208,),
}


def made(source: Path, kind: QuantizedType, directory: Path) -> Path:
    (job,) = plan([source], [kind], directory)
    return quantize(job, n_threads=2)


def check_tensors(source: Path, quantized: Path, kind: QuantizedType) -> None:
    before, after = inspect(source), inspect(quantized)
    old, new = np.memmap(source, np.uint8), np.memmap(quantized, np.uint8)
    assert len(before.tensors) == len(after.tensors)
    n_matrices = 0
    for was, now in zip(before.tensors, after.tensors, strict=True):
        assert (was.name, was.shape) == (now.name, now.shape)
        original = old[was.offset_bytes : was.offset_bytes + was.size_bytes]
        found = new[now.offset_bytes : now.offset_bytes + now.size_bytes]
        if is_quantized(was):
            n_matrices += 1
            values = original.view("<f2").reshape(was.shape).astype(np.float32)
            expected = ggml_quantized(values, kind.number).reshape(-1)
        else:
            expected = original
        assert np.array_equal(found, expected), was.name
    assert n_matrices == matrices(before)


def matrices(report: Report) -> int:
    """Six of an encoder layer, ten of a decoder layer, and the tokens."""
    sizes = report.hyperparameters
    assert sizes is not None
    return 6 * sizes.n_audio_layer + 10 * sizes.n_text_layer + 1


def heard_by_whisper_cpp(model: Path, clip: Recording, max_tokens: int = 0) -> str:
    from pywhispercpp.model import Model

    peer = Model(str(model), n_threads=2, print_progress=False, redirect_whispercpp_logs_to=None)
    segments = peer.transcribe(
        clip.samples(),
        language="en",
        temperature_inc=0.0,
        greedy={"best_of": 1},
        max_tokens=max_tokens,
    )
    return " ".join(segment.text for segment in segments)


def heard_here(model: Path, clip: Recording, max_tokens: int = 0) -> str:
    options = TranscribeOptions(
        language="en", n_threads=2, temperature_inc=0.0, best_of=1, max_tokens=max_tokens
    )
    with Context.load(model) as context:
        return context.transcribe(clip.samples(), options).text


@pytest.mark.parametrize("kind", SMALL_BLOCKS)
def test_each_tensor_of_tiny_en_is_ggmls(
    kind: QuantizedType, tiny_en_f16: Path, tmp_path: Path
) -> None:
    check_tensors(tiny_en_f16, made(tiny_en_f16, kind, tmp_path), kind)


@pytest.mark.parametrize("kind", K_QUANT_CASES)
def test_each_tensor_of_base_is_ggmls(kind: QuantizedType, base_f16: Path, tmp_path: Path) -> None:
    check_tensors(base_f16, made(base_f16, kind, tmp_path), kind)


@pytest.mark.parametrize("kind", QuantizedType)
def test_rows_of_every_kind_of_values_are_ggmls(kind: QuantizedType) -> None:
    random = np.random.default_rng(1)
    normal = random.standard_normal((16, 1024))
    cases = {
        "normal": normal,
        "heavy tails": random.laplace(size=(16, 1024)) * 0.02,
        "mostly zero": np.where(random.random((16, 1024)) < 0.9, 0, normal),
        "all positive": np.abs(normal),
        "all negative": -np.abs(normal),
        "one value": np.full((16, 1024), 0.3),
        "zero": np.zeros((16, 1024)),
        "whole numbers": random.integers(-3, 4, (16, 1024)),
        "small": normal * 1e-12,
        "below what counts": normal * 1e-16,
        "too large for halves": normal * 1e6,
        "outliers": np.where(np.arange(1024) % 37 == 0, 1000 * normal, normal),
        "equal steps": np.round(normal * 4) / 4,
    }
    for name, values in cases.items():
        rows = values.astype(np.float32)
        assert np.array_equal(quantize_rows(rows, kind), ggml_quantized(rows, kind.number)), name


@pytest.mark.parametrize("table", _inspect.kernel_tables())
@pytest.mark.parametrize("kind", QuantizedType)
def test_blocks_have_the_values_that_ggml_gives_them(kind: QuantizedType, table: str) -> None:
    n_values = 20 * 256
    # Any bytes are codes; halves that are not finite, or too large to add, stay out.
    blocks = np.random.default_rng(2).integers(
        0, 256, (n_values // kind.block_values, 256), np.uint8
    )
    width = ggml_quantized(np.zeros((1, kind.block_values), np.float32), kind.number).shape[1]
    blocks = np.ascontiguousarray(blocks[:, :width])
    for at in HALVES[kind]:
        halves = np.random.default_rng(at).standard_normal(len(blocks)).astype("<f2")
        blocks[:, at : at + 2] = halves.view(np.uint8).reshape(-1, 2)

    found = _inspect.kernel_to_f32(table, kind.value, blocks.reshape(-1), n_values)

    # Scale times code is exact, and a minimum costs one rounding, so both sides agree to the bit.
    assert np.array_equal(found, ggml_dequantized(blocks, kind.number, n_values))


def test_tiny_en_is_too_narrow_for_k_quants(tiny_en_f16: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="384 values; expected a multiple of 256"):
        plan([tiny_en_f16], [QuantizedType.Q8_0, QuantizedType.Q4_K], tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "kind",
    [
        kind
        if kind in (QuantizedType.Q5_0, QuantizedType.Q4_K)
        else pytest.param(kind, marks=pytest.mark.long("peers"))
        for kind in QuantizedType
        if kind is not QuantizedType.Q2_K
    ],
)
def test_a_quantised_model_hears_what_is_said_here_and_in_whisper_cpp(
    kind: QuantizedType,
    tiny_en_f16: Path,
    base_f16: Path,
    recording: Callable[[str], Recording],
    tmp_path: Path,
) -> None:
    path = made(base_f16 if kind in K_QUANTS else tiny_en_f16, kind, tmp_path)
    clip = recording("jfk")
    ours, theirs = heard_here(path, clip), heard_by_whisper_cpp(path, clip)
    # One of the 22 words may fall either way.
    assert word_errors(theirs, clip.text).errors <= 1, theirs
    assert word_errors(ours, clip.text).errors <= 1, ours


@pytest.mark.long("peers")
def test_two_bits_are_too_few_for_base_here_and_in_whisper_cpp(
    base_f16: Path, recording: Callable[[str], Recording], tmp_path: Path
) -> None:
    # Both load it and write something, and neither writes what is said: no fault of a quantiser
    # whose every byte is ggml's.
    path = made(base_f16, QuantizedType.Q2_K, tmp_path)
    clip = recording("jfk")
    for text in (heard_here(path, clip, 12), heard_by_whisper_cpp(path, clip, 12)):
        assert text.strip()
        assert "fellow Americans" not in text


def test_one_tensor_is_in_memory_at_a_time(tiny_en_f16: Path, tmp_path: Path) -> None:
    (job,) = plan([tiny_en_f16], [QuantizedType.Q4_0], tmp_path)
    largest = max(tensor.size_bytes for tensor in job.source.tensors)
    tracemalloc.start()  # NumPy reports its arrays to it
    try:
        quantize(job, n_threads=2)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The tensor in F16, its blocks (18 of 64 bytes), and the floats of two threads.
    assert peak < 1.3 * largest + 2 * 6e6
