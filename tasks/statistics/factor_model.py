"""Logistic regression of agreement on factor levels, with items as clusters.

A maximum likelihood estimate exists only when the data do not separate agreeing from disagreeing
samples (Albert and Anderson 1984). That is decided by a linear programme before anything is fitted
(Konis 2007), because fitting would return huge coefficients without a word. Errors and tests are
those of `tasks.statistics.clustered`.

References:
    Albert, A. and Anderson, J. A. (1984). On the existence of maximum likelihood estimates in
    logistic regression models. Biometrika, 71(1), 1-10.
    Konis, K. (2007). Linear programming algorithms for detecting separated data in binary logistic
    regression models. Thesis, University of Oxford.
"""

import warnings
from collections.abc import Iterator, Sequence
from math import log
from typing import Any

import numpy as np

from schemas.benchmark import Benchmark
from schemas.evaluation import Evaluation
from schemas.factor_model import FactorEffect, FactorModel, Intercept
from tasks.statistics.clustered import LONE_ITEM, METHOD, Clustered
from tasks.statistics.coefficients import Floats
from tasks.statistics.factor_design import Design, gather_rows, make_design, not_estimable
from tasks.statistics.referring import Referred

_TINY = 1e-7
_UNCERTAINTY = (
    "std_err",
    "z_value",
    "p_value",
    "conf_int_low",
    "conf_int_high",
    "degrees_of_freedom",
)


def fit_factor_model(
    evaluation: Evaluation, benchmark: Benchmark, reference: Referred
) -> FactorModel:
    """How the odds of agreeing with the reference change with each level.

    Raises:
        UserError: The model cannot be estimated from this evaluation; the message says why.
    """
    rows = gather_rows(evaluation, benchmark, reference.verdicts)
    design = make_design(rows, benchmark.factors)
    _require_estimable(design)
    fitted, log_likelihood = fit_design(design)
    wald = {factor: fitted.joint_p(_places(design, factor)) for factor in design.baselines}
    effects = tuple(_effects(fitted, design))
    share = design.agrees.mean()
    null_deviance = -2 * len(design.agrees) * _log_likelihood(float(share))
    deviance = -2 * log_likelihood
    return FactorModel(
        evaluation_id=evaluation.id,
        benchmark_id=benchmark.id,
        reference=reference.label,
        n_observations=len(design.agrees),
        n_items=int(design.clusters.max()) + 1,
        n_factors=len(design.baselines),
        n_dropped_abstain=rows.n_dropped_abstain,
        n_failed=rows.n_failed,
        n_items_incomplete=len(rows.incomplete),
        deviance=deviance,
        null_deviance=null_deviance,
        pseudo_r2=1 - deviance / null_deviance,
        method=METHOD,
        intercept=Intercept(coef=float(fitted.params[0]), std_err=_finite(fitted.errors[0])),
        baselines=dict(design.baselines),
        effects=effects,
        factor_wald={factor: p if isinstance(p, float) else None for factor, p in wald.items()},
        notes=design.notes,
        reasons=_lone(fitted, effects)
        | {f"factor_wald.{factor}": p for factor, p in wald.items() if isinstance(p, str)},
    )


def separating_columns(design: Design) -> list[int]:
    """Columns of a combination that tells agreeing from disagreeing samples; empty when none does.

    The programme looks for coefficients, each between -1 and 1, that put no sample on the wrong
    side and some on the right one.
    """
    from scipy.optimize import linprog

    signed = np.unique(design.matrix * (2 * design.agrees - 1)[:, np.newaxis], axis=0)
    nothing = np.zeros(len(signed))
    solved: Any = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=nothing, bounds=(-1, 1))
    if -solved.fun < _TINY:
        return []
    return [int(column) for column in np.flatnonzero(np.abs(solved.x) > _TINY)]


def _require_estimable(design: Design) -> None:
    n_rows, n_columns = design.matrix.shape
    if n_rows <= n_columns:
        raise not_estimable(
            f"{n_rows} samples for {n_columns} coefficients", "add samples or items"
        )
    if np.linalg.matrix_rank(np.unique(design.matrix, axis=0)) < n_columns:
        names = ", ".join(design.describe(column) for column in _redundant(design))
        raise not_estimable(f"in these items {names} cannot be told from other factors")
    if design.agrees.min() == design.agrees.max():
        which = "every" if design.agrees[0] else "no"
        raise not_estimable(f"{which} sample agrees with the reference", "add items")
    columns = separating_columns(design)
    if columns:
        raise not_estimable(f"separation: {_separation(design, columns)}")
    n_items = int(design.clusters.max()) + 1
    if n_items <= n_columns:
        raise not_estimable(
            f"{n_items} items for {n_columns} coefficients leave clustered errors undefined",
            "add items",
        )


def _redundant(design: Design) -> list[int]:
    """The columns that a pass from left to right finds nothing new in."""
    unique = np.unique(design.matrix, axis=0)
    rank, found = 0, []
    for column in range(unique.shape[1]):
        now = int(np.linalg.matrix_rank(unique[:, : column + 1]))
        if now == rank:
            found.append(column)
        rank = now
    return found


def _separation(design: Design, columns: list[int]) -> str:
    """What tells the samples apart: a level on which all agree or none does, or a combination."""
    for column in range(1, design.matrix.shape[1]):
        at_level = design.agrees[design.matrix[:, column] == 1]
        if at_level.min() == at_level.max():
            which = "all" if at_level[0] else "none"
            return f"{which} of the {len(at_level)} samples at {design.describe(column)} agree"
    for factor, level in design.baselines.items():
        at_level = design.agrees[design.matrix[:, _places(design, factor)].sum(axis=1) == 0]
        if at_level.min() == at_level.max():
            which = "all" if at_level[0] else "none"
            return f"{which} of the {len(at_level)} samples at {factor}={level} agree"
    named = ", ".join(design.describe(column) for column in columns)
    return f"a combination of {named} tells agreeing from disagreeing samples"


def fit_design(design: Design) -> tuple[Clustered, float]:
    """The coefficients of a design that can be estimated, and their log likelihood.

    Raises:
        UserError: The fit comes to no end, or some coefficient would have no standard error.
    """
    from statsmodels.discrete.discrete_model import Logit

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # What they would say is looked at below.
        fitted: Any = Logit(design.agrees, design.matrix).fit(method="newton", maxiter=200, disp=0)
        params, bread = np.asarray(fitted.params), np.asarray(fitted.cov_params())
        found = Clustered.of(design, params, bread)
        require_sound(design, found.errors, converged=fitted.mle_retvals["converged"])
    return found, float(fitted.llf)


def require_sound(design: Design, errors: Floats, *, converged: bool) -> None:
    """Make sure that a fit came to an end and that items differ wherever errors come from.

    Raises:
        UserError: It did not, or they do not.
    """
    if not converged or np.isnan(errors).any():
        raise not_estimable("the fit does not converge")
    if (errors < _TINY).any():
        name = design.describe(int(np.argmin(errors)))
        raise not_estimable(f"items do not differ where {name} is estimated from", "add items")


def _effects(fitted: Clustered, design: Design) -> Iterator[FactorEffect]:
    errors = fitted.errors
    for column, (factor, level) in enumerate(design.columns, start=1):
        at_level = design.agrees[design.matrix[:, column] == 1]
        yield FactorEffect(
            factor=factor,
            level=level,
            coef=float(fitted.params[column]),
            odds_ratio=float(np.exp(fitted.params[column])),
            n_observations=len(at_level),
            n_agreeing=int(at_level.sum()),
            **_uncertainty(fitted, column, float(errors[column])),
        )


def _uncertainty(fitted: Clustered, column: int, error: float) -> dict[str, float | None]:
    from scipy.special import stdtr, stdtrit

    if np.isinf(error):
        return dict.fromkeys(_UNCERTAINTY)
    coef, degrees = float(fitted.params[column]), fitted.degrees([column])
    ratio, reach = coef / error, float(stdtrit(degrees, 0.975)) * error
    p_value = 2 * float(stdtr(degrees, -abs(ratio)))
    found = (error, ratio, p_value, coef - reach, coef + reach, degrees)
    return dict(zip(_UNCERTAINTY, found, strict=True))


def _places(design: Design, factor: str) -> list[int]:
    return [i for i, (name, _) in enumerate(design.columns, start=1) if name == factor]


def _finite(error: float) -> float | None:
    return None if np.isinf(error) else float(error)


def _lone(fitted: Clustered, effects: Sequence[FactorEffect]) -> dict[str, str]:
    names = ("intercept", *(f"effects.{one.factor}={one.level}" for one in effects))
    return {
        name: LONE_ITEM for name, error in zip(names, fitted.errors, strict=True) if np.isinf(error)
    }


def _log_likelihood(share: float) -> float:
    """Mean log likelihood of coin tosses at their own share; both outcomes occur here."""
    return share * log(share) + (1 - share) * log(1 - share)
