"""The coefficients that stand beside the kappas, over sides and over all three verdicts."""

from collections.abc import Mapping

import numpy as np

from schemas.metrics import Caution, Metric
from tasks.statistics.agreement import ALL_VERDICTS, SIDES, agreement
from tasks.statistics.codes import MISSING, Codes
from tasks.statistics.coefficients import Kind
from tasks.statistics.columns import Columns
from tasks.statistics.measuring import BESIDE_KAPPA, NAMES, THREE_CLASS, Measurer

PREVALENCE_GAP = 0.2
"""Kappa and AC1 further apart than this are worth a warning."""


def beside_references(
    columns: Columns, references: Mapping[str, Codes], measurer: Measurer
) -> dict[str, Metric]:
    """Model and each reference: everything but Cohen's kappa over the sides."""
    found = {}
    for label, reference in references.items():
        pairs = np.column_stack((columns.model, reference))
        both = where_both_took_a_side(pairs)
        for kind in BESIDE_KAPPA:
            key = f"{NAMES[kind]}[{label}]"
            found[key] = measurer(kind, both)
        key = f"raw_agreement[{label}]"
        found[key] = _with_chance_of("cohen", found[key], both, SIDES)
        for kind in ("cohen", *BESIDE_KAPPA):
            key = f"{NAMES[kind]}{THREE_CLASS}[{label}]"
            found[key] = measurer(kind, pairs, ALL_VERDICTS)
        key = f"raw_agreement{THREE_CLASS}[{label}]"
        found[key] = _with_chance_of("cohen", found[key], pairs, ALL_VERDICTS)
    return found


def where_both_took_a_side(pairs: Codes) -> Codes:
    """Two raters, without the ratings on items where one of them took no side."""
    both = (pairs < SIDES).all(axis=1, keepdims=True)
    return np.where(both, pairs, MISSING).astype(np.int8)


def beside_panel(columns: Columns, measurer: Measurer) -> dict[str, Metric]:
    """Analysts with the model, and analysts alone: everything but Fleiss' kappa over the sides.

    A rater who took no side on an item has no rating there; the item counts when two others have.
    """
    found = {}
    with_model = np.column_stack((columns.analysts, columns.model))
    for prefix, table in (("", with_model), ("inter_analyst_", columns.analysts)):
        for kind in BESIDE_KAPPA:
            key = f"{prefix}{NAMES[kind]}"
            found[key] = measurer(kind, table)
        for kind in ("fleiss", *BESIDE_KAPPA):
            name = "fleiss" if prefix and kind == "fleiss" else NAMES[kind]
            key = f"{prefix}{name}{THREE_CLASS}"
            found[key] = measurer(kind, table, ALL_VERDICTS)
        for suffix, n_classes in (("", SIDES), (THREE_CLASS, ALL_VERDICTS)):
            key = f"{prefix}raw_agreement{suffix}"
            found[key] = _with_chance_of("alpha", found[key], table, n_classes)
    return found


def _with_chance_of(kind: Kind, raw: Metric, table: Codes, n_classes: int) -> Metric:
    """Raw agreement beside what chance would give of it with these frequencies of verdicts."""
    if raw.value is None:
        return raw
    corrected = agreement(kind, table, n_classes=n_classes)
    return raw.model_copy(update={"chance": 1.0 if corrected.chance is None else corrected.chance})


def prevalence_cautions(
    kappas: Mapping[str, Metric], further: Mapping[str, Metric]
) -> tuple[Caution, ...]:
    """A warning for each reference where kappa and AC1 are more than 0.2 apart.

    Both correct for chance. Far apart they differ because one verdict is much more frequent, or
    because the raters use it with different frequency: then neither should be quoted alone.
    """
    found = []
    for label, kappa in kappas.items():
        ac1 = further[f"gwet_ac1[{label}]"]
        if kappa.value is None or ac1.value is None:
            continue
        if abs(kappa.value - ac1.value) > PREVALENCE_GAP:
            found.append(
                Caution(
                    code="prevalence",
                    message=(
                        f"cohens_kappa[{label}] is {kappa.value:.3f} and gwet_ac1[{label}] "
                        f"{ac1.value:.3f}, more than {PREVALENCE_GAP} apart: one verdict prevails "
                        f"or is used unequally; read raw_agreement[{label}] beside them"
                    ),
                )
            )
    return tuple(found)
