"""Made-up trees of C, with names of every kind in every place. It must not know what is done with
them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass
class Tree:
    """Files by path, and what a linker or an including file sees of them."""

    files: dict[str, str] = field(default_factory=dict)
    public: set[str] = field(default_factory=set)
    """Names that are defined for the outside."""
    inner: set[str] = field(default_factory=set)
    """Names of locals, parameters and what is static."""


WORDS = ("row", "lock", "size", "tensor", "block", "init", "mul", "get", "table", "name")


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tree = Tree()
        self.count = 0

    def fresh(self, *, upper: bool = False) -> str:
        """A name that nothing else in the tree has."""
        self.count += 1
        name = "_".join(self.random.choices(WORDS, k=self.random.randint(1, 3))) + f"{self.count}"
        return name.upper() if upper else name

    def public(self, *, upper: bool = False) -> str:
        name = self.fresh(upper=upper)
        self.tree.public.add(name)
        return name

    def inner(self) -> str:
        name = self.fresh()
        self.tree.inner.add(name)
        return name

    def noise(self, names: list[str]) -> str:
        """A comment, a blank or nothing, with names of the tree in it."""
        name = self.random.choice(names) if names else "nothing"
        return self.random.choice(
            ["", "\n", f"/* {name}(), \n * {name} */\n", f"// see {name}() \\\n   or {name}_x\n"]
        )

    def header(self, number: int) -> list[str]:
        """Writes a header; the functions it declares."""
        guard, macro, paste = (self.public(upper=True) for _ in range(3))
        kind, tag, alias = self.public(), self.public(), self.public()
        enumerators = [self.public(upper=True) for _ in range(3)]
        functions = [self.public() for _ in range(3)]
        member, parameter = self.inner(), self.inner()
        front = self.fresh() + "_"
        lines = [
            f"#ifndef {guard}\n#define {guard}\n",
            f"#define {macro}(x) \\\n  ((x) + {enumerators[0]})\n",
            f"#define {paste}(n) int {front}##n(int {parameter}) {{ return {parameter}; }}\n",
            f"enum {kind} {{ {', '.join(enumerators[:2])} = 4, /* {kind} */ {enumerators[2]} }};\n",
            f"struct {tag} {{ int {member}; enum {kind} {self.inner()}; }};\n",
            f"typedef struct {tag} {alias};\n",
            *(f"int {name}(struct {tag} * a, {alias} b);\n" for name in functions),
            f"#if defined({macro}) && !defined({guard}_NEVER)\n#endif\n#endif\n",
        ]
        self.random.shuffle(functions)
        text = "".join(line + self.noise(functions) for line in lines[2:-1])
        self.tree.files[f"h{number}.h"] = lines[0] + lines[1] + text + lines[-1]
        self.source(number, functions, (tag, alias, member, macro, paste, front))
        return functions

    def source(self, number: int, functions: list[str], used: tuple[str, ...]) -> None:
        """Writes the file that defines a header's functions."""
        tag, alias, member, macro, paste, front = used
        data, hidden, helper, local = self.public(), self.inner(), self.inner(), self.inner()
        built = self.fresh()
        self.tree.public.add(front + built)
        lines = [
            f'#include "h{number}.h"\n',
            f"int {data} = 3; static int {hidden} = 4;\n",
            f"static int {helper}(int {local}) {{ return {local} + {hidden} + {data}; }}\n",
            f"{paste}({built})\n",
        ]
        for name in functions:
            spliced = f"{name[:2]}\\\n{name[2:]}" if self.random.random() < 0.3 else name
            text = self.random.choice([f'"{name}"', f'"say \\"{name}\\" {tag}"', "'\\''"])
            lines.append(
                f"int {spliced}(struct {tag} * a, {alias} b) {{\n"
                f"  const char * text = (const char *) {text};\n  (void) text;\n"
                f"  return {macro}({helper}(a->{member})) + b.{member} + {front}{built}(1);\n}}\n"
            )
        self.tree.files[f"s{number}.c"] = "".join(line + self.noise(functions) for line in lines)


def generated_tree(seed: int) -> Tree:
    """A tree that compiles; the same for the same seed."""
    writer = _Writer(seed)
    for number in range(writer.random.randint(1, 3)):
        writer.header(number)
    return writer.tree
