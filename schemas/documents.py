"""What stages hand on: small frozen documents that name files by path, digest and size.

A document travels instead of its rows, because the engine hashes every input on every call.
Paths are relative to the state directory, so a moved project still finds its cached stages.
"""

from typing import Any, ClassVar

from pydantic import Field

from schemas.base import Frozen


class StoredFile(Frozen):
    """A file in the state directory."""

    path: str = Field(description="Relative to the state directory.")
    sha256: str = Field(description="Digest of its content.")
    size: int = Field(description="Bytes.")


class Document(Frozen):
    """Base of everything that a stage returns; subclasses register themselves by name."""

    registry: ClassVar[dict[str, type["Document"]]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Remember the class, so that records can name it without importing anything."""
        super().__pydantic_init_subclass__(**kwargs)
        Document.registry[cls.__name__] = cls

    def files(self) -> tuple[StoredFile, ...]:
        """Files without which this document is worth nothing."""
        values = (getattr(self, name) for name in type(self).model_fields)
        return tuple(value for value in values if isinstance(value, StoredFile))

    def is_reusable(self) -> bool:
        """Whether a later run may take this result instead of computing its own."""
        return True


class CheckedBenchmark(Document):
    """A benchmark that passed every check, in normalised form."""

    file: StoredFile = Field(description="The benchmark, normalised.")
    source_sha256: str = Field(description="Digest of the file as the user has it.")
    benchmark_id: str = Field(description="Id of the benchmark.")
    benchmark_hash: str = Field(description="Canonical hash, profile 0.17.")
    n_items: int = Field(description="Number of items.")
    n_variants: int = Field(description="Number of wordings.")
    plugins: tuple[str, ...] = Field(description="Plugin builders that it asks for.")


class AskedPrompts(Document):
    """Prompts of any origin: what sampling starts from."""

    file: StoredFile = Field(description="prompts table.")
    n_prompts: int = Field(description="Rows.")
    benchmark_id: str = Field(description="Id of the benchmark.")


class PromptTable(AskedPrompts):
    """All prompts of one variant."""

    variant: int = Field(description="Wording.")
    prompt_id: str = Field(description="Id of the question's wording.")
    verification_prompt_id: str = Field(description="Id of the support question.")
    coherence_frame_id: str = Field(description="Frame; thin-v1 for the support question.")
    premise_builder_id: str = Field(description="Builder of premise contexts.")
    conclusion_builder_id: str = Field(description="Builder of conclusion contexts.")
    plugins: tuple[str, ...] = Field(description="Identities of the plugins that ran.")
    parse_regex: str | None = Field(description="The benchmark's own pattern, if it is in force.")


class SampleTable(Document):
    """All samples of a run."""

    file: StoredFile = Field(description="samples table.")
    n_samples: int = Field(description="Rows.")
    n_failed: int = Field(description="Rows without a reply.")
    n_undrawn: int = Field(description="Samples not asked for: the verdict was settled.")
    request_digest: str = Field(description="SHA-256 over all request keys.")
    model_id: str | None = Field(description="Model as the replies name it, when they do.")

    def is_reusable(self) -> bool:
        """A table with failed samples is asked again."""
        return self.n_failed == 0


class VerdictTable(Document):
    """One verdict per item, and every sample with what it was read as."""

    file: StoredFile = Field(description="verdicts table.")
    samples: StoredFile = Field(description="samples table with verdicts.")
    n_items: int = Field(description="Rows of the verdicts table.")
    n_missing: int = Field(description="Items without a usable sample.")


class MetricsDocument(Document):
    """Metrics of a run."""

    file: StoredFile = Field(description="The metrics as JSON.")


class Provenance(Document):
    """Digests of everything that a run rests on; times, host and git come when it is published."""

    block: dict[str, Any] = Field(description="The provenance block.")
