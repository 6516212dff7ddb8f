"""Drawing samples: one event loop, bounded concurrency, every reply durable before it counts.

Promises: a failed call becomes a failed sample with its cause, never a verdict; what the store
already holds is not asked again; an interruption loses at most the calls in flight.
Trap: request keys are an interface to everything already paid for. Changing what goes into them
makes every stored sample unreachable.
"""
