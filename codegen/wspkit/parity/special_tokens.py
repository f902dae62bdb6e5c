"""Which ids mean what in a vocabulary of a given size. Must not know the words.

51864 entries are English-only, 51865 multilingual with 99 languages, 51866 (large-v3) multilingual
with 100.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Timestamp tokens are 20 ms apart: half the encoder's frame rate of the 10 ms features.
SECONDS_PER_TIMESTAMP = 0.02


@dataclass(frozen=True)
class SpecialTokens:
    """Text is below `end_of_text`, timestamps are at `first_timestamp` and above."""

    end_of_text: int
    start_of_transcript: int
    first_language: int
    n_languages: int
    translate: int
    transcribe: int
    speaker_turn: int
    previous_text: int
    no_speech: int
    no_timestamps: int
    first_timestamp: int
    multilingual: bool

    @property
    def languages(self) -> range:
        """The language tokens."""
        return range(self.first_language, self.first_language + self.n_languages)

    def prompt(self, language: int | None = None) -> tuple[int, ...]:
        """What a transcript begins with. language: its number, for multilingual models only."""
        if not self.multilingual:
            return (self.start_of_transcript,)
        return (self.start_of_transcript, self.first_language + (language or 0), self.transcribe)


def special_tokens(n_vocab: int) -> SpecialTokens:
    """The ids for a vocabulary of n_vocab entries."""
    multilingual = n_vocab >= 51865
    n_languages = n_vocab - 51765 - (1 if multilingual else 0)
    end_of_text = 50257 if multilingual else 50256
    first_language = end_of_text + 2
    after = first_language + n_languages
    return SpecialTokens(
        end_of_text=end_of_text,
        start_of_transcript=end_of_text + 1,
        first_language=first_language,
        n_languages=n_languages,
        translate=after,
        transcribe=after + 1,
        speaker_turn=after + 2,
        previous_text=after + 3,
        no_speech=after + 4,
        no_timestamps=after + 5,
        first_timestamp=after + 6,
        multilingual=multilingual,
    )
