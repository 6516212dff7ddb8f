"""What the stages of a pack run hand on.

None of it holds or names a file with hidden values: whatever needs them reads the pack again, and
makes sure that its rows are still those that were checked.
"""

from pydantic import Field

from schemas.documents import AskedPrompts, Document, StoredFile


class SoundPack(Document):
    """A pack whose rows passed every check."""

    pack_id: str = Field(description="Id of the pack.")
    version: int = Field(description="Its edition.")
    sha256: str = Field(description="Digest of manifest, rows and assets.")
    rows_sha256: str = Field(description="Digest over the digests of the rows that were read.")
    n_rows: int = Field(description="Rows that were read.")
    families: dict[str, int] = Field(description="Rows of each family.")


class PackPromptTable(AskedPrompts):
    """The rows that can be asked, as prompts."""

    rendering: int = Field(description="Version of the rendering.")
    n_rows: int = Field(description="Rows selected, asked or not.")


class JudgedPack(Document):
    """What became of every row."""

    file: StoredFile = Field(description="verdicts table.")
    samples: StoredFile = Field(description="samples table with verdicts.")
    records: StoredFile = Field(description="A line per attempt: record, result and metadata.")
    n_rows: int = Field(description="Rows of the verdicts table.")
    n_errors: int = Field(description="Attempts that could not be judged.")
    verifiers: tuple[str, ...] = Field(description="Names and versions of the verifiers used.")

    def is_reusable(self) -> bool:
        """What could not be judged is tried again."""
        return self.n_errors == 0
