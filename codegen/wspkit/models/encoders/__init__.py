"""Encoders for other machines' compilers: the encoder of a model file as a Core ML package or an
OpenVINO model, which the core runs in the place of its own where one lies beside the model.
"""
