import importlib
import inspect
import pickle
import pkgutil
from types import ModuleType

import pytest

import schemas
import tasks
from schemas import errors
from schemas.errors import EvalError, InvalidFile, Problem, UserError, unreadable


def every_error() -> list[type[EvalError]]:
    """Errors of the schemas and of every subpackage of tasks; stage modules define none."""
    for package in [schemas, *subpackages(tasks)]:
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    found, waiting = [], [EvalError]
    while waiting:
        found.append(kind := waiting.pop())
        waiting += kind.__subclasses__()
    return sorted(found, key=lambda kind: kind.__name__)


def subpackages(package: ModuleType) -> list[ModuleType]:
    modules = pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    return [importlib.import_module(module.name) for module in modules if module.ispkg]


def example(kind: type[EvalError]) -> EvalError:
    if kind is InvalidFile:
        problems = [Problem("type", "$.id", "expected text", "write text", 3)]
        return InvalidFile("1 problem", file="b.json", problems=problems)
    return kind("no such thing", where="--thing", fix="use one", code="thing")


ERRORS = every_error()


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_an_error_survives_pickling(kind: type[EvalError]) -> None:
    error = example(kind)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert vars(again) == vars(error)
    assert str(again) == str(error)


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_only_what_is_wrong_has_to_be_said(kind: type[EvalError]) -> None:
    assert str(kind("no such thing")) == "no such thing"


def test_the_tree_at_the_top_shows_every_error_of_the_module() -> None:
    drawn = inspect.getdoc(errors) or ""
    ours = [kind.__name__ for kind in every_error() if kind.__module__ == errors.__name__]
    assert [name for name in ours if f" {name} " not in f"{drawn} ".replace("\n", " ")] == []


def test_a_message_says_what_where_and_how_to_mend_it() -> None:
    error = UserError("unknown model 'x'", where="--model", fix="use one of a, b")
    assert str(error) == "unknown model 'x' [--model] Fix: use one of a, b"


def test_an_unreadable_file_is_the_users_error() -> None:
    error = unreadable("b.json", "no such file")
    assert isinstance(error, UserError)
    assert (error.code, error.where) == ("unreadable", "b.json")
