"""Known providers as data: where they are, how they are addressed, what their models refuse."""

import re
from typing import Literal, NamedTuple

Dialect = Literal["chat", "messages"]


class Preset(NamedTuple):
    """One provider."""

    dialect: Dialect
    base_url: str
    base_url_variable: str
    key_variable: str
    is_public: bool = False
    headers: tuple[tuple[str, str], ...] = ()


PRESETS: dict[str, Preset] = {
    "openai": Preset(
        "chat", "https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY", is_public=True
    ),
    "openrouter": Preset(
        "chat",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_BASE_URL",
        "OPENROUTER_API_KEY",
        is_public=True,
    ),
    "vllm": Preset("chat", "http://127.0.0.1:8000/v1", "VLLM_BASE_URL", "VLLM_API_KEY"),
    "ollama": Preset("chat", "http://127.0.0.1:11434/v1", "OLLAMA_BASE_URL", "OLLAMA_API_KEY"),
    "llamacpp": Preset("chat", "http://127.0.0.1:8080/v1", "LLAMACPP_BASE_URL", "LLAMACPP_API_KEY"),
    "anthropic": Preset(
        "messages",
        "https://api.anthropic.com",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_API_KEY",
        is_public=True,
        headers=(("anthropic-version", "2023-06-01"),),
    ),
}


class Quirk(NamedTuple):
    """What some models of a dialect want differently."""

    dialect: Dialect
    models: re.Pattern[str]
    rename: tuple[tuple[str, str], ...] = ()
    drop: tuple[str, ...] = ()


QUIRKS = (
    Quirk(
        "chat",
        re.compile(r"(gpt-[5-9]|o[1345])([.-].*)?", re.DOTALL),
        rename=(("max_tokens", "max_completion_tokens"),),
        drop=("temperature",),
    ),
    Quirk(
        "messages",
        re.compile(r".*", re.DOTALL),
        rename=(("stop", "stop_sequences"),),
        drop=("seed",),
    ),
    Quirk(
        "messages",
        re.compile(r"claude-opus-(4-7|[5-9]).*", re.DOTALL),
        drop=("temperature",),
    ),
)


def as_sent(dialect: Dialect, model: str, params: dict[str, object]) -> dict[str, object]:
    """Parameters as a model takes them."""
    sent = dict(params)
    if not sent.get("stop", True):
        del sent["stop"]
    name = model.rpartition("/")[2]
    for quirk in QUIRKS:
        if quirk.dialect == dialect and quirk.models.fullmatch(name):
            for key in quirk.drop:
                sent.pop(key, None)
            for old, new in quirk.rename:
                if old in sent:
                    sent[new] = sent.pop(old)
    return sent
