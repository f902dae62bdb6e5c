"""Writes small texts into a directory: where the fuzzers of grammars and of the tokenizer start.

Usage: make_text_seeds.py grammar|tokenizer DIRECTORY. Standard library only; it must not know the
core.
"""

import sys
from pathlib import Path

SEEDS = {
    "grammar": (
        'root ::= " yes" | " no"\0 yes',
        'root ::= item ("," item)*\nitem ::= [a-z]+ # words\n\0ab,c',
        'root ::= "(" root ")" | [^()]{1,3}\0((x))',
        'root ::= (("a"? "b"?)*)+ "\\u00e9" .\0ab\u00e9\U0001f600',
        'root ::= a{0,3} | b?\na ::= "\\x41" | "B"\nb ::= [\\]\\-a-f0-9]\0AAB',
        'root ::= "a" root "b" | "a" root "c" | "x"\0aaaxbcb',
        "\x03a\x05z\x02\x00\x01\x00\x03.\x00\x00",
    ),
    "tokenizer": (
        "And so, my fellow Americans, ask not what your country can do for you.",
        "  twelve 12's don't\n\tñandú, 你好，世界。 😀 \u00a0x",
        "(?!.*(yes|no))[^\\d\\s]+?(a|b){2,3}$",
        "[[:alpha:]\\u00e9-]*\\bx.",
        "\ufeff\u200d\U0001f468\u200d\U0001f469",
    ),
}


def main() -> None:
    """One file for each text."""
    kind, directory = sys.argv[1], Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(SEEDS[kind]):
        (directory / f"{kind}-{number}").write_bytes(text.encode())


if __name__ == "__main__":
    main()
