"""Trees of C and C++ sources from elsewhere: where they come from, which of their files are taken,
what is changed in them, and a record of all that.
"""
