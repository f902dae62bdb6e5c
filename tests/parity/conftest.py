"""What the parity tests share: the reference's weights, recordings as windows, the core's model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tests.recordings import Recording

from wspkit import _inspect
from wspkit.parity.encoder import encode
from wspkit.parity.log_mel import log_mel, window_of
from wspkit.parity.weights import Array, Weights, read_weights

Samples = npt.NDArray[np.float32]


@pytest.fixture(scope="session")
def weights(tiny_en_f32: Path) -> Weights:
    """tiny.en for the reference, in float32."""
    return read_weights(tiny_en_f32)


@pytest.fixture(scope="session")
def samples(recording: Callable[[str], Recording]) -> Callable[[str], Samples]:
    """(n,) samples of a clip by name."""
    return cache(lambda name: recording(name).samples())


@pytest.fixture(scope="session")
def features(weights: Weights, samples: Callable[[str], Samples]) -> Callable[[str], Array]:
    """(80, 3000) features of a clip's first window, from the reference."""
    return cache(lambda name: window_of(log_mel(samples(name), weights.mel_filters), 0))


@pytest.fixture(scope="session")
def heard(weights: Weights, features: Callable[[str], Array]) -> Callable[[str], Array]:
    """(1500, D) encoder output of a clip's first window, from the reference."""
    return cache(lambda name: encode(weights, features(name)))


@pytest.fixture(scope="session", params=["f32", "f16"])
def core_model(
    request: pytest.FixtureRequest, tiny_en_f32: Path, tiny_en_f16: Path
) -> _inspect.Model:
    """tiny.en in the core, from both files."""
    return _inspect.Model(str(tiny_en_f32 if request.param == "f32" else tiny_en_f16))
