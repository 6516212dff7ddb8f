"""Documents that a run leaves behind, as plain values: no file is touched here."""
