"""Writes checkpoints as Hugging Face and OpenAI do, from the tensors of a ggml model; knows the
formats, not the converters.
"""

from __future__ import annotations

import base64
import collections
import io
import json
import math
import pickle
import re
import struct
import sys
import types
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import numpy.typing as npt

from wspkit.models.ggml_types import Hyperparameters
from wspkit.models.inspect import inspect

Array = npt.NDArray[np.generic]
STORAGES = {"<f4": "FloatStorage", "<f2": "HalfStorage", "<u2": "BFloat16Storage"}
DTYPES = {"<f4": "F32", "<f2": "F16", "<u2": "BF16"}


def ggml_tensors(path: Path) -> dict[str, Array]:
    """The tensors of a float model file by name; biases of convolutions as (D,)."""
    raw = path.read_bytes()
    found = {}
    for tensor in inspect(path).tensors:
        dtype = {"f16": "<f2", "f32": "<f4"}[tensor.type_name]
        values = np.frombuffer(raw, dtype, math.prod(tensor.shape), tensor.offset_bytes)
        is_column = tensor.name.startswith("encoder.conv") and tensor.name.endswith("bias")
        found[tensor.name] = values.reshape(tensor.shape[:1] if is_column else tensor.shape)
    return found


def hyperparameters(path: Path) -> Hyperparameters:
    """The header of a model file."""
    found = inspect(path).hyperparameters
    assert found is not None
    return found


# ---- Hugging Face ----

_RENAMED = (
    (r"\.blocks\.", ".layers."),
    (r"cross_attn\.query", "encoder_attn.q_proj"),
    (r"cross_attn\.key", "encoder_attn.k_proj"),
    (r"cross_attn\.value", "encoder_attn.v_proj"),
    (r"cross_attn\.out", "encoder_attn.out_proj"),
    (r"cross_attn_ln", "encoder_attn_layer_norm"),
    (r"(?<!_)attn\.query", "self_attn.q_proj"),
    (r"(?<!_)attn\.key", "self_attn.k_proj"),
    (r"(?<!_)attn\.value", "self_attn.v_proj"),
    (r"(?<!_)attn\.out", "self_attn.out_proj"),
    (r"(?<!_)attn_ln", "self_attn_layer_norm"),
    (r"mlp_ln", "final_layer_norm"),
    (r"mlp\.0", "fc1"),
    (r"mlp\.2", "fc2"),
    (r"positional_embedding$", "embed_positions.weight"),
    (r"token_embedding", "embed_tokens"),
    (r"ln_post|(?<=decoder\.)ln(?=\.)", "layer_norm"),
)


def hugging_face_name(name: str) -> str:
    """A ggml tensor's name in Hugging Face's checkpoints."""
    renamed = name
    for pattern, replacement in _RENAMED:
        renamed = re.sub(pattern, replacement, renamed)
    return f"model.{renamed}"


def safetensors(tensors: Mapping[str, Array]) -> bytes:
    """A file of these tensors."""
    table: dict[str, object] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for name, values in tensors.items():
        table[name] = {
            "dtype": DTYPES[values.dtype.str],
            "shape": list(values.shape),
            "data_offsets": [offset, offset + values.nbytes],
        }
        offset += values.nbytes
    head = json.dumps(table).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + b"".join(v.tobytes() for v in tensors.values())


def write_hugging_face(
    directory: Path,
    tensors: Mapping[str, Array],
    sizes: Hyperparameters,
    words: Mapping[str, int],
    *,
    shards: int = 1,
) -> Path:
    """A directory as it is published: configuration, vocabulary, tensors in one file or several."""
    directory.mkdir(parents=True)
    config = {
        "model_type": "whisper",
        "vocab_size": sizes.n_vocab,
        "max_source_positions": sizes.n_audio_ctx,
        "d_model": sizes.n_audio_state,
        "encoder_attention_heads": sizes.n_audio_head,
        "encoder_layers": sizes.n_audio_layer,
        "max_target_positions": sizes.n_text_ctx,
        "decoder_attention_heads": sizes.n_text_head,
        "decoder_layers": sizes.n_text_layer,
        "num_mel_bins": sizes.n_mels,
    }
    (directory / "config.json").write_text(json.dumps(config))
    (directory / "vocab.json").write_text(json.dumps(words), encoding="utf-8")
    named = {hugging_face_name(name): values for name, values in tensors.items()}
    if shards == 1:
        (directory / "model.safetensors").write_bytes(safetensors(named))
        return directory
    places: dict[str, str] = {}
    for shard in range(shards):
        file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        part = dict(list(named.items())[shard::shards])
        places |= dict.fromkeys(part, file)
        (directory / file).write_bytes(safetensors(part))
    index = {"metadata": {}, "weight_map": places}
    (directory / "model.safetensors.index.json").write_text(json.dumps(index))
    return directory


def printable(token: bytes) -> str:
    """A token in GPT-2's characters for bytes."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return "".join(
        chr(byte) if byte in plain else chr(0x100 + others.index(byte)) for byte in token
    )


# ---- OpenAI ----


@contextmanager
def torch_names() -> Iterator[types.ModuleType]:
    """Modules of PyTorch's names while a pickle is written, which looks each name up."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
    for name in STORAGES.values():
        setattr(torch, name, type(name, (), {"__module__": "torch"}))

    def rebuild(*_: object) -> None:
        raise AssertionError("a pickle was run")

    rebuild.__module__, rebuild.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    vars(utils)["_rebuild_tensor_v2"] = rebuild
    with mock.patch.dict(sys.modules, {"torch": torch, "torch._utils": utils}):
        yield torch


def write_openai(path: Path, tensors: Mapping[str, Array], sizes: Hyperparameters) -> Path:
    """A .pt file: {"dims": ..., "model_state_dict": ...} as torch.save writes it."""
    dims = {name: value for name, value in vars(sizes).items() if name != "ftype"}
    storages: list[Array] = []
    with torch_names() as torch:

        class Storage:
            def __init__(self, values: Array) -> None:
                self.values = values

        class Tensor:
            def __init__(self, values: Array) -> None:
                self.values = values

            def __reduce__(self) -> tuple[object, ...]:
                shape = self.values.shape
                strides = tuple(s // self.values.itemsize for s in self.values.strides)
                rebuild = vars(sys.modules["torch._utils"])["_rebuild_tensor_v2"]
                no_hooks: collections.OrderedDict[str, object] = collections.OrderedDict()
                return rebuild, (Storage(self.values), 0, shape, strides, False, no_hooks)

        class Pickler(pickle.Pickler):
            def persistent_id(self, obj: object) -> object:
                if not isinstance(obj, Storage):
                    return None
                storages.append(obj.values)
                kind = getattr(torch, STORAGES[obj.values.dtype.str])
                return ("storage", kind, str(len(storages) - 1), "cpu", obj.values.size)

        state = collections.OrderedDict((name, Tensor(v)) for name, v in tensors.items())
        # PyTorch keeps the versions of modules as an attribute of the dictionary.
        vars(state)["_metadata"] = collections.OrderedDict(version=1)
        file = io.BytesIO()
        Pickler(file, protocol=2).dump({"dims": dims, "model_state_dict": state})
    write_archive(path, file.getvalue(), storages)
    return path


def write_archive(path: Path, described: bytes, storages: list[Array]) -> None:
    """The zip archive around a pickle and the values that it refers to."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{path.stem}/data.pkl", described)
        for index, values in enumerate(storages):
            archive.writestr(f"{path.stem}/data/{index}", values.tobytes())
        archive.writestr(f"{path.stem}/version", "3\n")


def tiktoken_lines(words: list[bytes]) -> str:
    """A vocabulary as OpenAI's package has it: tokens in base 64 with their numbers."""
    return "".join(
        f"{base64.b64encode(word).decode() or '='} {rank}\n" for rank, word in enumerate(words)
    )
