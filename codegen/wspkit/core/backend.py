"""Names of what may compute. It knows no native module, so that a command line can show them."""

from __future__ import annotations

from enum import Enum


class Backend(str, Enum):
    """What computes a context; the numbers of whisper_ext_backend by name."""

    AUTO = "auto"
    """The GPU where there is one, and an encoder that lies beside the model."""
    CPU = "cpu"
    METAL = "metal"
    COREML = "coreml"
    OPENVINO = "openvino"
