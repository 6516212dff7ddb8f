"""Where things are kept: files that appear whole or not at all, Parquet tables, paid samples.

Promises: a reader never sees half a file; a sample is durable before anybody counts it; deleting
the whole state directory costs the price of the samples and nothing else.
Traps: SQLite needs a local disk; paths inside documents are relative to the state directory.
"""
