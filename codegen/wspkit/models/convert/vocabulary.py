"""Reads the tokens that a ggml file spells out from the vocabularies of other toolkits.

CTranslate2 has a list, one entry for each token; Hugging Face a table of token and number, as
vocab.json or inside tokenizer.json; OpenAI ranked tokens in base 64. All but the last write GPT-2's
characters for bytes.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from pathlib import Path

from wspkit.errors import BadFormatError
from wspkit.models.convert.byte_map import character_to_byte, decode_token

N_STORED_TOKENS = 50_257
"""Tokens that a ggml file spells out: GPT-2's 50256 and the end of text; readers name the rest by
rule.
"""

_MULTILINGUAL_N_VOCAB = 51_865
_END_OF_TEXT = "<|endoftext|>"


def end_of_text_id(n_vocab: int) -> int:
    """The number of the end of text in a vocabulary of that size; the tokens before it are text."""
    return N_STORED_TOKENS if n_vocab >= _MULTILINGUAL_N_VOCAB else N_STORED_TOKENS - 1


def read_tokens(path: Path, n_vocab: int) -> list[bytes]:
    """The tokens that a ggml file stores, as bytes, from the vocabulary of a model of `n_vocab`
    entries.

    path: CTranslate2's vocabulary.txt or vocabulary.json, Hugging Face's vocab.json or
    tokenizer.json, or OpenAI's gpt2.tiktoken or multilingual.tiktoken.
    Errors: BadFormatError with the entry that does not fit.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".tiktoken":
            return _ranked(path, text, n_vocab)
        entries = (
            json.loads(text) if path.suffix == ".json" else text.removesuffix("\n").split("\n")
        )
    except (ValueError, RecursionError) as error:  # of UTF-8, of JSON, and of its depth
        raise BadFormatError(f"{path}: {error}", expected="a vocabulary in UTF-8") from None
    if isinstance(entries, dict):
        return _decoded(path, _by_number(path, entries, n_vocab), n_vocab)
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise BadFormatError(f"{path}: no list of strings", expected="one string for each token")
    if len(entries) != n_vocab:
        raise BadFormatError(
            f"{path}: found {len(entries)} tokens", expected=f"{n_vocab}, as the model has"
        )
    return _decoded(path, entries, n_vocab)


def _decoded(path: Path, entries: Sequence[str], n_vocab: int) -> list[bytes]:
    end_of_text = end_of_text_id(n_vocab)
    if n_vocab <= end_of_text or entries[end_of_text] != _END_OF_TEXT:
        found = entries[end_of_text] if n_vocab > end_of_text else "the end of the list"
        raise BadFormatError(
            f"{path}: entry {end_of_text}: found {found!r}", expected=repr(_END_OF_TEXT)
        )
    table = character_to_byte()
    tokens: list[bytes] = []
    for index, entry in enumerate(entries[:N_STORED_TOKENS]):
        token = entry.encode() if index == end_of_text else decode_token(entry, table)
        if token is None:
            raise BadFormatError(
                f"{path}: entry {index}: found {entry!r}",
                expected="characters of GPT-2's byte map",
            )
        tokens.append(token)
    return tokens


def _by_number(path: Path, document: dict[str, object], n_vocab: int) -> list[str]:
    """Entries 0 to that of the end of text of Hugging Face's tables."""
    table: object = document
    model = document.get("model")
    if isinstance(model, dict):  # tokenizer.json
        table = model.get("vocab")
    if not isinstance(table, dict):
        raise BadFormatError(f"{path}: no table of tokens", expected="numbers by token")
    end_of_text = end_of_text_id(n_vocab)
    entries: list[str | None] = [None] * (end_of_text + 1)
    for token, number in table.items():
        if not isinstance(number, int) or isinstance(number, bool):
            raise BadFormatError(f"{path}: {token!r} has {number!r}", expected="a whole number")
        if 0 <= number <= end_of_text:
            if entries[number] is not None:
                raise BadFormatError(
                    f"{path}: {entries[number]!r} and {token!r} are both {number}",
                    expected="one token for each number",
                )
            entries[number] = token
    if entries[end_of_text] is None:  # among the added tokens, which are the same for all models
        entries[end_of_text] = _END_OF_TEXT
    missing = next((number for number, entry in enumerate(entries) if entry is None), None)
    if missing is not None:
        raise BadFormatError(
            f"{path}: no token has number {missing}", expected=f"one for each below {end_of_text}"
        )
    return [entry for entry in entries if entry is not None]


def _ranked(path: Path, text: str, n_vocab: int) -> list[bytes]:
    """Tokens of OpenAI's form: a line has a token in base 64, a space, and its number."""
    end_of_text = end_of_text_id(n_vocab)
    tokens: dict[int, bytes] = {}
    for place, line in enumerate(text.splitlines(), start=1):
        encoded, _, number = line.rpartition(" ")
        try:
            # The one empty token is written as "=".
            token = base64.b64decode(encoded, validate=True) if encoded != "=" else b""
            rank = int(number)
        except (binascii.Error, ValueError):
            raise BadFormatError(
                f"{path}: line {place}: found {line[:40]!r}",
                expected="a token in base 64 and its number",
            ) from None
        tokens[rank] = token
    if sorted(tokens) != list(range(end_of_text)):
        raise BadFormatError(
            f"{path}: found {len(tokens)} tokens",
            expected=f"{end_of_text}, numbered from 0, for a model of {n_vocab}",
            hint="English-only models take gpt2.tiktoken, the others multilingual.tiktoken.",
        )
    stored = [tokens[rank] for rank in range(end_of_text)]
    return [*stored, _END_OF_TEXT.encode()][:N_STORED_TOKENS]
