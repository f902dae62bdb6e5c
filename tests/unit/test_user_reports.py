"""What users of such libraries have reported about calls, options and paths, each at its smallest
trigger, through Python. docs/user-reports.md lists all reports with their tests.
"""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from wspkit.cli.app import main
from wspkit.core import Context, TranscribeOptions, Vad, VadOptions
from wspkit.core.generated.options import TRANSCRIBE_OPTIONS, VAD_OPTIONS
from wspkit.core.native import core
from wspkit.errors import BadFormatError, NotFoundError, UsageError, WspError

QUICK = TranscribeOptions(language="en", temperature_inc=0.0, n_threads=1, max_tokens=8)


def test_user_report_54_each_voice_activity_option_reaches_its_own_field() -> None:
    before = core.params_as_dict(TranscribeOptions())
    values = {
        info.name: 0.25 if info.type == "float" else int(info.minimum or 0) + 7
        for info in VAD_OPTIONS
    }
    for name, value in values.items():
        options = VadOptions(**{name: value})  # type: ignore[arg-type]
        after = core.params_as_dict(TranscribeOptions(vad_options=options))
        assert {field for field in after if after[field] != before[field]} == {f"vad_params.{name}"}


def test_user_report_54_no_two_options_share_a_field() -> None:
    fields = [info.c_field for info in TRANSCRIBE_OPTIONS]
    assert len(fields) == len(set(fields))


def test_user_report_67_audio_lives_as_long_as_its_job(synthetic_model: Path) -> None:
    with Context.load(synthetic_model) as context:
        audio = np.random.default_rng(1).uniform(-0.1, 0.1, 48000).astype(np.float32)
        expected = context.transcribe(audio, QUICK).segments

        def lose_it(_percent: int) -> None:
            gc.collect()

        # The only reference goes with the call.
        assert context.transcribe(audio.copy(), QUICK, on_progress=lose_it).segments == expected


def test_user_report_67_what_nobody_closed_is_freed(synthetic_model: Path) -> None:
    for _ in range(3):
        Context.load(synthetic_model).transcribe(np.zeros(16000, np.float32), QUICK)
    gc.collect()


def test_user_report_18_a_job_starts_after_another_was_stopped(
    synthetic_model: Path, long_noise: NDArray[np.float32]
) -> None:
    with Context.load(synthetic_model) as context:
        started = threading.Event()
        token = core.CancellationToken()

        def stop() -> None:
            started.wait(30)
            token.cancel()

        threading.Thread(target=stop).start()
        with pytest.raises(WspError):
            context.transcribe(
                long_noise, QUICK, on_progress=lambda _percent: started.set(), cancel=token
            )
        assert context.transcribe(long_noise[:16000], QUICK).duration_s == 1.0


@pytest.mark.parametrize("load", [Context.load, Vad.load])
def test_user_report_77_what_cannot_be_loaded_is_named_with_its_reason(
    load: type, tmp_path: Path, noise_wav: Path
) -> None:
    with pytest.raises(BadFormatError, match="WAV"):
        load(noise_wav)
    with pytest.raises(NotFoundError, match=r"no-model\.bin"):
        load(tmp_path / "no-model.bin")
    with pytest.raises(UsageError, match="dict"):
        load({"filePath": "model.bin"})


def test_user_report_77_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="modelPath"):
        TranscribeOptions(modelPath="model.bin")  # type: ignore[call-arg]


def test_user_report_78_a_url_in_place_of_a_path_is_explained(synthetic_model: Path) -> None:
    with pytest.raises(WspError, match="file://") as caught:
        Context.load(f"file://{synthetic_model}")
    assert "path" in str(caught.value)


def test_user_report_79_paths_with_spaces_and_any_letters_open(
    synthetic_model: Path, tmp_path: Path, noise_wav: Path
) -> None:
    path = tmp_path
    for name in ("my model.bin", "ggml-בדיקה.bin"):
        path = tmp_path / name
        path.symlink_to(synthetic_model)
        Context.load(path).close()
    arguments = ["transcribe", str(noise_wav), "--model", str(path), "--quiet"]
    assert main([*arguments, "--max-tokens", "4", "--temperature-inc", "0"]) == 0
