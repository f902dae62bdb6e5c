"""Core ML packages of real models, computed in NumPy, against the core's encoder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.mil_program import Package
from tests.recordings import Recording

from wspkit import _inspect
from wspkit.cli.app import main
from wspkit.parity.log_mel import log_mel, window_of
from wspkit.parity.weights import Array


def package_of(model: Path, folder: Path, *words: str) -> Package:
    """What the command makes of a model."""
    path = folder / f"{model.stem}-encoder.mlpackage"
    assert main(["model", "coreml", str(model), "--out", str(path), *words]) == 0
    return Package(path)


def rms(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values, dtype=np.float64))))


@pytest.mark.long("coreml")
@pytest.mark.parametrize(
    ("name", "most_bytes"), [("tiny_en_f16", 16_500_000), ("base_f16", 41_300_000)]
)
def test_a_real_package_gives_what_the_core_gives(
    name: str,
    most_bytes: int,
    *,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    recording: Callable[[str], Recording],
    record_property: Callable[[str, object], None],
) -> None:
    model: Path = request.getfixturevalue(name)
    package = package_of(model, tmp_path)
    # Half precision of the encoder's values, and 45 to 67 KB of program.
    assert package.size_bytes < most_bytes
    core = _inspect.Model(str(model))
    engine = _inspect.Engine(core)
    samples = recording("jfk").samples()
    features = window_of(log_mel(samples, core.filters), 0).astype(np.float32)
    for n_frames in (1500, 512):
        window = np.ascontiguousarray(features[:, : 2 * n_frames])
        expected = engine.encode(window)
        # Outputs have a root mean square near 1 and magnitudes of up to 18. The graph alone:
        graph = package.run(window[None], rounded=False)[0] - expected
        assert rms(graph) < 1e-3
        # With half precision everywhere. In single frames base's residual stream reaches 550,
        # where a step of half precision is 0.5: there, and nowhere else, elements differ by more.
        heard = package.run(window[None])[0] - expected
        assert rms(heard) < 1e-2
        assert float(np.quantile(np.abs(heard), 0.99)) < 1e-2
        record_property(
            f"{n_frames} frames",
            f"{package.size_bytes} bytes; rms {rms(heard):.2g}, all within "
            f"{np.abs(heard).max():.2g}; unrounded {rms(graph):.2g} and {np.abs(graph).max():.2g}",
        )
