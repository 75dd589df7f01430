"""Agents: who decides in a game."""
