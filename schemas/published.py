"""The JSON Schemas that we publish, generated from the models."""

import json
from collections.abc import Callable
from importlib import import_module, resources
from pathlib import Path
from typing import Any

from pydantic import BaseModel

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _named(module: str, name: str) -> Callable[[], type[BaseModel]]:
    """A model that is imported when its schema is asked for."""

    def load() -> type[BaseModel]:
        model: type[BaseModel] = getattr(import_module(module), name)
        return model

    return load


PUBLISHED: dict[str, Callable[[], type[BaseModel]]] = {
    "audit-1.0": _named("schemas.checks", "AuditReport"),
    "benchmark-1.0": _named("schemas.benchmark", "Benchmark"),
    "comparison-1.0": _named("schemas.comparison", "Comparison"),
    "comparisons-1.0": _named("schemas.comparison", "ComparisonFamily"),
    "evaluation-1.0": _named("schemas.evaluation", "Evaluation"),
    "factor-model-1.0": _named("schemas.factor_model", "FactorModel"),
    "invariance-1.0": _named("schemas.variability", "InvarianceStudy"),
    "metrics-1.0": _named("schemas.metrics", "OverallMetrics"),
    "metrics-report-1.0": _named("schemas.metrics_report", "MetricsReport"),
    "monotonicity-1.0": _named("schemas.checks", "MonotonicityReport"),
    "output-v1": _named("schemas.output", "OutputDocument"),
    "pack-comparison-1.0": _named("schemas.pack_comparison", "PackComparison"),
    "pack-comparisons-1.0": _named("schemas.pack_comparison", "PackComparisonFamily"),
    "pack-manifest-1": _named("schemas.pack", "Manifest"),
    "pack-row-1": _named("schemas.pack_published", "AnyRow"),
    "plan-1.0": _named("schemas.planning", "StudyPlan"),
    "retest-1.0": _named("schemas.retest", "RetestResult"),
    "run-spec-1.0": _named("schemas.run", "RunSpec"),
    "structure-1.0": _named("schemas.checks", "StructureReport"),
    "suite-1.0": _named("schemas.sweep", "Suite"),
    "sweep-1.0": _named("schemas.sweep", "SweepStudy"),
    "tester-0.2": _named("schemas.tester", "Tester"),
    "variance-1.0": _named("schemas.variability", "VarianceStudy"),
}


def generate(name: str) -> dict[str, Any]:
    """The schema of a published model, from the model."""
    schema = PUBLISHED[name]().model_json_schema(mode="validation", by_alias=True)
    return {"$schema": DIALECT, "$id": f"assent/{name}.json", **_without_titles(schema)}


def _without_titles(schema: Any) -> Any:
    """Generated titles only repeat the names of fields."""
    if isinstance(schema, list):
        return [_without_titles(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    is_field = "title" in schema and isinstance(schema["title"], str)
    return {k: _without_titles(v) for k, v in schema.items() if not (k == "title" and is_field)}


def places(name: str) -> list[Path]:
    """Where the file of a schema is kept; in a checkout the output schema has two places."""
    here = Path(__file__).resolve().parent
    found = [here / "json" / f"{name}.json"]
    canonical = here.parent / "outputs" / "schemas" / "benchmark_schema.json"
    if name == "output-v1" and canonical.parent.is_dir():
        found.append(canonical)
    return found


def as_text(schema: dict[str, Any]) -> str:
    """A schema as it stands in its file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def stored(name: str) -> dict[str, Any]:
    """The schema of a published model, from its file."""
    text = resources.files("schemas").joinpath(f"json/{name}.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
