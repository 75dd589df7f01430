"""Kroma: a two-player board game of perfect information in 72 variants."""
