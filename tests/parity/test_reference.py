"""The reference itself, against an implementation that shares no code with it: CTranslate2."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import ctranslate2
import numpy as np
import pytest

from wspkit.bench.sources import faster_whisper_directory
from wspkit.parity.compare import difference, first_differing
from wspkit.parity.encoder import encode
from wspkit.parity.greedy import decode_greedily, reference_model
from wspkit.parity.logit_rules import Rules, never_chosen
from wspkit.parity.special_tokens import special_tokens
from wspkit.parity.weights import Array, Weights, read_weights


@pytest.fixture(scope="module")
def peer() -> ctranslate2.models.Whisper:
    return ctranslate2.models.Whisper(
        str(faster_whisper_directory("tiny.en")),
        device="cpu",
        compute_type="float32",
        intra_threads=2,
    )


def view(values: Array) -> ctranslate2.StorageView:
    """As a batch of one."""
    return ctranslate2.StorageView.from_array(np.ascontiguousarray(values[None], np.float32))


def test_the_encoder_hears_what_ctranslate2_hears(
    peer: ctranslate2.models.Whisper,
    heard: Callable[[str], Array],
    features: Callable[[str], Array],
) -> None:
    theirs = np.array(peer.encode(view(features("jfk")), to_cpu=True))[0]

    # Two float32 computations, each as far from the truth as docs/numerics.md derives.
    assert difference(heard("jfk"), theirs).max_abs <= 2e-4


@pytest.mark.parametrize("clip", ["jfk", "austen-0870", "austen-0890"])
def test_greedy_decoding_says_what_ctranslate2_says(
    clip: str, peer: ctranslate2.models.Whisper, heard: Callable[[str], Array], weights: Weights
) -> None:
    special = special_tokens(weights.dimensions.n_vocab)
    rules = Rules(special, weights.words.index(b" "))
    ours = decode_greedily(reference_model(weights, heard(clip)), special.prompt(), rules)

    (result,) = peer.generate(
        view(heard(clip)),
        [list(special.prompt())],
        beam_size=1,
        suppress_tokens=list(never_chosen(special)),
        max_initial_timestamp_index=50,
        return_no_speech_prob=True,
    )

    assert first_differing(ours.tokens, result.sequences_ids[0]) is None
    assert ours.no_speech_probability == pytest.approx(result.no_speech_prob, abs=1e-4)


def test_float32_is_as_good_as_float64_to_one_part_in_a_hundred_thousand(
    weights: Weights, features: Callable[[str], Array], heard: Callable[[str], Array]
) -> None:
    wide = encode(weights.as_float64(), features("jfk").astype(np.float64))

    assert difference(heard("jfk"), wide).relative <= 1e-5


def test_both_model_files_hold_the_same_numbers(weights: Weights, tiny_en_f16: Path) -> None:
    """The published weights are binary16, so the wider file adds nothing but zeros."""
    half = read_weights(tiny_en_f16)

    assert half.tensors.keys() == weights.tensors.keys()
    for name, tensor in weights.tensors.items():
        assert np.array_equal(half[name], tensor), name
