"""Makes a function a stage: a Prefect task inside a flow run, the plain function elsewhere.

A stage takes and returns small frozen documents. Inside a flow run its result is cached by content:
stage name, version, and every input that is not left out. Bump the version when the meaning of
the result changes. Prefect is imported only when a flow is running, which means it already was.
"""

import sys
import time
from collections.abc import Callable, Mapping
from functools import cached_property, update_wrapper
from inspect import signature
from typing import Any, Generic, ParamSpec, TypeVar

from tasks.sampling.monitor import StageNote, current_monitor

P = ParamSpec("P")
R = TypeVar("R")


def in_flow_run() -> bool:
    """Whether a Prefect flow run is under way in this context."""
    context = sys.modules.get("prefect.context")
    return context is not None and context.FlowRunContext.get() is not None


class Stage(Generic[P, R]):
    """A function that knows how to run under either engine."""

    def __init__(
        self,
        function: Callable[P, R],
        name: str,
        version: int | None,
        ignore: tuple[str, ...],
        uncached: Callable[[Mapping[str, Any]], bool],
    ) -> None:
        update_wrapper(self, function)
        self.function, self.name, self.version = function, name, version
        self.ignore, self.uncached = ignore, uncached

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the stage and note how it ended."""
        started = time.perf_counter()
        if in_flow_run():
            result, state = self._on_prefect(*args, **kwargs)
        else:
            result, state = self.function(*args, **kwargs), "Completed"
        note = StageNote(self.name, state, time.perf_counter() - started)
        monitor = current_monitor()
        monitor.stages.append(note)
        monitor.changed()
        return result

    def _on_prefect(self, *args: P.args, **kwargs: P.kwargs) -> tuple[R, str]:
        from tasks.caching import records_path

        # The place of records is looked up at each call: the state directory may be another one.
        task = self._prefect_task.with_options(result_storage=records_path())
        inputs = signature(self.function).bind(*args, **kwargs).arguments
        state = task(**inputs, return_state=True)
        return state.result(), state.name

    @cached_property
    def _prefect_task(self) -> Any:
        from tasks.caching import build_task

        return build_task(self)


def stage(
    name: str,
    *,
    version: int | None,
    ignore: tuple[str, ...] = (),
    uncached: Callable[[Mapping[str, Any]], bool] = lambda _: False,
) -> Callable[[Callable[P, R]], Stage[P, R]]:
    """Turn a function into a stage.

    Args:
        name: Kebab-case, verb and object; what the Prefect UI shows.
        version: Bumped when results change their meaning; None for a stage that is never cached.
        ignore: Inputs that decide nothing about the result.
        uncached: Says of some inputs that this call must not be cached.
    """

    def wrap(function: Callable[P, R]) -> Stage[P, R]:
        return Stage(function, name, version, ignore, uncached)

    return wrap
