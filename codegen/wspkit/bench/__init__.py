"""Measures the core beside its peers: whisper.cpp (pywhispercpp) and faster-whisper.

Each run is a process of its own (`subject`), so that peak memory and CPU time are its own; runs of
all subjects alternate (`rounds`), so that a busy machine is busy for all of them; medians are
compared (`report`). It must not know where models come from: whoever calls names the files.
"""
