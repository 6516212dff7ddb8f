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

    def outputs_of_run(self) -> list[Path]:
        """Output documents that exist under this run's id, whatever their benchmark."""
        folders = sorted((self.root / "outputs").glob("*/"))
        paths = (folder / f"{self._run_id}.json" for folder in folders)
        return [p for p in paths if p.parent.name not in {"schemas", "artifacts"} and p.exists()]

    def table(self, name: str) -> Path:
        """A Parquet table."""
        return self.artifact(f"{name}.parquet")

    def artifact(self, name: str) -> Path:
        """A file beside the tables."""
        return self.root / "outputs" / "artifacts" / self._run_id / name

    def inside(self, path: Path) -> str | None:
        """A path relative to the output directory, with slashes; None when it lies outside."""
        return _below(self.root, path)

    def own_directories(self, home: Path) -> list[str]:
        """Directories that we write to, relative to the current one."""
        places = [home, *(self.root / name for name in ("evaluations", "outputs", "studies"))]
        inside = (_below(Path(), place) for place in places)
        return [place for place in inside if place not in {None, "."}]


def relative(path: Path) -> str:
    """A written file as results name it: relative to the working directory where it is below."""
    return _below(Path(), path) or str(path.absolute())


def _below(root: Path, path: Path) -> str | None:
    inner = Path(os.path.relpath(path, root))
    return None if ".." in inner.parts else inner.as_posix()
