"""Models: each provider speaks one dialect and knows nothing else.

A provider gets a request and gives a reply, or raises `CallFailed`. Retries, budgets, concurrency
and storage are the sampling loop's business.
"""

from tasks.providers.registry import OpenProvider, open_provider

__all__ = ["OpenProvider", "open_provider"]
