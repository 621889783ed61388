"""Readings of the table in, verdicts out: what was played, what is missing, what no rule allows."""
