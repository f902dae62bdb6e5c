"""Modules that `wsp generate` writes; their hand-written counterparts have the plain names beside
this folder.
"""
