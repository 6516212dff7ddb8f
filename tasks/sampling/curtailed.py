"""Draws in rounds: an item whose verdict is settled is not asked again.

Each item is asked for its samples in order, so that what is drawn depends on the replies alone,
never on who was answered first: the same store always gives the same samples.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from schemas.base import TieBreak, Verdict
from schemas.tables import PromptRow
from tasks.judging.curtailing import settled_verdict
from tasks.sampling.claims import LOOKUP_BATCH
from tasks.sampling.monitor import Monitor
from tasks.sampling.records import Record
from tasks.sampling.requests import Request

Indexed = Callable[[Callable[[PromptRow], Iterable[int]]], Iterator[Request]]


class Curtailed:
    """The rounds of one run.

    Args:
        requests: Makes the requests of every prompt for the sample indices that it is told.
        fetch: The records of some keys.
        read: What a record says; None for one that failed.
        n_samples: Samples of the full vote.
        tie_break: The verdict of a good/bad tie.
        monitor: Told how many samples are wanted, as that becomes known.
    """

    def __init__(
        self,
        requests: Indexed,
        fetch: Callable[[list[str]], dict[str, Record]],
        read: Callable[[Record], Verdict | None],
        n_samples: int,
        tie_break: TieBreak,
        monitor: Monitor,
    ) -> None:
        self._requests, self._fetch, self._read = requests, fetch, read
        self._n_samples, self._tie_break, self._monitor = n_samples, tie_break, monitor
        self._settled_after: dict[str, int] = {}
        # With fewer than half of the votes nobody is out of reach.
        self._first = (n_samples + 1) // 2

    def drawn(self) -> Iterator[Request]:
        """The requests of everything that was drawn."""
        return self._requests(lambda p: range(self._settled_after.get(p.item_id, self._n_samples)))

    def rounds(self) -> Iterator[Iterator[Request]]:
        """Requests, round by round; the next one rests on what the last one brought."""
        open_: dict[str, dict[int, Verdict | None]] | None = None
        start, end = 0, self._first
        while start < self._n_samples and open_ != {}:
            yield self._counted(open_, range(start, end))
            open_ = self._still_open(open_, range(start, end))
            start, end = end, end + 1

    def _of(
        self, open_: dict[str, dict[int, Verdict | None]] | None, indices: range
    ) -> Iterator[Request]:
        return self._requests(lambda p: indices if open_ is None or p.item_id in open_ else ())

    def _counted(
        self, open_: dict[str, dict[int, Verdict | None]] | None, indices: range
    ) -> Iterator[Request]:
        for request in self._of(open_, indices):
            self._monitor.total += 1
            yield request

    def _still_open(
        self, open_: dict[str, dict[int, Verdict | None]] | None, indices: range
    ) -> dict[str, dict[int, Verdict | None]]:
        said = {} if open_ is None else open_
        requests = self._of(open_, indices)
        while batch := list(islice(requests, LOOKUP_BATCH)):
            records = self._fetch([request.key for request in batch])
            for request in batch:
                seen = said.setdefault(request.item_id, {})
                seen[request.sample_index] = self._read(records[request.key])
        rest = {}
        for item_id, seen in said.items():
            if settled_verdict(seen, self._n_samples, self._tie_break) is None:
                rest[item_id] = seen
            else:
                self._settled_after[item_id] = indices.stop
        return rest
