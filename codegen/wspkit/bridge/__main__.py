"""`python -m wspkit.bridge [--check] [--json] [--root DIR]`: `wsp generate` before the binding is
built.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wspkit import log
from wspkit.bridge.generate import find_root, generate
from wspkit.errors import EXIT_OK, WspError


def main() -> int:
    """Runs the command and returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m wspkit.bridge", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; show what is stale and fail"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument(
        "--root", type=Path, help="root of the repository; default: found from here upwards"
    )
    arguments = parser.parse_args()
    log.configure(json_mode=arguments.json)
    try:
        generate(arguments.root or find_root(Path.cwd()), check_only=arguments.check)
    except WspError as problem:
        log.failure(problem)
        return problem.exit_code
    return EXIT_OK


if __name__ == "__main__":
    sys.exit(main())
