"""Files from package indexes, checked, resumed and kept in a cache; knows nothing of what they are
for.
"""
