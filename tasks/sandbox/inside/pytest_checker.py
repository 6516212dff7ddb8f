"""Runs a checker that is written as tests: with pytest where it is installed, else by itself.

The workspace is the candidate's, so nothing is imported or configured from it.
"""

import importlib.util
import sys
import traceback


def main() -> None:
    """Argument: the file with the tests."""
    place = sys.argv[1]
    if importlib.util.find_spec("pytest") is not None:
        import pytest

        folder = place.rpartition("/")[0]
        quiet = ("-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", folder)
        sys.exit(int(pytest.main([*quiet, "--confcutdir", folder, place])))
    sys.exit(run_plainly(place))


def run_plainly(place: str) -> int:
    """Call every function whose name begins with test_; 0 when there is one and all return."""
    spec = importlib.util.spec_from_file_location("checker", place)
    if spec is None or spec.loader is None:
        return 2
    sys.path.insert(0, place.rpartition("/")[0])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tests = [value for name, value in vars(module).items() if name.startswith("test_")]
    failed = 0
    for test in filter(callable, tests):
        try:
            test()
        except BaseException:
            failed += 1
            traceback.print_exc()
    return 1 if failed else 0 if tests else 5
