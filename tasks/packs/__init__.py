"""Benchmark packs: reading, checking, compiling, and planning what goes where.

Pure logic. Files come in through `PackFiles`, which `tasks.storage.pack_files` implements.
Half of a pack is hidden: no message of this package repeats a value of `eval`, and the result of
compiling a row says for each value who may see it.
"""
