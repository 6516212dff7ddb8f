"""The one place that states which Assent this is."""

VERSION = "0.1.0"
