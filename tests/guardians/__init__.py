"""Guardians: a plain reference, the golden records, and the engine against both."""
