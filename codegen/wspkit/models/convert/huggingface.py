"""Converts Hugging Face Whisper checkpoints to ggml `.bin` models: model.safetensors (or shards
with their index), config.json, and vocab.json or tokenizer.json. Knows both sets of names.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wspkit.errors import BadFormatError
from wspkit.models.convert.ggml_writer import TYPE_F16
from wspkit.models.convert.safetensors import TensorFiles
from wspkit.models.convert.target import ModelTensor, check_hyperparameters
from wspkit.models.convert.vocabulary import read_tokens
from wspkit.models.ggml_types import Hyperparameters

TENSOR_FILES = ("model.safetensors", "model.safetensors.index.json")
VOCABULARIES = ("vocab.json", "tokenizer.json")

_CONFIG_KEYS = {
    "n_vocab": "vocab_size",
    "n_audio_ctx": "max_source_positions",
    "n_audio_state": "d_model",
    "n_audio_head": "encoder_attention_heads",
    "n_audio_layer": "encoder_layers",
    "n_text_ctx": "max_target_positions",
    "n_text_state": "d_model",
    "n_text_head": "decoder_attention_heads",
    "n_text_layer": "decoder_layers",
    "n_mels": "num_mel_bins",
}
_LARGEST = 1 << 20
"""Larger than any number of a real configuration."""

_OUTSIDE = {
    "encoder.positional_embedding": "encoder.embed_positions.weight",
    "encoder.ln_post.weight": "encoder.layer_norm.weight",
    "encoder.ln_post.bias": "encoder.layer_norm.bias",
    "decoder.positional_embedding": "decoder.embed_positions.weight",
    "decoder.token_embedding.weight": "decoder.embed_tokens.weight",
    "decoder.ln.weight": "decoder.layer_norm.weight",
    "decoder.ln.bias": "decoder.layer_norm.bias",
}
_INSIDE = {
    "attn_ln": "self_attn_layer_norm",
    "attn.query": "self_attn.q_proj",
    "attn.key": "self_attn.k_proj",
    "attn.value": "self_attn.v_proj",
    "attn.out": "self_attn.out_proj",
    "cross_attn_ln": "encoder_attn_layer_norm",
    "cross_attn.query": "encoder_attn.q_proj",
    "cross_attn.key": "encoder_attn.k_proj",
    "cross_attn.value": "encoder_attn.v_proj",
    "cross_attn.out": "encoder_attn.out_proj",
    "mlp_ln": "final_layer_norm",
    "mlp.0": "fc1",
    "mlp.2": "fc2",
}
"""Layers of a block, by ggml's name."""

_IN_A_LAYER = re.compile(r"(encoder|decoder)\.blocks\.(\d+)\.(.+)\.(weight|bias)")


def source_name(name: str) -> str:
    """Hugging Face's name of a tensor of the ggml file, without the "model." in front."""
    match = _IN_A_LAYER.fullmatch(name)
    if match is None:
        return _OUTSIDE.get(name, name)  # convolutions have the same name
    half, index, layer, kind = match.groups()
    return f"{half}.layers.{index}.{_INSIDE[layer]}.{kind}"


def read_config(path: Path) -> Hyperparameters:
    """The header of the ggml file, from a config.json. Errors: BadFormatError."""
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadFormatError(
            f"{path}: not there",
            expected="the checkpoint's configuration",
            hint="They are published together: copy the whole checkpoint.",
        ) from None
    except (ValueError, RecursionError) as error:
        raise BadFormatError(f"{path}: {error}", expected="a configuration in JSON") from None
    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind != "whisper":
        raise BadFormatError(f"{path}: found model_type {kind!r}", expected="'whisper'")
    numbers: dict[str, int] = {}
    for field, key in _CONFIG_KEYS.items():
        value = config.get(key)
        if type(value) is not int or not 0 < value <= _LARGEST:
            raise BadFormatError(
                f"{path}: found {str(value)[:40]} as {key}", expected=f"a number of 1 to {_LARGEST}"
            )
        numbers[field] = value
    assert set(numbers) | {"ftype"} == {field.name for field in fields(Hyperparameters)}
    return check_hyperparameters(path, Hyperparameters(**numbers, ftype=TYPE_F16))


def find_vocabulary(directory: Path, names: tuple[str, ...]) -> Path:
    """The first of these files that is there. Errors: BadFormatError."""
    found = next((directory / name for name in names if (directory / name).is_file()), None)
    if found is None:
        raise BadFormatError(
            f"{directory}: a checkpoint without a vocabulary",
            expected=" or ".join(names) + " beside it",
            hint="Give the file by --vocabulary if it is elsewhere.",
        )
    return found


class HuggingFaceSource:
    """A checkpoint on disk."""

    def __init__(self, path: Path, vocabulary: Path | None = None) -> None:
        """path: its directory, its model.safetensors or the index of its shards. Errors:
        BadFormatError.
        """
        directory = path if path.is_dir() else path.parent
        if path.is_dir():
            path = next((path / name for name in TENSOR_FILES if (path / name).is_file()), path)
        if path.is_dir():
            raise BadFormatError(f"{path}: no tensors there", expected=" or ".join(TENSOR_FILES))
        self.hyperparameters = read_config(directory / "config.json")
        self._vocabulary = vocabulary or find_vocabulary(directory, VOCABULARIES)
        self._tensors = TensorFiles(path)
        # The model alone, without the head that transcribes, is saved without it.
        named = any(name.startswith("model.") for name in self._tensors.entries)
        self._prefix = "model." if named else ""

    def tokens(self) -> list[bytes]:
        """The tokens that the file spells out."""
        return read_tokens(self._vocabulary, self.hyperparameters.n_vocab)

    def values(self, tensor: ModelTensor) -> npt.NDArray[np.generic]:
        """A tensor's values, float16 or float32 as the checkpoint has them."""
        name = self._prefix + source_name(tensor.name)
        return self._tensors.values(name, tensor.source_shape)
