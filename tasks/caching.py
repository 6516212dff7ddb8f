"""Prefect tasks for stages: cached by content, retried when waiting can help.

Imported only inside a flow run. Rests on Prefect treating a record that does not load as absent:
`CheckedDocument.loads` refuses records whose files are gone or changed, which makes them misses.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from prefect import Task
from prefect.cache_policies import NO_CACHE, CachePolicy
from prefect.client.schemas.objects import State, TaskRun
from prefect.context import TaskRunContext
from prefect.serializers import Serializer
from prefect.tasks import exponential_backoff
from pydantic import BaseModel

from schemas.documents import Document
from schemas.errors import TransientError
from schemas.settings import read_settings
from tasks.storage.home import Home

if TYPE_CHECKING:
    from tasks.stage import Stage


class CheckedDocument(Serializer):
    """Results as JSON. A record whose files are gone or changed does not load: a cache miss."""

    type: Literal["assent-document"] = "assent-document"

    def dumps(self, obj: Document) -> bytes:
        """The document and the name of its class."""
        record = {"class": type(obj).__name__, "document": obj.model_dump(mode="json")}
        return json.dumps(record).encode()

    def loads(self, blob: bytes) -> Document:
        """The document, when everything that it names is still there."""
        record = json.loads(blob)
        # Looked up in our own registry: a record never makes us import anything.
        document = Document.registry[record["class"]].model_validate(record["document"])
        if not document.is_reusable():
            raise ValueError("this result is not to be used again")
        if not Home(read_settings().home).holds(document):
            raise ValueError("a file of this result is gone or was changed")
        return document


@dataclass
class Keyed(CachePolicy):
    """Cache on stage name, version and the content of the inputs that matter."""

    name: str = ""
    version: int = 0
    ignore: tuple[str, ...] = ()
    uncached: Callable[[Mapping[str, Any]], bool] = lambda _: False

    def compute_key(
        self,
        task_ctx: TaskRunContext,
        inputs: dict[str, Any],
        flow_parameters: dict[str, Any],
        **kwargs: Any,
    ) -> str | None:
        """The key, or None when this call must not be cached."""
        if self.uncached(inputs):
            return None
        content = {name: _plain(value) for name, value in inputs.items() if name not in self.ignore}
        text = json.dumps([self.name, self.version, content], sort_keys=True)
        return f"{self.name}-{hashlib.sha256(text.encode()).hexdigest()}"


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    return value


def retry_if_transient(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Retry only what waiting can cure."""
    return isinstance(state.result(raise_on_failure=False), TransientError)


def build_task(stage: "Stage[..., Any]") -> Task[..., Any]:
    """The Prefect task of a stage."""
    policy: CachePolicy = NO_CACHE
    if stage.version is not None:
        policy = Keyed(
            name=stage.name, version=stage.version, ignore=stage.ignore, uncached=stage.uncached
        )
    return Task(
        stage.function,
        name=stage.name,
        cache_policy=policy,
        persist_result=stage.version is not None,
        result_serializer=CheckedDocument(),
        retries=2,
        retry_delay_seconds=exponential_backoff(1),
        retry_jitter_factor=0.5,
        retry_condition_fn=retry_if_transient,
    )


def records_path() -> Path:
    """Where records are kept: in the state directory, whatever Prefect's own settings say."""
    return Home(read_settings().home).records.absolute()
