"""What a model costs. A price that nobody knows is unknown, never 0."""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from schemas.run import ModelSpec
from schemas.settings import PriceOverride
from tasks.providers.presets import PRESETS
from tasks.sampling.records import Reply

_FREE = {"control", "replay"}
_REFERENCE_TOKENS = 1000


class Price(NamedTuple):
    """US dollars per token, and where the figure comes from."""

    per_input_token: Decimal
    per_output_token: Decimal
    basis: str

    def of(self, reply: Reply) -> Decimal | None:
        """What one reply cost; None when the provider did not count its tokens."""
        if not self.per_input_token and not self.per_output_token:
            return Decimal(0)
        asked, answered = (reply.usage.get(k) for k in ("input_tokens", "output_tokens"))
        if not isinstance(asked, int) or not isinstance(answered, int):
            return None
        return self.estimate(asked, answered)

    def estimate(self, input_tokens: int, output_tokens: int) -> Decimal:
        """What so many tokens cost."""
        return self.per_input_token * input_tokens + self.per_output_token * output_tokens


def find_price(
    model: ModelSpec, base_url: str | None, overrides: Mapping[str, PriceOverride]
) -> Price | None:
    """The price of a model: the user's own figure, nothing for embedded models, or a list price.

    List prices come from a data package and are those of short prompts; nothing is downloaded.

    Args:
        model: Who is asked.
        base_url: Where, as resolved; another server under the same name has prices of its own.
        overrides: The user's own figures.
    """
    own = overrides.get(f"{model.provider}/{model.model_id}")
    if own is not None:
        million = Decimal(1_000_000)
        return Price(
            own.input_per_million / million, own.output_per_million / million, "assent.toml"
        )
    if model.provider in _FREE:
        return Price(Decimal(0), Decimal(0), "embedded")
    preset = PRESETS.get(model.provider)
    is_listed = preset is not None and preset.is_public and base_url == preset.base_url
    return _list_price(model) if is_listed else None


def _list_price(model: ModelSpec) -> Price | None:
    import genai_prices
    from genai_prices import Usage, calc_price

    def price(usage: Usage) -> Decimal:
        found = calc_price(usage, model_ref=model.model_id, provider_id=model.provider)
        return Decimal(found.total_price) / _REFERENCE_TOKENS

    try:
        asked = price(Usage(input_tokens=_REFERENCE_TOKENS, output_tokens=0))
        answered = price(Usage(input_tokens=0, output_tokens=_REFERENCE_TOKENS))
    except LookupError:
        return None
    return Price(asked, answered, f"list price, genai-prices {genai_prices.__version__}")
