"""Procedures that end in a profile file and a residual a person can judge."""
