"""Measures the core beside its peers, whisper.cpp and faster-whisper, and beside the machine.

Each run is a process of its own, so that peak memory and CPU time are its own; runs of all
subjects alternate (`rounds`), so that a busy machine is busy for all of them; medians and ratios
are taken (`report`, `ratios`). The two cores in C++ run the same program over `whisper.h`
(`cpp/bench/subject.c`), built by `builds`. It must not print: the command line does.
"""
