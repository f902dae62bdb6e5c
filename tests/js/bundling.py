"""Bundles of the programs in js/test/bundle, as metro makes them for an app."""

from __future__ import annotations

from pathlib import Path

from tests.node_tools import node_modules, run, tool


def bundled(project: Path, entry: str = "index.js", *, reads_exports: bool = True) -> Path:
    """The bundle that metro makes of a file in js/test/bundle."""
    output = project / f"{'exports' if reads_exports else 'folders'}-{entry}"
    environment = {
        "PROJECT": str(project),
        "TOOLS": str(node_modules()),
        "METRO_EXPORTS": "1" if reads_exports else "0",
    }
    options = ("--config", "metro.config.js", "--platform", "ios", "--dev", "false")
    command = (tool("metro"), "build", entry, *options, "--out", str(output))
    folder = project / "test" / "bundle"
    run(*command, "--reset-cache", "--max-workers", "1", cwd=folder, environment=environment)
    return output
