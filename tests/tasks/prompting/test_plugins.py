import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.errors import UserError
from tasks.prompting.expansion import expand, make_wordings
from tasks.prompting.plugins import load_plugin
from tests.support.benchmarks import benchmark

SOURCE = '''\
"""Builders that a benchmark's author might write."""
import functools

def numbered(texts):
    return "; ".join(f"({n}) {text}" for n, text in enumerate(texts, 1))

def silent(texts):
    raise RuntimeError

def broken(texts):
    raise RuntimeError("no idea")

def wrong(texts):
    return texts

class Loud:
    def __call__(self, texts):
        return "!".join(texts)

loud = Loud()
partly = functools.partial(numbered)
number = 5
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A module of builders in the working directory."""
    path = tmp_path / "assent_test_builders.py"
    path.write_text(SOURCE)
    (tmp_path / "assent_test_garbled.py").write_text("def (")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield path
    for name in ("assent_test_builders", "assent_test_garbled"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("mark", [":", "."])
def test_a_plugin_is_found_by_either_spelling_and_identified_by_its_source(
    module: Path, mark: str
) -> None:
    name = f"assent_test_builders{mark}numbered"
    plugin = load_plugin(name)
    digest = hashlib.sha256(module.read_bytes()).hexdigest()
    assert plugin.build(("a", "b")) == "(1) a; (2) b"
    assert plugin.identity == f"{name}@sha256:{digest}"


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize("name", ["assent_test_builders:loud", "assent_test_builders:partly"])
def test_a_plugin_without_source_says_so(name: str) -> None:
    assert load_plugin(name).identity == f"{name}@no-source"


def test_a_plugin_whose_source_is_gone_says_so(module: Path) -> None:
    load_plugin("assent_test_builders:numbered")
    module.unlink()
    name = "assent_test_builders:numbered"
    assert load_plugin(name).identity == f"{name}@no-source"


def test_a_builtin_can_be_a_plugin() -> None:
    assert load_plugin("builtins:repr").build(("a",)) == "['a']"


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        pytest.param("assent_test_nowhere:build", "No module named", id="no module"),
        pytest.param("assent_test_builders:nothing", "has no attribute", id="no attribute"),
        pytest.param("assent_test_builders:number", "is not callable", id="not callable"),
        pytest.param("assent_test_garbled:build", "SyntaxError", id="broken module"),
        pytest.param("build", "cannot be loaded", id="no module named at all"),
        pytest.param("", "cannot be loaded", id="empty"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_the_users_error(name: str, reason: str) -> None:
    with pytest.raises(UserError, match="plugin builder") as caught:
        load_plugin(name)
    assert reason in caught.value.what
    assert caught.value.code == "bad_plugin"


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("function", "reason"),
    [
        pytest.param("broken", "failed: RuntimeError: no idea", id="raises"),
        pytest.param("silent", "failed: RuntimeError", id="raises without words"),
        pytest.param("wrong", "returned list, not text", id="returns no text"),
    ],
)
def test_a_plugin_that_fails_is_the_users_error(function: str, reason: str) -> None:
    plugin = load_plugin(f"assent_test_builders:{function}")
    with pytest.raises(UserError, match=reason):
        plugin.build(("a",))


def test_plugins_are_refused_without_permission() -> None:
    asking = benchmark(context_builders={"premise": {"kind": "plugin", "plugin": "m:f"}})
    with pytest.raises(UserError, match="'m:f'") as caught:
        make_wordings(asking, "support", None, strip_tex=True, load_plugin=None)
    assert caught.value.code == "plugin_not_allowed"
    assert "--allow-plugins" in caught.value.fix


@pytest.mark.usefixtures("module")
def test_plugins_run_with_permission_and_are_recorded() -> None:
    name = "assent_test_builders:numbered"
    asking = benchmark(context_builders={"premise": {"kind": "plugin", "plugin": name}})
    wordings = make_wordings(asking, "support", None, strip_tex=True, load_plugin=load_plugin)
    (row,) = expand(asking, wordings, 0)
    assert row.user.startswith("Premises: (1) x is wet; (2) café is shut\n")
    assert wordings.plugins == (load_plugin(name).identity,)
