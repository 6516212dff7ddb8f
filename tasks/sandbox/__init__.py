"""Runs what strangers and models wrote, and says how it ended.

Promises: nothing runs outside a sandbox that was seen to work on this machine; a command sees the
system's programs read-only, its own input, and no network, home or environment of the caller; when
an outcome is returned, every process of the command is gone and nothing is left on the disk.
Traps: a sandbox dies with the thread that started it, so that thread has to wait for it; a limit
that is only polled (`Outcome.limits` says which) can be passed for a moment.
"""
