"""Guardians, version 0: what users import.

Guardians is a card game of simultaneous hidden choices for two to five players. Its options, the
same for every function here, are told in `chromazoo.envs.guardians.config.Config` and in the game's
README.

>>> environment = env(num_players=4)
>>> environment.reset(seed=7)
>>> observation, reward, termination, truncation, info = environment.last()
>>> environment.step(int(observation["action_mask"].argmax()))
>>> environment.agent_selection
'player_1'
"""

from chromazoo.envs.entry import Entry
from chromazoo.envs.guardians.rules import Game

_entry = Entry(Game)
env = _entry.env
raw_env = _entry.raw_env
parallel_env = _entry.parallel_env
vector_env = _entry.vector_env
single_env = _entry.single_env
single_vector_env = _entry.single_vector_env

__all__ = [
    "Game",
    "env",
    "parallel_env",
    "raw_env",
    "single_env",
    "single_vector_env",
    "vector_env",
]
