"""A patch applies exactly, or says where it does not; it says by content which trees it is for."""

from __future__ import annotations

import pytest

from wspkit.errors import BadFormatError, InternalError
from wspkit.upstream.patch import Patch, apply, parse, patches

TOML = """
reason = "so that this test has something to apply"
[for]
file = "**/a.m"
has = ["old way"]
lacks = ["new way"]
[[edit]]
at = "the old way\\n"
put = "PLACE"
text = "added\\n"
"""


def patch(place: str = "after") -> Patch:
    return parse("example", TOML.replace("PLACE", place).encode())


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("after", b"1\nthe old way\nadded\n2\n"),
        ("before", b"1\nadded\nthe old way\n2\n"),
        ("instead", b"1\nadded\n2\n"),
    ],
)
def test_a_text_is_put_before_after_or_instead(place: str, expected: bytes) -> None:
    files, applied = apply(
        [patch(place)], {"x/a.m": b"1\nthe old way\n2\n", "b.m": b"the old way\n"}
    )
    assert files == {"x/a.m": expected, "b.m": b"the old way\n"}
    assert [(one.patch.name, one.paths) for one in applied] == [("example", ("x/a.m",))]


@pytest.mark.parametrize("text", [b"another way\n", b"the old way\nthe new way\n"])
def test_a_tree_of_other_content_is_not_meant(text: bytes) -> None:
    files, applied = apply([patch()], {"a.m": text})
    assert (files, applied) == ({"a.m": text}, [])


@pytest.mark.parametrize(
    ("text", "place", "count"),
    [
        (b"1\n2\nthe old way, changed\n", "a.m:3", 0),
        (b"the old way\n2\nthe old way\n", "a.m:3", 2),
        (b"\n\n\n// old way\n", "a.m:4", 0),
    ],
)
def test_a_patch_that_no_longer_applies_is_an_error_with_file_and_line(
    text: bytes, place: str, count: int
) -> None:
    with pytest.raises(BadFormatError) as raised:
        apply([patch()], {"a.m": text})
    assert raised.value.found == (
        f"{place}: the patch example no longer applies: 'the old way' is there {count} times"
    )


def test_bytes_that_are_no_text_come_through() -> None:
    files, _ = apply([patch()], {"a.m": b"\xff\nthe old way\n"})
    assert files == {"a.m": b"\xff\nthe old way\nadded\n"}


def test_a_wrong_patch_is_a_bug_of_ours() -> None:
    for content in (b"reason = 'short'", TOML.replace("PLACE", "nowhere").encode(), b"x"):
        with pytest.raises(InternalError, match="the patch example is wrong"):
            parse("example", content)


def test_our_patches_have_reasons_and_are_read() -> None:
    assert [one.name for one in patches()] == ["metal-in-the-library"]
