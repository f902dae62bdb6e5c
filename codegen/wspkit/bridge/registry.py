"""All outputs, once: which template makes which file from which view. Another language is another
line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wspkit.bridge.cli_options import transcribe_options, vad_options
from wspkit.bridge.cpp_options import cpp_options
from wspkit.bridge.docs_config import docs_config
from wspkit.bridge.docs_options import docs_options
from wspkit.bridge.docs_surface import docs_surface, lock
from wspkit.bridge.jsi_surface import jsi_contract, jsi_values
from wspkit.bridge.python_options import python_options
from wspkit.bridge.registration import registration
from wspkit.bridge.render import render
from wspkit.bridge.ts_surface import (
    ts_contract,
    ts_defaults,
    ts_errors,
    ts_mock,
    ts_native,
    ts_types,
)
from wspkit.bridge.workflows import workflows
from wspkit.spec.model import Api


@dataclass(frozen=True)
class Output:
    """One generated file."""

    path: str
    """Where it goes, from the root of the repository, with forward slashes."""
    template: str
    """What it is made from, below `templates`."""
    view: Callable[[Api], object]
    """Builds the view that the template takes."""

    def text(self, api: Api) -> str:
        """The text of the file for an API."""
        return render(self.template, self.view(api))


OUTPUTS: tuple[Output, ...] = (
    Output(".github/workflows/ci.yml", "ci/ci.yml.j2", workflows),
    Output(".github/workflows/release.yml", "ci/release.yml.j2", workflows),
    Output(".github/workflows/upstream.yml", "ci/upstream.yml.j2", workflows),
    Output("android/generated/NativeWsp.h", "android/native_module.h.j2", registration),
    Output(
        "codegen/wspkit/cli/generated/transcribe_options.py",
        "cli/options.py.j2",
        transcribe_options,
    ),
    Output("codegen/wspkit/cli/generated/vad_options.py", "cli/options.py.j2", vad_options),
    Output("codegen/wspkit/core/generated/options.py", "python/options.py.j2", python_options),
    Output("codegen/wspkit/spec/api.lock", "spec/api.lock.j2", lock),
    Output("cpp/jsi/generated/contract.h", "jsi/contract.h.j2", jsi_contract),
    Output("cpp/jsi/generated/converters.cpp", "jsi/converters.cpp.j2", jsi_values),
    Output("cpp/jsi/generated/converters.h", "jsi/converters.h.j2", jsi_values),
    Output("cpp/jsi/generated/params.h", "jsi/params.h.j2", jsi_values),
    Output("cpp/jsi/generated/values.h", "jsi/values.h.j2", jsi_values),
    Output("cpp/python/generated/options.h", "cpp/options.h.j2", cpp_options),
    Output("docs/api/config.md", "docs/config.md.j2", docs_config),
    Output("docs/api/javascript.md", "docs/javascript.md.j2", docs_surface),
    Output("docs/api/options.md", "docs/options.md.j2", docs_options),
    Output("ios/generated/WspRegistration.mm", "ios/registration.mm.j2", registration),
    Output("js/mock/generated/keys.ts", "ts/mock_keys.ts.j2", ts_mock),
    Output("js/src/generated/NativeWsp.ts", "ts/native.ts.j2", ts_native),
    Output("js/src/generated/contract.ts", "ts/contract.ts.j2", ts_contract),
    Output("js/src/generated/defaults.ts", "ts/defaults.ts.j2", ts_defaults),
    Output("js/src/generated/errors.ts", "ts/errors.ts.j2", ts_errors),
    Output("js/src/generated/types.ts", "ts/types.ts.j2", ts_types),
)
"""Sorted by path."""
