"""An app that has installed the packed archive, for React Native's own tools: what they read of an
app and nothing else. It must not know what tests look at.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.node_tools import node_modules, run
from tests.npm_packages import (
    REACT_NATIVE_0_76,
    REACT_NATIVE_0_88,
    NpmPackage,
    scripts_of,
    unpacked,
)

TOOLS = Path(__file__).resolve().parents[1] / "js" / "react_native"
# As an app's template lays them; Android's and Apple's tools look at no more.
APP = {
    "android/build.gradle": "",
    "android/app/build.gradle": 'android { namespace "com.app" }\n',
    "ios/Podfile": "",
    "ios/App.xcodeproj/project.pbxproj": "",
}
# As React Native's own file makes it of the command line's packages.
PLATFORMS = """
const of = ({ projectConfig, dependencyConfig }) => ({ projectConfig, dependencyConfig });
module.exports = {
  commands: [],
  platforms: { android: of(require('%(android)s')), ios: of(require('%(ios)s')) },
};
"""


@dataclass(frozen=True)
class Release:
    """A React Native, and under which names of the lock its tools are installed."""

    name: str
    react_native: NpmPackage
    maven: str
    """The release nearest to it of its classes for Android that Maven has."""

    def tool(self, kind: str) -> Path:
        """The folder of a tool of its time."""
        return node_modules(TOOLS) / f"{kind}-{self.name}"


RELEASES = (
    Release("0.76", REACT_NATIVE_0_76, "0.76.5"),
    Release("0.88", REACT_NATIVE_0_88, "0.87.1"),
)


def app_with(archive: Path, release: Release, folder: Path) -> Path:
    """Makes an app in a folder, with what an archive has and with the tools of a React Native."""
    manifest: dict[str, object] = {"name": "app", "version": "1.0.0", "private": True}
    (folder / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
    quiet = ("--offline", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error")
    run("npm", "install", *quiet, str(archive), cwd=folder)
    version = release.react_native.version
    manifest["dependencies"] = {"wsp.rn": f"file:{archive}", "react-native": version}
    (folder / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
    for path, text in APP.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    react_native = folder / "node_modules" / "react-native"
    shutil.copytree(
        unpacked(scripts_of(release.react_native)) / "scripts", react_native / "scripts"
    )
    described = {"name": "react-native", "version": version}
    (react_native / "package.json").write_text(json.dumps(described), encoding="utf-8")
    names = {kind: release.tool(f"cli-{kind}").as_posix() for kind in ("android", "ios")}
    (react_native / "react-native.config.js").write_text(PLATFORMS % names, encoding="utf-8")
    (folder / "node_modules" / "@react-native").mkdir()
    codegen = folder / "node_modules" / "@react-native" / "codegen"
    codegen.symlink_to(release.tool("codegen"))
    return folder


def codegen_of(app: Path, release: Release, platform: str) -> Path:
    """Runs the codegen for all packages of an app, as its build does; where it has written."""
    output = app / f"codegen-{platform}"
    places = (release.tool("codegen") / "node_modules", node_modules(TOOLS))
    script = "node_modules/react-native/scripts/generate-codegen-artifacts.js"
    options = ("--path", ".", "--targetPlatform", platform, "--outputPath", str(output))
    environment = {"NODE_PATH": ":".join(map(str, places))}
    run("node", script, *options, cwd=app, environment=environment)
    return output
