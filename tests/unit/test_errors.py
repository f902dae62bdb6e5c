"""Errors: one class is one documented exit code; messages say found, expected, what to do."""

from __future__ import annotations

import pickle
import re

import pytest

from wspkit import errors
from wspkit.errors import NotFoundError, WspError


def _classes() -> list[type[WspError]]:
    found = [value for value in vars(errors).values() if isinstance(value, type)]
    return [kind for kind in found if issubclass(kind, WspError) and kind is not WspError]


def test_each_class_has_its_own_exit_code() -> None:
    codes = [kind.exit_code for kind in _classes()]
    assert len(codes) == len(set(codes))
    assert not {errors.EXIT_OK, errors.EXIT_INTERRUPTED} & set(codes)


def test_exit_codes_are_what_the_table_says() -> None:
    rows = re.findall(r"^\| (\d+) +\| `(\w+)`", errors.__doc__ or "", re.MULTILINE)
    documented = {name: int(code) for code, name in rows if name != "KeyboardInterrupt"}
    assert documented == {kind.__name__: kind.exit_code for kind in _classes()}


@pytest.mark.parametrize("kind", _classes())
def test_every_class_documents_itself(kind: type[WspError]) -> None:
    assert kind.__doc__ not in {None, WspError.__doc__}


def test_message_holds_found_and_expected_and_text_adds_the_hint() -> None:
    error = NotFoundError("no file 'a.wav'", expected="a WAV recording", hint="Check the path.")
    assert error.message == "no file 'a.wav'; expected a WAV recording"
    assert str(error) == "no file 'a.wav'; expected a WAV recording. Check the path."


def test_message_without_more_is_what_was_found() -> None:
    assert str(NotFoundError("no file")) == "no file"


def test_usage_error_is_also_a_value_error() -> None:
    assert issubclass(errors.UsageError, ValueError)


def test_errors_survive_pickling() -> None:
    before = NotFoundError("no file", expected="one", hint="Make one.")
    after = pickle.loads(pickle.dumps(before))
    assert type(after) is NotFoundError
    assert str(after) == str(before)
