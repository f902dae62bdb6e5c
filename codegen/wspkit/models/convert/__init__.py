"""Converters from other toolkits' checkpoints to ggml `.bin`; one module for each source format."""
