"""GPT-2's map between bytes and printable characters, in which vocabularies are stored as text."""

from __future__ import annotations


def character_to_byte() -> dict[str, int]:
    """For each of the 256 characters that GPT-2 writes for a byte, that byte.

    Printable Latin-1 bytes stand for themselves; the other 68 are numbered from U+0100 in rising
    order, so that no token holds a space, a control character or a line end.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = [byte for byte in range(256) if byte not in printable]
    table = {chr(byte): byte for byte in printable}
    table.update({chr(0x100 + rank): byte for rank, byte in enumerate(hidden)})
    return table


def decode_token(text: str, table: dict[str, int]) -> bytes | None:
    """The bytes of a stored token, or None if it holds a character outside the map."""
    try:
        return bytes(table[character] for character in text)
    except KeyError:
        return None
