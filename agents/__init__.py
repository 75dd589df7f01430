"""Agents: who decides. Random, heuristics, PPO."""

import os

# Read when torch loads OpenMP, so it is set before any module here imports torch. Threads that spin
# as they wait make two threads on two busy cores many times slower than one; sleeping ones cost
# next to nothing on idle cores.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from chromazoo.agents.agent import Agent, Decision, RandomAgent, decide, load

__all__ = ["Agent", "Decision", "RandomAgent", "decide", "load"]
