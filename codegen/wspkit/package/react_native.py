"""React Native's C++ headers, against which the binding is compiled: out of npm's registry,
checked, kept in the cache. Nothing of the package is installed or run.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from wspkit.errors import BadFormatError
from wspkit.fetching import transport
from wspkit.fetching.cache import cache_root, exclusive
from wspkit.fetching.npm import npm_archive
from wspkit.fetching.whole_folder import replace_folder
from wspkit.process import Runner
from wspkit.upstream.archive_tree import read_archive

VERSION: Final = "0.88.1"
"""The newest that the binding is for."""
_SHA256: Final = "092228927de1b20001001f3bf1f494bd4bac5fff60da83f796655dc7b784489a"
_INSIDE: Final = "package/ReactCommon/"
_FOLDERS: Final = ("", "jsi", "callinvoker", "react/nativemodule/core", "runtimeexecutor")


def include_folders(runner: Runner) -> list[Path]:
    """Folders for the compiler. Errors: those of `npm_archive`, and BadFormatError for another
    package than is expected.
    """
    folder = cache_root() / "tools" / f"react-native-{VERSION}"
    with exclusive(folder, waiting=lambda: None):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
                archive = npm_archive("react-native", VERSION, Path(scratch), runner=runner)
                found = transport.sha256_of(archive)
                if found != _SHA256:
                    raise BadFormatError(
                        f"react-native@{VERSION}: checksum {found} (sha256)", expected=_SHA256
                    )
                files = read_archive(archive)
            headers = {
                path.removeprefix(_INSIDE): content
                for path, content in files.items()
                if path.startswith(_INSIDE) and path.endswith((".h", ".hpp"))
            }
            replace_folder(folder, headers)
    return [folder / name for name in _FOLDERS]
