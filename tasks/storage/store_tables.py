"""Tables of the sample store."""

import sqlalchemy as sa

metadata = sa.MetaData()

facts = sa.Table(
    "assent_store",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

migrations = sa.Table(
    "assent_migrations",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("applied_at", sa.Text, nullable=False),
)

samples = sa.Table(
    "samples",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("provider", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("benchmark_id", sa.Text, nullable=False),
    sa.Column("epoch", sa.Text, nullable=False),
    sa.Column("prompt_hash", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("model_id", sa.Text),
    sa.Column("finish_reason", sa.Text),
    sa.Column("wall_time_ms", sa.Float),
    sa.Column("usage", sa.Text, nullable=False),
    sa.Column("reasoning_tokens", sa.Integer),
    sa.Column("provider_request_id", sa.Text),
    sa.Column("error", sa.Text),
    sa.Column("created_at", sa.Text, nullable=False),
)

leases = sa.Table(
    "leases",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("holder", sa.Text, nullable=False),
    sa.Column("expires_at", sa.Double, nullable=False),
)

verdicts = sa.Table(
    "verdicts",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("row_digest", sa.Text, nullable=False),
    sa.Column("candidate_digest", sa.Text, nullable=False),
    sa.Column("verifier_version", sa.Text, nullable=False),
    sa.Column("sandbox", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
)
