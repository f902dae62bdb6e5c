"""wsp.toml: every key has a default and a meaning; what is not understood is refused with its line,
its key and what was expected.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wspkit import tables
from wspkit.config.load import load_project
from wspkit.config.model import Config
from wspkit.config.version_range import VersionRange, version_of
from wspkit.errors import BadFormatError, NotFoundError

ROOT = Path(__file__).parents[2]


def parsed(text: str) -> Config:
    return tables.parse(text, "wsp.toml", Config)


def refused(text: str) -> str:
    """What is said about a text that is no wsp.toml."""
    with pytest.raises(BadFormatError) as caught:
        parsed(text)
    return str(caught.value)


def test_an_empty_file_has_every_default() -> None:
    config = parsed("")
    assert config.prefix.name == "wsp_"
    assert config.target.android.abis == ("arm64-v8a", "armeabi-v7a", "x86_64")
    assert config.target.linux_armhf.compiler == "arm-linux-gnueabihf-"


def test_the_file_of_this_repository_shows_the_defaults() -> None:
    own = load_project(ROOT / "wsp.toml").config
    assert own.model_copy(update={"budget": parsed("").budget}) == parsed("")
    assert own.budget.tarball_bytes == parsed("").budget.tarball_bytes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[target.andriod]\nmin_sdk = 24",
            "wsp.toml:1: unknown key 'target.andriod'; did you mean 'android'?",
        ),
        (
            "[target.android]\n\nabi = []",
            "wsp.toml:3: unknown key 'target.android.abi'; did you mean 'abis'?",
        ),
        (
            "[target.wasm]\nqqq = 1",
            "wsp.toml:2: unknown key 'target.wasm.qqq'; known keys are zig",
        ),
        (
            '[target.android]\nabis = ["arm64"]',
            (
                "wsp.toml:2: target.android.abis: input should be 'arm64-v8a', 'armeabi-v7a' or "
                "'x86_64', not 'arm64'"
            ),
        ),
        (
            '[target.android]\nmin_sdk = "24"',
            "wsp.toml:2: target.android.min_sdk: input should be a valid integer, not '24'",
        ),
        (
            "[target.android]\nmin_sdk = 20",
            (
                "wsp.toml:2: target.android.min_sdk: input should be greater than or equal to 21, "
                "not 20"
            ),
        ),
        (
            '[target.android]\nndk = "28"',
            (
                'wsp.toml:2: target.android.ndk: expected a range of versions as ">=28" or '
                "\">=28,<31\", not '28'"
            ),
        ),
        (
            '[build]\ncmake = ">=4,<3"',
            (
                "wsp.toml:2: build.cmake: no version is in '>=4,<3'; expected a range of "
                'versions as ">=28" or ">=28,<31"'
            ),
        ),
        (
            '[prefix]\nname = "Wsp"',
            (
                "wsp.toml:2: prefix.name: expected lower-case letters and digits, then an "
                "underscore, as \"wsp_\", not 'Wsp'"
            ),
        ),
        (
            '[build]\nsource = "../elsewhere"',
            (
                "wsp.toml:2: build.source: expected a path below the folder of wsp.toml, not "
                "'../elsewhere'"
            ),
        ),
        (
            "[budget.library_bytes]\nlinux-arm = 3",
            (
                "wsp.toml:2: budget.library_bytes.linux-arm: input should be 'linux-x86_64', "
                "'linux-aarch64', 'linux-armhf', 'wasm', 'android' or 'ios', not 'linux-arm'"
            ),
        ),
        (
            "[target.ios]\nslices = []",
            "wsp.toml:2: target.ios.slices: expected at least one, not an empty list",
        ),
        (
            "[target.linux-x86_64]",
            "wsp.toml:1: target.linux-x86_64 lacks the key 'compiler'",
        ),
    ],
)
def test_what_is_wrong_names_its_line_its_key_and_what_was_expected(
    text: str, message: str
) -> None:
    assert refused(text) == message


def test_every_problem_is_said_at_once() -> None:
    said = refused('[prefix]\nname = "X"\n[target.ios]\nslice = []')
    assert [line.partition(": ")[0] for line in said.splitlines()] == ["wsp.toml:2", "wsp.toml:4"]


def test_the_nearest_file_upwards_is_read(tmp_path: Path) -> None:
    (tmp_path / "wsp.toml").write_text('[prefix]\nname = "far_"')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert load_project(start=inner).root == tmp_path
    (tmp_path / "a" / "wsp.toml").write_text('[prefix]\nname = "near_"')
    assert load_project(start=inner).config.prefix.name == "near_"


def test_a_named_file_is_read_and_named(tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text("[prefixx]")
    with pytest.raises(BadFormatError) as caught:
        load_project(file)
    assert str(caught.value).startswith(f"{file}:1: ")
    with pytest.raises(NotFoundError, match=r"no file .*absent\.toml"):
        load_project(tmp_path / "absent.toml")


def test_a_tree_without_a_file_is_told_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"no wsp\.toml in .* or above.*--config"):
        load_project(start=tmp_path)


def tables_of(table: type[tables.Table]) -> list[type[tables.Table]]:
    inner = [
        field.annotation
        for field in table.model_fields.values()
        if isinstance(field.annotation, type) and issubclass(field.annotation, tables.Table)
    ]
    return [table, *(one for child in inner for one in tables_of(child))]


def test_every_key_has_a_meaning() -> None:
    assert len(tables_of(Config)) > 10
    silent = [
        f"{table.__name__}.{name}"
        for table in tables_of(Config)
        for name, field in table.model_fields.items()
        if not field.description
    ]
    assert silent == []


@pytest.mark.parametrize(
    ("range_", "version", "inside"),
    [
        (">=28,<31", "28", True),
        (">=28,<31", "28.0.13004108", True),
        (">=28,<31", "30.9.9", True),
        (">=28,<31", "31", False),
        (">=28,<31", "27.3.1", False),
        (">=3.22", "3.22.0", True),
        (">=3.22", "3.9", False),
        (">=3.22", "4", True),
    ],
)
def test_a_version_is_inside_its_range_or_not(range_: str, version: str, inside: bool) -> None:
    assert (version_of(version) in VersionRange.parse(range_)) is inside


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("cmake version 3.25.1\n\nCMake suite", (3, 25, 1)),
        ("Xcode 16.2\nBuild version 16C5032a", (16, 2)),
        ("0.17.1", (0, 17, 1)),
        ("12\n", (12,)),
    ],
)
def test_a_version_is_read_from_what_a_program_says(said: str, version: tuple[int, ...]) -> None:
    assert version_of(said) == version


@pytest.mark.parametrize("text", ["", "28", "<31", ">=a", ">=1,>=2", ">=1,", "==3"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="range of versions"):
        VersionRange.parse(text)
