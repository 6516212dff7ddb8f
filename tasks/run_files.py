"""What the files of every kind of run have in common."""

import datetime
import json
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from schemas.documents import StoredFile
from schemas.output import ArtifactBlock, HostBlock
from schemas.tables import MetricRow
from tasks.outputs.document import Moment
from tasks.storage.files import Publication, sha256_of
from tasks.storage.home import Home
from tasks.storage.places import RunPlaces
from tasks.storage.repository import git_state
from tasks.storage.tables import (
    TABLE_VERSION,
    arrow_schema,
    copy_with_metadata,
    write_parquet_to,
)

_MEDIA_TYPES = {".json": "application/json", ".jsonl": "application/x-ndjson"}


class RunFiles:
    """Writes the files of one run; they take their places with the publication."""

    def __init__(
        self, home: Home, places: RunPlaces, publication: Publication, labels: Mapping[str, str]
    ) -> None:
        self.home, self.places, self.publication = home, places, publication
        self._labels = labels

    def copy_table(self, name: str, source: StoredFile) -> Path:
        """A table of the state directory, with what it belongs to in its metadata."""
        path = self.places.table(name)
        with self.publication.file(path) as file:
            copy_with_metadata(self.home.locate(source), file, self._metadata(name, source))
        return path

    def metrics_table(self, rows: Iterable[Mapping[str, Any]], source: StoredFile) -> Path:
        """The table of metrics, in long form."""
        path = self.places.table("metrics")
        with self.publication.file(path) as file:
            schema = arrow_schema(MetricRow).with_metadata(self._metadata("metrics", source))
            write_parquet_to(file, schema, rows)
        return path

    def _metadata(self, name: str, source: StoredFile) -> dict[str, str]:
        return {
            "assent.table": name,
            "assent.table_version": TABLE_VERSION,
            **self._labels,
            "assent.source_sha256": source.sha256,
        }

    def document(self, path: Path, document: Mapping[str, Any]) -> None:
        """A JSON document."""
        with self.publication.file(path) as file:
            file.write(as_json(document) + b"\n")

    def blocks(self, files: Mapping[str, Path]) -> tuple[ArtifactBlock, ...]:
        """How an output document names the files of its run."""
        return tuple(self._block(role, path) for role, path in files.items())

    def _block(self, role: str, path: Path) -> ArtifactBlock:
        inside, written = self.places.inside(path), self.publication.content(path)
        return ArtifactBlock(
            role=role,
            path=inside,
            uri=None if inside else path.absolute().as_uri(),
            sha256=sha256_of(written),
            bytes=written.stat().st_size,
            media_type=_MEDIA_TYPES.get(path.suffix, "application/vnd.apache.parquet"),
        )

    def moment(self, finished_at: datetime.datetime) -> Moment:
        """What belongs to the moment of writing."""
        return Moment(
            finished_at,
            git_state(self.places.own_directories(self.home.root)),
            HostBlock(
                os=platform.platform(), python=platform.python_version(), hostname=platform.node()
            ),
        )


def as_json(value: Any) -> bytes:
    """JSON as our documents are written."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except orjson.JSONEncodeError:  # a number of more than 64 bits, out of somebody's metadata
        return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False).encode()
