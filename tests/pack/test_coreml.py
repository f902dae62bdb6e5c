"""The Core ML encoder as clang reads it under ARC, with stand-ins for the headers of Apple that it
uses; Core ML itself is on Apple's systems only.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENCODER = ROOT / "cpp" / "src" / "encoders" / "coreml" / "coreml_encoder.mm"


def read(source: Path) -> subprocess.CompletedProcess[str]:
    words = (
        *("clang++-19", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"),
        *("-fblocks", "-fobjc-arc", "-fobjc-exceptions", "-fobjc-runtime=ios-15.0"),
        *("-isystem", Path(__file__).parent / "apple", f"-I{ROOT / 'cpp' / 'src'}", source),
    )
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)


def test_the_encoder_is_objective_c_plus_plus_under_arc() -> None:
    done = read(ENCODER)
    assert done.returncode == 0, done.stderr


def test_the_look_at_it_sees_what_is_wrong(tmp_path: Path) -> None:
    text = ENCODER.read_text()
    for right, wrong in (
        ("predictionFromFeatures:given", "predictionOfFeatures:given"),
        ("configuration.computeUnits = MLComputeUnitsAll", "configuration.units = 2"),
        ("MLModel *model_;", "NSURL *model_;"),
    ):
        assert right in text
        text = text.replace(right, wrong)
    changed = tmp_path / "coreml_encoder.mm"
    changed.write_text(text)
    messages = read(changed).stderr
    for message in ("predictionOfFeatures", "'units' not found", "'MLModel *"):
        assert message in messages
