"""Scripts that run inside the sandbox: standard library only, and nothing of ours but each other.

They are handed in as read-only files. No secret may stand in them: candidates can read them.
"""
