from pathlib import Path

import pytest

from schemas.errors import UserError
from schemas.settings import Settings, read_settings


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and no settings in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"ASSENT_{name.upper()}", raising=False)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_without_settings_the_defaults_hold() -> None:
    assert read_settings() == Settings(home=Path(".assent"), store=None, engine="auto")


def test_the_file_is_read(here: Path) -> None:
    (here / "assent.toml").write_text('home = "state"\nengine = "embedded"\n')
    found = read_settings()
    assert (found.home, found.engine) == (Path("state"), "embedded")


def test_the_environment_outdoes_the_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "assent.toml").write_text('home = "state"\nengine = "embedded"\n')
    monkeypatch.setenv("ASSENT_HOME", "elsewhere")
    found = read_settings()
    assert (found.home, found.engine) == (Path("elsewhere"), "embedded")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b'engine = "steam"', "setting 'engine'", id="wrong word"),
        pytest.param(b"home = 5", "setting 'home'", id="wrong type"),
        pytest.param(b"engine =", "not valid TOML", id="broken"),
        pytest.param(b'home = "\xff"', "not valid TOML", id="not UTF-8"),
    ],
)
def test_a_wrong_file_is_one_clear_error(here: Path, content: bytes, message: str) -> None:
    (here / "assent.toml").write_bytes(content)
    with pytest.raises(UserError, match=message) as caught:
        read_settings()
    assert "assent.toml" in caught.value.where
    assert str(caught.value).isprintable()


@pytest.mark.usefixtures("here")
def test_a_wrong_variable_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSENT_ENGINE", "steam")
    with pytest.raises(UserError, match=r"setting 'engine'.*ASSENT_ENGINE"):
        read_settings()


def test_a_file_that_cannot_be_read_is_one_clear_error(here: Path) -> None:
    # Root may read everything, but nobody can read this from its start.
    (here / "assent.toml").symlink_to("/proc/self/mem")
    with pytest.raises(UserError, match=r"cannot be read: .*assent\.toml"):
        read_settings()
