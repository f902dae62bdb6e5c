"""Writes complete voice activity models with made-up weights; knows the file, not the core."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

CHANNELS = ((129, 128), (128, 64), (64, 64), (64, 128))


def write_synthetic_silero(path: Path, *, final_bias: float = 0.0) -> None:
    """A Silero model with random weights.

    final_bias: 20 hears speech everywhere, -20 nowhere.
    """
    random = np.random.default_rng(5)
    shapes: dict[str, tuple[int, ...]] = {}
    for layer, (n_in, n_out) in enumerate(CHANNELS):
        shapes[f"encoder.{layer}.reparam_conv.weight"] = (n_out, n_in, 3)
        shapes[f"encoder.{layer}.reparam_conv.bias"] = (n_out,)
    shapes |= {
        "decoder.rnn.weight_ih": (512, 128),
        "decoder.rnn.weight_hh": (512, 128),
        "decoder.rnn.bias_ih": (512,),
        "decoder.rnn.bias_hh": (512,),
        "decoder.decoder.2.weight": (128,),
        "decoder.decoder.2.bias": (),
        "stft.forward_basis_buffer": (258, 1, 256),
    }
    sizes = [6, 2, 0, 512, 64, 4]
    sizes += [size for n_in, n_out in CHANNELS for size in (n_in, n_out, 3)]
    sizes += [128, 128, 128, 1]
    data = struct.pack("<Ii", 0x67676D6C, 10) + b"silero-16k" + struct.pack("<22i", *sizes)
    for plain, shape in shapes.items():
        name = f"_model.{plain}".encode()
        values = random.uniform(-0.1, 0.1, shape).astype("<f4")
        if plain == "decoder.decoder.2.bias":
            values = np.array(final_bias, "<f4")
        data += struct.pack("<3i", len(shape), len(name), 0)
        data += struct.pack(f"<{len(shape)}i", *shape[::-1]) + name + values.tobytes()
    path.write_bytes(data)
