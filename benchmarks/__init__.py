"""Benchmarks of engines and of policies."""
