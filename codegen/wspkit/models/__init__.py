"""Model files: where they come from, what is in them, and how other formats become ggml `.bin`."""
