"""Tokens of real vocabularies: the ids that tiktoken gives for the same words and pattern.

tokenizer_ids.json was made with tiktoken 0.14, GPT-2's pattern and the words of the published
tiny.en and base checkpoints as ranks; it also serves where no tiktoken is installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

import pytest

from wspkit.core import Context


class Case(TypedDict):
    """A text and its ids in the two vocabularies."""

    text: str
    english: list[int]
    multilingual: list[int]


CASES: list[Case] = json.loads(
    (Path(__file__).parent / "tokenizer_ids.json").read_text(encoding="utf-8")
)
TEXTS = [ascii(case["text"])[:40] for case in CASES]


@pytest.fixture(scope="module")
def english(tiny_en_f16: Path) -> Context:
    return Context.load(tiny_en_f16)


@pytest.fixture(scope="module")
def multilingual(base_f16: Path) -> Context:
    return Context.load(base_f16)


@pytest.mark.parametrize("case", CASES, ids=TEXTS)
def test_english_only_ids_are_tiktokens(english: Context, case: Case) -> None:
    assert list(english.tokenize(case["text"])) == case["english"]


@pytest.mark.parametrize("case", CASES, ids=TEXTS)
def test_multilingual_ids_are_tiktokens(multilingual: Context, case: Case) -> None:
    assert list(multilingual.tokenize(case["text"])) == case["multilingual"]


@pytest.mark.parametrize("case", CASES, ids=TEXTS)
def test_tokens_give_the_text_back(multilingual: Context, case: Case) -> None:
    assert multilingual.detokenize(multilingual.tokenize(case["text"])) == case["text"]
