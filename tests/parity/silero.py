"""Silero's own voice activity model and rules, out of PyPI's silero-vad, fetched when asked for.

The package itself wants PyTorch; its ONNX file and the one pure function that is needed do not.
Must not know our core.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

from wspkit.fetching.cache import cache_root, exclusive
from wspkit.fetching.packages import Transfer, bring
from wspkit.fetching.release import Extract, Package

PACKAGE = Package(
    name="silero-vad",
    version="6.2.3",
    file="silero_vad-6.2.3-py3-none-any.whl",
    size_bytes=11317527,
    sha256="7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8",
)
MODEL = Extract(
    name="silero_vad_16k_op15.onnx",
    members=("silero_vad/data/silero_vad_16k_op15.onnx",),
    size_bytes=1289603,
    sha256="7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49",
)
RULES = Extract(
    name="utils_vad.py",
    members=("silero_vad/utils_vad.py",),
    size_bytes=30979,
    sha256="15d0f6b3ef9590e22ca2f146e1436f6901da356cb552d3183df4100862b333cb",
)

#: Stretches of speech as a list of {"start": sample, "end": sample}, from a list of probabilities.
Rules = Callable[..., list[dict[str, int]]]


@cache
def files() -> Path:
    """A directory with both."""
    directory = cache_root() / "tests" / "silero-vad"
    with exclusive(directory, waiting=lambda: None):
        directory.mkdir(parents=True, exist_ok=True)
        missing = [
            one
            for one in (MODEL, RULES)
            if not (directory / one.name).is_file()
            or (directory / one.name).stat().st_size != one.size_bytes
        ]
        if missing:
            bring([PACKAGE], missing, directory, transfer=Transfer())
            (directory / PACKAGE.file).unlink(missing_ok=True)
    return directory


def probabilities(samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """What onnxruntime makes of the published network: one probability per window of 512."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(files() / MODEL.name), options, providers=["CPUExecutionProvider"]
    )
    state = np.zeros((2, 1, 128), np.float32)
    context = np.zeros(64, np.float32)
    found = []
    for window in np.pad(samples, (0, -len(samples) % 512)).reshape(-1, 512):
        heard = np.concatenate([context, window])[None]
        probability, state = session.run(
            None, {"input": heard, "state": state, "sr": np.array(16000, np.int64)}
        )
        found.append(probability[0, 0])
        context = window[-64:]
    return np.array(found, np.float32)


@cache
def rules() -> Rules:
    """Silero's function from probabilities to stretches of speech, without the module around it."""
    source = (files() / RULES.name).read_text(encoding="utf-8")
    name = "get_speech_timestamps_from_probs"
    function = next(
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name == name
    )
    scope: dict[str, Any] = {"List": list}
    module = ast.Module(body=[function], type_ignores=[])
    exec(compile(module, RULES.name, "exec"), scope)
    made: Rules = scope[name]
    return made
