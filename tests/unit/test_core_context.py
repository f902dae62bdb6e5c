"""Models in memory: every way in, every kind of bad file, life times, tokens."""

from __future__ import annotations

import gc
import io
import os
import pickle
import shutil
from pathlib import Path

import pytest

from wspkit.core import CancellationToken, Context, build_facts, find_language
from wspkit.errors import (
    BadFormatError,
    NotFoundError,
    UsageError,
    WspError,
)


@pytest.fixture(scope="module")
def context(synthetic_model: Path) -> Context:
    return Context.load(synthetic_model)


# ---- ways in ----


def test_path_bytes_buffer_and_file_load_the_same_model(synthetic_model: Path) -> None:
    data = synthetic_model.read_bytes()
    with synthetic_model.open("rb") as file:
        from_file = Context.load(file)
    facts = Context.load(str(synthetic_model)).facts
    for other in (from_file, Context.load(data), Context.load(memoryview(bytearray(data)))):
        assert other.facts == facts
    assert facts.multilingual
    assert (facts.n_vocab, facts.n_audio_state, facts.n_text_layer) == (51865, 64, 1)


def test_paths_may_have_spaces_and_other_letters(synthetic_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "mein Modell für später 模型.bin"
    shutil.copy(synthetic_model, path)
    assert Context.load(path).name == str(path)


def test_files_that_give_little_at_a_time_are_read_whole(synthetic_model: Path) -> None:
    class Trickle(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size or 0, 4099))

    assert Context.load(Trickle(synthetic_model.read_bytes())).facts.n_vocab == 51865


def test_what_read_raises_comes_through() -> None:
    class Broken:
        def read(self, size: int = -1, /) -> bytes:
            raise TimeoutError(f"no {size} bytes came")

    with pytest.raises(TimeoutError, match="bytes came"):
        Context.load(Broken())


def test_read_must_return_bytes() -> None:
    class Wrong:
        def read(self, size: int = -1, /) -> bytes:
            return "text" * size  # type: ignore[return-value]

    with pytest.raises(TypeError, match="bytes"):
        Context.load(Wrong())


def test_read_must_not_return_more_than_asked() -> None:
    class Eager:
        def read(self, size: int = -1, /) -> bytes:
            return bytes(size + 1)

    with pytest.raises(ValueError, match="more than"):
        Context.load(Eager())


# ---- bad files ----


def bad_models(good: bytes) -> dict[str, bytes]:
    return {
        "no bytes": b"",
        "8 bytes": good[:8],
        "html": b"<!DOCTYPE html><html><body>Not found</body></html>",
        "gguf": b"GGUF" + bytes(1000),
        "zip": b"PK\x03\x04" + bytes(1000),
        "cut in the header": good[:20],
        "cut in the vocabulary": good[:100_000],
        "cut in a tensor": good[: len(good) // 2],
        "cut by 4 bytes": good[:-4],
        "zeros": bytes(10_000),
    }


@pytest.mark.parametrize("kind", bad_models(b"").keys())
def test_bad_models_are_bad_format_by_every_way_in(
    kind: str, synthetic_model: Path, tmp_path: Path
) -> None:
    data = bad_models(synthetic_model.read_bytes())[kind]
    path = tmp_path / "model.bin"
    path.write_bytes(data)
    for source in (path, data, io.BytesIO(data)):
        with pytest.raises(BadFormatError) as caught:
            Context.load(source)
        assert len(caught.value.message) > 20


@pytest.mark.parametrize(("kind", "named"), [("html", "(?i)html"), ("gguf", "(?i)gguf")])
def test_foreign_models_are_named(kind: str, named: str, synthetic_model: Path) -> None:
    with pytest.raises(BadFormatError, match=named):
        Context.load(bad_models(synthetic_model.read_bytes())[kind])


def test_missing_files_and_directories_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="gone"):
        Context.load(tmp_path / "gone.bin")
    with pytest.raises(UsageError, match="directory"):
        Context.load(tmp_path)


def test_a_zero_byte_in_a_path_is_refused_rather_than_cut() -> None:
    with pytest.raises(UsageError, match="zero byte"):
        Context.load("a.bin\0b")


def test_a_source_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="int"):
        Context.load(5)  # type: ignore[arg-type]


def test_a_failed_load_leaves_nothing_to_the_next(synthetic_model: Path) -> None:
    with pytest.raises(WspError):
        Context.load(b"")
    assert Context.load(synthetic_model).facts.n_vocab == 51865


# ---- life times ----


def test_closing_is_final_and_may_be_repeated(synthetic_model: Path) -> None:
    with Context.load(synthetic_model) as context:
        assert "closed" not in repr(context)
    context.close()
    assert "closed" in repr(context)
    for use in (lambda: context.tokenize("a"), context.new_state, lambda: context.backend):
        with pytest.raises(UsageError, match="closed"):
            use()


def test_a_state_keeps_the_weights_alive(synthetic_model: Path) -> None:
    context = Context.load(synthetic_model)
    state = context.new_state()
    context.close()
    del context
    gc.collect()
    assert state.transcribe([0.0] * 100).segments == ()
    with state:
        pass
    assert state.closed
    with pytest.raises(UsageError, match="closed"):
        state.transcribe([0.0] * 100)


def test_states_are_freed_in_any_order(synthetic_model: Path) -> None:
    for _ in range(3):
        context = Context.load(synthetic_model)
        states = [context.new_state() for _ in range(3)]
        context.close()
        states[1].close()
        del states, context
        gc.collect()


def test_contexts_refuse_to_be_pickled(context: Context) -> None:
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(context)


def test_contexts_describe_themselves(context: Context) -> None:
    assert "multilingual" in repr(context)
    assert context.name in repr(context)
    assert context.backend == os.environ.get("WSPKIT_BACKEND", "cpu")
    assert build_facts().api_version.startswith("1.")


# ---- tokens and languages ----


@pytest.mark.parametrize("text", ["", "abc", " word", "Grüße, 世界 🙂", "a\nb\tc", "%s %n"])
def test_text_survives_tokens_and_back(text: str, context: Context) -> None:
    tokens = context.tokenize(text)
    assert context.detokenize(tokens) == text
    assert all(0 <= token < context.special_tokens.end_of_text for token in tokens)


def test_words_of_the_vocabulary_are_one_token(context: Context) -> None:
    assert context.tokenize(" c") == (256 + 2,)
    # " a" to " z" come first, then " aa" to " zz".
    assert context.tokenize(" bc") == (256 + 26 + 26 + 2,)


def test_text_with_a_zero_character_is_refused_rather_than_cut(context: Context) -> None:
    with pytest.raises(UsageError, match="zero"):
        context.tokenize("a\0b")


@pytest.mark.parametrize("token", [-1, 51865, 2**31 - 1, -(2**31)])
def test_ids_outside_the_vocabulary_are_refused(token: int, context: Context) -> None:
    with pytest.raises(UsageError, match=str(token)):
        context.token_bytes(token)


def test_bytes_that_are_a_part_of_a_character_come_whole(context: Context) -> None:
    assert context.token_bytes(0xC3) == b"\xc3"
    assert context.detokenize([0xC3]) == "\ufffd"
    assert context.detokenize([0xC3, 0xBC]) == "ü"


def test_special_tokens_are_those_of_multilingual_models(context: Context) -> None:
    special = context.special_tokens
    assert (special.end_of_text, special.start_of_transcript) == (50257, 50258)
    assert (special.translate, special.transcribe) == (50358, 50359)
    assert (special.no_timestamps, special.first_timestamp) == (50363, 50364)


def test_languages_go_by_code_and_by_english_name() -> None:
    german = find_language("de")
    assert german is not None
    assert (german.code, german.name) == ("de", "german")
    assert find_language("german") == german
    assert find_language("klingon") is None


def test_a_token_stays_cancelled() -> None:
    token = CancellationToken()
    assert repr(token) == "CancellationToken(cancelled=False)"
    token.cancel()
    token.cancel()
    assert token.cancelled
