"""Kroma: a plain reference, the golden data, and the engine against both."""
