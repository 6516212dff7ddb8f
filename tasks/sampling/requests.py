"""One wanted draw, and the key under which its reply is kept."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from schemas.evaluation import ProviderParams
from schemas.run import ModelSpec, SamplingSpec
from schemas.tables import PromptRow

KEY_VERSION = 1


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that a provider needs for one call, and where its reply belongs."""

    key: str
    item_id: str
    variant: int
    sample_index: int
    ordinal: int
    queue_place: int
    n_samples: int
    system: str
    user: str
    prompt_hash: str
    params: dict[str, Any]
    epoch: str


class KeyMaker:
    """Request keys of one run: SHA-256 over what determines a reply's distribution."""

    def __init__(self, model: ModelSpec, sampling: SamplingSpec, base_url: str | None) -> None:
        self._fixed = {
            "version": KEY_VERSION,
            "provider": model.provider,
            "base_url": base_url,
            "model": model.model_id,
            "epoch": sampling.epoch,
        }

    def key(
        self, system: str, user: str, ordinal: int, sample_index: int, params: dict[str, Any]
    ) -> str:
        """The key of one draw."""
        everything = self._fixed | {
            "system": system,
            "user": user,
            "ordinal": ordinal,
            "sample_index": sample_index,
            "params": params,
        }
        text = json.dumps(everything, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()


def params_of_sample(params: ProviderParams, sample_index: int) -> dict[str, Any]:
    """Parameters as sent for one sample: each has a seed of its own, or n draws would be copies."""
    plain = params.model_dump(mode="json", exclude_none=True)
    if params.seed is not None:
        plain["seed"] = params.seed + sample_index
    return plain


def make_requests(
    prompts: Iterable[PromptRow],
    keys: KeyMaker,
    sampling: SamplingSpec,
    indices: Callable[[PromptRow], Iterable[int]] | None = None,
) -> Iterator[Request]:
    """Every draw that a run wants, item by item.

    Args:
        prompts: What is asked.
        keys: Makes the request keys.
        sampling: Which draws.
        indices: Says which samples of a prompt are wanted; all when not given.
    """
    every = range(sampling.n_samples)
    params = [params_of_sample(sampling.params, i) for i in every]
    for prompt in prompts:
        for index in every if indices is None else indices(prompt):
            yield Request(
                key=keys.key(prompt.system, prompt.user, prompt.ordinal, index, params[index]),
                item_id=prompt.item_id,
                variant=prompt.variant,
                sample_index=index,
                ordinal=prompt.ordinal,
                queue_place=prompt.queue_place,
                n_samples=sampling.n_samples,
                system=prompt.system,
                user=prompt.user,
                prompt_hash=prompt.prompt_hash,
                params=params[index],
                epoch=sampling.epoch,
            )
