"""Kroma, version 0: what users import.

Kroma is a board game of perfect information for two players. Its options, the same for every
function here, are told in `chromazoo.envs.kroma.config.Config` and in the game's README.

>>> environment = env(size="basic", render_mode="ansi")
>>> environment.reset(seed=7)
>>> observation, reward, termination, truncation, info = environment.last()
>>> observation["observation"].shape == (environment.unwrapped.game.num_features,)
True
>>> environment.step(int(observation["action_mask"].argmax()))
>>> environment.agent_selection
'player_1'
"""

from chromazoo.envs.entry import Entry
from chromazoo.envs.kroma.rules import Game

_entry = Entry(Game)
env = _entry.env
raw_env = _entry.raw_env
vector_env = _entry.vector_env
single_env = _entry.single_env
single_vector_env = _entry.single_vector_env

__all__ = ["Game", "env", "raw_env", "single_env", "single_vector_env", "vector_env"]
