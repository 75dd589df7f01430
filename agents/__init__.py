"""Agents: who decides. Random, heuristics, PPO."""

from chromazoo.agents.agent import Agent, Decision, RandomAgent, decide, load

__all__ = ["Agent", "Decision", "RandomAgent", "decide", "load"]
