"""Options against the core: defaults are its own, and what no option sets stays as it is there."""

from __future__ import annotations

import os
import struct
from typing import Any, cast

import pytest

from wspkit.core.generated.options import TranscribeOptions
from wspkit.core.native import core
from wspkit.spec.load import load
from wspkit.spec.model import Option

OPTIONS = {
    name: option
    for name, option in load().options_of("transcribe").items()
    if option.type != "options" and not option.by_hand
}
"""Those that generated code carries into a field of their own."""
each = pytest.mark.parametrize("name", OPTIONS)


def c_fields(options: TranscribeOptions | None) -> dict[str, Any]:
    """The C struct that options become, as the binding reads it by hand; of None, its defaults."""
    return core.params_as_dict(cast("TranscribeOptions", options))


def as_c(option: Option, value: object) -> object:
    """How a value comes back from C: floats have 32 bits, and nothing is a null pointer."""
    if option.type == "float":
        return struct.unpack("f", struct.pack("f", value))[0]
    if option.type in {"tokens", "names"}:
        return list(cast("tuple[int, ...]", value)) or None
    return value if value != "" else None


@each
def test_each_default_is_that_of_the_core_or_says_so(name: str) -> None:
    option = OPTIONS[name]
    found = c_fields(None)[option.c_field]
    if option.c_default == "min(4, hardware threads)":
        counts = {os.cpu_count() or 1, len(os.sched_getaffinity(0))}
        assert found in {min(4, count) for count in counts}
    elif option.c_default is not None:
        # Written as C writes it.
        assert (str(found).lower() if isinstance(found, bool) else str(found)) == option.c_default
        assert as_c(option, option.default) != found
    else:
        assert found == as_c(option, option.default)


def test_what_no_option_sets_stays_at_the_default_of_the_core() -> None:
    fields = {option.c_field for option in OPTIONS.values()}
    ours, theirs = c_fields(TranscribeOptions()), c_fields(None)
    assert {k: v for k, v in ours.items() if k not in fields} == {
        k: v for k, v in theirs.items() if k not in fields
    }


def test_a_value_that_its_c_field_cannot_hold_names_the_option() -> None:
    class Unchecked:
        """Looks like options, but nothing checked it."""

        def __getattr__(self, name: str) -> object:
            return 2**40 if name == "offset_ms" else getattr(TranscribeOptions(), name)

    with pytest.raises(TypeError, match="option offset_ms is 1099511627776, which its C field"):
        core.params_as_dict(cast("TranscribeOptions", Unchecked()))
