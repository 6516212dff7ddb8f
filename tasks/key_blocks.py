"""Keys from Prefect Secret blocks.

Called only inside a flow run; Prefect is imported then and not before.
"""

from typing import Any

from pydantic import SecretStr

from schemas.errors import UserError
from schemas.settings import read_secret, read_settings
from tasks.providers.presets import PRESETS


def read_key_blocks(provider: str) -> dict[str, SecretStr]:
    """The key of a provider from its block; nothing when it has none or needs none.

    Raises:
        UserError: The block that is named does not exist, or holds no usable key.
    """
    name = read_settings().key_blocks.get(provider)
    if name is None or provider not in PRESETS or read_secret(PRESETS[provider].key_variable):
        return {}
    from prefect.blocks.system import Secret

    place = f"key_blocks.{provider}"
    try:
        block: Any = Secret.load(name, _sync=True)  # type: ignore[call-arg]  # no coroutine, please
    except ValueError as error:
        raise UserError(
            f"there is no Secret block {name!r} on the Prefect server",
            where=place,
            fix="create it in the Prefect UI under Blocks, as Secret",
            code="no_key",
        ) from error
    # `get` reads JSON where it can; a key may happen to look like a number.
    value = block.get()
    value = value if isinstance(value, str) else block.value.get_secret_value()
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"Secret block {name!r} holds no text", where=place, code="no_key")
    return {provider: SecretStr(value.strip())}
