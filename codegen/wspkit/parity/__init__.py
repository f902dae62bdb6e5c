"""A Whisper written to be read, in NumPy, and the means to hold another Whisper against it.

The reference goes stage by stage: `weights` (a model file as arrays), `log_mel`, `encoder`,
`decoder`, `greedy` (the rules that choose tokens), `transcribe` (the walk over a recording).
`compare` measures how far two results are apart. It must not know the C++ core: whoever compares
the two brings the core's numbers along.

Letters for shapes: B batch, T frames, S tokens, D width, H heads, K head width, M mel bins, V
vocabulary. Source of the architecture: Radford et al. 2022, "Robust Speech Recognition via
Large-Scale Weak Supervision".
"""
