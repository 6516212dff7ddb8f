"""What `benchmarks/coverage.py` found, as the tables of the method page."""

import csv
from collections import defaultdict
from statistics import fmean
from typing import NamedTuple

from docs.generate.blocks import ROOT

RESULTS = ROOT / "benchmarks" / "coverage.csv"
DEFAULT = "dirichlet"
TOO_LOW = 0.90

COMMAND = "python benchmarks/coverage.py --seed 1 --repetitions 1000 --draws 1000"
LATER = {"four raters (*)": 500, "two raters (*)": 300, "four raters*clusters": 300}
"""Designs that were run apart from the rest, and how often."""


class Found(NamedTuple):
    """One method in one setting."""

    design: str
    classes: str
    method: str
    coverage: float
    width: float
    repetitions: int
    setting: tuple[str, ...]
    """n, classes, kappa, largest share, cluster size and correlation."""


def read_results() -> list[Found]:
    """All rows of the results."""
    names = ("n", "classes", "kappa", "largest_share", "cluster_size", "correlation")
    with RESULTS.open(newline="") as file:
        return [
            Found(
                design=row["design"],
                classes=row["classes"],
                method=row["method"],
                coverage=float(row["coverage"]),
                width=float(row["width"]),
                repetitions=int(row["repetitions"]),
                setting=tuple(row[name] for name in names),
            )
            for row in csv.DictReader(file)
        ]


def of_two_raters(found: list[Found]) -> list[Found]:
    """The default interval in the settings of two raters, alone and in clusters."""
    designs = {"two raters", "two raters, clusters"}
    return [one for one in found if one.design in designs and one.method == DEFAULT]


def coverage_tables() -> str:
    """A summary by design and method, and the settings where the default covers least."""
    found = read_results()
    main = of_two_raters(found)
    low = [one for one in found if one.method == DEFAULT and one.coverage < TOO_LOW]
    low_main = [one for one in low if one in main]
    lines = [
        f"`{COMMAND}` wrote `benchmarks/coverage.csv`, which holds every setting. "
        f"Over the {len(main)} settings of two raters the default covers "
        f"{fmean(one.coverage for one in main):.1%} on average and "
        f"{min(one.coverage for one in main):.1%} at least; {len(low_main)} are below 90 %. "
        f"Some designs were run apart, less often: {_later()}. One setting's coverage is then "
        "known to about 2 points (500 repetitions) or 2.5 (300).",
        "",
        "| design | classes | method | settings | repetitions | mean coverage | lowest "
        "| below 90 % | width |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    groups: dict[tuple[str, str, str], list[Found]] = defaultdict(list)
    for one in found:
        groups[one.design, one.classes, one.method].append(one)
    for (design, classes, method), ones in groups.items():
        shares = [one.coverage for one in ones]
        below = sum(share < TOO_LOW for share in shares)
        width = fmean(one.width for one in ones)
        lines.append(
            f"| {design} | {classes} | {method} | {len(ones)} | {ones[0].repetitions} "
            f"| {fmean(shares):.3f} "
            f"| {min(shares):.3f} | {below} | {width:.2f} |"
        )
    lines += ["", *_low(low)]
    return "\n".join(["", *lines, "", ""])


def _later() -> str:
    return ", ".join(
        f"`--only '{designs}' --repetitions {number}`" for designs, number in LATER.items()
    )


def _low(low: list[Found]) -> list[str]:
    if not low:
        return ["In no setting the default is below 90 %."]
    head = ["All settings where the default covers less than 90 %:", ""]
    names = ("design", "n", "classes", "kappa", "largest share", "cluster size", "correlation")
    head += [f"| {' | '.join(names)} | coverage |", f"|{'---|' * (len(names) + 1)}"]
    return head + [
        f"| {one.design} | {' | '.join(one.setting)} | {one.coverage:.3f} |" for one in low
    ]
