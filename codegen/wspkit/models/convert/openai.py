"""Converts OpenAI's Whisper checkpoints (`tiny.en.pt`) to ggml `.bin` models.

Such a file is a zip archive that PyTorch wrote: data.pkl describes the tensors, data/0, data/1 ...
hold their values. The pickle is read as data only (pickled.py). OpenAI keeps the vocabulary in its
package, so that it must be given or lie beside the file. ggml took its names of tensors from here.
"""

from __future__ import annotations

import errno
import math
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wspkit.errors import BadFormatError
from wspkit.models.convert.ggml_writer import TYPE_F16
from wspkit.models.convert.huggingface import find_vocabulary
from wspkit.models.convert.pickled import StoredTensor, read_pickle
from wspkit.models.convert.safetensors import widened_bfloat16
from wspkit.models.convert.target import ModelTensor, check_hyperparameters
from wspkit.models.convert.vocabulary import N_STORED_TOKENS, end_of_text_id, read_tokens
from wspkit.models.ggml_types import Hyperparameters

_DIMENSIONS = (
    *("n_vocab", "n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer"),
    *("n_text_ctx", "n_text_state", "n_text_head", "n_text_layer", "n_mels"),
)
_LARGEST = 1 << 20
_MAX_PICKLE_BYTES = 16 << 20
"""A checkpoint's description has some hundred kilobytes; its values lie in entries of their own."""

_ITEM = {"float32": ("<f4", 4), "float16": ("<f2", 2), "bfloat16": ("<u2", 2)}


class OpenAISource:
    """An open checkpoint. A context manager."""

    def __init__(self, path: Path, vocabulary: Path | None = None) -> None:
        """Opens the archive and reads what it describes. Errors: BadFormatError."""
        self.path = path
        # Opened here: what fails then is the file, and what fails behind it is the archive.
        self._file = path.open("rb")
        try:
            with _refusing_archives(path):
                self._archive = zipfile.ZipFile(self._file)
            self._open(vocabulary)
        except BaseException:
            self.close()
            raise

    def _open(self, vocabulary: Path | None) -> None:
        described = [i for i in self._archive.infolist() if i.filename.endswith("/data.pkl")]
        if len(described) != 1:
            raise BadFormatError(
                f"{self.path}: {len(described)} entries named data.pkl", expected="one"
            )
        self._root = described[0].filename.removesuffix("data.pkl")
        pickle = self._entry("data.pkl", _MAX_PICKLE_BYTES)
        checkpoint = read_pickle(pickle, f"{self.path}: data.pkl")
        dims = checkpoint.get("dims") if isinstance(checkpoint, dict) else None
        state = checkpoint.get("model_state_dict") if isinstance(checkpoint, dict) else None
        if not isinstance(dims, dict) or not isinstance(state, dict):
            raise BadFormatError(
                f"{self.path}: no dims or no model_state_dict", expected="a Whisper checkpoint"
            )
        self._state: dict[object, object] = state
        self.hyperparameters = self._read_dimensions(dims)
        if vocabulary is None:
            english = end_of_text_id(self.hyperparameters.n_vocab) < N_STORED_TOKENS
            ranked = "gpt2.tiktoken" if english else "multilingual.tiktoken"
            names = (ranked, "vocab.json", "tokenizer.json", "vocabulary.json", "vocabulary.txt")
            vocabulary = find_vocabulary(self.path.parent, names)
        self._vocabulary = vocabulary

    def __enter__(self) -> OpenAISource:  # noqa: PYI034  (Self is not in Python 3.10)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _read_dimensions(self, dims: dict[object, object]) -> Hyperparameters:
        numbers: dict[str, int] = {}
        for name in _DIMENSIONS:
            value = dims.get(name)
            if type(value) is not int or not 0 < value <= _LARGEST:
                found = str(value) if isinstance(value, int) else type(value).__name__
                raise BadFormatError(
                    f"{self.path}: found {found} as {name}",
                    expected=f"a number of 1 to {_LARGEST}",
                )
            numbers[name] = value
        return check_hyperparameters(self.path, Hyperparameters(**numbers, ftype=TYPE_F16))

    def tokens(self) -> list[bytes]:
        """The tokens that the file spells out."""
        return read_tokens(self._vocabulary, self.hyperparameters.n_vocab)

    def values(self, tensor: ModelTensor) -> npt.NDArray[np.generic]:
        """A tensor's values, float16 or float32; bfloat16 comes widened. Errors: BadFormatError."""
        name, shape = tensor.name, tensor.source_shape
        stored = self._state.get(name)
        if not isinstance(stored, StoredTensor):
            raise BadFormatError(
                f"{self.path}: no tensor {name!r} among {len(self._state)}",
                expected="the tensors of a Whisper checkpoint",
            )
        if stored.shape != shape:
            raise BadFormatError(
                f"{self.path}: tensor {name!r}: found shape {stored.shape}", expected=f"{shape}"
            )
        if stored.dtype not in _ITEM:
            raise BadFormatError(
                f"{self.path}: tensor {name!r}: found {stored.dtype} values",
                expected=", ".join(_ITEM),
            )
        item, item_bytes = _ITEM[stored.dtype]
        n_values = math.prod(shape)
        rows = tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
        if stored.stride != rows or stored.offset + n_values > stored.n_stored:
            raise BadFormatError(
                f"{self.path}: tensor {name!r}: found strides {stored.stride} from value "
                f"{stored.offset} of {stored.n_stored}",
                expected="rows one after the other, inside of their storage",
            )
        raw = self._entry(f"data/{stored.key}", stored.n_stored * item_bytes)
        if len(raw) != stored.n_stored * item_bytes:
            raise BadFormatError(
                f"{self.path}: tensor {name!r}: found {len(raw)} bytes",
                expected=f"{stored.n_stored * item_bytes}",
            )
        values: npt.NDArray[np.generic] = np.frombuffer(
            raw, item, n_values, offset=stored.offset * item_bytes
        )
        return (widened_bfloat16(values) if stored.dtype == "bfloat16" else values).reshape(shape)

    def _entry(self, name: str, most_bytes: int) -> bytes:
        """An entry of the archive, not longer than that. PyTorch compresses none."""
        info = self._archive.NameToInfo.get(self._root + name)
        if info is None:
            raise BadFormatError(f"{self.path}: no entry {name!r}", expected="what data.pkl names")
        if info.compress_type != zipfile.ZIP_STORED or info.file_size > most_bytes:
            raise BadFormatError(
                f"{self.path}: entry {name!r} is compressed or has {info.file_size} bytes",
                expected=f"at most {most_bytes}, as they are",
            )
        with _refusing_archives(f"{self.path}: entry {name!r}"):
            return self._archive.read(info)


@contextmanager
def _refusing_archives(what: object) -> Iterator[None]:
    """Turns what zipfile raises of a hostile archive into BadFormatError.

    Beside its own error it lets through what any field leads it to: encrypted entries, versions of
    the future, names in no encoding, ends and places outside of the file.
    """
    try:
        yield
    except (zipfile.BadZipFile, RuntimeError, EOFError, ValueError, OverflowError) as error:
        found = str(error) or "the archive ends early"
    except struct.error:
        found = "a cut field"
    except OSError as error:
        if error.errno != errno.EINVAL:  # a place before the file's beginning
            raise
        found = "an entry outside of the file"
    else:
        return
    raise BadFormatError(
        f"{what}: {found}",
        expected="a zip archive, as PyTorch has written checkpoints since version 1.6",
    )
