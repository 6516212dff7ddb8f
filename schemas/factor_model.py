"""How agreement with the reference depends on the factors of a benchmark."""

from pydantic import Field, FiniteFloat

from schemas.base import Frozen
from schemas.checks import Warned
from schemas.metrics import Count, Share


class FactorEffect(Frozen):
    """A level against the baseline of its factor, other factors held equal."""

    factor: str = Field(description="The factor.")
    level: str = Field(description="The level.")
    coef: FiniteFloat = Field(description="Difference of the log odds of agreeing.")
    std_err: FiniteFloat | None = Field(description="Standard error, items as clusters.")
    z_value: FiniteFloat | None = Field(description="coef / std_err.")
    p_value: Share | None = Field(description="Two-sided, Student's t.")
    conf_int_low: FiniteFloat | None = Field(description="Lower end of the 95 % interval of coef.")
    conf_int_high: FiniteFloat | None = Field(description="Upper end.")
    degrees_of_freedom: FiniteFloat | None = Field(
        description="Of Student's t: how many items inform the effect, roughly."
    )
    odds_ratio: FiniteFloat = Field(description="exp(coef).")
    n_observations: Count = Field(description="Samples at this level.")
    n_agreeing: Count = Field(description="Those that agree with the reference.")


class Intercept(Frozen):
    """The log odds of agreeing when every factor is at its baseline."""

    coef: FiniteFloat = Field(description="Log odds.")
    std_err: FiniteFloat | None = Field(description="Standard error, items as clusters.")


class FactorModel(Frozen):
    """A logistic regression of agreement on factor levels, one row per sample."""

    evaluation_id: str = Field(description="Run id of the evaluation.")
    benchmark_id: str = Field(description="Id of the benchmark.")
    reference: str = Field(description="Whom a sample must agree with.")
    n_observations: Count = Field(description="Samples in the fit.")
    n_items: Count = Field(description="Items in the fit; they are the clusters.")
    n_factors: Count = Field(description="Factors in the fit.")
    n_dropped_abstain: Count = Field(description="Samples left out: they or the reference abstain.")
    n_failed: Count = Field(description="Samples left out because their call failed.")
    n_items_incomplete: Count = Field(description="Items left out for want of a factor.")
    deviance: FiniteFloat = Field(description="-2 log likelihood.")
    null_deviance: FiniteFloat = Field(description="The same without factors.")
    pseudo_r2: FiniteFloat = Field(description="McFadden's: 1 - deviance / null_deviance.")
    method: str = Field(description="How errors and tests are found.")
    intercept: Intercept = Field(description="At the baselines.")
    baselines: dict[str, str] = Field(description="Level that the others are compared with.")
    effects: tuple[FactorEffect, ...] = Field(description="By factor, levels as declared.")
    factor_wald: dict[str, Share | None] = Field(
        description="Joint p-value per factor; null when it cannot be computed."
    )
    notes: tuple[str, ...] = Field(description="What was left out, and why.")
    reasons: dict[str, str] = Field(description="Why for every null.")
    warnings: tuple[Warned, ...] = Field(default=(), description="What else was noticed.")
