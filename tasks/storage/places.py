"""Where the files of a run go."""

import os
from pathlib import Path

from schemas.run import Destination


class RunPlaces:
    """Paths of one run's files below the output directory."""

    def __init__(self, destination: Destination, benchmark_id: str, run_id: str) -> None:
        self.root = Path(destination.output_dir)
        self._benchmark_id, self._run_id = benchmark_id, run_id
        self._evaluation_file = destination.evaluation_file

    @property
    def evaluation(self) -> Path:
        """The evaluation file."""
        if self._evaluation_file is not None:
            return Path(self._evaluation_file)
        return self.root / "evaluations" / self._benchmark_id / f"{self._run_id}.json"

    @property
    def output(self) -> Path:
        """The output document."""
        return self.root / "outputs" / self._benchmark_id / f"{self._run_id}.json"

    def table(self, name: str) -> Path:
        """A Parquet table."""
        return self.root / "outputs" / "artifacts" / self._run_id / f"{name}.parquet"

    def inside(self, path: Path) -> str | None:
        """A path relative to the output directory, with slashes; None when it lies outside."""
        inner = os.path.relpath(path, self.root)
        return None if inner.startswith("..") else Path(inner).as_posix()

    def own_directories(self, home: Path) -> list[str]:
        """Directories that we write to, relative to the current one."""
        places = [home, *(self.root / name for name in ("evaluations", "outputs", "studies"))]
        inside = (os.path.relpath(place) for place in places)
        return [Path(place).as_posix() for place in inside if not place.startswith("..")]


def relative(path: Path) -> str:
    """A written file as results name it: relative to the working directory where it is below."""
    inner = os.path.relpath(path)
    return str(path.absolute()) if inner.startswith("..") else Path(inner).as_posix()
